"""Whole sentences of a text, cut where the Go tier cuts them.

The boundaries are those of UAX #29, over character classes that the standard
library knows; a boundary after a title, an initial or an abbreviation is taken
back, and a blank line always ends a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

LOWER, UPPER, LETTER, NUMERIC, SPACE, SEPARATOR, ATERM, STERM, CLOSE, CONTINUE, OTHER, SKIP = range(12)

_ATERM = frozenset(".\u2024\ufe52\uff0e")
_STERM = frozenset(
    "!?\u0589\u061d\u061e\u061f\u06d4\u0964\u0965\u104a\u104b\u1362\u1367\u1368\u203c\u203d\u2047\u2048\u2049\u3002\ufe56\ufe57\uff01\uff1f\uff61"
)
_CONTINUE = frozenset(
    ",-:;\u037e\u055d\u060c\u060d\u07f8\u1802\u1808\u2013\u2014\u3001\ufe10\ufe11\ufe13\ufe14\ufe31\ufe32\ufe50\ufe51\ufe54\ufe55\ufe58\ufe63"
    "\uff0c\uff0d\uff1a\uff1b\uff64"
)
_QUOTES = frozenset("\"'\u275b\u275c\u275d\u275e\u275f\u2760\u2e00\u2e01\u2e06\u2e07\u2e08\u2e0b")
_SEPARATORS = frozenset("\r\n\u0085\u2028\u2029")
_ABBREVIATIONS = frozenset(
    (
        *("mr", "mrs", "ms", "dr", "st", "sr", "jr", "prof", "capt", "sgt", "lt", "col", "gen", "rev", "hon", "mt", "vs"),
        *("vol", "fig", "e.g", "i.e", "a.k.a", "approx", "dept", "est"),
    )
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_WHITE = (
    "\t\n\v\f\r \u0085\u00a0\u1680"
    "\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_BLANK = re.compile(f"[{_WHITE}]")
_FLAT = str.maketrans("\n\r\v\f", "    ")


@lru_cache(maxsize=4096)
def _kind(c: str) -> int:
    """Give the class of one character, as UAX #29 names them."""
    for kind, members in ((SEPARATOR, _SEPARATORS), (ATERM, _ATERM), (STERM, _STERM), (CONTINUE, _CONTINUE), (SPACE, _WHITE)):
        if c in members:
            return kind
    category = unicodedata.category(c)
    if category in ("Mn", "Mc", "Me", "Cf"):
        return SKIP
    if c.islower():
        return LOWER
    if c.isupper() or category == "Lt":
        return UPPER
    if c.isdecimal():
        return NUMERIC
    if category in ("Ps", "Pe", "Pi", "Pf") or c in _QUOTES:
        return CLOSE
    return LETTER if c.isalpha() or category == "Nl" else OTHER


def _boundaries(s: str) -> Iterator[int]:
    """Give the places where a sentence of s ends, the end of s among them."""
    at = [i for i, c in enumerate(s) if i == 0 or _kind(c) != SKIP or _kind(s[i - 1]) == SEPARATOR]
    kinds = [_kind(s[i]) for i in at]
    n = len(at)

    def kind(i: int) -> int:
        return kinds[i] if 0 <= i < n else -1

    for i, k in enumerate(kinds):
        if k == SEPARATOR:
            if i + 1 < n:
                yield at[i + 1]
            continue
        if k not in (ATERM, STERM):
            continue
        j = i + 1
        if k == ATERM and (kind(j) == NUMERIC or (kind(i - 1) in (UPPER, LOWER) and kind(j) == UPPER)):
            continue
        while kind(j) == CLOSE:
            j += 1
        while kind(j) == SPACE:
            j += 1
        if kind(j) in (CONTINUE, ATERM, STERM):
            continue
        if k == ATERM:
            ahead = j
            while kind(ahead) in (NUMERIC, SPACE, CLOSE, CONTINUE, OTHER, SKIP):
                ahead += 1
            if kind(ahead) == LOWER:
                continue
        if j < n and kind(j) != SEPARATOR:
            yield at[j]
    yield len(s)


def _ends_abbreviated(s: str, start: int, end: int) -> bool:
    """Say whether s[start:end] ends in a full stop that belongs to its last word.

    Only the end is looked at, for a text of nothing but abbreviations grows with each.
    """
    while end > start and s[end - 1] in _WHITE:
        end -= 1
    if end == start or s[end - 1] != ".":
        return False
    words = _BLANK.split(s[max(start, end - 32) : end - 1])
    last = words[-1].lstrip("(\"'[")
    if len(last) == 1 and last.isupper() and last != "I":
        return True
    return last.lower() in _ABBREVIATIONS


def _paragraphs(s: str) -> Iterator[str]:
    lines: list[str] = []
    for line in _LINE.findall(s):
        if line.strip(_WHITE):
            lines.append(line)
            continue
        if lines:
            yield "".join(lines)
        lines = []
    if lines:
        yield "".join(lines)


def sentences(s: str) -> list[str]:
    """Give the sentences of s, trimmed, each verbatim in s."""
    out: list[str] = []
    for paragraph in _paragraphs(s):
        flat = paragraph.translate(_FLAT)
        start = 0
        for end in _boundaries(flat):
            if end < len(flat) and _ends_abbreviated(flat, start, end):
                continue
            out.append(paragraph[start:end].strip(_WHITE))
            start = end
    return [x for x in out if x]
