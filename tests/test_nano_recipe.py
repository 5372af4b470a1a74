"""The recipe of clef-nano, a few steps of it: its tokenizer, its first weights, a release that decides."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parent.parent))  # recipes are no package of their own

import clef_mlx
from clef_mlx.tokenizer import ReleaseTokenizer
from recipes.nano import make
from recipes.nano.embeddings import embeddings
from recipes.nano.generate import lines
from recipes.nano.tokenizer import FRAME, learn_tokenizer


@pytest.fixture(scope="module")
def tokenizer():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("recipes.nano.tokenizer.VOCABULARY", 3000)
        yield learn_tokenizer(lines("train", 300, 1))


def test_tokenizer_is_learnt_alike_twice(tokenizer):
    assert learn_tokenizer(lines("train", 300, 1)).to_str() == tokenizer.to_str()


def test_a_word_is_the_same_token_wherever_it_stands(tokenizer):
    alone = tokenizer.encode("status").tokens
    for text in ('{"status":1}', "the status", "status.", "(status)"):
        assert set(alone) <= set(tokenizer.encode(text).tokens)


def test_the_frame_is_a_token_a_piece_and_text_in_a_state_is_not(tokenizer):
    release = ReleaseTokenizer(tokenizer, 0)
    assert all(len(release.fixed(piece)) == 1 for piece in FRAME)
    assert len(release.encode(FRAME[1])) > 1


def test_embeddings_put_words_of_like_company_together(monkeypatch):
    monkeypatch.setattr("recipes.nano.tokenizer.VOCABULARY", 3000)
    seen = list(lines("train", 1500, 1, ("routing",)))
    tokenizer = learn_tokenizer(seen)
    rows, rarity = embeddings(seen, tokenizer, 64, 1)
    assert rarity[tokenizer.token_to_id("refund")] > rarity[tokenizer.token_to_id(".")] > 0
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    refund, money, password = (rows[tokenizer.token_to_id(word)] for word in ("refund", "money", "password"))
    assert refund @ money > refund @ password


def test_recipe_makes_a_release_that_decides(tmp_path, monkeypatch):
    monkeypatch.setattr("recipes.nano.tokenizer.VOCABULARY", 1500)
    monkeypatch.setattr(make, "TRAIN", 32)
    monkeypatch.setattr(make, "VALID", 2)
    monkeypatch.setattr(make, "LEARNT_FROM", 32)
    monkeypatch.setattr(make, "SETTINGS", replace(make.SETTINGS, batch_size=16, validate_every=1))
    monkeypatch.setattr(sys, "argv", ["make", str(tmp_path)])
    make.main()
    with clef_mlx.load(tmp_path / "release") as model:
        decision = model.decide({"status": "open"}, {"open": {"type": "noul", "instructions": "Is it open?"}})
    assert 0 < decision["open"].noul < 1
    assert (tmp_path / "train.log").read_text().count("\n") == 2


def test_report_ends_with_what_a_command_refuses(tmp_path):
    command = [sys.executable, "-m", "recipes.nano.report", str(tmp_path / "none")]
    done = subprocess.run(command, cwd=Path(__file__).parent.parent, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("clef-mlx: ") and done.stderr.count("\n") == 1
