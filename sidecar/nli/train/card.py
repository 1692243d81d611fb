"""Writes the figures of the model card: what the weights that ship are worth.

    python card.py --data DATA [--compare name=DIR/checkpoint.pt …]

It scores the quantised file, as Go and the sidecar load it, on pairs that took
no part in training, and puts the tables between the markers of MODEL_CARD.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import data
import measure
import numpy as np
import torch
import weights
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT, Pair
from encoder import Encoder, Shape, Verifier, tokenizer
from measure import Floats
from tokenizers import Tokenizer

BEGIN, END = "<!-- figures -->", "<!-- /figures -->"
HERE = Path(__file__).parent
ROOT = HERE.parents[2]
FALSE = 0.05


@dataclass(frozen=True)
class Sets:
    """The pairs that a model is scored on."""

    npc: list[Pair]
    held: list[Pair]
    claims: list[Pair]
    public: dict[str, list[Pair]]  # by origin


@dataclass(frozen=True)
class Scored:
    """One model's scores of them."""

    name: str
    npc: Floats
    held: Floats
    claims: Floats
    public: dict[str, Floats]


def sets(folder: Path, claims: Path, rows: int) -> Sets:
    """Read the pairs; of each public origin a sample that is always the same."""
    origins = defaultdict[str, list[Pair]](list)
    for p in data.public(folder / "nli" / "dev.jsonl.gz", frozenset()):
        origins[p.origin].append(p)
    public = {o: random.Random(o).sample(ps, min(rows, len(ps))) for o, ps in sorted(origins.items())}
    held = [p for g in data.written_groups(HERE / "held") for p in g.pairs]
    return Sets(data.npc_pairs(folder / "npc" / "pairs.jsonl"), held, data.npc_pairs(claims), public)


def score(name: str, model: Verifier, tok: Tokenizer, s: Sets) -> Scored:
    public = {o: measure.score(model, tok, ps) for o, ps in s.public.items()}
    npc, held, claims = (measure.score(model, tok, pairs) for pairs in (s.npc, s.held, s.claims))
    return Scored(name, npc, held, claims, public)


def shape_of(meta: dict[str, str]) -> Shape:
    names = ("layers", "hidden", "heads", "intermediate", "vocab", "positions")
    return Shape(**{n: int(meta[n]) for n in names})


def shipped(path: Path) -> tuple[Verifier, dict[str, str]]:
    tensors, meta = weights.read(path)
    return weights.restore(Verifier(Encoder(shape_of(meta))), tensors), meta


def checkpoint(path: Path) -> Verifier:
    """Read the averaged weights of a checkpoint, or weights as they ship."""
    if path.suffix == ".safetensors":
        return shipped(path)[0]
    state = torch.load(path)["average"]
    return weights.trained(Encoder(replace(Shape(), layers=layers_of(state))), state)


def layers_of(state: Iterable[str]) -> int:
    """Count the layers that the names of a model's weights speak of."""
    return 1 + max(int(name.split(".")[2]) for name in state if name.startswith("encoder.layers."))


def accuracy(pairs: Sequence[Pair], scores: Floats) -> float:
    """Give the share of right classes; where two are not told apart, either is right."""
    said = scores.argmax(1)
    right = [s != ENTAILMENT if p.label == NOT_ENTAILMENT else s == p.label for p, s in zip(pairs, said, strict=True)]
    return float(np.mean(right))


def line_of(pairs: Sequence[Pair], scores: Floats) -> float:
    """Give the score above which at most one in twenty of the unsupported lies."""
    bad = np.sort(np.array([s for p, s in zip(pairs, scores[:, 0], strict=True) if p.label != ENTAILMENT]))[::-1]
    return float(bad[int(FALSE * len(bad))]) if len(bad) else 0.0


def share(x: float) -> str:
    return "–" if np.isnan(x) else f"{100 * x:.0f} %"


def auroc(x: float) -> str:
    return "–" if np.isnan(x) else f"{x:.3f}".lstrip("0")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(r) + " |" for r in lines)


def kinds(pairs: Sequence[Pair], scores: Floats) -> str:
    """Show how often each kind is accepted where one in twenty of the unsupported is."""
    line, names = line_of(pairs, scores), {ENTAILMENT: "supported", CONTRADICTION: "contradicted", NEUTRAL: "unverifiable"}
    by = defaultdict[tuple[int, str], list[bool]](list)
    for p, s in zip(pairs, scores[:, 0], strict=True):
        by[(p.label, p.kind)].append(bool(s > line))
    order = sorted(by, key=lambda k: (k[0], k[1]))
    return table(
        ["label", "kind", "pairs", "accepted"],
        [[names[k[0]], k[1].replace("_", " "), str(len(by[k])), share(float(np.mean(by[k])))] for k in order],
    )


def origins(s: Sets, got: Scored) -> str:
    rows = []
    for o, pairs in s.public.items():
        roc, at5 = measure.summary(pairs, got.public[o])
        rows.append([o, str(len(pairs)), auroc(roc), share(at5), share(accuracy(pairs, got.public[o]))])
    return table(["origin", "pairs", "AUROC", "accepted at 5 % false", "right class"], rows)


def overview(s: Sets, all_: Sequence[Scored], cascade: list[str] | None) -> str:
    rows = []
    for got in all_:
        npc, held, claims = measure.summary(s.npc, got.npc), measure.summary(s.held, got.held), measure.summary(s.claims, got.claims)
        public = float(np.mean([measure.summary(ps, got.public[o])[0] for o, ps in s.public.items()]))
        rows.append([got.name, *(f"{auroc(roc)}, {share(at5)}" for roc, at5 in (npc, held, claims)), auroc(public)])
    if cascade:
        rows.append(cascade)
    head = ["model", "NPC pairs", "held-out groups", "our claims", "public sets, mean AUROC"]
    return table(head, rows)


def cascade_row(path: Path, sha256: str) -> list[str] | None:
    """Give the figures of the whole cascade, where the calibration belongs to these weights."""
    if not path.exists():
        return None
    c = json.loads(path.read_text(encoding="utf-8"))
    if c["weights_sha256"] != sha256:
        return None
    return ["the same behind the rules, in Go", auroc(c["auroc"]), "–", "–", "–"]


def figures(s: Sets, all_: Sequence[Scored], head: str, cascade: list[str] | None) -> str:
    got = all_[-1]
    accepted = f"Accepted is a score above {line_of(s.npc, got.npc):.2f}, as one in twenty of the unsupported NPC pairs have."
    return "\n\n".join(
        [
            head,
            "### Models beside one another",
            "AUROC, and the share of the supported that is accepted where one in twenty of the others is.",
            overview(s, all_, cascade),
            f"### The {len(s.npc)} NPC pairs, by kind",
            accepted,
            kinds(s.npc, got.npc),
            f"### The {len(s.held)} pairs of held-out groups (`held/`), by kind",
            kinds(s.held, got.held),
            f"### The {len(s.claims)} claims over our own worlds (`evals/claims.jsonl`), by kind",
            kinds(s.claims, got.claims),
            "### Public development sets",
            origins(s, got),
        ]
    )


def between(text: str, new: str, name: str) -> str:
    """Put new between the markers of a text."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise SystemExit(f"{name}: does not hold {BEGIN} and {END} once, in this order; put them where the figures are to stand")
    return text[: text.index(BEGIN) + len(BEGIN)] + "\n" + new.strip() + "\n" + text[text.index(END) :]


def named(text: str) -> tuple[str, Path]:
    name, ok, path = text.partition("=")
    if not ok or not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=CHECKPOINT with a file that exists")
    return name, Path(path)


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--data", type=Path, required=True, help="the data folder: nli/ and npc/")
    ap.add_argument("--weights", type=Path, default=ROOT / "weights", help="folder of verifier.safetensors and vocab.txt")
    ap.add_argument("--claims", type=Path, default=ROOT / "evals" / "claims.jsonl")
    ap.add_argument("--calibration", type=Path, default=ROOT / "internal" / "entail" / "nli" / "calibration.json")
    ap.add_argument("--card", type=Path, default=HERE / "MODEL_CARD.md")
    ap.add_argument("--compare", type=named, nargs="*", default=[], metavar="NAME=CHECKPOINT", help="rows of the table of models")
    ap.add_argument("--rows", type=int, default=300, help="pairs of a public origin at most")
    ap.add_argument("--threads", type=int, default=2)
    args = ap.parse_args()
    torch.set_num_threads(args.threads)
    card = args.card.read_text(encoding="utf-8")
    between(card, "", str(args.card))  # before the work, not after it
    tok = tokenizer((args.weights / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n"))
    path = args.weights / "verifier.safetensors"
    model, meta = shipped(path)
    s = sets(args.data, args.claims, args.rows)
    all_ = [score(name, checkpoint(p), tok, s) for name, p in args.compare]
    all_.append(score("**as it ships**", model, tok, s))
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    head = f"`{meta['name']}`, {path.stat().st_size:,} bytes, sha256 `{sha256}`."
    args.card.write_text(between(card, figures(s, all_, head, cascade_row(args.calibration, sha256)), str(args.card)), encoding="utf-8")
    roc, at5 = measure.summary(s.npc, all_[-1].npc)
    print(f"{args.card}: NPC pairs AUROC {roc:.4f}, accepted at 5 % false {at5:.3f}")


if __name__ == "__main__":
    main()
