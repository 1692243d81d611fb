"""What a model's outputs mean, read from its config.json and never guessed."""

from __future__ import annotations

import re
from typing import Any

from .failure import LoadError

ENTAILMENT, NEUTRAL, CONTRADICTION, REST = "entailment", "neutral", "contradiction", "not_entailment"
THREE = frozenset((ENTAILMENT, NEUTRAL, CONTRADICTION))
TWO = frozenset((ENTAILMENT, REST))
_TWO_NAMES = {"0": REST, "1": ENTAILMENT, ENTAILMENT: ENTAILMENT, REST: REST}
_EXAMPLE = (
    'write, in the order it was trained with, "id2label": {"0": "contradiction", "1": "neutral", "2": "entailment"} '
    'or "id2label": {"0": "not_entailment", "1": "entailment"}'
)


def order(config: dict[str, Any], where: str) -> tuple[str, ...]:
    """Give the label of each output, as id2label has them."""
    stated = config.get("id2label")
    if not isinstance(stated, dict) or not stated:
        raise LoadError(f"{where}: has no id2label, so nobody can tell which output is entailment; {_EXAMPLE}")
    if sorted(stated) != sorted(str(i) for i in range(len(stated))) or not all(isinstance(v, str) for v in stated.values()):
        raise LoadError(f"{where}: its id2label does not give one name to each of 0 to {len(stated) - 1}; {_EXAMPLE}")
    names = [re.sub(r"[\s_-]+", "_", stated[str(i)].strip().lower()) for i in range(len(stated))]
    if any(re.fullmatch(r"label_?\d+", n) for n in names):
        raise LoadError(f"{where}: its id2label says {stated['0']!r}, which names no verdict; {_EXAMPLE}")
    if len(names) == 2:
        names = [_TWO_NAMES.get(n, n) for n in names]
    if len(set(names)) != len(names) or frozenset(names) not in (THREE, TWO):
        said = ", ".join(repr(stated[str(i)]) for i in range(min(len(stated), 6)))
        raise LoadError(f"{where}: its id2label says {said:.200}, which are not the labels of an entailment model; {_EXAMPLE}")
    return tuple(names)
