import random
from pathlib import Path

import pytest
from data import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    DataError,
    Group,
    Pair,
    answers,
    apart,
    npc_groups,
    split,
    written_answers,
    written_groups,
)

HERE = Path(__file__).parent


def folder(tmp_path: Path, text: str) -> Path:
    (tmp_path / "village-1.txt").write_text(text, encoding="utf-8")
    return tmp_path


def test_a_written_group_is_a_premise_with_labelled_lines(tmp_path: Path) -> None:
    got = written_groups(
        folder(
            tmp_path,
            "# a note\n\n## mill\nP: The mill burned in spring.\nS light: It burned.\nC negation: It stands.\nU entity: Bram saw it.\n\n"
            "## ferry\nP: Teague owns the ferry.\nS light: The ferry is Teague's.\n",
        )
    )
    assert [(g.id, g.premise, len(g.pairs)) for g in got] == [
        ("village-1/mill", "The mill burned in spring.", 3),
        ("village-1/ferry", "Teague owns the ferry.", 1),
    ]
    assert [p.label for p in got[0].pairs] == [ENTAILMENT, CONTRADICTION, NEUTRAL]
    assert got[0].pairs[1] == Pair("The mill burned in spring.", "It stands.", CONTRADICTION, "negation", "village")


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("## mill\nP: A.\nX light: B.\n", "village-1.txt:3"),
        ("## mill\nP: A.\nS light B.\n", "village-1.txt:3"),
        ("## mill\nS light: B.\n", "village-1.txt:2"),
    ],
)
def test_a_line_that_is_none_is_an_error_with_its_place(tmp_path: Path, text: str, where: str) -> None:
    with pytest.raises(DataError, match=where):
        written_groups(folder(tmp_path, text))


def test_a_written_answer_is_yes_no_or_partly(tmp_path: Path) -> None:
    got = written_answers(
        folder(tmp_path, "## mill\nB: It burned in spring.\nY: When did it burn?\nN same_topic: Who built it?\nP: Why?\n")
    )
    assert [(q.question, q.answers) for q in got] == [("When did it burn?", 1.0), ("Who built it?", 0.0), ("Why?", 0.5)]
    assert {q.block for q in got} == {"It burned in spring."}


def test_rows_of_one_group_and_premise_stay_together(tmp_path: Path) -> None:
    rows = tmp_path / "train.jsonl"
    rows.write_text(
        '{"group":"a","premise":"P1","hypothesis":"x","label":"supported","kind":"light"}\n'
        '{"group":"b","premise":"P2","hypothesis":"y","label":"unverifiable","kind":"related"}\n'
        '{"group":"a","premise":"P1","hypothesis":"z","label":"contradicted","kind":"swap"}\n',
        encoding="utf-8",
    )
    assert [(g.id, [p.hypothesis for p in g.pairs]) for g in npc_groups(rows)] == [("a", ["x", "z"]), ("b", ["y"])]
    (tmp_path / "answers.jsonl").write_text('{"block":"B","question":"Q?","answers":"partly"}\n', encoding="utf-8")
    assert answers(tmp_path / "answers.jsonl")[0].answers == 0.5


LONG = "The ferry leaves the north bank at dawn."


@pytest.mark.parametrize(
    ("premise", "kept"),
    [
        ("Bram keeps two dogs in the yard.", True),
        (LONG, False),
        ("Bram keeps dogs. " + LONG.upper(), False),  # one sentence is shared
        ("It was cold. Nobody came.", True),  # what is shorter than five words is everybody's
    ],
)
def test_groups_that_share_a_sentence_with_the_dev_pairs_are_left_out(premise: str, kept: bool) -> None:
    dev = [Pair(LONG + " It was cold.", "h", ENTAILMENT)]
    assert (apart([Group("a", premise)], dev) != []) is kept


def test_a_group_goes_whole_where_one_of_its_premises_is_shared() -> None:
    dev = [Pair(LONG, "h", ENTAILMENT)]
    left = apart([Group("a", LONG), Group("a", "Bram keeps two dogs in the yard."), Group("b", "Wren sells rope by the yard.")], dev)
    assert [g.id for g in left] == ["b"]


def test_a_split_keeps_groups_whole_and_loses_none() -> None:
    groups = [Group(str(i // 2), f"premise {i}") for i in range(40)]
    kept, held = split(groups, 0.25, random.Random(1))
    assert {g.id for g in kept} & {g.id for g in held} == set()
    assert len(kept) + len(held) == 40 and len({g.id for g in held}) == 5


def test_the_groups_that_ship_are_readable_and_contrast() -> None:
    groups = written_groups(HERE / "groups")
    assert len(groups) > 500
    for g in groups:
        labels = {p.label for p in g.pairs}
        assert ENTAILMENT in labels and labels & {NEUTRAL, CONTRADICTION}, g.id
        assert all(p.hypothesis != g.premise for p in g.pairs), g.id
    questions = written_answers(HERE / "answers")
    assert len(questions) > 1000 and {q.answers for q in questions} == {0.0, 0.5, 1.0}
    assert not [q.block for q in questions if q.block.endswith("?")]


def test_held_out_groups_are_read_and_none_of_them_is_trained_on() -> None:
    held, trained = written_groups(HERE / "held"), written_groups(HERE / "groups")
    assert held and not {g.premise for g in held} & {g.premise for g in trained}
