import random
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import distil
import numpy as np
import torch
from card import Sets
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, Group, Pair
from encoder import Encoder, Shape, Verifier, tokenizer
from measure import Floats
from soft import UNKNOWN, Labels, Student

MODELS = {"teacher": "a", "small": "b"}


def group(name: str, premise: str) -> Group:
    labels = (ENTAILMENT, NEUTRAL, CONTRADICTION) * 2
    return Group(name, premise, [Pair(premise, f"{name} says {i} of it.", label, "light", "npc") for i, label in enumerate(labels)])


GROUPS = [
    group("a1", "Mira sold forty sacks of rye to Wren in the spring, and some of them were wet."),
    group("a2", "Mira sold three sacks of barley to Wren in the autumn, and none of them were wet."),
    group("a3", "Nobody has opened the northern gate since the river rose above its second step."),
    group("b1", "Mira sold forty sacks of rye to Bram in the spring, and all of them were wet."),
]


def test_a_pool_is_the_same_by_seed_and_a_larger_one_begins_with_it() -> None:
    small, large = distil.pool(GROUPS, 12, 1), distil.pool(GROUPS, 1000, 1)
    assert list(large.items())[: len(small)] == list(small.items()) and len(small) < len(large) == len(GROUPS)
    assert distil.pool(GROUPS, 1000, 1) == large != distil.pool(GROUPS, 1000, 2)


def test_a_visit_has_one_premise_no_sentence_twice_and_pairs_that_nobody_judged() -> None:
    for pairs in distil.pool(GROUPS[:3], 1000, 1).values():
        assert len({p.premise for p in pairs}) == 1
        assert len({p.hypothesis for p in pairs}) == len(pairs) <= distil.OWN + distil.MADE + distil.CROSSED
        assert {p.kind for p in pairs if p.label == UNKNOWN} == {"crossed"}
        assert any(p.origin == "made" for p in pairs) and any(p.kind == "light" for p in pairs)


def test_a_hypothesis_is_put_against_the_nearest_premise_of_its_own_source() -> None:
    assert [distil.source(Group(i, "")) for i in ("a0", "d-ed510b", "hollowmere-2/anvil")] == ["a", "d", "hollowmere"]
    near = distil.neighbour(GROUPS[0], GROUPS[:3], random.Random(1))
    assert near is not None and near.id == "a2"
    assert distil.neighbour(GROUPS[3], GROUPS[3:], random.Random(1)) is None
    crossed = [p for pairs in distil.pool(GROUPS, 1000, 1).values() for p in pairs if p.label == UNKNOWN]
    assert crossed and not any(p.premise == GROUPS[3].premise or p.hypothesis.startswith("b1") for p in crossed)


@pytest.mark.parametrize("which", ["npc", "held", "claims"])
def test_nothing_of_what_models_are_scored_on_gets_into_the_pool(which: str) -> None:
    scored = [Pair(GROUPS[0].premise.upper(), "x", ENTAILMENT), Pair("elsewhere", GROUPS[1].pairs[0].hypothesis, NEUTRAL)]
    npc, held, claims = (scored if which == name else [] for name in ("npc", "held", "claims"))
    s = Sets(npc, held, claims, {})
    got = distil.unseen(GROUPS, s)
    assert [g.id for g in got] == ["a2", "a3", "b1"]
    assert GROUPS[1].pairs[0] not in got[0].pairs and len(got[0].pairs) == 5
    pool = [p for pairs in distil.pool(got, 1000, 1).values() for p in pairs]
    assert all(p.premise != GROUPS[0].premise and p.hypothesis != GROUPS[1].pairs[0].hypothesis for p in pool)


def test_labelling_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    asked: list[Pair] = []

    def teacher(pairs: list[Pair]) -> Floats:
        asked.extend(pairs)
        return np.tile([0.6, 0.3, 0.1], (len(pairs), 1))

    def small(pairs: list[Pair]) -> Floats:
        return np.tile([0.2, 0.3, 0.5], (len(pairs), 1))

    path = tmp_path / "labels.jsonl"
    few, many = distil.pool(GROUPS, 12, 1), distil.pool(GROUPS, 1000, 1)
    distil.label(Labels(path).by(MODELS), few, teacher, small)
    assert Labels(path).visits() == list(few.values())
    before = len(asked)
    later = Labels(path).by(MODELS)
    distil.label(later, many, teacher, small)
    assert len(asked) == sum(map(len, many.values())) and before == sum(map(len, few.values()))  # none twice
    assert Labels(path).rows == later.rows and Labels(path).visits() == list(many.values())
    assert later.rows[0].teacher == (0.6, 0.3, 0.1) and later.rows[0].small == (0.2, 0.3, 0.5)


TOKENS = tokenizer(["[PAD]", "[UNK]", *"the mill burned a fox ran".split(), *(f"x{i}" for i in range(100))])


def test_a_student_begins_at_the_weights_it_is_given_and_goes_on_from_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = Shape(1, 12, 3, 24, 200, 64)
    monkeypatch.setattr("card.Shape", lambda: shape)
    torch.manual_seed(5)
    begin = Verifier(Encoder(shape))
    torch.save({"average": begin.state_dict()}, tmp_path / "start.pt")
    pair = Pair("the mill burned", "a fox ran", UNKNOWN)
    out = tmp_path / "out"
    out.mkdir()

    def student() -> Student:
        return distil.started(tmp_path / "start.pt", TOKENS, out, {pair: np.array([0.1, 0.8, 0.1])}, 2.0, 0.5)

    first = student()
    assert first.step == 0 and torch.equal(first.average.entail_out.weight, begin.entail_out.weight)
    first.train([pair], [], 1e-3)
    first.save()
    second = student()
    assert second.step == 1 and not torch.equal(second.model.entail_out.weight, begin.entail_out.weight)
    assert torch.equal(second.model.entail_out.weight, first.model.entail_out.weight)
    second.train([pair], [], 1e-3)
    first.train([pair], [], 1e-3)
    torch.testing.assert_close(second.model.entail_out.weight, first.model.entail_out.weight)
