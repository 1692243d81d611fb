"""What was written by hand can be read whole, and no label is given away by a cue that nobody meant."""

from __future__ import annotations

from pathlib import Path

import pytest
import spoken
from data import DataError

HERE = Path(__file__).parent

SCENE = """# a mill
## mira | Mira
self: Mira is the smith. Personality: dry.
E1: The mill burned in spring.

Q: what burned?
good
w+ E1 | The mill did.
s0 | I still don't like to look at it.
careless
w- E1 time :: last winter | It burned last winter.
"""


def write(folder: Path, text: str) -> Path:
    (folder / "a-1.txt").write_text(text, encoding="utf-8")
    return folder


def test_a_scene_is_read(tmp_path: Path) -> None:
    good, careless = spoken.speeches(write(tmp_path, SCENE))
    assert (good.world, good.name, good.message, good.style) == ("a mill", "Mira", "what burned?", "good")
    assert good.evidence == [{"id": "E1", "text": "The mill burned in spring."}]
    assert [(s.label, s.kind, s.cites) for s in good.sentences] == [("supported", "world", ["E1"]), ("no_claim", "self", [])]
    false = careless.sentences[0]
    assert (false.label, false.fault, false.part, false.cites) == ("unsupported", "time", "last winter", ["E1"])


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (("w+ E1 |", "w+ E9 |"), "E9 is no block"),
        (("w+ E1 |", "w+ |"), "names the blocks that suffice"),
        ((":: last winter", ":: last summer"), "do not stand in the sentence"),
        (("s0 |", "x0 |"), "is not 'w"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, change: tuple[str, str], what: str) -> None:
    with pytest.raises(DataError, match=what):
        spoken.speeches(write(tmp_path, SCENE.replace(*change)))


def test_a_question_names_the_passages_that_answer(tmp_path: Path) -> None:
    passages = "# a mill\n## mira | Mira\nP1 own: I sold it. Nobody asked why.\nP2 other: She wept.\n"
    text = passages + "Q why P1.2 ~P2 | why'd you sell?\nQ nobody - | kids?\n"
    (npc,) = spoken.asked(write(tmp_path, text))
    first, second = npc.questions
    assert (first.answers, first.part, first.sentences) == (["P1"], ["P2"], ["P1.2"])
    assert second.answers == []
    with pytest.raises(DataError, match="P9 is no passage"):
        spoken.asked(write(tmp_path, text.replace("P1.2", "P9")))


def test_everything_that_ships_is_read() -> None:
    said = spoken.speeches(HERE / "speech")
    sentences = [s for speech in said for s in speech.sentences]
    assert len({s.world for s in said}) >= 170
    assert len(sentences) >= 8000
    assert 0.05 < sum(spoken.held(s.world) for s in said) / len(said) < 0.15
    npcs = spoken.asked(HERE / "asked")
    questions = [q for npc in npcs for q in npc.questions]
    assert len(questions) >= 6000
    assert 0.2 < sum(not q.answers for q in questions) / len(questions) < 0.4


def test_length_gives_no_label_of_a_claim_away() -> None:
    mean = {}
    for label in ("supported", "unsupported"):
        texts = [s.text for speech in spoken.speeches(HERE / "speech") for s in speech.sentences if s.label == label]
        mean[label] = sum(map(len, texts)) / len(texts)
    assert abs(mean["supported"] / mean["unsupported"] - 1) < 0.1
