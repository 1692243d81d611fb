from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import numpy as np
import soft
import torch
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair
from encoder import Encoder, InputError, Shape, Verifier, tokenizer
from measure import score
from soft import UNKNOWN, Labels, Soft, Student
from train import Run

PREMISE = "the mill burned"
ROWS = [
    Soft("g/1", Pair(PREMISE, "mill burned", ENTAILMENT, "light", "npc"), (0.9, 0.05, 0.05), (0.6, 0.3, 0.1)),
    Soft("g/1", Pair(PREMISE, "a fox ran", UNKNOWN, "crossed", "npc"), (0.1, 0.8, 0.1), (0.2, 0.7, 0.1)),
    Soft("g/2", Pair("a fox ran", "a fox burned", CONTRADICTION, "swap", "npc"), (0.1, 0.2, 0.7), (0.3, 0.3, 0.4)),
]
MODELS = {"teacher": "a", "small": "b"}
TOKENS = tokenizer(["[PAD]", "[UNK]", *"the mill burned a fox ran".split(), *(f"x{i}" for i in range(100))])


def student(out: Path, hard: float, labels: dict[Pair, list[float]]) -> Student:
    torch.manual_seed(1)
    told = {p: np.array(x) for p, x in labels.items()}
    return Student(Verifier(Encoder(Shape(1, 12, 3, 24, 200, 64))), TOKENS, out, told, 2.0, hard)


def test_labels_are_read_as_they_were_written_and_go_on(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    Labels(path).by(MODELS).add(ROWS[:2])
    later = Labels(path).by(MODELS)
    assert later.rows == ROWS[:2]
    later.add(ROWS[2:])
    assert Labels(path).rows == ROWS
    assert Labels(path).visits() == [[ROWS[0].pair, ROWS[1].pair], [ROWS[2].pair]]


def test_a_line_that_was_cut_short_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    Labels(path).by(MODELS).add(ROWS)
    path.write_bytes(path.read_bytes()[:-30])
    assert Labels(path).rows == ROWS[:2]
    Labels(path).by(MODELS).add(ROWS[2:])
    assert Labels(path).rows == ROWS


def test_a_file_cut_short_in_its_first_line_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    path.write_text('{"teacher": ')
    Labels(path).by(MODELS).add(ROWS)
    assert Labels(path).rows == ROWS and Labels(path).models == MODELS


def test_labels_of_other_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    Labels(path).by(MODELS).add(ROWS)
    with pytest.raises(InputError, match="other weights"):
        Labels(path).by({**MODELS, "teacher": "c"})


@pytest.mark.parametrize(
    "wrong",
    [replace(ROWS[0], teacher=(0.9, 0.9, 0.9)), replace(ROWS[0], small=(1.0, 0.0)), replace(ROWS[0], small=(float("nan"), 0.5, 0.5))],
    ids=["no sum of one", "two", "not a number"],
)
def test_what_is_no_probability_is_refused(tmp_path: Path, wrong: Soft) -> None:
    path = tmp_path / "labels.jsonl"
    Labels(path).by(MODELS).add([ROWS[1], wrong])
    with pytest.raises(InputError, match=r"labels\.jsonl:3"):
        Labels(path)


def test_a_soft_label_is_the_mean_of_both_by_the_teachers_share(tmp_path: Path) -> None:
    labels = Labels(tmp_path / "labels.jsonl")
    assert labels.soft(0.5) == {}
    labels.by(MODELS).add(ROWS)
    np.testing.assert_allclose(labels.soft(0.0)[ROWS[0].pair], ROWS[0].small, atol=1e-6)
    np.testing.assert_allclose(labels.soft(1.0)[ROWS[0].pair], ROWS[0].teacher, atol=1e-6)
    assert ROWS[0].small[0] < labels.soft(0.5)[ROWS[0].pair][0] < ROWS[0].teacher[0]


@pytest.mark.parametrize("temperature", [1.0, 2.0, 4.0])
def test_the_loss_is_nothing_where_the_student_agrees(temperature: float) -> None:
    told = torch.tensor([[0.7, 0.2, 0.1]])
    assert soft.soft_loss(torch.log(told), told, temperature).item() == pytest.approx(0, abs=1e-6)
    assert soft.soft_loss(torch.zeros(1, 3), told, temperature).item() > 0.01


def test_a_student_learns_what_it_is_told_of_pairs_that_nobody_judged(tmp_path: Path) -> None:
    pair = ROWS[1].pair
    s = student(tmp_path, 0.5, {pair: [0.1, 0.8, 0.1]})
    for _ in range(80):
        s.train([pair], [], 3e-3)
    np.testing.assert_allclose(score(s.model, TOKENS, [pair])[0], [0.1, 0.8, 0.1], atol=0.05)


def test_hard_labels_weigh_by_their_share_and_soft_ones_by_the_rest(tmp_path: Path) -> None:
    pair = replace(ROWS[0].pair, label=NEUTRAL)
    told = {pair: [0.9, 0.05, 0.05]}
    all_soft, half, all_hard = (student(tmp_path, h, told).loss([pair], []).item() for h in (0.0, 0.5, 1.0))
    assert all_soft != pytest.approx(all_hard) and half == pytest.approx((all_soft + all_hard) / 2, rel=1e-5)
    assert all_hard == pytest.approx(Run.loss(student(tmp_path, 1.0, told), [pair], []).item(), rel=1e-5)  # as without a teacher
    assert student(tmp_path, 1.0, {}).loss([replace(pair, label=UNKNOWN)], []).item() == 0
