"""Words that can stand for each other and change nothing that is said.

A model that learns from contrast groups alone takes any new word in a sentence it
knows for a lie. Here is what such a word may be: each line is a set of phrases that
mean the same in nearly every sentence of lore. What depends on the sentence is left
out: "raise" is no "bring up" of a flag.
"""

from __future__ import annotations

import random
import re

SETS = [
    tuple(line.split(" = "))
    for line in """
nobody = no one
he died = he passed away
she died = she passed away
who died = who passed away
everybody = everyone
somebody = someone
anybody = anyone
began = started
begins = starts
has begun = has started
nearly = almost
often = frequently
bought = purchased
was built = was constructed
were built = were constructed
beside the = next to the
beneath the = under the
inside the = within the
is called = goes by the name of
a man called = a man named
a woman called = a woman named
at once = immediately = straight away
the whole = the entire
because of = on account of = owing to
during the = in the course of the
every day = each day
every morning = each morning
every evening = each evening
every night = each night
every week = each week
every month = each month
every year = each year
every spring = each spring
every summer = each summer
every autumn = each autumn
every winter = each winter
twice = two times
a fortnight = two weeks
repaired = mended
repairs = mends
hidden = concealed
lives in = dwells in = resides in
live in = dwell in
lived in = dwelt in
ill = sick
in order to = so as to
mostly = for the most part
usually = as a rule
allowed to = permitted to
forbidden to = not permitted to
is closed = is shut
was closed = was shut
quickly = swiftly
stayed = remained
stays = remains
returned = came back
returns = comes back
has returned = has come back
towards = toward
until = till
has to = must
a few = a handful of
long ago = a long time ago
belongs to = is the property of
belonged to = was the property of
at first = to begin with
at dawn = at daybreak
at dusk = at nightfall
in secret = secretly
from time to time = now and then = every so often
for ever = forever = for all time
is afraid of = fears
was afraid of = feared
is able to = can
was able to = managed to
does not know = has no idea
is full of = is filled with
was full of = was filled with
the day before = the previous day
the next day = the following day = the day after
the next morning = the following morning
for free = without charge = at no cost
on purpose = deliberately
by mistake = in error = by accident
big = large
bigger = larger
biggest = largest
huge = enormous
child = kid
children = kids
soldiers = troops
ship = vessel
ships = vessels
gold coins = pieces of gold
shop = store
town = township
fight = do battle
fought = did battle
afterwards = later
speak with = talk to
speaks with = talks to
spoke with = talked to
spoke to = talked to
answered = replied
shouted = yelled
hates = loathes
hated = loathed
loves = adores
likes = is fond of
liked = was fond of
needs = requires
needed = required
gets = receives
wants to = wishes to = would like to
wanted to = wished to
tried to = attempted to
tries to = attempts to
trying to = attempting to
try to = attempt to
sells = has for sale
destroyed = wrecked
dangerous = perilous
strange = odd
angry = furious
glad = happy
certain = sure
quick = fast
silent = quiet
clever = smart
ancient = very old
famous = well known
perhaps = maybe
probably = most likely
since then = from that time on
as well as = along with
therefore = for that reason
""".strip().splitlines()
]

# Phrases that another may stand for, and not the other way.
LOOSE = {"can", "must", "under", "ill", "fears", "feared", "managed to", "later", "gets", "hard", "town", "home", "for ever"}
EQUAL: dict[str, list[str]] = {}
for phrases in SETS:
    for one in phrases:
        if one not in LOOSE:
            EQUAL.setdefault(one, []).extend(other for other in phrases if other != one)
WORDS = re.compile(r"(?<![\w'’-])(" + "|".join(sorted(map(re.escape, EQUAL), key=len, reverse=True)) + r")(?![\w'’-])", re.I)
MONTHS = "January|February|March|April|June|July|August|September|October|November|December"
YEAR = re.compile(rf"\b(in|since|until|before|after|{MONTHS}) (1[0-9]{{3}})\b(?!-)")


def reworded(s: str, rng: random.Random, most: int = 2) -> str:
    """Put other words that mean the same in the place of some."""
    found = [m for m in WORDS.finditer(s) if m.start() == 0 or m[0][:1].islower()]  # a capital further on is a name's
    for m in sorted(rng.sample(found, min(len(found), rng.randint(1, most))), key=lambda m: -m.start()):
        word = rng.choice(EQUAL[m[0].lower()])
        if m[0][:1].isupper():
            word = word[:1].upper() + word[1:]
        s = s[: m.start()] + word + s[m.end() :]
    if rng.random() < 0.5:
        s = YEAR.sub(lambda m: f"{m[1]} {'of ' if m[1][0].isupper() else ''}the year {m[2]}", s)
    return s
