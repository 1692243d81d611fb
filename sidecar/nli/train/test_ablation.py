import itertools
import random
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import ablation
import card
import data
import numpy as np
import torch
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, Group, Pair
from encoder import Encoder, Shape, tokenizer


def group(name: str) -> Group:
    premise = f"{name} sold forty sacks of rye to Wren in the spring, and some of them were wet."
    return Group(
        name,
        premise,
        [
            Pair(premise, f"{name} sold rye {i} times to Wren.", label, "light", name)
            for i, label in enumerate((ENTAILMENT, NEUTRAL, CONTRADICTION))
        ],
    )


PUBLIC = [Pair(f"p{i}", f"h{i}", NEUTRAL, origin="snli") for i in range(50)]
SOFT = [group("Tilda").pairs, group("Edda").pairs]
CORPUS = ablation.Corpus([group("Mira"), group("Bram")], [group("Osric"), group("Yrsa")], PUBLIC, SOFT)


@pytest.mark.parametrize("row", ablation.ROWS, ids=lambda r: r.key)
def test_rows_differ_in_their_pairs_and_not_in_how_many(row: ablation.Row) -> None:
    seen = set[str]()
    for pairs in itertools.islice(ablation.drawn(row, CORPUS, 28, random.Random(1)), 20):
        assert len(pairs) == 28
        seen |= {p.origin if p.origin == "snli" else p.premise.split()[0] for p in pairs}
    assert "snli" in seen
    assert row.npc == ("Mira" in seen) and row.written == ("Osric" in seen) and row.soft == ("Tilda" in seen)


def test_rules_add_pairs_only_where_the_row_says_so() -> None:
    written = {p for g in CORPUS.npc for p in g.pairs}
    rows = {r.key: next(ablation.drawn(r, CORPUS, 28, random.Random(1))) for r in ablation.ROWS}
    made = {k: [p for p in pairs if p.origin != "snli" and p not in written] for k, pairs in rows.items()}
    assert not made["public"] and not made["npc"] and made["made"]


SCORES = np.array([[0.9, 0.05, 0.05], [0.3, 0.5, 0.2], [0.1, 0.2, 0.7]])


def test_figures_are_read_as_they_were_written(tmp_path: Path) -> None:
    pairs = group("Mira").pairs
    s = card.Sets(pairs, pairs, pairs, {"snli": pairs})
    got = ablation.figures("npc", 220, s, card.Scored("npc", SCORES, SCORES, SCORES, {"snli": SCORES}))
    ablation.save(tmp_path, got)
    assert ablation.read_figures(tmp_path / "npc.json") == got
    assert "| + NPC groups | 220 | 1.000, 100 % |" in ablation.overview([("+ NPC groups", got)])
    assert "| false light | 0 % |" in ablation.by_kind([("+ NPC groups", got)])


def test_a_kind_that_a_row_lacks_is_left_open() -> None:
    pairs = group("Mira").pairs
    s = card.Sets(pairs, pairs, pairs, {})
    got = ablation.figures("npc", 220, s, card.Scored("npc", SCORES, SCORES, SCORES, {}))
    bare = ablation.Figures("x", 1, (0.5, 0.5), (0.5, 0.5), (0.5, 0.5), 0.5, {})
    assert "| true light | 100 % | – |" in ablation.by_kind([("a", got), ("b", bare)])


def test_pairs_are_written_as_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "held.jsonl"
    ablation.write_pairs(path, group("Mira").pairs)
    assert [(p.hypothesis, p.label, p.kind) for p in data.npc_pairs(path)] == [(p.hypothesis, p.label, p.kind) for p in group("Mira").pairs]


def test_a_cosine_is_highest_for_the_same_text() -> None:
    words = "the mill burned fox ran".split()
    torch.manual_seed(1)
    tok, enc = tokenizer(["[PAD]", "[UNK]", *words, *(f"x{i}" for i in range(100))]), Encoder(Shape(1, 12, 3, 24, 200, 64)).eval()
    pairs = [Pair("the mill burned", "the mill burned", ENTAILMENT), Pair("the mill burned", "fox ran", NEUTRAL)]
    got = ablation.cosines(enc, tok, pairs)
    assert got[0, 0] == pytest.approx(1, abs=1e-5) and got[1, 0] < got[0, 0]
    assert ablation.cosines(enc, tok, []).shape == (0, 3)
