"""Writes the weights that ship: verifier, sentence encoder and vocabulary.

    python export.py --checkpoint DIR/checkpoint.pt --wheel WHEEL --jar JAR --out ../../../weights \\
        --claims ../../../evals/claims.jsonl --reference ../../../internal/entail/nli/testdata/reference.json

The encoder is all-MiniLM-L6-v2 itself. It shares the verifier's word embeddings,
which training leaves as they were, and so its file holds none. What the model says
of the project's own claim pairs, before and after rounding, is written for
the test that holds the Go engine against it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import data
import measure
import torch
import weights
from e5 import read_base
from encoder import Base, Verifier, from_base, read_wheel, tokenizer

VERIFIER, ENCODER, VOCAB = "verifier.safetensors", "encoder.safetensors", "vocab.txt"
LIMIT = 27_000_000


def reference(base: Base, exact: Verifier, shipped: Path, claims: Path) -> dict[str, object]:
    """Score the claims with the model as trained and as it ships."""
    pairs = data.npc_pairs(claims)
    tok = tokenizer(base.vocab)
    tensors, meta = weights.read(shipped)
    rounded = weights.restore(Verifier(from_base(base)), tensors)
    before, after = measure.score(exact, tok, pairs), measure.score(rounded, tok, pairs)
    print(f"AUROC {measure.summary(pairs, before)[0]:.4f} as trained, {measure.summary(pairs, after)[0]:.4f} as it ships")
    return {
        "data_sha256": meta["data_sha256"],
        "trained": [round(float(x), 6) for x in before[:, 0]],
        "shipped": [round(float(x), 6) for x in after[:, 0]],
    }


def write_verifier(path: Path, name: str, verifier: Verifier, start: Path | None) -> None:
    """Write the verifier, with the words as the weights that it went on from have packed them, if it did."""
    packed = weights.read(start)[0] if start is not None else None
    weights.write(path, name, verifier.encoder, weights.head_tensors(verifier), True, packed)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--checkpoint", type=Path, required=True)
    ap.add_argument("--wheel", type=Path, required=True)
    ap.add_argument("--jar", type=Path, required=True, help="the jar of e5-small-v2, see README.md")
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--claims", type=Path, required=True, help="evals/claims.jsonl")
    ap.add_argument("--reference", type=Path, required=True, help="internal/entail/nli/testdata/reference.json")
    ap.add_argument("--start", type=Path, help="the weights that tune.py went on from: their words are copied byte for byte")
    ap.add_argument("--name", default="forsooth-nli-4")
    args = ap.parse_args()
    base, mini = read_base(args.wheel, args.jar), read_wheel(args.wheel)
    verifier = weights.trained(from_base(base), torch.load(args.checkpoint)["average"])
    encoder = from_base(mini)
    if weights.words_sha256(encoder) != weights.words_sha256(verifier.encoder):
        raise SystemExit("the verifier's word embeddings were trained, so the encoder cannot share them; freeze them")
    args.out.mkdir(parents=True, exist_ok=True)
    write_verifier(args.out / VERIFIER, args.name, verifier, args.start)
    weights.write(args.out / ENCODER, "all-MiniLM-L6-v2", encoder, {}, False)
    (args.out / VOCAB).write_text("\n".join(base.vocab) + "\n", encoding="utf-8")
    args.reference.parent.mkdir(parents=True, exist_ok=True)
    args.reference.write_text(json.dumps(reference(base, verifier, args.out / VERIFIER, args.claims), indent=0) + "\n", encoding="utf-8")
    size = (args.out / VERIFIER).stat().st_size
    print(f"verifier {size} bytes, encoder {(args.out / ENCODER).stat().st_size}")
    if size > LIMIT:
        raise SystemExit(f"the verifier holds {size} bytes; {LIMIT} are allowed")


if __name__ == "__main__":
    main()
