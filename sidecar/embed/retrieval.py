"""Measures retrieval, by whether the right document is among the first 1, 3 or 8.

Questions of kind known over a world in the format of design section 4. A document
is as good as its best window of two sentences, and only what the asked NPC may
know takes part. Nothing here trains anything.
"""

from __future__ import annotations

import fnmatch
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from encoder import Floats

CUTS = (1, 3, 8)
SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+|\n\s*\n")
Embed = Callable[[Sequence[str]], Floats]


@dataclass(frozen=True)
class Document:
    path: str
    known_by: frozenset[str]
    windows: list[str]


@dataclass(frozen=True)
class Question:
    npc: str
    text: str
    expect: list[str]


def sentences(text: str) -> list[str]:
    return [" ".join(s.split()) for s in SENTENCE_END.split(text) if s.strip()]


def windows(text: str) -> list[str]:
    s = sentences(text)
    return [" ".join(s[i : i + 2]) for i in range(max(1, len(s) - 1))] if s else []


def load_yaml(path: Path) -> Any:
    return yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def load_world(root: Path) -> tuple[list[Document], dict[str, frozenset[str]]]:
    """Give the documents, and what each NPC counts as (its handle, factions, region)."""
    docs, names = [], {}
    for npc_file in sorted(root.glob("npcs/*/npc.yaml")):
        npc = load_yaml(npc_file)
        own = {"all", npc["handle"], *(f if ":" in f else f"faction:{f}" for f in npc.get("factions") or [])}
        if npc.get("region"):
            own.add(f"region:{npc['region']}")
        names[npc["handle"]] = frozenset(own)
        path = str(npc_file.relative_to(root))
        docs.append(Document(path, frozenset([npc["handle"]]), windows(npc["backstory"])))
    for meta_file in sorted(root.glob("**/*.meta.yaml")):
        meta = load_yaml(meta_file)
        path = str(meta_file.relative_to(root)).removesuffix(".meta.yaml")
        owner = path.split("/")[1] if path.startswith("npcs/") else "all"
        known = frozenset(meta.get("known_by") or [owner])
        docs.append(Document(path, known, windows((root / path).read_text("utf-8"))))
    return docs, names


def load_questions(suite: Path) -> list[Question]:
    return [
        Question(c["npc"], c["player_message"], c["expect_evidence"])
        for c in load_yaml(suite)["cases"]
        if c.get("kind") == "known" and c.get("expect_evidence")
    ]


def rank(scores: Floats, docs: Sequence[Document], q: Question, own: frozenset[str]) -> int:
    """Give the place of the best expected document, from 1; scores are one a document."""
    in_scope = [i for i, d in enumerate(docs) if d.known_by & own]
    order = sorted(in_scope, key=lambda i: (-scores[i], docs[i].path))
    for place, i in enumerate(order, 1):
        if any(fnmatch.fnmatchcase(docs[i].path, glob) for glob in q.expect):
            return place
    return 1 << 30


def ranks(embed: Embed, world: Path, suite: Path) -> list[int]:
    docs, names = load_world(world)
    questions = load_questions(suite)
    owner = [i for i, d in enumerate(docs) for _ in d.windows]
    vectors = embed([w for d in docs for w in d.windows])
    asked = embed([q.text for q in questions])
    out = []
    for q, similarity in zip(questions, asked @ vectors.T, strict=True):
        best = np.full(len(docs), -np.inf, np.float32)
        np.maximum.at(best, owner, similarity)
        out.append(rank(best, docs, q, names[q.npc]))
    return out


def bm25_ranks(world: Path, suite: Path, k1: float = 1.2, b: float = 0.75) -> list[int]:
    """Rank by the words of whole documents, as the yardstick of the lexical side."""
    docs, names = load_world(world)
    words = [re.findall(r"\w+", " ".join(d.windows[::2] + d.windows[-1:]).lower()) for d in docs]
    counts = [Counter(w) for w in words]
    df = Counter(t for c in counts for t in c)
    mean = sum(map(len, words)) / len(words)
    out = []
    for q in load_questions(suite):
        scores = np.zeros(len(docs), np.float32)
        for t in re.findall(r"\w+", q.text.lower()):
            idf = math.log(1 + (len(docs) - df[t] + 0.5) / (df[t] + 0.5))
            for i, c in enumerate(counts):
                if t in c:
                    scores[i] += idf * c[t] * (k1 + 1) / (c[t] + k1 * (1 - b + b * len(words[i]) / mean))
        out.append(rank(scores, docs, q, names[q.npc]))
    return out


def row(name: str, places: Sequence[int]) -> str:
    shares = "  ".join(f"{100 * sum(p <= c for p in places) / len(places):5.1f}" for c in CUTS)
    mrr = sum(1 / p for p in places) / len(places)
    return f"{name:<34} {shares}  {mrr:.3f}"


HEADING = f"{'':<34} " + "  ".join(f"top {c}" for c in CUTS) + "  MRR"
