"""Scores pairs with a model and says how good the scores are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import torch
from data import ENTAILMENT, Pair
from encoder import Verifier, collate, sentence
from numpy.typing import NDArray
from tokenizers import Tokenizer

Floats = NDArray[np.float64]


def score(model: Verifier, tok: Tokenizer, pairs: Sequence[Pair], limit: int = 256, batch: int = 32) -> Floats:
    """Give P(entailment), P(neutral), P(contradiction) of each pair."""
    ids = [(tok.encode(p.premise).ids, sentence(tok, p.hypothesis)) for p in pairs]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i][0]) + len(ids[i][1]))
    out = np.zeros((len(ids), 3))
    model.eval()
    with torch.no_grad():
        for at in range(0, len(order), batch):
            part = order[at : at + batch]
            logits, _ = model(*collate([ids[i] for i in part], limit))
            out[part] = torch.softmax(logits, -1).double().numpy()
    model.train()
    return out


def auroc(good: Floats, bad: Floats) -> float:
    """The chance that a good one scores above a bad one; ties count half."""
    if len(good) == 0 or len(bad) == 0:
        return float("nan")
    both = np.concatenate([good, bad])
    _, inverse, counts = np.unique(both, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return float((ranks[: len(good)].sum() - len(good) * (len(good) + 1) / 2) / (len(good) * len(bad)))


def accepted(good: Floats, bad: Floats, false: float = 0.05) -> float:
    """The share of the good accepted where at most that share of the bad is."""
    line = np.sort(bad)[::-1][int(false * len(bad))] if len(bad) else 0.0
    return float((good > line).mean()) if len(good) else float("nan")


def summary(pairs: Sequence[Pair], scores: Floats) -> tuple[float, float]:
    true = np.array([p.label == ENTAILMENT for p in pairs])
    return auroc(scores[true, 0], scores[~true, 0]), accepted(scores[true, 0], scores[~true, 0])


def by_kind(pairs: Sequence[Pair], scores: Floats) -> str:
    """A table: how often each kind of pair is accepted at 5 % false accepts overall."""
    true = np.array([p.label == ENTAILMENT for p in pairs])
    bad = np.sort(scores[~true, 0])[::-1]
    line = bad[int(0.05 * len(bad))]
    kinds = defaultdict[tuple[bool, str], list[bool]](list)
    for p, s in zip(pairs, scores[:, 0], strict=True):
        kinds[(p.label == ENTAILMENT, p.kind or p.origin)].append(bool(s > line))
    rows = [f"threshold {line:.3f}"]
    for (ok, kind), hits in sorted(kinds.items(), reverse=True):
        rows.append(f"{'supported' if ok else 'not':10} {kind:20} {len(hits):5} accepted {np.mean(hits):.3f}")
    return "\n".join(rows)
