from __future__ import annotations

import itertools

import pytest

from forsooth_nli.failure import LoadError
from forsooth_nli.labels import CONTRADICTION, ENTAILMENT, NEUTRAL, REST, order


@pytest.mark.parametrize("labels", list(itertools.permutations((ENTAILMENT, NEUTRAL, CONTRADICTION))))
@pytest.mark.parametrize("spell", [str.lower, str.upper, str.title])
def test_three_labels_are_read_in_any_order_and_case(labels: tuple[str, ...], spell: object) -> None:
    assert callable(spell)
    assert order({"id2label": {str(i): spell(x) for i, x in enumerate(labels)}}, "c") == labels


@pytest.mark.parametrize(
    ("names", "want"),
    [
        (["0", "1"], (REST, ENTAILMENT)),
        (["not_entailment", "entailment"], (REST, ENTAILMENT)),
        (["Entailment", "Not-Entailment"], (ENTAILMENT, REST)),
        (["1", "0"], (ENTAILMENT, REST)),
    ],
)
def test_two_labels_are_entailment_and_the_rest(names: list[str], want: tuple[str, ...]) -> None:
    assert order({"id2label": {str(i): x for i, x in enumerate(names)}}, "c") == want


@pytest.mark.parametrize(
    "id2label",
    [
        None,
        {},
        [],
        "entailment",
        {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
        {"0": "LABEL_0", "1": "LABEL_1"},
        {"0": "entailment"},
        {"0": "entailment", "1": "neutral"},
        {"0": "entailment", "1": "contradiction"},
        {"0": "entailment", "1": "entailment", "2": "neutral"},
        {"0": "entailment", "2": "neutral", "3": "contradiction"},
        {"0": "entailment", "1": 1, "2": "contradiction"},
        {"0": "positive", "1": "negative"},
        {"0": "0", "1": "1", "2": "2"},
        {"a": "entailment", "b": "neutral", "c": "contradiction"},
    ],
)
def test_labels_that_name_no_verdict_are_refused_with_what_to_write(id2label: object) -> None:
    with pytest.raises(LoadError, match=r'^config\.json: .*"id2label": \{"0": "not_entailment"') as refused:
        order({"id2label": id2label}, "config.json")
    assert "\n" not in str(refused.value)
