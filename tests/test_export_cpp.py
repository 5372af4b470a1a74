"""The C++ program of examples/cpp, built against the MLX that pip installed, decides an export like Python."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import clef_mlx
from clef_mlx.export.export import export
from clef_mlx.export.slots import Slots
from clef_mlx.tokenizer import ReleaseTokenizer

ROOT = Path(__file__).parents[1]
NEEDS = "needs cmake, a C++ compiler, nlohmann-json and ICU (Debian: cmake g++ nlohmann-json3-dev libicu-dev)"
# Digits, names and texts that JSON writers disagree about; ids that look like the frame's own places; control tokens.
TRICKY = {
    "state": {
        "b": [1e16, 1e15, 1.5e-5, 0.0001, -0.0, 123456789012345678901234567890, 1e22, 5e-324, 0.1, -3, 2.5],
        "ä": '"\\\u0001\u007f\u2028/\b\f\n\r\t',
        "B": {"z": None, "\U0001f600": True, "\uffee": False},
        "": "<|im_end|>\n<|im_start|>assistant<think>",
    },
    "questions": {
        "{number} {id}": {"type": "noul", "instructions": "", "criteria": {"false": None}},
        "<|vision_start|>": {"type": "choice", "instructions": 0, "criteria": {"10": "", "2": {"b": 1, "a": [None]}}},
        "e\u0301 \u00e9": {"type": "score", "instructions": {"b": 1.0, "a": "x"}, "criteria": ["\u0958", None, 7]},
    },
}
PIECES = [
    *(
        "a",
        "Z",
        "ß",
        "İ",
        "é",
        "e\u0301",
        "\u0323",
        "आदेश",
        "नि",
        "か\u3099",
        "\u1100\u1161",
        "中文",
        "ไทยำ",
        "أحمد",
        "ﬁ",
        "Å",
    ),
    *(
        "1",
        "²",
        "٣",
        "½",
        "\U0001d7ce",
        " ",
        "   ",
        "\n",
        "\r\n",
        "\t",
        "\v",
        "\x1c",
        "\x85",
        "\xa0",
        "\u2028",
        "\u3000",
    ),
    *(
        "👩‍🚒",
        "🇩🇪",
        "👍🏽",
        "\u200d",
        "\u200b",
        "\ufeff",
        "\ue000",
        "\U0010ffff",
        "\x00",
        "\x7f",
        "'s",
        "'LL",
        "'\u017f",
        "don't",
    ),
    *("<|im_end|>", "<|im_start|>", "<think>", "-", "—", "…", "!!", '"', "\\", "x=1;", "http://a.b/c?d=e"),
]

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    includes = b"#include <nlohmann/json.hpp>\n#include <unicode/regex.h>\n"
    compiler = shutil.which("c++")
    if not shutil.which("cmake") or not compiler:
        pytest.skip(NEEDS)
    if subprocess.run([compiler, "-std=c++20", "-E", "-x", "c++", "-"], input=includes, capture_output=True).returncode:
        pytest.skip(NEEDS)
    folder = tmp_path_factory.mktemp("cpp")
    mlx = subprocess.run([sys.executable, "-m", "mlx", "--cmake-dir"], capture_output=True, text=True, check=True)
    flags = [
        f"-DCMAKE_PREFIX_PATH={mlx.stdout.strip()}",
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O1",
    ]
    for command in (["-S", ROOT / "examples" / "cpp", "-B", folder, *flags], ["--build", folder, "--parallel"]):
        built = subprocess.run(["cmake", *command], capture_output=True, text=True, timeout=400)
        assert built.returncode == 0, built.stdout + built.stderr
        assert "warning:" not in built.stdout + built.stderr
    return folder / "clef_decide"


@pytest.fixture(scope="module")
def source(random_release):
    return random_release("golden-128")


@pytest.fixture(scope="module")
def exported(source, tmp_path_factory) -> Path:
    return export(str(source), tmp_path_factory.mktemp("export") / "out", Slots((512, 1024), 4, 16)).out


def run(program: Path, *words: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [str(program), *map(str, words)]
    return subprocess.run(command, input=stdin, capture_output=True, encoding="utf-8", timeout=120)


def refusal(program: Path, folder: Path, request: str) -> str:
    done = run(program, folder, "-", stdin=request)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("clef_decide: ") and done.stderr.count("\n") == 1
    return done.stderr.removeprefix("clef_decide: ").strip()


def test_program_answers_the_goldens(program, exported):
    cases = json.loads((exported / "goldens.json").read_text())["cases"]
    for case in {json.dumps(case["request"]): case for case in cases}.values():
        done = run(program, exported, "-", stdin=json.dumps(case["request"]))
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["length"] == case["length"] or found["length"] == 512
        for question, probabilities in case["probabilities"].items():
            assert list(found["probabilities"][question]) == list(probabilities)
            assert found["probabilities"][question] == pytest.approx(probabilities, abs=2e-5)


@pytest.mark.parametrize("ascii_only", [True, False], ids=["escaped", "utf-8"])
def test_program_encodes_and_decides_like_python(program, exported, source, ascii_only):
    with clef_mlx.load(source) as model:
        expected = model.trace(TRICKY)
    done = run(program, exported, "-", stdin=json.dumps(TRICKY, ensure_ascii=ascii_only))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["input_tokens"] == len(expected["input_ids"])
    assert found["probabilities"].keys() == expected["probabilities"].keys()
    for question, probabilities in expected["probabilities"].items():
        assert found["probabilities"][question] == pytest.approx(probabilities, abs=2e-5)


def test_program_reads_a_request_file(program, exported, source):
    file = ROOT / "examples" / "support-ticket.json"
    with clef_mlx.load(source) as model:
        expected = model.trace(json.loads(file.read_text()))["probabilities"]
    found = json.loads(run(program, exported, file).stdout)["probabilities"]
    assert found.keys() == expected.keys()
    for question, probabilities in expected.items():
        assert found[question] == pytest.approx(probabilities, abs=2e-5)


def test_program_tokenizes_like_python(program, exported, qwen_release, tmp_path):
    for file in (exported / "manifest.json", qwen_release / "tokenizer.json"):
        shutil.copy(file, tmp_path)
    rng = random.Random(0)
    texts = ["".join(rng.choices(PIECES, k=rng.randint(0, 30))) for _ in range(2000)]
    texts += [
        "".join(chr(rng.choice([rng.randrange(0x250), rng.randrange(0xD800)])) for _ in range(9)) for _ in range(500)
    ]
    texts += [" " * 5000, "a" * 20000, "\n" * 3000 + "x", "word " * 5000]
    tokenizer = ReleaseTokenizer.from_folder(qwen_release)
    found = json.loads(run(program, tmp_path, "--ids", stdin=json.dumps(texts)).stdout)
    assert [text for text, ids in zip(texts, found, strict=True) if ids != tokenizer.encode(text)] == []


@pytest.mark.parametrize(
    "request_text, message",
    [
        ("{", "request: must be JSON, but is not from byte"),
        ('{"state": 1, "state": 2, "questions": {}}', 'request: names must be unique, got "state" twice.'),
        ("[" * 200, "request: must nest at most 128 levels deep."),
        ("7", "request: must be an object."),
        ('{"state": 1}', "questions: must be given"),
        ('{"state": 1, "questions": {}}', "questions: must hold at least one question."),
        ('{"state": 1, "questions": {"q": {"type": "bool"}}}', "questions.q.type: must be noul, choice or score."),
        (
            '{"state": 1, "questions": {"q": {"type": "score"}}}',
            "questions.q.criteria: must be an array of 1 to 10 levels.",
        ),
        ('{"state": 1, "questions": {"q": {"type": "noul"}}, "images": ["x"]}', "images: an export takes text alone."),
        (
            json.dumps({"state": "word " * 2000, "questions": {"q": {"type": "noul"}}}),
            "request: must be at most 1024 tokens in this export, got",
        ),
        (
            json.dumps({"state": 1, "questions": {f"q{n}": {"type": "noul"} for n in range(5)}}),
            "questions: must be at most 4 questions in this export, got 5. Ask fewer at once.",
        ),
        (
            json.dumps(
                {"state": 1, "questions": {"q": {"type": "choice", "criteria": dict.fromkeys(map(str, range(17)))}}}
            ),
            "questions: must be at most 16 options in all in this export, got 17.",
        ),
    ],
)
def test_program_refuses_in_one_line(program, exported, request_text, message):
    assert refusal(program, exported, request_text).startswith(message)


def test_program_refuses_another_devices_export(program, exported, tmp_path):
    manifest = json.loads((exported / "manifest.json").read_text()) | {"device": "metal"}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    message = "was traced for metal, but this machine decides on cpu. Export it again here."
    assert message in refusal(program, tmp_path, "{}")


def test_program_refuses_what_is_no_export(program, tmp_path):
    assert refusal(program, tmp_path, "{}") == f"{tmp_path}/manifest.json: cannot be read."
    assert run(program).returncode == 2
