from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import mpnet
import numpy as np
import teacher
import torch
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, Group, Pair
from encoder import Shape, tokenizer

VOCAB = ["<s>", "<pad>", "</s>", "<unk>", "[UNK]", *"the mill burned in spring autumn a fox ran nobody".split()]
SMALL = Shape(layers=2, hidden=12, heads=3, intermediate=24, vocab=len(VOCAB), positions=64)
GROUP = Group(
    "g",
    "the mill burned in spring",
    [
        Pair("the mill burned in spring", "in spring the mill burned", ENTAILMENT),
        Pair("the mill burned in spring", "the mill burned in autumn", CONTRADICTION),
        Pair("the mill burned in spring", "a fox ran", NEUTRAL),
    ],
)


def small(out: Path) -> teacher.Teacher:
    torch.manual_seed(1)
    return teacher.Teacher(mpnet.Judge(SMALL, 1), tokenizer(VOCAB), out, torch.device("cpu"))


def test_it_learns_a_group_by_heart(tmp_path: Path) -> None:
    t = small(tmp_path)
    losses = [t.train(GROUP.pairs, 1e-2) for _ in range(60)]
    assert losses[-1] < losses[0] / 2
    assert len(t.kept.at) == 3  # each pair went through the frozen layers once
    assert t.score(GROUP.pairs)[:, 0].argmax() == 0


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    t = small(tmp_path)
    for _ in range(3):
        t.train(GROUP.pairs, 1e-3)
    t.save()
    later = small(tmp_path)
    later.resume()
    assert later.step == 3
    np.testing.assert_allclose(later.score(GROUP.pairs), t.score(GROUP.pairs), atol=1e-6)
    assert later.train(GROUP.pairs, 1e-3) == pytest.approx(t.train(GROUP.pairs, 1e-3), abs=1e-3)


def test_a_later_start_sees_the_batches_that_were_still_to_come() -> None:
    groups = [Group(str(i), str(i), [Pair(str(i), "h", NEUTRAL)]) for i in range(8)]
    whole, late = teacher.epochs(groups, 1, 0), teacher.epochs(groups, 1, 3)
    first = [next(whole) for _ in range(6)]
    assert [next(late) for _ in range(3)] == first[3:]
    seen = [p.premise for batch in first[:2] for p in batch]
    assert len(seen) == len(set(seen)) == 2 * teacher.GROUPS  # no group twice in an epoch


def test_groups_are_cut_to_a_size_and_keep_all_sides() -> None:
    many = [Pair("p", f"t{i}", ENTAILMENT) for i in range(20)] + [Pair("p", f"f{i}", NEUTRAL) for i in range(4)]
    (got,) = teacher.chosen([Group("g", "p", many)], [], 5, 1)
    assert len(got.pairs) == teacher.PER_GROUP and sum(p.label == NEUTRAL for p in got.pairs) == 4


def test_a_mean_lies_between_and_is_a_probability() -> None:
    a, b = np.array([[0.9, 0.05, 0.05]]), np.array([[0.1, 0.6, 0.3]])
    both = teacher.mean(a, b, 0.5)
    assert both.sum() == pytest.approx(1) and 0.1 < both[0, 0] < 0.9
    np.testing.assert_allclose(teacher.mean(a, b, 0), a, atol=1e-6)
