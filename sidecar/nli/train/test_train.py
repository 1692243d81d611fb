import random
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import measure
import torch
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, Group, Pair
from encoder import Encoder, Shape, Verifier, tokenizer
from train import PHASES, SHIPS, Batches, Mixture, Phase, Run, doubts, follow


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


def test_each_row_is_read_in_its_place() -> None:
    """Halves by length are read apart, and put back in order."""
    torch.manual_seed(1)
    run = Run(Verifier(Encoder(Shape(1, 24, 2, 48, 200, 64))), tokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]"]), Path())
    run.rounded = False
    rows = [([4] * n, [5, 6]) for n in (30, 2, 17, 9, 25)]
    with torch.no_grad():
        entail, answered = run.read(rows)
        for i, row in enumerate(rows):
            alone, answer = run.read([row])
            assert torch.allclose(entail[i], alone[0], atol=1e-5)
            assert torch.allclose(answered[i], answer[0], atol=1e-5)


def test_what_comes_out_is_the_mean_of_what_was_kept(tmp_path: Path) -> None:
    """Also where the run was stopped in between; without anything kept the average stays."""
    torch.manual_seed(1)

    def begun() -> Run:
        return Run(Verifier(Encoder(Shape(1, 24, 2, 48, 200, 64))), tokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]"]), tmp_path)

    run = begun()
    first = run.average.entail_out.weight.detach().clone()
    run.mean()
    assert torch.equal(run.average.entail_out.weight, first)
    run.keep("one", 1)
    with torch.no_grad():
        run.average.entail_out.weight.add_(2.0)
    run.save()
    again = begun()
    again.resume()
    again.keep("one", 1)  # as a run does that was stopped right there: the first stays
    again.keep("two", 3)
    again.mean()
    assert torch.allclose(again.average.entail_out.weight, first + 1.5)
    assert torch.equal(again.average.encoder.word.weight, run.average.encoder.word.weight)
    again.mean()
    assert torch.allclose(again.average.entail_out.weight, first + 1.5)


def test_what_ships_may_weigh_what_was_kept_otherwise(tmp_path: Path) -> None:
    """Phases that are not named stay out; where none that is named was kept, the average stays."""
    torch.manual_seed(1)
    run = Run(Verifier(Encoder(Shape(1, 24, 2, 48, 200, 64))), tokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]"]), tmp_path)
    first = run.average.entail_out.weight.detach().clone()
    for name in ("one", "two", "three"):
        run.keep(name, 1)
        with torch.no_grad():
            run.average.entail_out.weight.add_(2.0)
    run.mean({"never": 1})
    assert torch.allclose(run.average.entail_out.weight, first + 6.0)
    run.mean({"two": 1, "three": 3})
    assert torch.allclose(run.average.entail_out.weight, first + 3.5)


def test_what_ships_is_kept() -> None:
    assert set(SHIPS) <= {p.name for p in PHASES if p.kept}


def test_a_phase_may_begin_from_the_mean_of_what_was_kept(tmp_path: Path) -> None:
    torch.manual_seed(1)
    run = Run(Verifier(Encoder(Shape(1, 24, 2, 48, 200, 64))), tokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]"]), tmp_path)
    first = run.average.entail_out.weight.detach().clone()
    run.keep("one", 1)
    with torch.no_grad():
        run.average.entail_out.weight.add_(2.0)
        run.model.entail_out.weight.add_(5.0)
    run.keep("two", 1)
    mix = Mixture([group(i) for i in range(6)], [], [])
    follow(run, mix, Phase("x", 0, 2, 4, 0, 0, 0, (0, 0), 0, 0, True), 0, 1, [], 1)
    assert torch.allclose(run.model.entail_out.weight, first + 1.0)


def test_a_hard_phase_draws_what_the_model_is_wrong_about(tmp_path: Path) -> None:
    """Of each label the doubted ones, as often as their weight; what nobody asked about stands between."""
    groups = [group(i) for i in range(40)]
    far = {p: 1.0 if p.hypothesis.endswith(" 0") else 0.0 for g in groups for p in g.pairs}
    phase = Phase("x", 1, 1, 2, 0, 0, 0, (0, 0), hard=True)
    batches = Batches(Mixture(groups, [], []), phase, random.Random(1), far)
    drawn = [p for _ in range(400) for p in batches.next()[0]]
    share = sum(far[p] for p in drawn) / len(drawn)
    assert 0.72 < share < 0.86, "1.15 of 1.45, where all alike would be one of three"
    assert sum(p.label == ENTAILMENT for p in drawn) == len(drawn) / 2


def test_what_the_model_doubts_is_asked_once(tmp_path: Path) -> None:
    """A run that goes on draws as it did before, though its model has changed; a group that is new since stands at one half."""
    torch.manual_seed(1)
    run = Run(Verifier(Encoder(Shape(1, 24, 2, 48, 200, 64))), tokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]"]), tmp_path)
    run.rounded = False
    first = doubts(run, [group(1)], "hard")
    entailed = measure.score(run.average, run.tok, group(1).pairs)[:, 0]
    want = [1 - e if p.label == ENTAILMENT else e for p, e in zip(group(1).pairs, entailed, strict=True)]
    assert list(first.values()) == pytest.approx(want)
    with torch.no_grad():
        run.average.entail_out.bias.add_(torch.tensor([3.0, 0.0, 0.0]))
    again = doubts(run, [group(1), group(2)], "hard")
    assert [again[p] for p in group(1).pairs] == list(first.values())
    assert {again[p] for p in group(2).pairs} == {0.5}


def test_a_hard_phase_that_is_over_asks_nothing_again(tmp_path: Path) -> None:
    """A run that goes on in a later phase would ask a model that the earlier one never saw; and each phase asks for itself."""
    torch.manual_seed(1)
    run = Run(Verifier(Encoder(Shape(1, 24, 2, 48, 200, 64))), tokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]"]), tmp_path)
    mix = Mixture([group(i) for i in range(6)], [], [])
    one, two = (Phase(name, 2, 1, 2, 0, 0, 0, (0, 0), hard=True) for name in ("one", "two"))
    run.step = 2
    follow(run, mix, one, 0, 1, [], 10)
    assert not list(tmp_path.glob("doubts-*"))
    follow(run, mix, two, 2, 1, group(1).pairs, 10)
    assert [p.name for p in tmp_path.glob("doubts-*")] == ["doubts-two.json"]
