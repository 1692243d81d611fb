"""How a hypothesis is read: texts with the ids that training reads, for Go and the sidecar to agree with.

python golden_endings.py --vocab ../../../weights/vocab.txt --out ../../../internal/entail/nli/testdata/endings.jsonl
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from encoder import MARKS, sentence, tokenizer

SAID = "Wren's mill burned in the spring of 1402"
TAILS = ["", " ", *MARKS, *(f".{m}" for m in MARKS), *(f"{m}." for m in MARKS), "...?!", '."', '?")', "\u200b", "!\u00a0", " 🔥", " 🔥!", " #", " %"]
APART = ["", " ", "...", "?!", '"', "St. Mill.", "no", "Did it burn?", 'He wrote: "I saw the fire."', "(an aside)", "*he nods*", "a - b -"]


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--vocab", type=Path, required=True)
    ap.add_argument("--out", type=Path, required=True)
    args = ap.parse_args()
    tok = tokenizer(args.vocab.read_text(encoding="utf-8").rstrip("\n").split("\n"))
    texts = [*(SAID + t for t in TAILS), *APART]
    rows = ({"text": t, "ids": sentence(tok, t)} for t in texts)
    args.out.write_text("".join(json.dumps(r, ensure_ascii=True) + "\n" for r in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
