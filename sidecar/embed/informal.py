"""Players do not write as books do: the same text, as it might be typed in a chat.

The teacher reads the text as it stands and the table learns the informal one for
the same vector, so that "wanna" comes to lie where "want to" does.
"""

from __future__ import annotations

import re

import numpy as np

SHORT = {
    "you": "u",
    "are": "r",
    "your": "ur",
    "you're": "ur",
    "why": "y",
    "please": "pls",
    "thanks": "thx",
    "because": "cuz",
    "going to": "gonna",
    "want to": "wanna",
    "have to": "gotta",
    "got to": "gotta",
    "about": "bout",
    "what is": "whats",
    "what's": "wats",
    "nothing": "nothin",
    "something": "smth",
    "people": "ppl",
    "with": "w",
    "and": "n",
    "for": "4",
    "to": "2",
    "before": "b4",
    "okay": "ok",
    "though": "tho",
    "really": "rly",
    "them": "em",
    "isn't": "aint",
    "is not": "aint",
    "do not know": "dunno",
    "don't know": "dunno",
    "probably": "prolly",
    "give me": "gimme",
    "let me": "lemme",
    "kind of": "kinda",
    "out of": "outta",
    "through": "thru",
    "night": "nite",
    "message": "msg",
    "the": "da",
    "this": "dis",
    "what": "wat",
    "someone": "some1",
    "anyone": "any1",
}
LONG = re.compile(r"\b(" + "|".join(sorted(map(re.escape, SHORT), key=len, reverse=True)) + r")\b")


def informal(text: str, rng: np.random.Generator) -> str:
    """Give text in lower case, some words short, apostrophes and some marks gone, now and then a slip."""
    text = LONG.sub(lambda m: SHORT[m[0]] if rng.random() < 0.4 else m[0], text.lower())
    text = re.sub("['\u2019]", "", text)
    if rng.random() < 0.5:
        text = re.sub(r'[.,;:!?"]', "", text)
    words = text.split()
    if len(words) > 3 and rng.random() < 0.3:
        i = int(rng.integers(len(words)))
        words[i] = slip(words[i], rng)
    return " ".join(words)


def slip(word: str, rng: np.random.Generator) -> str:
    """Swap or drop a letter inside a word of five or more."""
    if len(word) < 5:
        return word
    i = int(rng.integers(1, len(word) - 2))
    if rng.random() < 0.5:
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    return word[:i] + word[i + 1 :]
