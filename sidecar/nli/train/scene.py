"""Chooses what of a scene stands before a sentence that is judged, as the review does in production (`internal/review/premise.go`).

A model of few tokens judges best beside few sentences, and a prompt shows many.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable

from spoken import Sentence, Speech

STOP = frozenset(
    """a an the and or but of to in on at for with by from as is are was were be been being am do does did have has had it its
    he she they we you i me my your his her their our this that these those there here not no so if then than too very just will
    would can could should may might must what who where when why how which""".split()
)
ENDINGS = ("ing", "edly", "ed", "es", "s", "ly")
AROUND = 0.3  # the weight of a word that only the message or the sentence before holds
CITED, CITED_SELF = 4.0, 1.0


def stem(word: str) -> str:
    word = word.replace("'s", "")
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def content(text: str) -> set[str]:
    return {stem(w) for w in re.findall(r"[a-z0-9']+", text.lower()) if w not in STOP and len(w) > 1}


def split(text: str) -> list[str]:
    return [s for line in text.split("\n") for s in re.split(r"(?<=[.!?])\s+", line.strip()) if s]


def selected(speech: Speech, at: int, budget: int, cites: list[str], count: Callable[[str], int]) -> str:
    """Give the shown sentences that stand nearest to a sentence of a speech, in their order: as many as a budget of tokens holds."""
    want = content(speech.sentences[at].text)
    around = content(speech.message) | (content(speech.sentences[at - 1].text) if at else set())
    units = [(e["id"], s, content(s)) for e in speech.evidence for s in split(e["text"])]
    units += [("self", s, content(s)) for s in split(speech.self)]
    often = Counter(w for _, _, words in units for w in words)

    def near(i: int) -> float:
        of, _, words = units[i]
        score = sum(math.log(1 + len(units) / often[w]) * (1 if w in want else AROUND) for w in sorted(words & (want | around)))
        return score + (0 if of not in cites else CITED_SELF if of == "self" else CITED)

    taken, used = [], 0
    for i in sorted(range(len(units)), key=lambda i: -near(i)):
        size = count(units[i][1]) + 1
        if used + size <= budget:
            taken.append(i)
            used += size
    return " ".join(units[i][1] for i in sorted(taken))


def cited(speech: Speech, sentence: Sentence) -> str:
    """Give the cited blocks alone, or the first two where none is cited; of what the NPC is, the two sentences that are nearest."""
    blocks = {e["id"]: e["text"] for e in speech.evidence}
    want = content(sentence.text) | content(speech.message)
    blocks["self"] = " ".join(sorted(split(speech.self), key=lambda s: -len(content(s) & want))[:2])
    ids = sentence.cites or [e["id"] for e in speech.evidence[:2]]
    return " ".join(blocks.get(i, "") for i in ids)
