"""Who may ask the server: hosts, origins and keys."""

from __future__ import annotations

import socket
import time

import httpx
import pytest
from serving import REQUEST, Served, served

from clef_mlx.errors import RequestError
from clef_mlx.serve.guard import LONGEST_WAIT_SECONDS, Guard
from clef_mlx.serve.problems import Refused
from clef_mlx.serve.settings import Settings

KEY = "a-key-for-tests"
ORIGIN = "https://app.example"


@pytest.fixture(scope="module")
def server(tiny_release):
    with served(tiny_release, hosts=("box.example",), origins=(ORIGIN,)) as running:
        yield running


@pytest.fixture(scope="module")
def keyed(tiny_release):
    with served(tiny_release, key=KEY, origins=(ORIGIN,)) as running:
        yield running


def kind(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["detail"]["error_type"]


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8321", "127.0.0.1", "127.0.0.1:1", "[::1]:8321", "127.1.2.3", "box.example:80"]
)
def test_host_of_this_machine_is_let_in(server, host):
    assert server.ask(headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8321",
        "localhost.evil.example",
        "192.168.1.5",
        "8.8.8.8:80",
        "",
        "[",
        "127.0.0.1@x",
    ],
)
def test_foreign_host_is_403(server, host):
    assert kind(server.ask(headers={"host": host})) == (403, "permission_error")
    assert server.client.get("/health", headers={"host": host}).status_code == 403


def test_request_without_a_host_is_refused(server):
    with socket.create_connection(server.address, timeout=10) as connection:
        connection.sendall(b"GET /health HTTP/1.0\r\n\r\n")
        assert connection.makefile("rb").readline().split()[1] == b"403"


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1:1", "https://app.example.org"],
)
def test_foreign_origin_is_403(server, origin):
    assert kind(server.ask(headers={"origin": origin})) == (403, "permission_error")


def test_own_origin_is_let_in(server):
    assert server.ask(headers={"origin": server.url}).status_code == 200


def test_named_origin_is_let_in_with_cors(server):
    response = server.ask(headers={"origin": ORIGIN})
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == ORIGIN
    assert "x-typesafe-request-id" in response.headers["access-control-expose-headers"]


def test_errors_for_a_named_origin_can_be_read_by_it(server):
    assert server.ask({}, headers={"origin": ORIGIN}).headers["access-control-allow-origin"] == ORIGIN


def preflight(server: Served, origin: str) -> httpx.Response:
    wants = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type"}
    return httpx.options(f"{server.url}/v1/systemone", headers={"origin": origin} | wants)


def test_preflight_of_a_named_origin_needs_no_key(keyed):
    response = preflight(keyed, ORIGIN)
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == ORIGIN
    assert "authorization" in response.headers["access-control-allow-headers"]


def test_preflight_of_a_foreign_origin_is_403(server):
    response = preflight(server, "https://evil.example")
    assert response.status_code == 403
    assert "access-control-allow-origin" not in response.headers


def test_cors_is_off_unless_origins_are_named(tiny_release):
    with served(tiny_release) as server:
        assert preflight(server, ORIGIN).status_code == 403
        assert "access-control-allow-origin" not in server.ask(headers={"origin": server.url}).headers


@pytest.mark.parametrize(
    "name", [None, "", "Bearer", f"Basic {KEY}", "Bearer wrong", f"Bearer {KEY}x", f"Bearer {KEY[:-1]}", KEY]
)
@pytest.mark.parametrize("path", ["/v1/systemone", "/v1/decisions"])
def test_wrong_key_is_401(keyed, name, path):
    headers = {} if name is None else {"authorization": name}
    response = httpx.post(keyed.url + path, json=REQUEST, headers=headers)
    assert kind(response) == (401, "authentication_error")
    assert response.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_right_key_is_let_in(keyed, scheme):
    assert keyed.ask(headers={"authorization": f"{scheme} {KEY}"}).status_code == 200


def test_key_on_cloudflares_route_answers_in_its_envelope(keyed):
    response = httpx.post(f"{keyed.url}/client/v4/accounts/1/ai/run/@cf/cloudflare/clef", json=REQUEST)
    assert response.status_code == 401
    assert response.json()["success"] is False and response.json()["errors"][0]["code"] == 401


@pytest.mark.parametrize("path", ["/", "/health", "/ready", "/page/style.css"])
def test_signs_of_life_and_the_page_need_no_key(keyed, path):
    assert httpx.get(keyed.url + path).status_code == 200


@pytest.mark.parametrize("path", ["/v1/models", "/metrics", "/openapi.json", "/nothing"])
def test_all_else_needs_the_key(keyed, path):
    assert httpx.get(keyed.url + path).status_code == 401


def test_key_is_ignored_where_none_is_set(server):
    assert server.ask(headers={"authorization": "Bearer anything"}).status_code == 200


def test_wrong_keys_wait_and_the_right_one_does_not(keyed):
    started = time.monotonic()
    with httpx.Client(base_url=keyed.url, headers={"authorization": "Bearer guess"}) as guesser:
        statuses = {guesser.get("/v1/models").status_code for _ in range(100)}
    waited = time.monotonic() - started
    started = time.monotonic()
    right = keyed.client.get("/v1/models").status_code
    assert statuses == {401} and right == 200
    assert waited > 80 * LONGEST_WAIT_SECONDS
    assert time.monotonic() - started < 1


@pytest.mark.slow
def test_a_thousand_wrong_keys_are_all_refused(keyed):
    with httpx.Client(base_url=keyed.url, headers={"authorization": "Bearer guess"}) as guesser:
        assert {guesser.post("/v1/systemone", json=REQUEST).status_code for _ in range(1000)} == {401}
    assert keyed.ask().status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "box.example", ""])
def test_other_addresses_need_a_key(host):
    with pytest.raises(RequestError, match="unless a key is set"):
        Settings(host=host)
    assert Settings(host=host, key=KEY).host == host


@pytest.mark.parametrize("key", ["", " ", "a b", "a\n", "ключ"])
def test_key_must_fit_a_header(key):
    with pytest.raises(RequestError, match="printable ASCII"):
        Settings(key=key)


@pytest.mark.parametrize("origin", ["*", "app.example", "https://app.example/", "https://app.example/x", "null"])
def test_named_origin_must_be_one(origin):
    with pytest.raises(RequestError, match="scheme://host"):
        Settings(origins=(origin,))


@pytest.mark.parametrize(
    ("host", "let_in"),
    [("192.168.1.5:8321", True), ("localhost", True), (socket.gethostname(), True), ("evil.example", False)],
)
def test_open_server_answers_to_addresses_and_its_own_name(host, let_in):
    from starlette.datastructures import Headers

    guard = Guard(None, Settings(host="0.0.0.0", key=KEY))
    headers = Headers({"host": host})
    if let_in:
        guard._check_host(headers)
    else:
        with pytest.raises(Refused):
            guard._check_host(headers)


def test_key_shows_in_no_description_of_the_settings():
    assert KEY not in repr(Settings(key=KEY))
