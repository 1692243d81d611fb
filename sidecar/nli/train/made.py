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
from equal import reworded

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
NAME = re.compile(r"\b[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*\b")
NO_NAMES = frozenset(
    "The This That These Those There They Then His Her She Its Our Your You Not All Some One Two Only When Where What Who Why How But And For "
    "From With Without Before After Nobody Somebody Everybody Both Each Every Most Many Any Never Always Once Aye Yes Well Now Here Because".split()
)


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


def names_in(s: str) -> list[str]:
    found = []
    for m in NAME.finditer(s):
        words = m[0].split()
        while words and words[0] in NO_NAMES:
            words = words[1:]
        if words:
            found.append(" ".join(words))
    return list(dict.fromkeys(found))


def names_swapped(s: str, rng: random.Random) -> str | None:
    names = names_in(s)
    if len(names) < 2:
        return None
    a, b = rng.sample(names, 2)
    if set(a.split()) & set(b.split()) or re.search(rf"\b{a},? (?:and|or) {b}\b|\b{b},? (?:and|or) {a}\b", s):
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


COMMON = frozenset("people nothing something everything anyone someone half about another other such most folk men women".split())


def lower_first(s: str) -> str:
    first = s.split(" ", 1)[0]
    return s if first in ("I", "I'm", "I've", "I'll", "I'd") or names_in(first) and first.lower() not in COMMON else s[:1].lower() + s[1:]


CUT = re.compile(r"(?:, (?:and|but|which|who|so)|;| and then) ")
CONDITION = re.compile(r"\b(?:if|unless|when|whenever|until|only|either|neither|both|not|never|no|except|could|would|might|may)\b|\?", re.I)
LEAD = re.compile(r"^(?:Yes|Oh|Ah|Well|Ha|No|Aye|Hmm|Now|Indeed|So)[,.!?]+ ", re.I)


CONTRACTED = [
    ("do not", "don't"), ("does not", "doesn't"), ("did not", "didn't"), ("is not", "isn't"), ("are not", "aren't"), ("was not", "wasn't"),
    ("were not", "weren't"), ("has not", "hasn't"), ("have not", "haven't"), ("had not", "hadn't"), ("cannot", "can't"), ("could not", "couldn't"),
    ("will not", "won't"), ("would not", "wouldn't"), ("it is", "it's"), ("he is", "he's"), ("she is", "she's"), ("they are", "they're"),
    ("I am", "I'm"), ("I have", "I've"), ("I will", "I'll"), ("you are", "you're"), ("there is", "there's"), ("that is", "that's"),
]  # fmt: skip
OPENERS = ["Aye, ", "Well, ", "Oh, ", "You see, ", "Listen: ", "So, ", "I believe ", "I think ", "As far as I know, ", "Yes, ", "Truth is, ", "Look, "]
TAGS = [", friend", ", you know", ", that's how it is", ", I think", ", if you must know", ", all right", ", see"]
DIGITS = dict(zip(NUMBERS, "2 3 4 5 6 7 8 9 10 11 12 13 15 20 30 40 50 60".split(), strict=True))


def spoken(s: str, rng: random.Random) -> str:
    """Say a sentence as one speaks: what is changed here changes nothing it says."""
    for full, short in CONTRACTED:
        if rng.random() < 0.5:
            a, b = (full, short) if rng.random() < 0.7 else (short, full)
            s = re.sub(rf"\b{a}\b", b, s)
            s = re.sub(rf"\b{a.capitalize()}\b", b.capitalize(), s)
    if rng.random() < 0.3:
        s = re.sub(r"\b(" + "|".join(DIGITS) + r")\b", lambda m: DIGITS[m[0]], s)
    elif rng.random() < 0.3:
        words = {d: w for w, d in DIGITS.items()}
        s = re.sub(r"(?<![\d.,:/])\b(" + "|".join(words) + r")\b(?![\d.,:/])", lambda m: words[m[0]], s)
    if rng.random() < 0.4:
        s = reworded(s, rng)
    if rng.random() < 0.35:
        s = rng.choice(OPENERS) + lower_first(s)
    elif rng.random() < 0.2 and s.endswith("."):
        s = s[:-1] + rng.choice(TAGS) + "."
    return s


def retold(s: str, rng: random.Random) -> str:
    """Say a sentence with the small changes that leave it what it was."""
    if m := LEAD.match(s):
        s = s[m.end() :]
    m = CUT.search(s)
    if m and len(s[: m.start()].split()) >= 4 and not CONDITION.search(s[: m.end()]) and rng.random() < 0.7:
        s = s[: m.start()] + "."
    s = s.replace(" & ", " and ")
    return s[:1].lower() + s[1:].rstrip(".") if rng.random() < 0.3 else s[:1].upper() + s[1:]


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
        add(retold(rng.choice(own), rng), ENTAILMENT, "verbatim")
        add(spoken(retold(rng.choice(own), rng), rng), ENTAILMENT, "spoken")
        at = rng.randrange(len(own))
        if at + 1 < len(own) and rng.random() < 0.5:
            add(joined(retold(own[at], rng), retold(own[at + 1], rng), rng), ENTAILMENT, "verbatim")
    for s in rng.sample(own, min(2, len(own))):
        if (other := reworded(s, rng, 3)) != s:
            add(spoken(retold(other, rng), rng), ENTAILMENT, "reworded")
    for name, label, rule in rng.sample(RULES, len(RULES))[:3]:
        for source in rng.sample(own + true, min(3, len(own + true))):
            changed = rule(source, rng)
            if changed and changed != source:
                add(spoken(changed, rng) if rng.random() < 0.4 else changed, label, name)
                break
    if true:
        add(spoken(rng.choice(true), rng), ENTAILMENT, "spoken")
    if false:  # as often as what is true, so that an opener or a tag tells nothing
        for wrong in rng.sample(false, min(2, len(false))):
            add(spoken(wrong.hypothesis, rng), wrong.label, "spoken")
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
