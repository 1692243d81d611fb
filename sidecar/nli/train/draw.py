"""Draws the batches of tune.py: sentences of speech, questions over passages, and pairs as train.py draws them.

No setting that `spoken.held` holds out is in one.
"""

from __future__ import annotations

import gzip
import json
import random
import zlib
from dataclasses import dataclass
from pathlib import Path

import data
import spoken
from data import Pair, Question
from spoken import Asked, Sentence, Speech
from train import WITHOUT, Batches, Mixture, Phase, forever

HERE = Path(__file__).parent
PAIRS = Phase("speech", 0, 2, 6, 2, 3, 2, (0.0, 0.0))  # of a batch, what train.py draws
SPEECH, LISTS = 18, 2  # sentences and questions with passages in a batch
ASKED = 0.6  # how often a sentence is read with the message and the sentence before it
ALONE, UNCITED = 0.25, 0.3  # how often it stands beside the cited blocks alone, and how often a choice does not see what is cited
BUDGETS = (80, 100, 110, 128)  # tokens of a premise: the review takes 110
PASSAGES, ANSWERING, NEAR = 7, 3, 2  # of a question: at most so many, so many that answer, so many that only touch the matter
PART = 0.25  # what a passage that is about the matter is worth as an answer
STORY = 4  # passages of a question of public stories, which stands in every other batch


@dataclass(frozen=True)
class Said:
    """A sentence of a speech, and how it is looked at."""

    speech: Speech
    at: int
    asked: bool  # with the message and the sentence before
    budget: int  # tokens of the premise; without one the cited blocks stand alone
    cites: bool  # whether what is cited comes first

    @property
    def sentence(self) -> Sentence:
        return self.speech.sentences[self.at]


@dataclass(frozen=True)
class Listed:
    """A question and passages, each with how far it answers."""

    question: str
    passages: list[tuple[str, float]]


@dataclass(frozen=True)
class Batch:
    pairs: list[Pair]
    questions: list[Question]
    said: list[Said]
    lists: list[Listed]


@dataclass
class Texts:
    """What a run draws from: no setting of it is held out."""

    speeches: list[Speech]
    asked: list[Asked]
    stories: list[Listed]

    def __post_init__(self) -> None:
        self.speeches = [s for s in self.speeches if not spoken.held(s.world)]
        self.asked = [a for a in self.asked if not spoken.held(a.world)]


class Draws:
    """Draws batches; the same seed gives the same ones."""

    def __init__(self, texts: Texts, mix: Mixture, rng: random.Random) -> None:
        self.rng, self.pairs = rng, Batches(mix, PAIRS, rng)
        self.sentences = forever([(s, i) for s in texts.speeches for i in range(len(s.sentences))], rng)
        self.asked = forever([(a, q) for a in texts.asked for q in a.questions], rng)
        self.stories = forever(texts.stories, rng) if texts.stories else iter(())

    def said(self) -> Said:
        speech, at = next(self.sentences)
        asked = self.rng.random() < ASKED
        if self.rng.random() < ALONE:
            return Said(speech, at, asked, 0, True)
        return Said(speech, at, asked, self.rng.choice(BUDGETS), self.rng.random() >= UNCITED)

    def listed(self) -> Listed:
        of, q = next(self.asked)
        near = [p for p in of.passages if p in q.part and p not in q.answers]
        rest = [p for p in of.passages if p not in q.answers and p not in q.part]
        drawn = [p for p in of.passages if p in q.answers][:ANSWERING] + near[:NEAR]
        drawn += self.rng.sample(rest, min(len(rest), PASSAGES - len(drawn)))
        self.rng.shuffle(drawn)
        worth = {p: PART for p in q.part} | {p: 1.0 for p in q.answers}
        question = q.q.replace(" / ", " ; ")  # the slash between two messages is the writers'
        return Listed(question, [(of.passages[p][1], worth.get(p, 0.0)) for p in drawn])

    def next(self) -> Batch:
        pairs, questions = self.pairs.next()
        said = [self.said() for _ in range(SPEECH)]
        lists = [self.listed() for _ in range(LISTS)]
        if self.rng.random() < 0.5:
            lists += [story for story in [next(self.stories, None)] if story is not None]
        return Batch(pairs, questions, said, lists)


def read_stories(path: Path) -> list[Listed]:
    """Read questions on public stories, but those of one story in five."""
    with gzip.open(path, "rt", encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    rows = [r for r in rows if zlib.crc32(r["group"].encode()) % 5]
    return [Listed(r["question"], [(p["text"], float(p["answers"])) for p in r["passages"][:STORY]]) for r in rows]


def read(folder: Path) -> tuple[Texts, Mixture]:
    """Read the data folder and what lies beside this script."""
    npc = folder / "npc"
    dev = data.npc_pairs(npc / "pairs.jsonl")
    groups = data.apart(data.npc_groups(npc / "train.jsonl") + data.written_groups(HERE / "groups"), dev)
    public = data.public(folder / "nli" / "train.jsonl.gz", WITHOUT)
    mix = Mixture(groups, public, data.answers(npc / "answers.jsonl") + data.written_answers(HERE / "answers"))
    speeches = spoken.speech_lines(npc / "speech-train.jsonl") + spoken.speeches(HERE / "speech")
    asked = spoken.asked_lines(npc / "asked.jsonl") + spoken.asked(HERE / "asked")
    return Texts(speeches, asked, read_stories(npc / "reading.jsonl.gz")), mix
