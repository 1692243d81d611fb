"""Pairs made by rule from contrast groups: what models invent, and what they keep.

A rule changes a sentence that the premise supports so that it no longer does. A
rule that cannot tell whether the result is contradicted or merely unproven says
NOT_ENTAILMENT. Rules that keep the truth stand beside them, so that no device (a
comma, a negation, a joined clause) gives the label away.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from data import CONTRADICTION, ENTAILMENT, NEUTRAL, NOT_ENTAILMENT, Group, Pair

SENTENCE = re.compile(r"(?<=[.!?])\s+")
NUMBERS = "two three four five six seven eight nine ten eleven twelve thirteen fifteen twenty thirty forty fifty sixty".split()
ORDINALS = "first second third fourth fifth sixth seventh ninth tenth".split()
CHOICES = [
    "north south east west".split(),
    "spring summer autumn winter".split(),
    "monday tuesday wednesday thursday friday saturday sunday".split(),
    "morning noon evening night".split(),
    "brother sister father mother uncle aunt cousin son daughter".split(),
    "left right".split(),
    "before after".split(),
    "older younger".split(),
    "always never sometimes".split(),
    "red blue green black white yellow".split(),
    "copper silver gold".split(),
]
AUXILIARY = re.compile(r"\b(is|was|are|were|has|have|had|can|could|will|would|does|did|do|should|must)\b(?! (?:not|never)\b)(?!n't)")
HEDGE = re.compile(r"\b(might|may|could|perhaps|probably|maybe|possibly|is said to|are said to|seems to|seem to|supposedly|reportedly) ?", re.I)
SOME = re.compile(r"\b(some(?: of)?|most(?: of)?|many(?: of)?|a few(?: of)?|several(?: of)?)\b", re.I)
NAME = re.compile(r"(?<![.!?] )(?<!^)(?<!\")\b[A-Z][a-z]{2,}\b")


def sentences(text: str) -> list[str]:
    return [s.strip() for s in SENTENCE.split(text) if len(s.split()) >= 4]


def replaced(text: str, at: re.Match[str], word: str) -> str:
    if at[0][:1].isupper():
        word = word[:1].upper() + word[1:]
    return text[: at.start()] + word + text[at.end() :]


def other_number(s: str, rng: random.Random) -> str | None:
    found = [m for m in re.finditer(r"\b(\d+|" + "|".join(NUMBERS + ORDINALS) + r")\b", s, re.I)]
    if not found:
        return None
    m = rng.choice(found)
    word = m[0].lower()
    for words in (NUMBERS, ORDINALS):
        if word in words:
            return replaced(s, m, rng.choice([w for w in words if w != word]))
    n = int(word)
    new = rng.choice([v for v in (n + 1, n + 10, n - 1, n * 2, n + 3) if v >= 0 and v != n])
    return replaced(s, m, str(new))


def other_choice(s: str, rng: random.Random) -> str | None:
    rng_choices = CHOICES[:]
    rng.shuffle(rng_choices)
    for words in rng_choices:
        m = re.search(r"\b(" + "|".join(words) + r")\b", s, re.I)
        if m:
            return replaced(s, m, rng.choice([w for w in words if w != m[0].lower()]))
    return None


def names_swapped(s: str, rng: random.Random) -> str | None:
    names = list(dict.fromkeys(m[0] for m in NAME.finditer(" " + s)))
    if len(names) < 2:
        return None
    a, b = rng.sample(names, 2)
    if re.search(rf"\b{a} (?:and|or) {b}\b|\b{b} (?:and|or) {a}\b", s):
        return None
    return re.sub(rf"\b({a}|{b})\b", lambda m: b if m[0] == a else a, s)


def negated(s: str, rng: random.Random) -> str | None:
    m = AUXILIARY.search(s)
    if m is None or re.search(r"\b(not|no|never|none|nobody|nothing)\b|n't", s, re.I) or s.endswith("?"):
        return None
    return s[: m.end()] + rng.choice([" not", " never"] if m[0] not in ("do", "does", "did") else [" not"]) + s[m.end() :]


def unhedged(s: str, _: random.Random) -> str | None:
    m = HEDGE.search(s)
    if m is None:
        return None
    out = s[: m.start()] + s[m.end() :]
    return out[:1].upper() + out[1:]


def every(s: str, rng: random.Random) -> str | None:
    m = SOME.search(s)
    if m is None:
        return None
    return replaced(s, m, rng.choice(["all", "all"]) + (" of" if m[0].lower().endswith(" of") else ""))


RULES: list[tuple[str, int, Callable[[str, random.Random], str | None]]] = [
    ("number", CONTRADICTION, other_number),
    ("choice", NOT_ENTAILMENT, other_choice),
    ("swap", NOT_ENTAILMENT, names_swapped),
    ("negation", CONTRADICTION, negated),
    ("certainty", NEUTRAL, unhedged),
    ("overgeneral", NOT_ENTAILMENT, every),
]


def lower_first(s: str) -> str:
    first = s.split(" ", 1)[0]
    return s if first in ("I", "I'm", "I've", "I'll", "I'd") or NAME.fullmatch(first) and first not in ("The",) else s[:1].lower() + s[1:]


def joined(a: str, b: str, rng: random.Random) -> str:
    """Say two sentences as one."""
    return f"{a.rstrip('.!?')}{rng.choice([', and ', '; ', ' and '])}{lower_first(b)}"


def from_group(g: Group, others: list[str], rng: random.Random) -> list[Pair]:
    """Make pairs of one group; others are premises from elsewhere."""
    out: list[Pair] = []

    def add(hypothesis: str, label: int, kind: str) -> None:
        out.append(Pair(g.premise, hypothesis, label, "made_" + kind, "made"))

    own = sentences(g.premise)
    true = [p.hypothesis for p in g.pairs if p.label == ENTAILMENT and not p.hypothesis.endswith("?")]
    false = [p for p in g.pairs if p.label != ENTAILMENT and not p.hypothesis.endswith("?")]
    if own:
        add(rng.choice(own), ENTAILMENT, "verbatim")
    for name, label, rule in rng.sample(RULES, len(RULES))[:3]:
        for source in rng.sample(own + true, min(3, len(own + true))):
            changed = rule(source, rng)
            if changed and changed != source:
                add(changed, label, name)
                break
    if len(true) >= 2:
        a, b = rng.sample(true, 2)
        add(joined(a, b, rng), ENTAILMENT, "joined")
    if true and false:
        wrong = rng.choice(false)
        a, b = rng.choice(true), wrong.hypothesis
        add(joined(a, b, rng) if rng.random() < 0.7 else joined(b, a, rng), wrong.label, "joined")
    foreign = sentences(rng.choice(others))
    if true and foreign and rng.random() < 0.5:
        add(joined(rng.choice(true + own), rng.choice(foreign), rng), NEUTRAL, "transplanted")
    return out
