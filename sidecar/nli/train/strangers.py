"""Finds, for each question, the blocks of others that come nearest to it.

In play the judgement "does this block answer this question?" is asked of the best that a search
found, and where an NPC does not know the answer that is a block about something else. Whoever writes a
question writes it for its block, so a model that is trained on such pairs alone takes
most of what is near for an answer. Dense retrievers are taught the same way (Karpukhin et al. 2020, 3.2).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from data import Question
from encoder import Encoder, collate
from tokenizers import Tokenizer
from torch import Tensor

NEAR = 6  # blocks of others a question
BY_CHANCE = 0.05  # of such blocks, the share that answers all the same: 52 of 1,121 that the model took for answers, judged by hand
BATCH = 64


def embed(enc: Encoder, tok: Tokenizer, texts: list[str]) -> Tensor:
    """Give each text as a vector of length one."""
    ids = [tok.encode(t).ids for t in texts]
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    out = torch.zeros(len(ids), enc.shape.hidden)
    with torch.no_grad():
        for at in range(0, len(order), BATCH):
            part = order[at : at + BATCH]
            out[part] = enc(*collate([(ids[i], []) for i in part], 256))
    return F.normalize(out, dim=-1)


def beside(questions: list[Question], enc: Encoder, tok: Tokenizer, near: int = NEAR) -> list[list[Question]]:
    """Give each question that its block answers beside the blocks that come nearest and do not, as far as anyone wrote."""
    blocks = sorted({q.block for q in questions})
    at = {b: i for i, b in enumerate(blocks)}
    answered: dict[str, set[int]] = {}
    for q in questions:
        if q.answers > 0:
            answered.setdefault(q.question.casefold(), set()).add(at[q.block])
    asked = sorted({q.question for q in questions if q.answers == 1})
    if not asked or len(blocks) < 2:
        return []
    alike = embed(enc, tok, asked) @ embed(enc, tok, blocks).T
    out = []
    for i, question in enumerate(asked):
        alike[i, list(answered[question.casefold()])] = -2
        nearest = [int(k) for k in alike[i].topk(min(near, len(blocks))).indices if alike[i, k] > -2]
        if nearest:
            out.append([Question(blocks[k], question, BY_CHANCE) for k in nearest])
    return out
