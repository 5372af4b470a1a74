"""Labelled lines -> embeddings to begin with: words that go together, and words that answer them, lie close.

Pointwise mutual information of tokens within a request (its state and its right answers), factorized; a random part
keeps words apart that only occur in the same company. Levy & Goldberg 2014, "Neural word embedding as implicit matrix
factorization", on whole requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from tokenizers import Tokenizer

from clef_mlx.labelled import parse_labelled
from clef_mlx.schema import render

BLOCK = 2000  # requests counted at a time
OVERSAMPLED, PASSES = 32, 6  # of the subspace iteration
LEAST_REQUESTS = 5  # in which a token must stand to be placed by its company
SHARE = 0.7  # of a vector's length that its company decides


def embeddings(
    lines: Iterable[Mapping[str, Any]], tokenizer: Tokenizer, width: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """[vocabulary, width] float32, rows of about unit length; and -log of the share of requests with each token.

    Tokens that were never seen, among them those of the prompt's frame, count as common: they say nothing.
    """
    size = tokenizer.get_vocab_size()
    together, requests = np.zeros((size, size), np.float32), 0
    present: list[np.ndarray] = []
    for ids in _tokens(lines, tokenizer):
        present.append(ids)
        if len(present) == BLOCK:
            together += _counted(present, size)
            requests, present = requests + len(present), []
    if present:
        together += _counted(present, size)
        requests += len(present)
    random = np.random.default_rng(seed)
    placed = _factors(_information(together, requests), width, random)
    apart = random.standard_normal((size, width)).astype(np.float32) / np.sqrt(width)
    alone = together.diagonal()
    rarity = np.where(alone > 0, np.log(requests / np.maximum(alone, 1)), 0.0)
    return SHARE * placed + np.sqrt(1 - SHARE**2) * apart, rarity


def _tokens(lines: Iterable[Mapping[str, Any]], tokenizer: Tokenizer) -> Iterator[np.ndarray]:
    """The distinct tokens of each request's state and of what answers it."""
    for line in lines:
        labelled = parse_labelled(dict(line), "line")
        texts = [render(labelled.parsed.state)]
        for question in labelled.parsed.questions:
            right = question.options[int(np.argmax(labelled.targets[question.id]))]
            if question.type == "noul":
                texts += [render(question.instructions)] if right.option_id == "true" else []
            else:
                texts += [right.option_id, render(right.description or "")]
        yield np.unique(np.concatenate([tokenizer.encode(text).ids for text in texts if text]).astype(np.int64))


def _counted(present: list[np.ndarray], size: int) -> np.ndarray:
    rows = np.zeros((len(present), size), np.float32)
    for row, ids in zip(rows, present, strict=True):
        row[ids] = 1.0
    return rows.T @ rows


def _information(together: np.ndarray, requests: int) -> np.ndarray:
    """Positive pointwise mutual information; zero for tokens seen too seldom."""
    alone = together.diagonal().copy()
    seen = alone >= LEAST_REQUESTS
    expected = np.maximum(np.outer(alone, alone) / requests, 1e-6)
    information = np.log(np.maximum(together, 0.5) / np.maximum(expected, 0.5))
    information[~seen] = 0.0
    information[:, ~seen] = 0.0
    np.fill_diagonal(information, 0.0)
    return np.maximum(information, 0.0)


def _factors(matrix: np.ndarray, width: int, random: np.random.Generator) -> np.ndarray:
    """Leading eigenvectors, weighted by the fourth root of their values; rows of at most unit length."""
    basis = random.standard_normal((len(matrix), width + OVERSAMPLED)).astype(np.float32)
    for _ in range(PASSES):
        basis, _ = np.linalg.qr(matrix @ basis)
    values, vectors = np.linalg.eigh(basis.T @ (matrix @ basis))
    order = np.argsort(-np.abs(values))[:width]
    rows = basis @ vectors[:, order] * np.abs(values[order]) ** 0.25
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.maximum(lengths, np.median(lengths[lengths > 0]))
