import math

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import measure
import numpy as np
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, Pair


def scores(*values: float) -> measure.Floats:
    return np.array(values, dtype=np.float64)


@pytest.mark.parametrize(
    ("good", "bad", "want"),
    [
        (scores(0.8, 0.9), scores(0.1, 0.2), 1.0),
        (scores(0.1, 0.2), scores(0.8, 0.9), 0.0),
        (scores(0.5, 0.5), scores(0.5, 0.5), 0.5),
        (scores(0.2, 0.9), scores(0.5), 0.5),
        (scores(0.5, 0.9), scores(0.5), 0.75),
    ],
)
def test_auroc_is_the_chance_that_a_good_score_lies_above_a_bad_one(good: measure.Floats, bad: measure.Floats, want: float) -> None:
    assert measure.auroc(good, bad) == pytest.approx(want)


def test_without_one_side_there_is_nothing_to_tell_apart() -> None:
    assert math.isnan(measure.auroc(scores(), scores(0.5))) and math.isnan(measure.auroc(scores(0.5), scores()))


def test_accepted_lets_at_most_that_share_of_the_bad_through() -> None:
    rng = np.random.default_rng(1)
    good, bad = rng.normal(1, 1, 400), rng.normal(0, 1, 400)
    for false in (0.01, 0.05, 0.2):
        got = measure.accepted(good, bad, false)
        line = np.sort(bad)[::-1][int(false * 400)]
        assert (bad > line).mean() <= false and got == pytest.approx((good > line).mean())


def test_the_table_by_kind_keeps_labels_apart() -> None:
    pairs = [Pair("p", "h", ENTAILMENT, "light"), Pair("p", "h", NEUTRAL, "light"), Pair("p", "h", CONTRADICTION, "swap")]
    p = np.array([[0.9, 0.05, 0.05], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]])
    table = measure.by_kind(pairs, p)
    assert "supported  light                    1 accepted 1.000" in table
    assert "not        light                    1 accepted 0.000" in table
    assert measure.summary(pairs, p) == (1.0, 1.0)
