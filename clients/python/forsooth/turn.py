"""One turn, however it is carried."""

from __future__ import annotations

import json
import logging
import random
import uuid
from dataclasses import dataclass
from typing import Any, AsyncIterator, Awaitable, Callable, Generic, Iterator, TypeVar, Union
from urllib.parse import quote

from .shapes import Action, Answer, ForsoothError, Reply, Sentence, Speech

log = logging.getLogger("forsooth")

A = TypeVar("A")
Act = Callable[[Action], Answer]
AsyncAct = Callable[[Action], Union[Answer, Awaitable[Answer]]]


@dataclass(frozen=True)
class Handlers(Generic[A]):
    """What a game does beside the sentences."""

    act: A | None = None  # answers an action
    speak: Callable[[Speech], None] | None = None  # is given each sentence once, in order
    language: str = "en"  # for speak, where the turn has no locale


def backoff(tries: int) -> float:
    return float(min(5.0, 0.2 * 2**tries) * random.uniform(0.75, 1.25))


class Told:
    """What is known of a turn: whichever connection brings an event, it counts once."""

    def __init__(self, request: dict[str, Any], speak: Callable[[Speech], None] | None, language: str) -> None:
        self.request = {"turn_id": uuid.uuid4().hex, **{k: v for k, v in request.items() if v is not None}}
        self.id: str = self.request["turn_id"]
        self.seen = 0  # the n of the last event: where to go on after a break
        self.last: Reply | None = None
        self.replies: list[Reply] = []  # in a scene: of the NPC that answers, and of those that speak behind it
        self._speak, self._language = speak, language
        self._acted: set[tuple[str, int]] = set()
        self._spoken = 0

    @property
    def name(self) -> dict[str, Any]:
        """What cancel and resume take."""
        if scene := self.request.get("scene"):
            return {"world": self.request["world"], "scene": scene["id"], "turn_id": self.id}
        return {k: self.request.get(k) for k in ("world", "npc", "player", "turn_id")}

    def take(self, event: dict[str, Any]) -> Sentence | Action | Reply | None:
        kind = event["type"]
        if kind == "action":
            action = Action.of(event["action"])
            if (action.turn_id, action.index) in self._acted:
                return None
            self._acted.add((action.turn_id, action.index))
            return action
        if kind == "done" and not event.get("next"):
            self.last = self._ended(event)
            return self.last
        if event.get("n", 0) <= self.seen:
            return None
        self.seen = event["n"]
        if kind == "done":
            self._ended(event)
        if kind != "sentence":
            return None
        sentence = Sentence.of(event["sentence"], event.get("npc", ""))
        if self._speak:
            self._speak(self._speech(sentence))
        self._spoken += 1
        return sentence

    def _ended(self, event: dict[str, Any]) -> Reply:
        reply = Reply.of(event["reply"])
        if reply.sentences or not self.replies:  # whoever speaks behind another may keep silent
            self.replies.append(reply)
        return reply

    def _speech(self, s: Sentence) -> Speech:
        r = self.request
        language = r.get("locale") or self._language
        return Speech(s.text, s.npc or r["npc"], r.get("player", ""), language, self._spoken, self.id)

    def worth(self, error: ForsoothError, tries: int, retries: int) -> bool:
        """Whether to go on after an error: the connection broke, or a turn that has begun must wait."""
        again = error.code == "UNREACHABLE" or tries + self.seen > 0 and error.retry_after > 0
        return again and tries < retries

    def where(self) -> tuple[str, str, dict[str, str], bytes | None]:
        """The request that goes on behind the last event; a turn of which nothing was heard is said again."""
        headers = {"Accept": "text/event-stream"}
        if self.seen == 0:
            headers["Content-Type"] = "application/json"
            return "POST", turns(self.request), headers, json.dumps(self.request).encode()
        headers["Last-Event-ID"] = str(self.seen)
        return "GET", one(self.request), headers, None


def turns(request: dict[str, Any]) -> str:
    if scene := request.get("scene"):
        return f"{scene_at(request['world'], scene if isinstance(scene, str) else scene['id'])}/turns"
    return f"/v1/worlds/{quote(request['world'], '')}/npcs/{quote(request['npc'], '')}/turns"


def scene_at(world: str, scene: str) -> str:
    return f"/v1/worlds/{quote(world, '')}/scenes/{quote(scene, '')}"


def one(request: dict[str, Any], rest: str = "") -> str:
    named = request.get("player") and not request.get("scene")
    player = f"?player={quote(request['player'], '')}" if named else ""
    return f"{turns(request)}/{quote(request['turn_id'], '')}{rest}{player}"


class Events:
    """Reads server-sent events line by line."""

    def __init__(self) -> None:
        self._name, self._data = "", ""

    def line(self, line: str) -> dict[str, Any] | None:
        if line.startswith("event: "):
            self._name = line[7:]
        elif line.startswith("data: "):
            self._data += line[6:]
        elif not line and self._data:
            name, event = self._name, json.loads(self._data)
            self._name, self._data = "", ""
            if name == "problem":
                raise ForsoothError.of(event)
            return dict(event)
        return None


class Turn:
    """Yields the sentences, each as soon as it is released. reply() is the whole, and waits for it."""

    def __init__(self, told: Told, sentences: Iterator[Sentence], cancel: Callable[[], None]) -> None:
        self.id = told.id
        self._told, self._sentences, self._cancel = told, sentences, cancel

    def __iter__(self) -> Iterator[Sentence]:
        return self._sentences

    def reply(self) -> Reply:
        for _ in self._sentences:
            pass
        return self._told.replies[0]  # the sentences end with the reply, or raise

    def replies(self) -> list[Reply]:
        """In a scene: the replies of the NPC that answers, and of those that speak behind it."""
        self.reply()
        return self._told.replies

    def cancel(self) -> None:
        """Ends the turn with what was said so far; the reply has the status "aborted"."""
        self._cancel()


class AsyncTurn:
    """As Turn, for asyncio."""

    def __init__(self, told: Told, sentences: AsyncIterator[Sentence], cancel: Callable[[], Awaitable[None]]) -> None:
        self.id = told.id
        self._told, self._sentences, self._cancel = told, sentences, cancel

    def __aiter__(self) -> AsyncIterator[Sentence]:
        return self._sentences

    async def reply(self) -> Reply:
        async for _ in self._sentences:
            pass
        return self._told.replies[0]

    async def replies(self) -> list[Reply]:
        await self.reply()
        return self._told.replies

    async def cancel(self) -> None:
        await self._cancel()
