"""What goes over the wire, as Python has it. Names are those of docs/schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Union


class ForsoothError(Exception):
    """What went wrong: code and field for programs, retry_after in seconds where it is worth while."""

    def __init__(self, code: str, detail: str, *, field: str = "", status: int = 0, retry_after: float = 0) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.field = field
        self.status = status
        self.retry_after = retry_after

    @classmethod
    def of(cls, problem: Mapping[str, Any]) -> ForsoothError:
        return cls(
            problem.get("code", "INTERNAL"),
            problem.get("detail") or problem.get("title", ""),
            field=problem.get("field", ""),
            status=problem.get("status", 0),
            retry_after=problem.get("retry_after_ms", 0) / 1000,
        )


def unreachable(detail: str) -> ForsoothError:
    return ForsoothError("UNREACHABLE", detail, status=503)


@dataclass(frozen=True)
class Sentence:
    seq: int
    text: str
    authored: bool = False
    evidence: list[dict[str, Any]] = field(default_factory=list)
    npc: str = ""  # in a scene: who says it

    @classmethod
    def of(cls, s: Mapping[str, Any], npc: str = "") -> Sentence:
        return cls(s["seq"], s["text"], s.get("authored", False), s.get("evidence") or [], npc)


@dataclass(frozen=True)
class Action:
    """What an NPC proposes to the game. With confirm a sentence waits for the answer, 1.5 seconds at most."""

    turn_id: str
    index: int
    npc: str
    player: str
    name: str
    parameters: dict[str, Any]
    confirm: bool
    at: str
    scene: str = ""

    def where(self, world: str) -> dict[str, Any]:
        """What names its turn."""
        of = {"scene": self.scene} if self.scene else {"npc": self.npc, "player": self.player}
        return {"world": world, "turn_id": self.turn_id, **of}

    @classmethod
    def of(cls, a: Mapping[str, Any]) -> Action:
        return cls(
            a["turn_id"],
            a["index"],
            a["npc"],
            a["player"],
            a["name"],
            a.get("parameters") or {},
            a["confirm"],
            a.get("at", ""),
            a.get("scene", ""),
        )


@dataclass(frozen=True)
class Reply:
    turn_id: str
    text: str
    status: str
    reason: str
    sentences: list[Sentence]
    actions: list[Action]
    raw: dict[str, Any]  # all of it

    @classmethod
    def of(cls, r: dict[str, Any]) -> Reply:
        return cls(
            r["turn_id"],
            r["reply"],
            r["status"],
            r.get("reason", ""),
            [Sentence.of(s) for s in r["sentences"]],
            [Action.of(a) for a in r["actions"]],
            r,
        )


@dataclass(frozen=True)
class Speech:
    """What a voice needs for one sentence. index counts the sentences of the turn from 0."""

    text: str
    npc: str
    player: str
    language: str
    index: int
    turn_id: str


# The game's answer to an action: yes or no, a result with a reason, or nothing where somebody else answers.
Answer = Union[bool, Mapping[str, Any], None]


def result_of(answer: bool | Mapping[str, Any]) -> dict[str, Any]:
    return {"accepted": answer} if isinstance(answer, bool) else dict(answer)
