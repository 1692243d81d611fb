"""What the Go engine is held to: sequences with the pooled vectors that PyTorch gives them.

    python golden_forward.py --weights ../../../weights --out ../../../internal/transformer/testdata/forward.jsonl.gz

It reads the sentence encoder as it ships, dequantised. The first line names the
weights; a line each is {"ids", "types", "pooled"}.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path

import torch
from encoder import CLS, SEP, Encoder, Shape, Verifier
from weights import read, restore

SEED = 11
LENGTHS = [2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40, 48, 49, 63, 64, 65, 77, 96, 110, 128, 129, 200, 256, 300, 511, 512]


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--weights", type=Path, required=True)
    p.add_argument("--out", type=Path, required=True)
    a = p.parse_args()
    torch.set_num_threads(1)
    shared, _ = read(a.weights / "verifier.safetensors")
    own, meta = read(a.weights / "encoder.safetensors")
    # The heads are the verifier's and are not looked at.
    model: Encoder = restore(Verifier(Encoder(Shape())), {**shared, **own}).encoder.eval()
    dice = random.Random(SEED)
    lines = [{"data_sha256": meta["data_sha256"]}]
    for n in LENGTHS:
        ids = [CLS, *(dice.randrange(999, 30522) for _ in range(n - 2)), SEP]
        second = dice.randrange(n) if n % 2 else n
        types = [int(i >= second) for i in range(n)]
        with torch.no_grad():
            pooled = model(torch.tensor([ids]), torch.tensor([types]), torch.ones(1, n, dtype=torch.bool))[0]
        lines.append({"ids": ids, "types": types, "pooled": [round(v, 6) for v in pooled.tolist()]})
    data = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    a.out.write_bytes(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    main()
