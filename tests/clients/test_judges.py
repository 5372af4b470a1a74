"""What the conformance suites say of the server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from asking import KEY, run, serving, succeed

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent

# The publisher's prompt holds the ids and all questions together, so answers may move with them.
MAY_MOVE = {"semantics.question-id", "semantics.batching", "semantics.question-order"}
# The publisher's confidence is the highest probability; Jev's formula is an option.
OTHER_CONFIDENCE = {"confidence.formula"}
NEEDS_KEY = {"auth.bearer", "auth.missing", "auth.invalid"}
NEEDS_NO_KEY = {"auth.ignored-when-off"}
STRICT = ("--isolate", "--confidence", "jev")


def jevcompat(environment, url: str, report, *options: str) -> dict[str, set[str]]:
    """Status -> the requirements that got it: pass, fail, skip."""
    command = [environment / "bin" / "jevcompat", "test", url, "--json", report, "--timeout", "60", *options]
    done = run(command)
    results = json.loads(report.read_text())
    assert not results["aborted"] and not results["case_errors"] and not results["inconclusive"], done.stdout
    verdicts: dict[str, set[str]] = {"pass": set(), "fail": set(), "skip": set()}
    for result in results["results"]:
        verdicts[result["status"]].add(result["id"])
    return verdicts


def test_jevcompat_passes_but_for_the_publishers_own_prompt_and_confidence(environment, server, tmp_path):
    verdicts = jevcompat(environment, server, tmp_path / "report.json")
    assert verdicts["fail"] <= MAY_MOVE | OTHER_CONFIDENCE
    assert verdicts["skip"] == NEEDS_KEY


def test_jevcompat_passes_everything_with_isolated_questions(environment, tiny_release, tmp_path):
    with serving(tiny_release, *STRICT) as url:
        verdicts = jevcompat(environment, url, tmp_path / "report.json")
    assert verdicts["fail"] == set()
    assert verdicts["skip"] == NEEDS_KEY


def test_jevcompat_passes_everything_with_a_key(environment, tiny_release, tmp_path):
    with serving(tiny_release, *STRICT, "--key", KEY) as url:
        verdicts = jevcompat(environment, url, tmp_path / "report.json", "--key", KEY)
    assert verdicts["fail"] == set()
    assert verdicts["skip"] == NEEDS_NO_KEY


@pytest.mark.slow
def test_schemathesis_finds_nothing(environment, server, tmp_path):
    """Every documented answer, and no other, to requests good and bad."""
    command = [environment / "bin" / "schemathesis", "--config-file", HERE / "schemathesis.toml", "run"]
    options = ["--phases", "examples,coverage,fuzzing", "--max-examples", "20", "--seed", "7"]
    hooks = str(HERE / "openapi_hooks.py")
    succeed([*command, f"{server}/openapi.json", *options], tmp_path, SCHEMATHESIS_HOOKS=hooks)
