from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import card
import numpy as np
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT, Pair

PAIRS = [
    Pair("p", "a", ENTAILMENT, "light"),
    Pair("p", "b", ENTAILMENT, "heavy"),
    Pair("p", "c", NEUTRAL, "related_topic"),
    Pair("p", "d", CONTRADICTION, "swap"),
]
SCORES = np.array([[0.9, 0.05, 0.05], [0.3, 0.5, 0.2], [0.4, 0.5, 0.1], [0.1, 0.2, 0.7]])


def test_figures_go_between_the_markers_and_nowhere_else() -> None:
    text = f"before\n{card.BEGIN}\nold\n{card.END}\nafter\n"
    assert card.between(text, "new", "card") == f"before\n{card.BEGIN}\nnew\n{card.END}\nafter\n"
    assert card.between(card.between(text, "new", "card"), "new", "card") == card.between(text, "new", "card")


@pytest.mark.parametrize("text", ["", card.BEGIN, f"{card.END} {card.BEGIN}", f"{card.BEGIN} {card.END} {card.BEGIN} {card.END}"])
def test_a_card_without_its_markers_is_left_as_it_is(text: str) -> None:
    with pytest.raises(SystemExit, match=r"MODEL_CARD\.md"):
        card.between(text, "new", "MODEL_CARD.md")


def test_a_class_that_is_not_told_apart_may_be_either() -> None:
    assert card.accuracy(PAIRS, SCORES) == 0.75
    assert card.accuracy([Pair("p", "h", NOT_ENTAILMENT)] * 4, SCORES) == 0.75


def test_kinds_are_counted_at_one_line() -> None:
    rows = card.kinds(PAIRS, SCORES).split("\n")
    assert rows[2:] == [
        "| supported | heavy | 1 | 0 % |",
        "| supported | light | 1 | 100 % |",
        "| unverifiable | related topic | 1 | 0 % |",
        "| contradicted | swap | 1 | 0 % |",
    ]


def test_all_tables_are_of_the_last_model() -> None:
    s = card.Sets(PAIRS, PAIRS, PAIRS, {"snli": PAIRS})
    worse = card.Scored("public data only", SCORES[::-1], SCORES[::-1], SCORES[::-1], {"snli": SCORES[::-1]})
    ships = card.Scored("as it ships", SCORES, SCORES, SCORES, {"snli": SCORES})
    text = card.figures(s, [worse, ships], "head", ["behind the rules", ".900", "", "", ""])
    assert text.count("| public data only |") == 1 and "| behind the rules | .900 |" in text
    assert "| as it ships | .750, 50 % | .750, 50 % | .750, 50 % | .750 |" in text and "| snli | 4 | .750 | 50 % | 75 % |" in text


def test_the_cascade_is_shown_only_where_it_was_measured_on_these_weights(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    assert card.cascade_row(path, "abc") is None
    path.write_text('{"weights_sha256": "abc", "auroc": 0.9}', encoding="utf-8")
    assert card.cascade_row(path, "other") is None
    assert (card.cascade_row(path, "abc") or ["", ""])[1] == ".900"
