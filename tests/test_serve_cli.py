"""`clef-mlx serve` as a process: what it prints, how it starts, and how it ends."""

from __future__ import annotations

import json
import logging
import plistlib
import signal
import socket
import stat
import sys
import time
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from serving import NOUL, PATIENCE_SECONDS, REQUEST, process, wait_until

from clef_mlx.cli import main
from clef_mlx.serve import logs
from clef_mlx.serve.service import service

KEY = "from-the-environment"
LONG = REQUEST | {"state": "The heating is off and it is cold. " * 300}


@pytest.fixture(autouse=True)
def log_of_its_own():
    """`serve` sets up the log of its process, which here is everybody's."""
    loggers = [logs.LOGGER, logging.getLogger("uvicorn.error")]
    before = [(logger.handlers, logger.level, logger.propagate) for logger in loggers]
    yield
    for logger, (handlers, level, propagate) in zip(loggers, before, strict=True):
        logger.handlers, logger.propagate = handlers, propagate
        logger.setLevel(level)


@pytest.fixture
def arguments(tiny_release):
    return ["--model", str(tiny_release), "--port", "0"]


class Running(NamedTuple):
    url: str
    client: httpx.Client
    first_ready: httpx.Response  # before the model was loaded, or just after
    log: Path


@pytest.fixture(scope="module")
def running(tiny_release, tmp_path_factory):
    """One process for all that can be seen while it runs; its key comes from the environment."""
    log = tmp_path_factory.mktemp("serve") / "log"
    with process("--model", str(tiny_release), "--port", "0", log=log, CLEF_MLX_KEY=KEY) as (_, url):
        with httpx.Client(base_url=url, headers={"authorization": f"Bearer {KEY}"}, timeout=PATIENCE_SECONDS) as client:
            first = client.get("/ready")
            wait_until(lambda: client.get("/ready").status_code == 200)
            yield Running(url, client, first, log)


def ready(url: str) -> None:
    with httpx.Client(base_url=url) as client:
        wait_until(lambda: client.get("/ready").status_code == 200)


def test_serve_prints_the_port_it_was_given(running):
    assert int(running.url.rpartition(":")[2]) > 0
    assert running.client.post("/v1/systemone", json=REQUEST).status_code == 200


def test_serve_is_up_before_it_is_ready_and_says_so(running):
    assert running.first_ready.status_code in (200, 503)
    if running.first_ready.status_code == 503:
        assert int(running.first_ready.headers["retry-after"]) >= 1


def test_key_of_the_environment_is_asked_for(running):
    assert running.client.get("/v1/models", headers={"authorization": "Bearer other"}).status_code == 401
    assert running.client.get("/v1/models").status_code == 200


def test_log_is_json_lines_without_states_and_keys(running):
    body = REQUEST | {"state": "a secret state", "model": "a secret model"}
    assert running.client.post("/v1/systemone", json=body).status_code == 400
    response = running.client.post("/v1/systemone", json=body | {"model": "clef"})
    request_id = response.headers["x-typesafe-request-id"]
    wait_until(lambda: request_id in running.log.read_text())
    lines = [json.loads(line) for line in running.log.read_text().splitlines()]
    (line,) = [line for line in lines if line.get("request_id") == request_id]
    assert line["event"] == "request" and line["status"] == 200 and line["route"] == "systemone" and line["tokens"] > 0
    assert "secret" not in running.log.read_text()


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


def test_unix_socket_is_the_users_own_replaces_one_left_behind_and_is_removed(tiny_release, tmp_path):
    path = tmp_path / "clef.sock"
    left = socket.socket(socket.AF_UNIX)
    left.bind(str(path))
    left.close()
    with process("--model", str(tiny_release), "--unix-socket", str(path)) as (server, address):
        assert address == f"unix:{path}"
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(path)), base_url="http://anything") as client:
            wait_until(lambda: client.get("/ready").status_code == 200)
            assert client.post("/v1/systemone", json=REQUEST).status_code == 200
        server.send_signal(signal.SIGTERM)
        assert server.wait(PATIENCE_SECONDS) == 0
    assert not path.exists()


def test_unix_socket_never_replaces_a_file(tiny_release, tmp_path, capsys):
    path = tmp_path / "notes"
    path.write_text("a file")
    assert main(["serve", "--model", str(tiny_release), "--unix-socket", str(path)]) == 1
    assert "unix-socket: must be a free path" in capsys.readouterr().err
    assert path.read_text() == "a file"


def test_check_loads_decides_and_ends(tiny_release, capsys):
    assert main(["serve", "--model", str(tiny_release), "--check"]) == 0
    assert capsys.readouterr().out == f"Ready: {tiny_release.name} loaded and decided.\n"


@pytest.mark.parametrize("check", [[], ["--check"]])
def test_missing_model_is_one_line_and_1(tmp_path, capsys, check):
    assert main(["serve", "--model", str(tmp_path / "absent"), "--port", "0", *check]) == 1
    lines = capsys.readouterr().err.splitlines()
    assert len([line for line in lines if line.startswith("clef-mlx: ")]) == 1


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


def test_config_file_sets_flags_and_flags_win(tiny_release, tmp_path):
    file = tmp_path / "serve.toml"
    file.write_text(
        f"model = {json.dumps(str(tiny_release))}\nport = 0\nisolate = true\nround = 2\nconfidence = 'gini'\n"
        "max-questions = 1\norigin = ['https://app.example']\nkey = 'of-the-file'\nbody_seconds = 3\n"
        "log-states = true\n"
    )
    log = tmp_path / "log"
    with process("--config", str(file), "--round", "3", log=log) as (_, url):
        ready(url)
        headers = {"authorization": "Bearer of-the-file", "origin": "https://app.example"}
        response = httpx.post(f"{url}/v1/systemone", json=REQUEST | {"questions": {"q": NOUL}}, headers=headers)
        noul = response.json()["answers"]["q"]["noul"]
        many = httpx.post(f"{url}/v1/systemone", json=REQUEST, headers=headers)
    assert noul == round(noul, 3) and response.headers["access-control-allow-origin"] == "https://app.example"
    assert many.status_code == 413
    assert REQUEST["state"] in log.read_text()


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
