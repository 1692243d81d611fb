import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import torch
from data import Question
from encoder import Encoder, Shape, tokenizer
from strangers import BY_CHANCE, beside, embed
from tokenizers import Tokenizer

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "mill", "burned", "gate", "opens", "who", "when", "the", "."]


def small() -> tuple[Encoder, Tokenizer]:
    torch.manual_seed(1)
    return Encoder(Shape(1, 24, 2, 48, 200, 64)).eval(), tokenizer(WORDS)


def test_a_question_stands_beside_the_nearest_blocks_that_are_not_its_own() -> None:
    enc, tok = small()
    blocks = ["the mill burned.", "the gate opens.", "the mill opens.", "gate gate gate"]
    questions = [Question(b, f"who {b}", 1) for b in blocks]
    found = beside(questions, enc, tok, 2)
    vectors = embed(enc, tok, blocks)
    assert len(found) == 4
    for rows in found:
        question = rows[0].question
        own = blocks.index(question[4:])
        order = sorted((i for i in range(4) if i != own), key=lambda i: -float(embed(enc, tok, [question])[0] @ vectors[i]))
        assert [r.block for r in rows] == [blocks[i] for i in order[:2]]
        assert {r.answers for r in rows} == {BY_CHANCE}


def test_what_another_block_answers_too_is_no_stranger() -> None:
    """In part also, and in other capitals."""
    enc, tok = small()
    a, b, c = "the mill burned.", "the gate opens.", "the mill opens."
    questions = [Question(a, "when", 1), Question(b, "When", 0.5), Question(c, "who", 0)]
    assert [[q.block for q in rows] for rows in beside(questions, enc, tok)] == [[c]]


@pytest.mark.parametrize("answers", [0, 0.5])
def test_what_no_block_answers_wholly_has_none(answers: float) -> None:
    enc, tok = small()
    assert beside([Question("the mill burned.", "when", answers), Question("the gate opens.", "who", 0)], enc, tok) == []


def test_one_block_has_no_stranger() -> None:
    enc, tok = small()
    assert beside([Question("the mill burned.", "when", 1)], enc, tok) == []
    assert beside([], enc, tok) == []
