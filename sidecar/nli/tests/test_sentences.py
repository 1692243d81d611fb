from __future__ import annotations

import pytest

from forsooth_nli.sentences import sentences


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("", []),
        (" \n\t ", []),
        ("Alone", ["Alone"]),
        ("The mill burned. Nobody died!  Who knows?", ["The mill burned.", "Nobody died!", "Who knows?"]),
        ("Dr. Ash met Mr. J. Vale at St. Anne. He left.", ["Dr. Ash met Mr. J. Vale at St. Anne.", "He left."]),
        ("It was I. You know.", ["It was I.", "You know."]),
        ("It costs 3.50 crowns, e.g. at Bo's. Pay.", ["It costs 3.50 crowns, e.g. at Bo's.", "Pay."]),
        ('"Go!" she said. "Now."', ['"Go!"', "she said.", '"Now."']),
        ('"Go." she said.', ['"Go." she said.']),
        ("One line\ngoes on. Next.", ["One line\ngoes on.", "Next."]),
        ("A title\n\nA text.", ["A title", "A text."]),
        ("Wait... what? the U.S.A. won", ["Wait... what?", "the U.S.A. won"]),
        ("火事だ。逃げろ！", ["火事だ。", "逃げろ！"]),
        ("One\u2029Two\u0085\u0301Three", ["One", "Two", "\u0301Three"]),
        ("A.\u200d\u0301 B.", ["A.\u200d\u0301", "B."]),
        ("See it.\u200d Then go.", ["See it.\u200d", "Then go."]),
    ],
)
def test_sentences_end_where_the_go_tier_ends_them(text: str, want: list[str]) -> None:
    assert sentences(text) == want


def test_a_long_text_of_stops_is_cut_in_one_go() -> None:
    assert len(sentences(". " * 30_000)) == 1
    assert len(sentences("No. " * 15_000)) == 15_000
    assert len(sentences("Mr. " * 15_000)) == 1
