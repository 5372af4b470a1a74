"""The example clients of the pipe, and README's Node block, run as their users run them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from readme_blocks import ROOT, blocks, lay_out_checkout

EXAMPLES = ROOT / "examples"
PATIENCE_SECONDS = 120


@pytest.fixture(scope="module")
def checkout(tmp_path_factory, tiny_release):
    folder = tmp_path_factory.mktemp("checkout")
    lay_out_checkout(folder, tiny_release)
    return folder


@pytest.fixture
def run(checkout):
    """Run a program that finds `clef-mlx` on its path. -> its lines."""

    def run(*command: str, cwd: Path = checkout, **environment: str) -> list[str]:
        found = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "CLEF_MLX_MODEL": str(checkout / ".cache" / "random-release"),
        }
        done = subprocess.run(
            command,
            cwd=cwd,
            env=os.environ | found | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
        )
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout.splitlines()

    return run


@pytest.fixture
def node():
    return shutil.which("node") or pytest.skip("needs node")


@pytest.fixture
def go():
    return shutil.which("go") or pytest.skip("needs go")


def test_node_example_decides_and_takes_back(run, node):
    lines = run(node, "examples/node/triage.mjs")
    assert re.fullmatch(r"random-release is ready, clef-mlx \d+\.\d+\.\d+", lines[0])
    assert [bool(re.match(r"(repairs|billing|wishes), today [01]\.?\d*: ", line)) for line in lines[1:4]] == [True] * 3
    assert lines[4:] == ["cancelled: request: was taken back before it was decided."]


NODE = """
import { Clef } from "./examples/node/clef.mjs";
const questions = { a: { type: "noul" } };
"""


def test_node_client_tells_a_refused_request_and_lives(run, node):
    code = """
    const clef = await Clef.start();
    await clef.decide({ state: "x", questions: { a: { type: "bool" } } })
      .catch((error) => console.log(error.type, error.location.join("."), error.message));
    const { answers } = await clef.decide({ state: "\\u2028 ü", questions });
    console.log(answers.a.noul >= 0, clef.hello.protocol);
    await clef.close();
    await clef.decide({ state: "x", questions }).catch((error) => console.log(error.message));
    """
    refused, *rest = run(node, "--input-type=module", "--eval", NODE + code)
    assert refused.startswith(
        'RequestError questions.a.type questions.a.type: must be noul, choice or score, got "bool"'
    )
    assert rest == ["true 1", "clef-mlx pipe has ended (0)."]


def test_node_client_tells_why_it_cannot_start(run, node):
    code = """
    const quiet = { stdio: ["pipe", "pipe", "ignore"] };
    await Clef.start({ args: ["--model", "examples/node"], ...quiet }).catch((error) => console.log(error.type));
    await Clef.start({ command: "no-such-command", ...quiet }).catch((error) => console.log(error.code));
    """
    assert run(node, "--input-type=module", "--eval", NODE + code) == ["CheckpointError", "ENOENT"]


def test_node_client_tells_that_the_child_is_gone(run, node):
    code = """
    const clef = await Clef.start();
    const asked = clef.decide({ state: "x ".repeat(20000), questions });
    process.kill(clef.pid, "SIGKILL");
    await asked.catch((error) => console.log(error.message));
    """
    assert run(node, "--input-type=module", "--eval", NODE + code) == ["clef-mlx pipe has ended (SIGKILL)."]


@pytest.mark.parametrize("code", blocks("mjs"))
def test_readme_node_block(run, node, code):
    assert re.fullmatch(r"\w+ [01]\.?\d*", *run(node, "--input-type=module", "--eval", code))


def test_go_example_decides_refuses_and_takes_back(run, go, tmp_path):
    lines = run(go, "run", ".", cwd=EXAMPLES / "go", GOCACHE=str(tmp_path), GOFLAGS="-buildvcs=false")
    assert re.fullmatch(r"random-release is ready, clef-mlx \d+\.\d+\.\d+", lines[0])
    assert all(re.match(r"(repairs|billing), today [01]\.\d{4}: ", line) for line in lines[1:3])
    assert lines[3] == "taken back: context deadline exceeded"
    assert lines[4].startswith("refused: questions: must be an object")


@pytest.mark.parametrize("file", sorted((EXAMPLES / "swift" / "ClefPipe").rglob("*.swift")), ids=lambda file: file.name)
def test_swift_is_accepted_by_a_compiler(file):
    swiftc = shutil.which("swiftc") or pytest.skip("needs swiftc")
    subprocess.run([swiftc, "-parse", str(file)], check=True, timeout=PATIENCE_SECONDS)
