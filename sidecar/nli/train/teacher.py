"""Trains a larger judge, to see what a small one could learn from it.

    python teacher.py --data DATA --parts FOLDER --out DIR [--groups 700] [--steps 160]
    python teacher.py --data DATA --parts FOLDER --out DIR --score [--beside ../../../weights]

all-mpnet-base-v2 with its lower layers frozen; what they make of a pair is kept
in DIR/states, so that only the first epoch costs the whole model. A run that was
stopped goes on from its last checkpoint. --score writes DIR/scores.npz and says
what the teacher, the weights beside it and the mean of both are worth.
"""

from __future__ import annotations

import argparse
import copy
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import card
import data
import measure
import numpy as np
import torch
from data import Group, Pair
from encoder import sentence, tokenizer
from measure import Floats
from mpnet import Judge, Kept, judge, read_parts, rows
from tokenizers import Tokenizer
from train import CONTRAST, contrast_loss, entailment_loss

FROZEN, LIMIT, WARM_UP, AVERAGE = 8, 160, 40, 0.99
RATE, HEAD = 1e-4, 5.0  # and how much faster the head learns
GROUPS, PER_GROUP = 3, 10


class Teacher:
    """The judge on its way, with all that a checkpoint holds."""

    def __init__(self, model: Judge, tok: Tokenizer, out: Path, where: torch.device) -> None:
        self.model, self.tok, self.out, self.where = model.to(where), tok, out, where
        self.average = copy.deepcopy(model.upper)
        self.kept = Kept(out / "states", model.lower.norm.normalized_shape[0])
        self.step = 0
        new = ("side", "dense", "out")
        named = list(model.upper.named_parameters())
        body = [p for n, p in named if not n.startswith(new)]
        head = [p for n, p in named if n.startswith(new)]
        self.optimiser = torch.optim.AdamW([{"params": body, "scale": 1.0}, {"params": head, "scale": HEAD}], lr=RATE, weight_decay=0.01)

    def states(self, pairs: Sequence[Pair], limit: int, keep: bool) -> tuple[list[torch.Tensor], list[int]]:
        """Give the frozen layers' view of each pair, from the disk where it lies there."""
        made = rows([(self.tok.encode(p.premise).ids, sentence(self.tok, p.hypothesis)) for p in pairs], limit)
        new = [ids for ids, _ in made if ids not in self.kept]
        fresh = dict(zip(map(self.kept.key, new), self.model.below(new), strict=True)) if new else {}
        if keep:
            for ids in new:
                if ids not in self.kept:
                    self.kept.put(ids, fresh[self.kept.key(ids)])
        found = [fresh[k] if (k := self.kept.key(ids)) in fresh else self.kept.get(ids) for ids, _ in made]
        return found, [second for _, second in made]

    def train(self, pairs: Sequence[Pair], rate: float) -> float:
        logits = self.model.above(*self.states(pairs, LIMIT, True))
        labels = torch.tensor([p.label for p in pairs], device=self.where)
        first = {p.premise: i for i, p in enumerate(pairs)}
        premises = torch.tensor([first[p.premise] for p in pairs], device=self.where)
        loss = entailment_loss(logits, labels).mean() + CONTRAST * contrast_loss(logits, labels, premises)
        for group in self.optimiser.param_groups:
            group["lr"] = rate * group["scale"]
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.upper.parameters(), 1.0)
        self.optimiser.step()
        self.step += 1
        keep = min(AVERAGE, self.step / (self.step + 10))
        with torch.no_grad():
            for a, p in zip(self.average.parameters(), self.model.upper.parameters(), strict=True):
                a.lerp_(p, 1 - keep)
        return float(loss.detach())

    def score(self, pairs: Sequence[Pair], limit: int = 256, batch: int = 16) -> Floats:
        """Give P(entailment), P(neutral), P(contradiction) of each pair, by the averaged weights."""
        trained, self.model.upper = self.model.upper, self.average
        order = sorted(range(len(pairs)), key=lambda i: len(pairs[i].premise) + len(pairs[i].hypothesis))
        out = np.zeros((len(pairs), 3))
        with torch.no_grad():
            for at in range(0, len(order), batch):
                part = order[at : at + batch]
                logits = self.model.above(*self.states([pairs[i] for i in part], limit, False))
                out[part] = torch.softmax(logits, -1).double().cpu().numpy()
        self.model.upper = trained
        return out

    def save(self) -> None:
        state = {"step": self.step, "upper": self.model.upper.state_dict(), "average": self.average.state_dict()}
        torch.save({**state, "optimiser": self.optimiser.state_dict()}, self.out / "checkpoint.tmp")
        (self.out / "checkpoint.tmp").rename(self.out / "checkpoint.pt")

    def resume(self) -> None:
        path = self.out / "checkpoint.pt"
        if not path.exists():
            return
        state = torch.load(path, map_location=self.where)
        self.step = state["step"]
        self.model.upper.load_state_dict(state["upper"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])


def epochs(groups: Sequence[Group], seed: int, step: int) -> Iterator[list[Pair]]:
    """Give batches of whole groups, epoch by epoch in another order; a later start skips what came before."""
    at = 0
    for epoch in range(1_000_000):
        order = list(groups)
        random.Random(f"{seed}/{epoch}").shuffle(order)
        for i in range(0, len(order) - GROUPS + 1, GROUPS):
            if at >= step:
                yield [p for g in order[i : i + GROUPS] for p in g.pairs]
            at += 1


def chosen(npc: Sequence[Group], written: Sequence[Group], n: int, seed: int) -> list[Group]:
    """Take groups of both hands, in their proportions, each of at most so many pairs that all labels stay."""
    rng = random.Random(f"{seed}/groups")
    groups = rng.sample([*npc, *written], min(n, len(npc) + len(written)))
    out = []
    for g in groups:
        true = [p for p in g.pairs if p.label == data.ENTAILMENT]
        rest = [p for p in g.pairs if p.label != data.ENTAILMENT]
        rng.shuffle(true)
        rng.shuffle(rest)
        keep = min(len(true), max(PER_GROUP // 2, PER_GROUP - len(rest)))
        out.append(Group(g.id, g.premise, true[:keep] + rest[: PER_GROUP - keep]))
    return out


def train(t: Teacher, groups: Sequence[Group], steps: int, seed: int) -> None:
    batches = epochs(groups, seed, t.step)
    begun, seen, total, since = time.monotonic(), 0, 0.0, 0
    while t.step < steps:
        pairs = next(batches)
        total += t.train(pairs, RATE * (1 - t.step / steps) * min(1.0, (t.step + 1) / WARM_UP))
        seen, since = seen + len(pairs), since + 1
        if t.step % 20 == 0 or t.step == steps:
            speed = seen / (time.monotonic() - begun)
            print(f"step {t.step} loss {total / since:.3f} {speed:.1f} pairs/s, {len(t.kept.at)} kept", flush=True)
            total, since = 0.0, 0
            t.save()


def means(name: str, s: card.Sets, npc: Floats, held: Floats, claims: Floats) -> list[str]:
    cells = [measure.summary(pairs, got) for pairs, got in ((s.npc, npc), (s.held, held), (s.claims, claims))]
    return [name, *(f"{card.auroc(roc)}, {card.share(at5)}" for roc, at5 in cells)]


def mean(a: Floats, b: Floats, share: float) -> Floats:
    """Mix the logarithms of two models' probabilities, b by its share; this leaves each its own confidence."""
    logs = (1 - share) * np.log(a + 1e-9) + share * np.log(b + 1e-9)
    p: Floats = np.exp(logs)
    p /= p.sum(1, keepdims=True)
    return p


def report(t: Teacher, s: card.Sets, beside: Path | None) -> str:
    """Score all sets and show the teacher, the small model and both together."""
    got = {"npc": t.score(s.npc), "held": t.score(s.held), "claims": t.score(s.claims)}
    np.savez(t.out / "scores.npz", npc=got["npc"], held=got["held"], claims=got["claims"])
    lines = [means(f"teacher, {t.step} steps", s, **got)]
    if beside is not None:
        small, _ = card.shipped(beside / "verifier.safetensors")
        vocab = tokenizer((beside / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n"))
        own = card.score("small", small, vocab, card.Sets(s.npc, s.held, s.claims, {}))
        lines.append(means("the weights that ship", s, own.npc, own.held, own.claims))
        for part in (0.25, 0.5):
            both = [mean(a, b, part) for a, b in ((own.npc, got["npc"]), (own.held, got["held"]), (own.claims, got["claims"]))]
            lines.append(means(f"both, the teacher's share {part:.2f}", s, *both))
    return card.table(["model", "NPC pairs", "held-out groups", "our claims"], lines)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--data", type=Path, required=True, help="the data folder: nli/ and npc/")
    ap.add_argument("--parts", type=Path, required=True, help="folder of the five wheels of all-mpnet-base-v2")
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--claims", type=Path, default=card.ROOT / "evals" / "claims.jsonl")
    ap.add_argument("--groups", type=int, default=700, help="groups to train on at most")
    ap.add_argument("--steps", type=int, default=160)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--score", action="store_true", help="train nothing, score")
    ap.add_argument("--beside", type=Path, help="folder of the small model's weights, to be measured together")
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    base = read_parts(args.parts)
    t = Teacher(judge(base, FROZEN), tokenizer(base.vocab), args.out, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    t.resume()
    dev = data.npc_pairs(args.data / "npc" / "pairs.jsonl")
    if not args.score:
        npc = data.apart(data.npc_groups(args.data / "npc" / "train.jsonl"), dev)
        written = data.apart(data.written_groups(card.HERE / "groups"), dev)
        train(t, chosen(npc, written, args.groups, args.seed), args.steps, args.seed)
        roc, at5 = measure.summary(dev, t.score(dev))
        print(f"NPC pairs: AUROC {roc:.4f}, accepted at 5 % false {at5:.3f}")
        return
    print(report(t, card.sets(args.data, args.claims, 0), args.beside))


if __name__ == "__main__":
    main()
