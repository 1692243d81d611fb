import random
from collections import Counter
from collections.abc import Callable

import made
import pytest
from data import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT, Group, Pair

RNG = random.Random


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (made.other_number, "Bram owes nine bits."),
        (made.other_number, "The toll is 12 bits."),
        (made.other_number, "It was the third night."),
        (made.other_choice, "Bram left in the spring."),
        (made.other_choice, "Her brother keeps the north gate."),
        (made.names_swapped, "Bram paid Wren for the rope."),
        (made.negated, "The mill was burned by Osric."),
        (made.unhedged, "Perhaps the lake is cursed."),
        (made.unhedged, "Osric may have seen it."),
        (made.every, "Some of the watch were asleep."),
    ],
)
@pytest.mark.parametrize("seed", range(8))
def test_a_rule_changes_what_is_said(rule: Callable[..., str | None], text: str, seed: int) -> None:
    changed = rule(text, RNG(seed))
    assert changed and changed != text


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (made.other_number, "Bram owes money."),
        (made.names_swapped, "Bram left."),
        (made.names_swapped, "Bram and Wren left."),  # the same in either order
        (made.negated, "The mill was never burned."),
        (made.negated, "Was the mill burned?"),
        (made.unhedged, "The lake is cursed."),
        (made.every, "All of the watch were asleep."),
    ],
)
def test_a_rule_that_does_not_apply_gives_nothing(rule: Callable[..., str | None], text: str) -> None:
    assert rule(text, RNG(1)) is None


def test_a_swap_changes_both_names() -> None:
    assert made.names_swapped("Bram paid Wren for the rope.", RNG(1)) == "Wren paid Bram for the rope."


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Then Bram met old Perpetua Strake.", ["Bram", "Perpetua Strake"]),
        ("The Watch slept.", ["Watch"]),
        ("Nobody came.", []),
    ],
)
def test_names_are_capitals_that_are_no_words_of_grammar(text: str, names: list[str]) -> None:
    assert made.names_in(text) == names


@pytest.mark.parametrize("text", ["If the bell rings, and nobody comes, leave.", "He did not see it, and he left at once."])
@pytest.mark.parametrize("seed", range(12))
def test_a_condition_or_a_negation_is_never_cut_from_what_it_governs(text: str, seed: int) -> None:
    assert made.retold(text, RNG(seed)).rstrip(".").lower() == text.rstrip(".").lower()


def group() -> Group:
    premise = "Bram sold Wren nine ropes in the spring. Some of the ropes were rotten. Osric may have known of it."
    g = Group("a", premise)
    for label, hypothesis in [
        (ENTAILMENT, "Wren bought ropes from Bram."),
        (ENTAILMENT, "Nine ropes changed hands."),
        (CONTRADICTION, "Wren sold Bram the ropes."),
        (NEUTRAL, "Osric was paid for his silence."),
    ]:
        g.pairs.append(Pair(premise, hypothesis, label, "light", "npc"))
    return g


def test_pairs_of_a_group_keep_its_premise_and_hold_all_labels() -> None:
    seen = Counter[int]()
    kinds = set[str]()
    for seed in range(60):
        for p in made.from_group(group(), ["Teague owns the ferry at Bell Isle. He asks two bits a head."], RNG(seed)):
            assert p.premise == group().premise and p.origin == "made" and p.kind.startswith("made_")
            assert p.hypothesis.strip()
            seen[p.label] += 1
            kinds.add(p.kind)
    assert set(seen) == {ENTAILMENT, NEUTRAL, CONTRADICTION, NOT_ENTAILMENT}
    assert {"made_verbatim", "made_spoken", "made_joined", "made_transplanted", "made_swap", "made_negation", "made_number"} <= kinds


def test_what_is_joined_stands_under_both_labels() -> None:
    labels = set[int]()
    for seed in range(60):
        labels |= {p.label for p in made.from_group(group(), ["Teague owns the ferry."], RNG(seed)) if p.kind == "made_joined"}
    assert ENTAILMENT in labels and labels & {NEUTRAL, CONTRADICTION}


def test_an_opener_or_a_tag_tells_nothing() -> None:
    """As large a share of what is false as of what is true begins or ends as one speaks."""
    dressed, seen = Counter[bool](), Counter[bool]()
    for seed in range(600):
        for p in made.from_group(group(), ["Teague owns the ferry."], RNG(seed)):
            seen[p.label == ENTAILMENT] += 1
            begins = p.hypothesis.startswith(tuple(made.OPENERS))
            dressed[p.label == ENTAILMENT] += begins or p.hypothesis.endswith(tuple(t + "." for t in made.TAGS))
    true, false = (dressed[x] / seen[x] for x in (True, False))
    assert abs(true - false) < 0.05, (true, false)


def test_the_same_seed_makes_the_same_pairs() -> None:
    one, two = (made.from_group(group(), ["Teague owns the ferry at the isle."], RNG(7)) for _ in range(2))
    assert one == two
