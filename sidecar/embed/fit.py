"""Fits one vector a token so that their mean lies where the teacher puts the text.

It starts from the model2vec table (the teacher's embedding of each token alone,
principal components, frequency weight) and follows the gradient of the cosine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from encoder import Floats, unit

EPOCHS = 8
BATCH = 512
STEP = 0.1  # of the table's mean absolute value
SEED = 0
SIF = 1e-4
SPECIAL = 999  # BERT's vocabulary begins with as many special and unused tokens


def is_special(token: str) -> bool:
    return len(token) > 2 and token.startswith("[") and token.endswith("]")


@dataclass(frozen=True)
class Space:
    """The small space: the teacher's, centred, on its first principal components."""

    mean: Floats
    axes: Floats

    def project(self, x: Floats) -> Floats:
        return ((x - self.mean) @ self.axes).astype(np.float32)


def principal(x: Floats, dim: int) -> Space:
    mean = x.mean(0, dtype=np.float64)
    centred = x - mean
    _, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, ::-1][:, :dim]
    axes = axes * np.sign(axes[np.abs(axes).argmax(0), np.arange(dim)])  # a sign of its own would depend on the library
    return Space(mean.astype(np.float32), axes.astype(np.float32))


def frequency_weights(vocab: Sequence[str]) -> Floats:
    """SIF weights by Zipf's law: BERT's vocabulary stands in order of frequency."""
    special = np.array([is_special(t) for t in vocab])
    zipf = 1 / np.maximum(1, np.arange(len(vocab)) - (SPECIAL - 1))
    share = zipf / zipf[~special].sum()
    weights: Floats = np.where(special, 0, SIF / (SIF + share)).astype(np.float32)
    return weights


def start(tokens: Floats, vocab: Sequence[str], space: Space) -> Floats:
    return space.project(tokens) * frequency_weights(vocab)[:, None]


def counts(rows: Sequence[Sequence[int]], vocab: int) -> sparse.csr_matrix:
    """One row a text: how much of its mean each token is."""
    lengths = np.array([len(r) for r in rows])
    ids = np.fromiter((i for r in rows for i in r), np.int32, int(lengths.sum()))
    share = np.repeat(1 / np.maximum(lengths, 1), lengths).astype(np.float32)
    return sparse.csr_matrix((share, ids, np.concatenate([[0], lengths.cumsum()])), shape=(len(rows), vocab))


class Adam:
    """Adam that moves only the rows a batch touches."""

    def __init__(self, table: Floats) -> None:
        self.table = table.copy()
        self.mean = np.zeros_like(table)
        self.square = np.zeros_like(table)
        self.steps = np.zeros((len(table), 1), np.float32)

    def step(self, rows: NDArray[np.int32], gradient: Floats, rate: float) -> None:
        self.steps[rows] += 1
        n = self.steps[rows]
        self.mean[rows] = 0.9 * self.mean[rows] + 0.1 * gradient
        self.square[rows] = 0.999 * self.square[rows] + 0.001 * gradient * gradient
        size = np.sqrt(self.square[rows] / (1 - 0.999**n)) + 1e-8
        self.table[rows] -= rate * (self.mean[rows] / (1 - 0.9**n)) / size


def cosine_gradient(y: Floats, target: Floats) -> tuple[float, Floats]:
    """Give the mean of 1 - cos(y, target) and its gradient by y; target is of unit length."""
    n = np.linalg.norm(y, axis=1, keepdims=True) + 1e-9
    u = y / n
    cos = (u * target).sum(1, keepdims=True)
    return float(1 - cos.mean()), (u * cos - target) / (n * len(y))


def fit(table: Floats, texts: sparse.csr_matrix, targets: Floats) -> tuple[Floats, list[float]]:
    """Give the fitted table and the loss of each epoch."""
    rng = np.random.default_rng(SEED)
    adam = Adam(table)
    rate = STEP * float(np.abs(table[np.abs(table).any(1)]).mean())
    batch = min(BATCH, texts.shape[0])
    per_epoch = texts.shape[0] // batch
    losses, done = [], 0
    for _ in range(EPOCHS):
        order, total = rng.permutation(texts.shape[0]), 0.0
        for i in range(per_epoch):
            chosen = np.sort(order[i * batch : (i + 1) * batch])
            part = texts[chosen]
            rows = np.unique(part.indices)
            part = part[:, rows]
            loss, by_mean = cosine_gradient(part @ adam.table[rows], unit(targets[chosen]))
            adam.step(rows, part.T @ by_mean, rate * (1 - done / (EPOCHS * per_epoch)))
            total, done = total + loss, done + 1
        losses.append(total / per_epoch)
    return adam.table.astype(np.float32), losses


def means(table: Floats, rows: Sequence[Sequence[int]]) -> Floats:
    """Embed texts as the Go side does: the mean of their tokens, of unit length."""
    return unit(np.asarray(counts(rows, len(table)) @ table, np.float32))
