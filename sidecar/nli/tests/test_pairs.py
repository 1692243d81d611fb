from __future__ import annotations

import json
from pathlib import Path

import pytest
from tiny import VOCAB, bert_tokenizer, roberta_tokenizer

from forsooth_nli.pairs import WINDOWS, Ending, Reader, bert

CLS, SEP, THE, MILL, YES = (VOCAB.index(t) for t in ("[CLS]", "[SEP]", "the", "mill", "yes"))


def test_a_pair_stands_between_its_marks() -> None:
    (s,) = Reader(bert(VOCAB), 256).read("The mill burned", "yes")
    assert s.ids == [CLS, THE, MILL, VOCAB.index("burn"), VOCAB.index("##ed"), SEP, YES, SEP]
    assert s.types == [0, 0, 0, 0, 0, 0, 1, 1]


def test_a_mark_that_somebody_typed_is_text() -> None:
    (s,) = Reader(bert(VOCAB), 256).read("the [SEP] mill", "[CLS] yes")
    assert s.ids.count(SEP) == 2
    assert s.ids.count(CLS) == 1


@pytest.mark.parametrize(("tokenizer", "marks"), [(bert_tokenizer, 2), (roberta_tokenizer, 3)])
def test_a_mark_is_text_to_another_models_tokenizer_too(tokenizer: object, marks: int) -> None:
    assert callable(tokenizer)
    (s,) = Reader(tokenizer(), 256).read("the [SEP] </s> mill", "yes </s>")
    assert s.ids.count(SEP) == marks


def test_the_premise_is_cut_first() -> None:
    (s,) = Reader(bert(VOCAB), 16).read("mill " * 40, "yes " * 6)
    assert len(s) == 16
    assert s.ids.count(YES) == 6
    assert s.ids.count(MILL) == 7


@pytest.mark.parametrize("tail", ["", ".", "!", "?", "?!", "!?", " ...", "…", "; —", ",\u200b\u00a0", '."', ".”)", ".”)."])
def test_what_a_hypothesis_ends_with_tells_nothing(tail: str) -> None:
    tok = bert([*VOCAB, *'!,;…—?"”)'])
    reader = Reader(tok, 256, Ending(tok))
    (s,) = reader.read("mill", "yes" + tail)
    assert s.ids == [CLS, MILL, SEP, YES, tok.token_to_id("."), SEP]


def test_a_hypothesis_is_read_as_in_training() -> None:
    root = Path(__file__).parents[3]
    tok = bert((root / "weights" / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n"))
    rows = (root / "internal" / "entail" / "nli" / "testdata" / "endings.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(rows) > 70
    for row in map(json.loads, rows):
        assert Ending(tok).close(tok.encode(row["text"], add_special_tokens=False).ids) == row["ids"], row["text"]


def test_an_end_that_is_put_to_a_long_hypothesis_has_room() -> None:
    tok = bert(VOCAB)
    (s,) = Reader(tok, 256, Ending(tok)).read("mill", "yes " * 1000)
    assert s.ids.count(YES) == 127
    assert s.ids[-2] == tok.token_to_id(".")


def test_a_hypothesis_may_take_half_a_pair() -> None:
    (s,) = Reader(bert(VOCAB), 256).read("mill", "yes " * 1000)
    assert s.ids.count(YES) == 128


def test_a_long_premise_is_read_in_windows_that_share_a_sentence() -> None:
    short = "The mill " * 10 + "smith. "  # 22 tokens
    windows = Reader(bert(VOCAB), 256).read(short * 9, "yes")
    assert [len(w) - 4 for w in windows] == [110, 110]
    windows = Reader(bert(VOCAB), 256).read(short * 10, "yes")
    assert [len(w) - 4 for w in windows] == [110, 110, 44]


def test_a_sentence_longer_than_a_window_is_read_in_halves_that_overlap() -> None:
    windows = Reader(bert(VOCAB), 256).read("Mill. " + "The sword " * 125 + ". Sword.", "yes")
    assert [len(w) - 4 for w in windows] == [2, 110, 110, 110, 88]
    assert windows[1].ids[56:111] == windows[2].ids[1:56]


def test_the_windows_of_a_pair_are_bounded() -> None:
    assert len(Reader(bert(VOCAB), 256).read(("Mill " * 100 + ". ") * 120, "yes")) == WINDOWS


@pytest.mark.parametrize("text", ["", "  \n", "\0\0", "\u200b\u200d\ufeff", "\u202e", "\ud800", "\u0301", "\udbff\udbff"])
def test_a_text_that_says_nothing_is_not_read(text: str) -> None:
    reader = Reader(bert(VOCAB), 256)
    assert reader.read(text, "yes") in ([], reader.read("\ufffd", "yes"))
    assert reader.read("yes", text) in ([], reader.read("yes", "\ufffd"))


@pytest.mark.parametrize(
    "text", ["mi\0ll", "\u202emill\u202c", "mill \ud83d", "\ud83d\ude00 mill", "м i l l ⅷ ① mill", "a" * 60_000]
)
@pytest.mark.parametrize("tokenizer", [bert_tokenizer, roberta_tokenizer])
def test_odd_texts_are_read_like_any_other(text: str, tokenizer: object) -> None:
    assert callable(tokenizer)
    reader = Reader(tokenizer(), 256)
    assert len(reader.read(text, "yes")) == 1
    assert len(reader.read("yes", text)) == 1
