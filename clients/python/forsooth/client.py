"""The client for code without asyncio."""

from __future__ import annotations

import json
import time
from typing import Any, Callable, Iterable, Iterator, Union

import httpx

from .shapes import Action, ForsoothError, Reply, Sentence, Speech, result_of, unreachable
from .turn import Act, Events, Handlers, Told, Turn, backoff, log, one, scene_at, turns

# A backend's key or a player's token, or a function that gives one for each request.
Key = Union[str, Callable[[], str], None]


def problem_of(status: int, body: bytes) -> ForsoothError:
    try:
        return ForsoothError.of(json.loads(body))
    except (ValueError, AttributeError):  # of a balancer that stands before the gateway
        code = "UNREACHABLE" if status >= 500 else "INTERNAL"
        return ForsoothError(code, f"the answer is {status} and no problem", status=status)


class Forsooth:
    """A gateway. One client may be used by several threads."""

    def __init__(
        self,
        base: str,
        key: Key = None,
        *,
        act: Act | None = None,
        speak: Callable[[Speech], None] | None = None,
        language: str = "en",
        retries: int = 5,
        quiet: float = 40,  # seconds of silence after which a connection is taken for dead
    ) -> None:
        self.base = base.rstrip("/")
        self._key, self._retries = key, retries
        self._handlers: Handlers[Act] = Handlers(act, speak, language)
        self._http = httpx.Client(base_url=self.base, timeout=httpx.Timeout(10, read=quiet))

    def __enter__(self) -> Forsooth:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def say(
        self,
        world: str,
        npc: str | None,
        player: str | None,
        message: str,
        *,
        act: Act | None = None,
        speak: Callable[[Speech], None] | None = None,
        **more: Any,
    ) -> Turn:
        """Says something to an NPC, or with scene={"id": …, "rounds": …} in a scene. more are the other fields of a turn: trust, state, locale, deadline_ms, …"""
        request = {"world": world, "npc": npc, "player": player, "message": message, **more}
        told = Told(request, speak or self._handlers.speak, self._handlers.language)
        return Turn(told, self._sentences(told, act or self._handlers.act), lambda: self.cancel(**told.name))

    def worlds(self) -> list[dict[str, Any]]:
        return list(self._json("GET", "/v1/worlds")["worlds"])

    def npcs(self, world: str) -> list[dict[str, Any]]:
        return list(self._json("GET", f"/v1/worlds/{world}/npcs")["npcs"])

    def token(self, world: str, player: str, *, npc: str = "", ttl_s: int = 0) -> str:
        """A player's token, for a game's client. It takes a backend's key."""
        request = {"world": world, "player": player, "npc": npc, "ttl_s": ttl_s}
        return str(self._json("POST", "/v1/tokens", {k: v for k, v in request.items() if v})["token"])

    def witness(self, world: str, event: dict[str, Any]) -> str:
        """Tells NPCs what the game saw happen; the event's id."""
        return str(self._json("POST", f"/v1/worlds/{world}/events", event)["event_id"])

    def enter(self, world: str, scene: str, *, npcs: Iterable[str] = (), players: Iterable[str] = ()) -> dict[str, Any]:
        """Has NPCs and players enter a scene; who is there then. It takes a backend's key."""
        return self._move(world, scene, "enter", npcs, players)

    def leave(self, world: str, scene: str, *, npcs: Iterable[str] = (), players: Iterable[str] = ()) -> dict[str, Any]:
        return self._move(world, scene, "leave", npcs, players)

    def _move(
        self, world: str, scene: str, how: str, npcs: Iterable[str], players: Iterable[str]
    ) -> dict[str, Any]:
        body = {"scene": {how: {"npcs": list(npcs), "players": list(players)}}}
        return dict((self._json("POST", turns({"world": world, "scene": scene}), body))["scene"])

    def scene(self, world: str, scene: str) -> dict[str, Any]:
        """Who is in a scene: npcs and players."""
        return dict(self._json("GET", scene_at(world, scene)))

    def cancel(
        self, *, world: str, turn_id: str, npc: str | None = None, player: str | None = None, scene: str | None = None
    ) -> None:
        at = {"world": world, "npc": npc, "player": player, "scene": scene, "turn_id": turn_id}
        self._json("DELETE", one(at))

    def answer(self, world: str, action: Action, result: dict[str, Any]) -> None:
        """The game's answer to an action: accepted, and reason. The first stands."""
        self._json("POST", one(action.where(world), f"/actions/{action.index}"), result)

    def _headers(self) -> dict[str, str]:
        key = self._key() if callable(self._key) else self._key
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _json(self, method: str, path: str, body: Any = None) -> Any:
        try:
            answer = self._http.request(method, path, headers=self._headers(), json=body)
        except httpx.TransportError as e:
            raise unreachable(f"the gateway at {self.base} cannot be reached: {e}") from e
        if not answer.is_success:
            raise problem_of(answer.status_code, answer.content)
        return answer.json() if answer.content else None

    def _sentences(self, told: Told, act: Act | None) -> Iterator[Sentence]:
        tries = 0
        while told.last is None:
            before = told.seen
            try:
                for thing in self._stream(told):
                    if isinstance(thing, Sentence):
                        yield thing
                    elif isinstance(thing, Action) and act:
                        self._act(told, act, thing)
            except ForsoothError as e:
                tries = 0 if told.seen > before else tries
                if not told.worth(e, tries, self._retries):
                    raise
                time.sleep(max(e.retry_after, backoff(tries)))
                tries += 1

    def _stream(self, told: Told) -> Iterator[Sentence | Action | Reply | None]:
        method, path, headers, body = told.where()
        events = Events()
        try:
            with self._http.stream(method, path, headers=headers | self._headers(), content=body) as answer:
                if not answer.is_success:
                    raise problem_of(answer.status_code, answer.read())
                for line in answer.iter_lines():
                    if event := events.line(line):
                        yield told.take(event)
                        if told.last:
                            return
        except httpx.TransportError as e:
            raise unreachable(f"the connection to {self.base} broke: {e}") from e
        raise unreachable(f"the connection to {self.base} ended in the middle of a turn")

    def _act(self, told: Told, act: Act, action: Action) -> None:
        answer = act(action)
        if answer is None:
            return
        try:
            self.answer(told.request["world"], action, result_of(answer))
        except ForsoothError as e:
            log.warning("the answer to action %s of turn %s was not taken: %s", action.name, told.id, e)

