"""Bodies that are large, slow, hostile or broken: the right status, bounded memory, and the next request answered."""

from __future__ import annotations

import gzip
import json
import resource
import socket
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serving import NOUL, REQUEST, Served, served

from clef_mlx.engine.options import Options
from clef_mlx.serve.bodies import MAX_VALUES, zstd

MIB = 1 << 20
LIMIT = 2 * MIB
TEXT_LIMIT = 3 * MIB // 2
BODY_SECONDS = 1.0
JSON = {"content-type": "application/json"}
HEAD = "POST /v1/systemone HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "


@pytest.fixture(scope="module")
def server(tiny_release):
    with served(tiny_release, max_body_bytes=LIMIT, max_characters=TEXT_LIMIT, body_seconds=BODY_SECONDS) as running:
        yield running


@pytest.fixture(autouse=True)
def next_request_is_answered(server):
    yield
    assert server.ask().status_code == 200


def peak_bytes() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def post(server: Served, content: bytes, **headers: str) -> httpx.Response:
    return server.client.post("/v1/systemone", content=content, headers=JSON | headers)


def kind(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["detail"]["error_type"]


COMPRESSORS = {"gzip": gzip.compress, "zstd": zstd.compress}


@pytest.mark.parametrize("encoding", COMPRESSORS)
def test_compressed_body_is_read(server, encoding):
    content = COMPRESSORS[encoding](json.dumps(REQUEST | {"state": "cold " * 500}).encode())
    response = post(server, content, **{"content-encoding": encoding})
    plain = server.ask(REQUEST | {"state": "cold " * 500}).json()
    assert response.json()["usage"] == plain["usage"]


def test_zstd_of_unknown_size_and_several_frames_is_read(server):
    text = json.dumps(REQUEST).encode()
    stream = zstd.ZstdCompressor(options={zstd.CompressionParameter.content_size_flag: 0})
    content = stream.compress(text[:40]) + stream.flush() + zstd.compress(text[40:])
    assert post(server, content, **{"content-encoding": "zstd"}).status_code == 200


def test_compressed_multipart_is_opened_first(server):
    boundary = "0123456789abcdef"
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="request"\r\nContent-Type: application/json\r\n\r\n'
    content = part.encode() + json.dumps(REQUEST).encode() + f"\r\n--{boundary}--\r\n".encode()
    headers = {"content-type": f"multipart/form-data; boundary={boundary}", "content-encoding": "zstd"}
    assert post(server, COMPRESSORS["zstd"](content), **headers).status_code == 200


@pytest.mark.parametrize("encoding", COMPRESSORS)
@pytest.mark.parametrize("fault", ["cut", "noise", "empty", "other"])
def test_broken_compression_is_400(server, encoding, fault):
    whole = COMPRESSORS[encoding](json.dumps(REQUEST | {"state": "x" * 500}).encode())
    other = COMPRESSORS["gzip" if encoding == "zstd" else "zstd"](b"{}")
    content = {"cut": whole[:-6], "noise": whole[:10] + bytes(len(whole)), "empty": b"", "other": other}[fault]
    response = post(server, content, **{"content-encoding": encoding})
    assert response.status_code in ((400, 422) if fault == "empty" else (400,))


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
def test_bomb_is_413_within_bounded_memory(server, encoding):
    size, stream = (
        (256 * MIB, zlib.compressobj(1, wbits=31)) if encoding == "gzip" else (1 << 30, zstd.ZstdCompressor())
    )
    content = b"".join(stream.compress(bytes(MIB)) for _ in range(size // MIB)) + stream.flush()
    assert len(content) < LIMIT
    before = peak_bytes()
    assert kind(post(server, content, **{"content-encoding": encoding})) == (413, "request_too_large")
    assert peak_bytes() - before < 64 * MIB


def test_zstd_frame_that_asks_for_a_huge_window_is_refused(server):
    parameters = {zstd.CompressionParameter.window_log: 27, zstd.CompressionParameter.content_size_flag: 0}
    stream = zstd.ZstdCompressor(options=parameters)
    content = stream.compress(json.dumps(REQUEST).encode()) + stream.flush()
    before = peak_bytes()
    assert post(server, content, **{"content-encoding": "zstd"}).status_code == 400
    assert peak_bytes() - before < 64 * MIB


def test_large_body_is_413_before_it_is_sent(server):
    with socket.create_connection(server.address, timeout=10) as connection:
        connection.sendall(f"{HEAD}{64 * MIB}\r\n\r\n".encode())
        assert connection.makefile("rb").readline().split()[1] == b"413"


def test_64_megabytes_are_413_whole(server):
    assert kind(post(server, b" " * (64 * MIB))) == (413, "request_too_large")


def test_64_megabytes_of_unknown_length_are_413_within_bounded_memory(server):
    chunk = b" " * MIB
    before = peak_bytes()
    response = server.client.post("/v1/systemone", content=(chunk for _ in range(64)), headers=JSON)
    assert kind(response) == (413, "request_too_large")
    assert peak_bytes() - before < 32 * MIB


def test_bodies_of_many_clients_share_bounded_memory(server):
    connections = []
    for _ in range(5):  # four fill the room
        connection = socket.create_connection(server.address, timeout=10)
        connection.sendall(f"{HEAD}{LIMIT}\r\n\r\n".encode() + b" " * (LIMIT - 1))
        connections.append(connection)
    statuses = sorted(connection.makefile("rb").readline().split()[1] for connection in connections)
    for connection in connections:
        connection.close()
    assert statuses == [b"408"] * 4 + [b"429"]


def test_body_of_a_million_small_values_is_413(server):
    content = b'{"state": [' + b"1," * MAX_VALUES + b"1]}"
    assert kind(post(server, content)) == (413, "request_too_large")


def test_slow_body_is_408_and_closed(server):
    started = time.monotonic()
    with socket.create_connection(server.address, timeout=10) as connection:
        connection.sendall(f"{HEAD}1000\r\n\r\n{{".encode())
        connection.settimeout(0.2)
        received = b""
        while time.monotonic() - started < 10:
            try:
                data = connection.recv(65536)
            except TimeoutError:
                # Drips for a while, then only listens: bytes sent into a closed connection would reset it.
                if time.monotonic() - started < 0.7 * BODY_SECONDS:
                    connection.sendall(b" ")
                continue
            received += data
            if not data:
                break
    assert received.split()[1] == b"408" and b"connection: close" in received.lower()
    assert time.monotonic() - started < 5


def test_client_gone_in_mid_body_leaves_nothing_behind(server):
    for _ in range(20):
        with socket.create_connection(server.address, timeout=10) as connection:
            connection.sendall(f'{HEAD}9999\r\n\r\n{{"state":'.encode())


def test_client_gone_before_its_answer_leaves_nothing_behind(server):
    text = json.dumps(REQUEST)
    for _ in range(20):
        with socket.create_connection(server.address, timeout=10) as connection:
            connection.sendall(f"{HEAD}{len(text)}\r\n\r\n{text}".encode())


def test_noise_instead_of_http_is_400(server):
    with socket.create_connection(server.address, timeout=10) as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00 hello\r\n\r\n")
        received = connection.makefile("rb").read()
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.split()[1] == b"400" and b"x-typesafe-request-id: req_" in head
    assert json.loads(body)["detail"]["error_type"] == "api_usage_error"


def test_expected_continue_is_answered(server):
    text = json.dumps(REQUEST)
    with socket.create_connection(server.address, timeout=10) as connection:
        connection.sendall(f"{HEAD}{len(text)}\r\nExpect: 100-continue\r\n\r\n".encode())
        lines = connection.makefile("rb")
        assert lines.readline().split()[1] == b"100"
        connection.sendall(text.encode())
        lines.readline()
        assert lines.readline().split()[1] == b"200"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"--x\r\n",
        b"--x--\r\n",
        b'--x\r\nContent-Disposition: form-data; name="request"\r\n\r\n{}',
        b'--x\r\nContent-Disposition: form-data; name="other"\r\n\r\n{}\r\n--x--\r\n',
        b"--x\r\n\r\n{}\r\n--x--\r\n",
        b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n' * 2 + b"--x--\r\n",
        b"".join(b'--x\r\nContent-Disposition: form-data; name="%d"\r\n\r\n1\r\n' % n for n in range(200))
        + b"--x--\r\n",
    ],
)
def test_broken_multipart_is_400(server, content):
    assert kind(post(server, content, **{"content-type": "multipart/form-data; boundary=x"})) == (
        400,
        "api_usage_error",
    )


# Anything at all

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NEARLY = st.fixed_dictionaries(
    {},
    optional={
        "model": ANY_JSON | st.just("clef"),
        "state": ANY_JSON,
        "questions": st.dictionaries(
            st.text(max_size=5),
            st.fixed_dictionaries(
                {"type": st.sampled_from(["noul", "choice", "score", "box", 3, None])},
                optional={"instructions": ANY_JSON, "criteria": ANY_JSON | st.lists(st.text(max_size=3), max_size=12)},
            )
            | ANY_JSON,
            max_size=3,
        )
        | ANY_JSON,
        "images": ANY_JSON,
        "videos": ANY_JSON,
        "assets": ANY_JSON,
        "input": ANY_JSON,
    },
)
PATHS = ["/v1/systemone", "/v1/decisions", "/client/v4/accounts/1/ai/run/@cf/cloudflare/clef"]


@settings(max_examples=100)
@given(body=NEARLY, path=st.sampled_from(PATHS))
def test_fuzzed_json_never_is_a_fault_of_the_server(server, body, path):
    response = server.client.post(path, content=json.dumps(body), headers=JSON)
    assert response.status_code in (200, 400, 413, 422), response.text


@settings(max_examples=100)
@given(
    content=st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode()),
    encoding=st.sampled_from(["identity", "gzip", "zstd"]),
    media_type=st.sampled_from(
        ["application/json", "multipart/form-data; boundary=x", "multipart/form-data", "text/plain"]
    ),
)
def test_fuzzed_bytes_never_are_a_fault_of_the_server(server, content, encoding, media_type):
    headers = {"content-type": media_type, "content-encoding": encoding}
    response = server.client.post("/v1/systemone", content=content, headers=headers)
    assert response.status_code in (400, 415, 422), response.text


@settings(max_examples=50)
@given(cut=st.integers(0, 400), noise=st.binary(min_size=1, max_size=4))
def test_damaged_requests_never_are_a_fault_of_the_server(server, cut, noise):
    whole = json.dumps(REQUEST | {"questions": {"q": NOUL}}).encode()
    content = whole[:cut] + noise + whole[cut + len(noise) :]
    assert post(server, content).status_code in (200, 400, 422)


def test_text_of_too_many_characters_is_413(server):
    most = TEXT_LIMIT
    for change in ({"state": "a" * (most + 1)}, {"questions": {"q": NOUL | {"instructions": ["a"] * (most // 4)}}}):
        response = server.ask(REQUEST | change)
        assert kind(response) == (413, "request_too_large")
        assert response.json()["detail"]["message"].startswith(f"{next(iter(change))}: must be at most {most:,} char")


def test_others_are_answered_while_a_long_text_is_encoded(tiny_release):
    """One word of a million letters takes the tokenizer seconds, and Python need not stand still for it."""
    body = REQUEST | {"state": "a" * 1_000_000}
    with served(tiny_release, options=Options(max_length=512)) as running, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(running.ask, body)
        answered = 0
        while not asked.done():
            assert running.client.get("/health").status_code == 200
            answered += 1
        assert asked.result().json()["x_truncated_tokens"] > 900_000
    assert answered > 20
