"""`clef-mlx serve` as a process: what it prints, how it starts, and how it ends."""

from __future__ import annotations

import json
import plistlib
import signal
import socket
import stat
import subprocess
import sys
import time

import httpx
import pytest
from serving import NOUL, PATIENCE_SECONDS, REQUEST, process, wait_until

from clef_mlx.cli import main
from clef_mlx.serve.service import service

LONG = REQUEST | {"state": "The heating is off and it is cold. " * 300}


@pytest.fixture
def arguments(tiny_release):
    return ["--model", str(tiny_release), "--port", "0"]


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-c", "from clef_mlx.cli import main; raise SystemExit(main())", "serve", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, env=environment or None)


def ready(url: str) -> None:
    def is_ready() -> bool:
        return httpx.get(f"{url}/ready").status_code == 200

    wait_until(is_ready)


def test_serve_prints_the_port_it_was_given(arguments):
    with process(*arguments) as (_, url):
        ready(url)
        assert int(url.rpartition(":")[2]) > 0
        assert httpx.post(f"{url}/v1/systemone", json=REQUEST).status_code == 200


def test_serve_is_up_before_it_is_ready_and_says_so(arguments):
    with process(*arguments) as (_, url):
        assert httpx.get(f"{url}/health").status_code == 200
        first = httpx.get(f"{url}/ready")
        assert first.status_code in (200, 503)
        if first.status_code == 503:
            assert int(first.headers["retry-after"]) >= 1
        ready(url)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_finishes_what_runs_and_ends_with_0(arguments, number):
    text = json.dumps(LONG)
    head = f"POST /v1/systemone HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(text)}"
    with process(*arguments) as (server, url):
        ready(url)
        address = ("127.0.0.1", int(url.rpartition(":")[2]))
        with socket.create_connection(address, timeout=PATIENCE_SECONDS) as connection:
            connection.sendall(f"{head}\r\nContent-Type: application/json\r\n\r\n{text}".encode())
            time.sleep(0.1)  # it is read, and decided for about a second
            server.send_signal(number)
            assert connection.makefile("rb").readline().split()[1] == b"200"
        assert server.wait(PATIENCE_SECONDS) == 0
        assert server.stdout.read() == ""


def test_log_is_json_lines_without_states_and_keys(arguments, tmp_path):
    key = tmp_path / "key"
    key.write_text("a-secret-key\n")
    with process(*arguments, "--key-file", str(key)) as (server, url):
        ready(url)
        body = REQUEST | {"state": "a secret state", "model": "a secret model"}
        headers = {"authorization": "Bearer a-secret-key"}
        assert httpx.post(f"{url}/v1/systemone", json=body, headers=headers).status_code == 400
        body["model"] = "clef"
        response = httpx.post(f"{url}/v1/systemone", json=body, headers=headers)
        server.send_signal(signal.SIGTERM)
        log = server.stderr.read()
    lines = [json.loads(line) for line in log.splitlines()]
    (line,) = [line for line in lines if line.get("request_id") == response.headers["x-typesafe-request-id"]]
    assert line["event"] == "request" and line["status"] == 200 and line["route"] == "systemone" and line["tokens"] > 0
    assert "secret" not in log


def test_log_holds_requests_when_asked_to(arguments):
    with process(*arguments, "--log-states") as (server, url):
        ready(url)
        httpx.post(f"{url}/v1/systemone", json=REQUEST | {"state": "a state to see"})
        server.send_signal(signal.SIGTERM)
        assert "a state to see" in server.stderr.read()


def test_unix_socket_is_the_users_own_and_removed(tiny_release, tmp_path):
    path = tmp_path / "clef.sock"
    with process("--model", str(tiny_release), "--unix-socket", str(path)) as (server, address):
        assert address == f"unix:{path}"
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://anything") as client:
            wait_until(lambda: client.get("/ready").status_code == 200)
            assert client.post("/v1/systemone", json=REQUEST).status_code == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE_SECONDS) == 0
    assert not path.exists()


def test_unix_socket_left_behind_is_replaced_and_a_file_is_not(tiny_release, tmp_path, capsys):
    path = tmp_path / "clef.sock"
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    with process("--model", str(tiny_release), "--unix-socket", str(path)) as (_, address):
        assert address == f"unix:{path}"
    path.write_text("a file")
    assert main(["serve", "--model", str(tiny_release), "--unix-socket", str(path)]) == 1
    assert "unix-socket: must be a free path" in capsys.readouterr().err
    assert path.read_text() == "a file"


def test_check_loads_decides_and_ends(tiny_release):
    done = run("--model", str(tiny_release), "--check")
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"Ready: {tiny_release.name} loaded and decided.\n"


@pytest.mark.parametrize("check", [[], ["--check"]])
def test_missing_model_is_one_line_and_1(tmp_path, check):
    done = run("--model", str(tmp_path / "absent"), "--port", "0", *check)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert [line for line in done.stderr.splitlines() if line.startswith("clef-mlx: ")]


def test_taken_port_is_one_line(tiny_release, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "--model", str(tiny_release), "--port", str(port)]) == 1
    assert f"address: must be free and of this machine, got 127.0.0.1:{port}" in capsys.readouterr().err


def test_other_address_without_a_key_is_refused(tiny_release, capsys):
    assert main(["serve", "--model", str(tiny_release), "--host", "0.0.0.0"]) == 1
    assert "host: must be a loopback address unless a key is set" in capsys.readouterr().err


def test_missing_package_is_one_line(tiny_release, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "clef_mlx.serve.server", raising=False)
    assert main(["serve", "--model", str(tiny_release)]) == 1
    assert "pip install 'clef-mlx[serve]'" in capsys.readouterr().err


def test_key_of_the_environment_is_asked_for(arguments):
    with process(*arguments, CLEF_MLX_KEY="from-the-environment") as (_, url):
        ready(url)
        assert httpx.get(f"{url}/v1/models").status_code == 401
        headers = {"authorization": "Bearer from-the-environment"}
        assert httpx.get(f"{url}/v1/models", headers=headers).status_code == 200


def test_config_file_sets_flags_and_flags_win(tiny_release, tmp_path):
    file = tmp_path / "serve.toml"
    file.write_text(
        f"model = {json.dumps(str(tiny_release))}\nport = 0\nisolate = true\nround = 2\nconfidence = 'gini'\n"
        "max-questions = 1\norigin = ['https://app.example']\nkey = 'of-the-file'\nbody_seconds = 3\n"
    )
    with process("--config", str(file), "--round", "3") as (_, url):
        ready(url)
        headers = {"authorization": "Bearer of-the-file", "origin": "https://app.example"}
        response = httpx.post(f"{url}/v1/systemone", json=REQUEST | {"questions": {"q": NOUL}}, headers=headers)
        noul = response.json()["answers"]["q"]["noul"]
        many = httpx.post(f"{url}/v1/systemone", json=REQUEST, headers=headers)
    assert noul == round(noul, 3) and response.headers["access-control-allow-origin"] == "https://app.example"
    assert many.status_code == 413


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("prot = 1", 'serve.toml: "prot" is unknown'),
        ("check = true", 'serve.toml: "check" is unknown'),
        ("port = 'x'", "Invalid value for '--port'"),
        ("port = [1]", "serve.toml: port must be one value"),
        ("confidence = 'most'", "Invalid value for '--confidence'"),
        ("port = ", "serve.toml: must be TOML"),
        (None, "serve.toml: cannot be read"),
    ],
)
def test_config_fault_is_one_line(tmp_path, capsys, monkeypatch, text, told):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "serve.toml").write_text(text)
    assert main(["serve", "--config", "serve.toml"]) in (1, 2)
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_print_service_is_a_property_list_for_launchd(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    flags = ["--model", "model", "--model", "owner/name", "--isolate", "--key-file", "key", "--round", "none"]
    assert main(["serve", *flags, "--print-service", "launchd"]) == 0
    properties = plistlib.loads(capsys.readouterr().out.encode())
    given = properties["ProgramArguments"]
    assert properties["RunAtLoad"] is True
    assert given[given.index("serve") + 1 :] == [
        *("--model", str(tmp_path / "model"), "--model", "owner/name"),
        *("--key-file", str(tmp_path / "key"), "--isolate", "--round", "none"),
    ]


def test_print_service_is_a_unit_for_systemd(capsys):
    assert main(["serve", "--port", "9000", "--print-service", "systemd"]) == 0
    unit = capsys.readouterr().out
    assert "[Service]" in unit and "--port 9000" in unit and "ExecStart=" in unit


def test_print_service_chooses_by_the_system(capsys):
    assert main(["serve", "--print-service"]) == 0
    assert ("<plist" in capsys.readouterr().out) == (sys.platform == "darwin")


def test_systemd_words_are_quoted():
    unit = service("systemd", ["--model", '/a b/50% "$x"\\'])
    assert '"/a b/50%% \\"$$x\\"\\\\"' in unit


def test_key_never_stands_in_a_service(capsys):
    assert main(["serve", "--key", "secret", "--print-service"]) == 1
    error = capsys.readouterr().err
    assert "--key-file" in error and "secret" not in error
