"""Soft labels: what two models think of a pair together, kept in a file, and a student that learns from them.

A soft label is the mean of both models' log-probabilities. It says more than a
hard one (how nearly a sentence is supported, and what else it might be) and
needs nobody to judge the pair, so that a pool of new pairs costs no writing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from data import Pair, Question
from encoder import InputError, Verifier
from measure import Floats
from teacher import mean
from tokenizers import Tokenizer
from torch import Tensor
from train import CONTRAST, Run, contrast_loss, entailment_loss

UNKNOWN = -1  # the label of a pair that nobody has judged
SHARE, TEMPERATURE, HARD = 0.5, 2.0, 0.5


@dataclass(frozen=True)
class Soft:
    """A pair of the pool and what both models make of it; the pairs of a visit have one premise."""

    visit: str
    pair: Pair
    teacher: tuple[float, ...]
    small: tuple[float, ...]


class Labels:
    """The file of soft labels: a line that says whose they are, then a line a pair, added as they come."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.models, self.rows = dict[str, str](), list[Soft]()
        lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
        if len(lines) > 1:
            self.models = json.loads(lines[0])
            self.rows = [self.parsed(n, line) for n, line in enumerate(lines[1:-1], 2)]
        if lines and lines[-1]:  # the last line of a run that was stopped may be cut short
            path.write_text("".join(f"{line}\n" for line in lines[:-1]), encoding="utf-8")

    def parsed(self, n: int, line: str) -> Soft:
        try:
            r = json.loads(line)
            pair = Pair(r["premise"], r["hypothesis"], r["label"], r["kind"], r["origin"])
            got = Soft(r["visit"], pair, tuple(r["teacher"]), tuple(r["small"]))
        except (ValueError, KeyError, TypeError) as e:
            raise InputError(f"{self.path}:{n}: no soft label ({e!r}); delete the line and what follows it, or the file") from e
        if not all(len(p) == 3 and abs(sum(p) - 1) < 1e-3 and min(p) >= 0 for p in (got.teacher, got.small)):
            raise InputError(f"{self.path}:{n}: three probabilities are wanted; delete the line and what follows it, or the file")
        return got

    def by(self, models: dict[str, str]) -> Labels:
        """Say whose labels are to be added; those of other models are no part of the same file."""
        if not self.models:
            self.models = models
            self.path.write_text(json.dumps(models) + "\n", encoding="utf-8")
        if self.models != models:
            raise InputError(f"{self.path}: holds the labels of other weights ({self.models}); name another folder, or delete it")
        return self

    def add(self, rows: list[Soft]) -> None:
        lines = []
        for r in rows:
            p = r.pair
            texts = {
                "visit": r.visit,
                "premise": p.premise,
                "hypothesis": p.hypothesis,
                "label": p.label,
                "kind": p.kind,
                "origin": p.origin,
            }
            lines.append(json.dumps({**texts, "teacher": r.teacher, "small": r.small}, ensure_ascii=False) + "\n")
        with self.path.open("a", encoding="utf-8") as f:
            f.write("".join(lines))
        self.rows += rows

    def visits(self) -> list[list[Pair]]:
        """Give the pairs, those of a visit together."""
        found: dict[str, list[Pair]] = {}
        for r in self.rows:
            found.setdefault(r.visit, []).append(r.pair)
        return list(found.values())

    def soft(self, share: float) -> dict[Pair, Floats]:
        """Give the mean of both models for each pair, the teacher's by its share."""
        if not self.rows:
            return {}
        both = mean(np.array([r.small for r in self.rows]), np.array([r.teacher for r in self.rows]), share)
        return {r.pair: p for r, p in zip(self.rows, both, strict=True)}


def soft_loss(logits: Tensor, soft: Tensor, temperature: float) -> Tensor:
    """Divergence from the soft labels, both made flatter alike; its square keeps the gradients' size (Hinton et al. 2015)."""
    want = F.log_softmax(torch.log(soft + 1e-9) / temperature, -1)
    each = F.kl_div(F.log_softmax(logits / temperature, -1), want, log_target=True, reduction="none")
    loss: Tensor = each.sum(-1) * temperature**2
    return loss


class Student(Run):
    """A run that follows soft labels where it has them, and hard ones by their share where somebody judged."""

    def __init__(
        self, model: Verifier, tok: Tokenizer, out: Path, soft: dict[Pair, Floats], temperature: float = TEMPERATURE, hard: float = HARD
    ) -> None:
        super().__init__(model, tok, out)
        self.soft, self.temperature, self.hard = soft, temperature, hard

    def loss(self, pairs: list[Pair], questions: list[Question]) -> Tensor:
        if questions:
            raise ValueError("soft labels are of pairs; questions have none")
        logits, _ = self.read([(self.tokens(p.premise), self.sentence(p.hypothesis)) for p in pairs])
        loss: Tensor = logits.sum() * 0
        taught = [i for i, p in enumerate(pairs) if p in self.soft]
        if taught:
            want = torch.tensor(np.array([self.soft[pairs[i]] for i in taught]), dtype=logits.dtype)
            loss = loss + (1 - self.hard) * soft_loss(logits[taught], want, self.temperature).mean()
        judged = [i for i, p in enumerate(pairs) if p.label != UNKNOWN]
        if judged:
            labels = torch.tensor([pairs[i].label for i in judged])
            first = {pairs[i].premise: i for i in judged}
            premises = torch.tensor([first[pairs[i].premise] for i in judged])
            own = logits[judged]
            loss = loss + self.hard * (entailment_loss(own, labels).mean() + CONTRAST * contrast_loss(own, labels, premises))
        return loss
