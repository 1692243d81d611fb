"""Reads the training data: public inference pairs, contrast groups, answers.

A contrast group is one premise with supported, contradicted and unverifiable
hypotheses; it is never split. Groups whose premise the dev pairs share are left
out, so that figures on the dev pairs are clean.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT = 0, 1, 2, 3
LABELS = {
    "entailment": ENTAILMENT,
    "supported": ENTAILMENT,
    "neutral": NEUTRAL,
    "unverifiable": NEUTRAL,
    "contradiction": CONTRADICTION,
    "contradicted": CONTRADICTION,
    "not_entailment": NOT_ENTAILMENT,
}
LETTERS = {"S": ENTAILMENT, "C": CONTRADICTION, "U": NEUTRAL}
LINE = re.compile(r"^([SCU]) ([a-z_]+): (.+)$")
ANSWER = re.compile(r"^([YNP])(?: [a-z_]+)?: (.+)$")


@dataclass(frozen=True)
class Pair:
    premise: str
    hypothesis: str
    label: int
    kind: str = ""
    origin: str = ""


@dataclass
class Group:
    id: str
    premise: str
    pairs: list[Pair] = field(default_factory=list)


@dataclass(frozen=True)
class Question:
    """Does the block answer the question? 1, 0, or one half for a part of it."""

    block: str
    question: str
    answers: float


class DataError(Exception):
    """A line of a data file that cannot be read."""


def public(path: Path, without: frozenset[str]) -> list[Pair]:
    """Read nli/train.jsonl.gz or dev.jsonl.gz, without some origins."""
    out = []
    with gzip.open(path, "rt", encoding="utf-8") as f:
        for line in f:
            r = json.loads(line)
            if r["origin"] not in without:
                out.append(Pair(r["premise"], r["hypothesis"], LABELS[r["label"]], origin=r["origin"]))
    return out


def npc_pairs(path: Path) -> list[Pair]:
    with path.open(encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    return [Pair(r["premise"], r["hypothesis"], LABELS[r["label"]], r["kind"], "npc") for r in rows]


def npc_groups(path: Path) -> list[Group]:
    """Read npc/train.jsonl by its groups and premises."""
    groups: dict[tuple[str, str], Group] = {}
    with path.open(encoding="utf-8") as f:
        for line in f:
            r = json.loads(line)
            g = groups.setdefault((r["group"], r["premise"]), Group(r["group"], r["premise"]))
            g.pairs.append(Pair(r["premise"], r["hypothesis"], LABELS[r["label"]], r["kind"], "npc"))
    return list(groups.values())


def sections(path: Path, marker: str) -> Iterator[tuple[str, str, list[tuple[int, str]]]]:
    """Give id, text (the line behind the marker) and the numbered other lines of each section of a file."""
    name, first, lines = "", "", list[tuple[int, str]]()
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if line.startswith("## "):
            if name:
                yield name, first, lines
            name, first, lines = line[3:].strip(), "", []
        elif line.startswith(marker):
            first = line[len(marker) :].strip()
        elif line and name and not line.startswith("#"):
            if not first:
                raise DataError(f"{path}:{n}: a line before the section's text; begin it with {marker}")
            lines.append((n, line))
    if name:
        yield name, first, lines


def written_groups(folder: Path) -> list[Group]:
    """Read the groups that ship beside this script."""
    out = []
    for path in sorted(folder.glob("*.txt")):
        for name, premise, lines in sections(path, "P: "):
            g = Group(f"{path.stem}/{name}", premise)
            for n, line in lines:
                m = LINE.match(line)
                if m is None:
                    raise DataError(f"{path}:{n}: {line!r} is not 'S|C|U kind: text'")
                g.pairs.append(Pair(premise, m[3], LETTERS[m[1]], m[2], path.stem.rsplit("-", 1)[0]))
            out.append(g)
    return out


def answers(path: Path) -> list[Question]:
    """Read npc/answers.jsonl."""
    value = {"yes": 1.0, "no": 0.0, "partly": 0.5}
    with path.open(encoding="utf-8") as f:
        return [Question(r["block"], r["question"], value[r["answers"]]) for r in map(json.loads, f)]


def written_answers(folder: Path) -> list[Question]:
    out = []
    value = {"Y": 1.0, "N": 0.0, "P": 0.5}
    for path in sorted(folder.glob("*.txt")):
        for _, block, lines in sections(path, "B: "):
            for n, line in lines:
                m = ANSWER.match(line)
                if m is None:
                    raise DataError(f"{path}:{n}: {line!r} is not 'Y|N|P kind: question'")
                out.append(Question(block, m[2], value[m[1]]))
    return out


def apart(groups: list[Group], dev: list[Pair]) -> list[Group]:
    """Leave out the groups that share a premise, or a sentence of one, with the dev pairs."""

    def parts(text: str) -> set[str]:
        found = re.split(r"(?<=[.!?])\s+", re.sub(r"\s+", " ", text).strip().lower())
        return {p for p in found if len(p.split()) >= 5} | {text.strip().lower()}

    known = set[str]()
    for p in dev:
        known |= parts(p.premise)
    by_id: dict[str, bool] = {}
    for g in groups:
        by_id[g.id] = by_id.get(g.id, False) or bool(parts(g.premise) & known)
    return [g for g in groups if not by_id[g.id]]


def split(groups: list[Group], share: float, rng: random.Random) -> tuple[list[Group], list[Group]]:
    """Hold a share of the groups back, whole."""
    ids = sorted({g.id for g in groups})
    rng.shuffle(ids)
    held = set(ids[: int(len(ids) * share)])
    return [g for g in groups if g.id not in held], [g for g in groups if g.id in held]
