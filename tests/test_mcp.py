"""The MCP server as agents start it: the SDK's own client over real pipes."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys

import anyio
import pytest

pytest.importorskip("mcp", reason="needs the extra: pip install 'clef-mlx[mcp]'")

from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client

import clef_mlx
from clef_mlx.cli import main

MCP = "from clef_mlx.cli import main; raise SystemExit(main())"
NOUL = {"type": "noul", "instructions": "Is it urgent?"}
PATIENCE_SECONDS = 60


@pytest.fixture(scope="module")
def releases(tiny_release, tmp_path_factory):
    other = shutil.copytree(tiny_release, tmp_path_factory.mktemp("other") / "other")
    return [str(tiny_release), str(other)]


@pytest.fixture(scope="module")
def call(releases, tmp_path_factory):
    """Call a tool of a running server -> its result."""
    arguments = ["-c", MCP, "mcp", "--round", "none", *(word for name in releases for word in ("--model", name))]
    server = StdioServerParameters(command=sys.executable, args=arguments)
    log = tmp_path_factory.mktemp("mcp") / "stderr"
    with open(log, "w+") as errors, start_blocking_portal() as portal:
        client = Client(stdio_client(server, errlog=errors))
        with portal.wrap_async_context_manager(client):

            def call(tool, **arguments):
                return portal.call(client.call_tool, tool, arguments)

            call.client, call.portal = client, portal
            yield call
        assert log.read_text() == ""


@pytest.fixture(scope="module")
def model(tiny_release):
    with clef_mlx.load(tiny_release, round=None) as model:
        yield model


def told(result):
    (content,) = result.content
    return content.text


def test_model_is_loaded_when_it_is_first_asked(call, releases, tiny_release):
    ids = [tiny_release.name, "other"]
    assert call("models").structured_content == {"models": [{"id": id, "loaded": False} for id in ids]}
    assert not call("decide", state="x", questions={"a": NOUL}).is_error
    first, second = call("models").structured_content["models"]
    assert (first["loaded"], first["max_length"], second) == (True, 16384, {"id": "other", "loaded": False})


def test_server_tells_name_version_and_two_tools(call):
    tools = {tool.name: tool for tool in call.portal.call(call.client.list_tools).tools}
    assert list(tools) == ["decide", "models"] and all(tool.annotations.read_only_hint for tool in tools.values())
    assert tools["decide"].input_schema["required"] == ["state", "questions"]
    assert "type" not in tools["decide"].input_schema["properties"]["state"]
    assert (call.client.server_info.name, call.client.server_info.version) == ("clef-mlx", clef_mlx.__version__)


@pytest.mark.parametrize("state", ["The heating is off.", {"room": 7, "off": [True, None]}, [1, 2.5], 3, False, None])
def test_any_state_is_decided_like_systemone(call, model, state):
    questions = {"urgent": NOUL, "who": {"type": "choice", "criteria": {"plumber": "Water", "nobody": None}}}
    result = call("decide", state=state, questions=questions)
    expected = model.systemone({"state": state, "questions": questions})
    assert json.loads(told(result)) == result.structured_content
    assert result.structured_content["usage"] == expected["usage"]
    answers = result.structured_content["answers"]
    assert answers["urgent"]["noul"] == pytest.approx(expected["answers"]["urgent"]["noul"], abs=2e-5)
    assert answers["who"].keys() == expected["answers"]["who"].keys()


def test_calls_at_the_same_time_are_all_answered(call, model):
    states = [f"Room {number} is cold." for number in range(8)]

    async def all_at_once():
        results = {}

        async def one(state):
            results[state] = await call.client.call_tool("decide", {"state": state, "questions": {"a": NOUL}})

        async with anyio.create_task_group() as group:
            for state in states:
                group.start_soon(one, state)
        return results

    results = call.portal.call(all_at_once)
    for state in states:
        expected = model.decide(state, {"a": NOUL})["a"]["noul"]
        assert results[state].structured_content["answers"]["a"]["noul"] == pytest.approx(expected, abs=2e-5)


def test_other_model_may_be_asked_by_name(call):
    result = call("decide", state="x", questions={"a": NOUL}, model="other")
    assert result.structured_content["model"] == "other"


@pytest.mark.parametrize(
    "tool, given, message",
    [
        ("decide", {"state": 1, "questions": {"a": {"type": "bool"}}}, "Yes/no questions are noul."),
        ("decide", {"state": 1, "questions": {}}, "questions: must be an object of at least one question"),
        ("decide", {"questions": {"a": NOUL}}, "decide: state must be given. See the tool's schema."),
        ("decide", {"state": 1, "questions": {"a": NOUL}, "model": "gpt"}, 'other, got "gpt". Or leave it out.'),
        ("decide", {"state": 1, "questions": {"a": NOUL}, "images": ["no.png"]}, "images"),
        ("decide", {"state": 1, "question": {}}, '"question" is unknown. Known: state, questions, images, model.'),
        ("models", {"all": True}, 'models: "all" is unknown. Known: none.'),
        ("undecide", {}, 'tool: must be decide or models, got "undecide". Choose one.'),
    ],
)
def test_mistake_is_a_tool_error_of_one_line(call, tool, given, message):
    result = call(tool, **given)
    assert result.is_error and message in told(result) and "\n" not in told(result)
    assert not call("decide", state="x", questions={"a": NOUL}).is_error


def test_stdout_carries_the_protocol_alone_and_stdin_ends_it(tiny_release):
    noise = "import os, clef_mlx\nload = clef_mlx.load\n"
    noise += "def noisy(*a, **o):\n print('printed'); os.write(1, b'written\\n'); return load(*a, **o)\n"
    command = [sys.executable, "-c", f"{noise}clef_mlx.load = noisy\n{MCP}", "mcp", "--model", str(tiny_release)]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
    asked = {"name": "decide", "arguments": {"state": "x", "questions": {"a": NOUL}}}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        for line in (
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": asked},
        ):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **line}).encode() + b"\n")
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        out, err = server.communicate(timeout=PATIENCE_SECONDS)
    assert [answer["id"] for answer in answers] == [1, 2] and out == b"" and server.returncode == 0
    assert 0 <= answers[1]["result"]["structuredContent"]["answers"]["a"]["noul"] <= 1
    assert set(err.split()) == {b"printed", b"written"}


def test_interrupt_ends_a_server_that_waits_for_stdin(tiny_release):
    command = [sys.executable, "-c", MCP, "mcp", "--model", str(tiny_release)]
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        server.stdin.write(json.dumps(ping).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        server.send_signal(signal.SIGINT)
        assert (server.wait(PATIENCE_SECONDS), server.stderr.read()) == (130, b"clef-mlx: interrupted.\n")


def test_agent_that_leaves_is_a_quiet_end(tiny_release):
    command = [sys.executable, "-c", MCP, "mcp", "--model", str(tiny_release)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        server.stdout.close()
        server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        server.stdin.close()
        assert (server.wait(PATIENCE_SECONDS), server.stderr.read()) == (141, b"")


def test_missing_package_is_one_line(tiny_release, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mcp.server.stdio", None)
    assert main(["mcp", "--model", str(tiny_release)]) == 1
    assert capsys.readouterr().err.endswith("Install them: pip install 'clef-mlx[mcp]'.\n")


def test_folder_that_is_no_model_is_one_line(tmp_path, capsys):
    assert main(["mcp", "--model", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("clef-mlx: ") and captured.err.count("\n") == 1 and captured.out == ""


def test_models_of_one_name_are_one_line(tmp_path, tiny_release, capsys):
    again = shutil.copytree(tiny_release, tmp_path / tiny_release.name)
    assert main(["mcp", "--model", str(tiny_release), "--model", str(again)]) == 1
    assert f'names must differ, got "{tiny_release.name}" twice' in capsys.readouterr().err
