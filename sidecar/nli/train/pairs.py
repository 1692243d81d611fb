"""Writes the pairs of hand-written groups as JSON lines, which the Go commands read.

python pairs.py held > held.jsonl
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import data

NAMES = {data.ENTAILMENT: "supported", data.CONTRADICTION: "contradicted", data.NEUTRAL: "unverifiable"}


def lines(groups: list[data.Group]) -> list[str]:
    return [
        json.dumps({"premise": p.premise, "hypothesis": p.hypothesis, "label": NAMES[p.label], "kind": p.kind}, ensure_ascii=False)
        for g in groups
        for p in g.pairs
    ]


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("folder", type=Path, help="a folder of groups: held or groups")
    args = ap.parse_args()
    found = lines(data.written_groups(args.folder))
    if not found:
        sys.exit(f"{args.folder}: holds no group; give a folder of .txt files as README.md tells them")
    print("\n".join(found))


if __name__ == "__main__":
    main()
