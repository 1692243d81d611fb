import random

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

from data import CONTRADICTION, ENTAILMENT, NEUTRAL, Group, Pair
from train import Batches, Mixture, Phase


def group(i: int) -> Group:
    premise = f"Keeper {i} of the north gate sleeps by day. The gate opens at dusk."
    true = [Pair(premise, f"true {i} {k}", ENTAILMENT) for k in range(3)]
    return Group(str(i), premise, [*true, *(Pair(premise, f"false {i} {k}", CONTRADICTION) for k in range(3))])


def test_a_sentence_beside_a_foreign_premise_is_neutral() -> None:
    groups = [group(i) for i in range(30)]
    batches = Batches(Mixture(groups, [], []), Phase("x", 1, 2, 4, 0, 0, 0, (0, 0), 200), random.Random(1))
    pairs, _ = batches.next()
    foreign = [p for p in pairs if p.kind == "foreign"]
    assert len(foreign) == 200
    for p in foreign:
        own = f"Keeper {p.hypothesis.split()[1]} of" in p.premise
        assert p.label == NEUTRAL or own
    near = sum(3 <= (int(p.premise.split()[1]) - int(p.hypothesis.split()[1])) % 30 <= 12 for p in foreign)
    assert near > 100, "four in ten come from a few groups on, where worlds are alike, and a third of the rest by chance"


def test_a_batch_has_as_many_foreign_ones_as_its_phase_says() -> None:
    groups = [group(i) for i in range(5)]
    for n in (0, 3):
        pairs, _ = Batches(Mixture(groups, [], []), Phase("x", 1, 2, 4, 0, 0, 0, (0, 0), n), random.Random(1)).next()
        assert sum(p.kind == "foreign" for p in pairs) == n
