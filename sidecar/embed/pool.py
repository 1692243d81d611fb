"""The texts whose teacher embeddings the table is fitted to.

Sentences and two-sentence windows of the training data, in an order that depends
on their content alone, so that a smaller pool is a prefix of a larger one. What
stands in the world that retrieval is measured on is left out.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from retrieval import windows

SOURCES = ("npc/train.jsonl", "nli/train.jsonl.gz")
MAX_WORDS = 48
SHINGLE = 6  # words in a row shared with the measured world: the text is left out


def data_files(data: Path) -> list[Path]:
    return [data / s for s in SOURCES]


def rows(path: Path) -> Iterator[dict[str, str]]:
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    for line in data.decode("utf-8").split("\n"):
        if line:
            yield json.loads(line)


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def shingles(text: str) -> set[tuple[str, ...]]:
    w = words(text)
    return {tuple(w[i : i + SHINGLE]) for i in range(len(w) - SHINGLE + 1)}


def held_out(world: Path) -> set[tuple[str, ...]]:
    """Collect the word sequences of the measured world's documents."""
    out: set[tuple[str, ...]] = set()
    for meta in world.glob("**/*.meta.yaml"):
        out |= shingles(meta.with_name(meta.name.removesuffix(".meta.yaml")).read_text("utf-8"))
    for npc in world.glob("npcs/*/npc.yaml"):
        out |= shingles(npc.read_text("utf-8"))
    return out


def by_hash(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda t: hashlib.sha256(t.encode()).digest())


def texts(data: Path, world: Path, limit: int) -> list[str]:
    """Collect at most limit texts: the NPC data first, then the rest in turn by origin."""
    avoid = held_out(world)
    groups: dict[str, set[str]] = {}
    for path in data_files(data):
        for r in rows(path):
            origin = "npc" if path.name == "train.jsonl" else r["origin"]
            for side in (r["premise"], r["hypothesis"]):
                for w in windows(side):
                    w = " ".join(w.split()[:MAX_WORDS])
                    if not (shingles(w) & avoid):
                        groups.setdefault(origin, set()).add(w)
    first = by_hash(groups.pop("npc"))
    seen = set(first)
    queues = [by_hash(groups[o] - seen) for o in sorted(groups)]
    rest = [t for i in range(max(map(len, queues))) for q in queues for t in q[i : i + 1]]
    return list(dict.fromkeys(first + rest))[:limit]


def bags(vocab: list[str], count: int, seed: int) -> list[list[int]]:
    """Draw short bags of token ids that between them hold every token about equally often.

    The natural texts touch a third of the vocabulary; these give the rest its place.
    """
    rng = np.random.default_rng(seed)
    usable = np.array([i for i, t in enumerate(vocab) if not (t.startswith("[") and t.endswith("]") and len(t) > 1)])
    out: list[list[int]] = []
    while len(out) < count:
        order = rng.permutation(usable)
        at = 0
        while at < len(order) and len(out) < count:
            n = int(rng.integers(1, 6))
            out.append(order[at : at + n].tolist())
            at += n
    return out
