"""Reads natural speech and questions of players, which were written by hand.

    python spoken.py speech > speech.jsonl             # every speech, one JSON object a line
    python spoken.py speech --held tenth > held.jsonl  # the settings that no training may see
    python spoken.py speech --held rest > rest.jsonl   # the others

A file of speech/ holds settings (`# setting`), NPCs (`## handle | Name`, `self: …`, blocks `E1: …`), messages (`Q: …`) and, of each,
a good and a careless speech: a sentence a line, with its label before the bar. A file of asked/ holds passages of an NPC and questions,
each with the passages that answer it. README.md says what the labels mean.
"""

from __future__ import annotations

import argparse
import json
import re
import zlib
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from data import DataError

LABELS = {"w+": ("supported", "world"), "w-": ("unsupported", "world"), "s0": ("no_claim", "self"), "c0": ("no_claim", "social")}
SENTENCE = re.compile(r"^(w\+|w-|s0|c0)\s*(.*?)\s*\|\s*(.+)$")
BLOCK = re.compile(r"^(E\d+):\s*(.+)$")
PASSAGE = re.compile(r"^(P\d+)\s+(backstory|own|lore|other):\s*(.+)$")
QUESTION = re.compile(r"^Q\s+(\w+)\s+(.*?)\s*\|\s*(.+)$")
ID = re.compile(r"^(?:E\d+|self)$")


@dataclass
class Sentence:
    text: str
    cites: list[str]
    label: str
    kind: str
    fault: str = ""
    part: str = ""  # the words at fault


@dataclass
class Speech:
    """One answer to one message, as its prompt showed the scene."""

    id: str
    world: str
    npc: str
    name: str
    message: str
    style: str
    self: str
    evidence: list[dict[str, str]]
    sentences: list[Sentence] = field(default_factory=list)


@dataclass
class Question:
    q: str
    kind: str
    answers: list[str]  # the passages that answer by themselves
    part: list[str]  # those that are about the matter and do not answer
    sentences: list[str] = field(default_factory=list)  # such as P6.2, where the writer says which


@dataclass
class Asked:
    world: str
    npc: str
    name: str
    passages: dict[str, tuple[str, str]]  # kind and text, by id
    questions: list[Question] = field(default_factory=list)


def held(world: str) -> bool:
    """Whether a setting is of the tenth that no training sees."""
    return zlib.crc32(world.encode()) % 10 == 0


def lines(path: Path) -> list[tuple[int, str]]:
    found = [(n, line.strip()) for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)]
    return [(n, line) for n, line in found if line and not line.startswith("```")]


def sentence(where: str, code: str, middle: str, text: str, known: set[str]) -> Sentence:
    """Read one labelled sentence."""
    ids, _, part = (p.strip() for p in middle.partition("::"))
    words = ids.replace(",", " ").split()
    cites = [w for w in words if ID.match(w)]
    label, kind = LABELS[code]
    for c in cites:
        if c not in known:
            raise DataError(f"{where}: {c} is no block of this NPC")
    if code == "w+" and not cites:
        raise DataError(f"{where}: a supported sentence names the blocks that suffice")
    if part and part.lower() not in text.lower():
        raise DataError(f"{where}: the words at fault do not stand in the sentence: {part}")
    return Sentence(text, cites, label, kind, next((w for w in words if not ID.match(w)), ""), part)


def speeches(folder: Path) -> list[Speech]:
    """Read every speech of a folder."""
    out: list[Speech] = []
    for path in sorted(folder.glob("*.txt")):
        world = npc = name = self_ = message = ""
        blocks: dict[str, str] = {}
        turn, speaking = 0, False
        for n, line in lines(path):
            where = f"{path}:{n}"
            if line.startswith("## "):
                npc, _, name = (p.strip() for p in line[3:].partition("|"))
                blocks, speaking = {}, False
            elif line.startswith("# "):
                world = line[2:].strip()
            elif line.startswith("self:"):
                self_ = line[5:].strip()
            elif block := BLOCK.match(line):
                if speaking:  # blocks behind a speech are another scene's
                    blocks, speaking = {}, False
                blocks[block[1]] = block[2]
            elif line.startswith("Q:"):
                message, turn = line[2:].strip(), turn + 1
            elif line.rstrip(":") in ("good", "careless"):
                style, speaking = line.rstrip(":"), True
                shown = [{"id": i, "text": t} for i, t in blocks.items()]
                out.append(Speech(f"{path.stem}/{turn}/{style}", world, npc, name or npc, message, style, self_, shown))
            elif (said := SENTENCE.match(line)) and out and speaking:
                out[-1].sentences.append(sentence(where, said[1], said[2], said[3].strip(), set(blocks) | {"self"}))
            else:
                raise DataError(f"{where}: {line!r} is not 'w+|w-|s0|c0 … | sentence'")
    return out


def speech_lines(path: Path) -> list[Speech]:
    """Read speeches of JSON lines, as this script writes them; what else a line says of a sentence is left out."""
    known = {f.name for f in fields(Sentence)}
    with path.open(encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    return [Speech(**{**r, "sentences": [Sentence(**{k: v for k, v in s.items() if k in known}) for s in r["sentences"]]}) for r in rows]


def asked_lines(path: Path) -> list[Asked]:
    """Read NPCs of JSON lines with what players ask them."""
    with path.open(encoding="utf-8") as f:
        rows = [json.loads(line) for line in f]
    out = []
    for r in rows:
        passages = {p["id"]: (p["kind"], p["text"]) for p in r["passages"]}
        out.append(Asked(r["world"], r["npc"], r["name"], passages, [Question(**q) for q in r["questions"]]))
    return out


def asked(folder: Path) -> list[Asked]:
    """Read the NPCs of a folder with what players ask them."""
    out: list[Asked] = []
    for path in sorted(folder.glob("*.txt")):
        world = ""
        for n, line in lines(path):
            where = f"{path}:{n}"
            if line.startswith("## "):
                npc, _, name = (p.strip() for p in line[3:].partition("|"))
                out.append(Asked(world, npc, name or npc, {}))
            elif line.startswith("# "):
                world = line[2:].strip()
            elif (passage := PASSAGE.match(line)) and out:
                out[-1].passages[passage[1]] = (passage[2], passage[3])
            elif (question := QUESTION.match(line)) and out:
                out[-1].questions.append(read_question(where, question, out[-1]))
            else:
                raise DataError(f"{where}: {line!r} is not 'Q kind answers | question'")
    return out


def read_question(where: str, found: re.Match[str], of: Asked) -> Question:
    q = Question(found[3], found[1], [], [])
    for word in found[2].replace(",", " ").split():
        if word == "-":
            continue
        base = word.lstrip("~").partition(".")[0]
        if base not in of.passages:
            raise DataError(f"{where}: {base} is no passage of {of.name}")
        (q.part if word.startswith("~") else q.answers).append(base)
        if "." in word:
            q.sentences.append(word.lstrip("~"))
    return q


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("folder", type=Path)
    ap.add_argument("--held", choices=("tenth", "rest"), help="only the settings that no training sees, or only the others")
    args = ap.parse_args()
    for s in speeches(args.folder):
        if args.held is None or held(s.world) == (args.held == "tenth"):
            print(json.dumps(asdict(s), ensure_ascii=False))


if __name__ == "__main__":
    main()
