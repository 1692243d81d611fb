"""The client for asyncio."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any, AsyncIterator, Awaitable, Callable, Iterable, Union

import httpx

from .client import problem_of
from .session import Session
from .shapes import Action, ForsoothError, Reply, Sentence, Speech, result_of, unreachable
from .turn import AsyncAct, AsyncTurn, Events, Handlers, Told, backoff, log, one, scene_at, turns

# A backend's key or a player's token, or a function that gives one for each request.
AsyncKey = Union[str, Callable[[], Union[str, Awaitable[str]]], None]


class AsyncForsooth:
    """A gateway, for asyncio."""

    def __init__(
        self,
        base: str,
        key: AsyncKey = None,
        *,
        act: AsyncAct | None = None,
        speak: Callable[[Speech], None] | None = None,
        language: str = "en",
        retries: int = 5,
        quiet: float = 40,  # seconds of silence after which a connection is taken for dead
    ) -> None:
        self.base = base.rstrip("/")
        self._key, self._retries, self._quiet = key, retries, quiet
        self._handlers: Handlers[AsyncAct] = Handlers(act, speak, language)
        self._http = httpx.AsyncClient(base_url=self.base, timeout=httpx.Timeout(10, read=quiet))

    async def __aenter__(self) -> AsyncForsooth:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    def say(
        self,
        world: str,
        npc: str | None,
        player: str | None,
        message: str,
        *,
        act: AsyncAct | None = None,
        speak: Callable[[Speech], None] | None = None,
        **more: Any,
    ) -> AsyncTurn:
        """Says something to an NPC, or with scene={"id": …, "rounds": …} in a scene. more are the other fields of a turn: trust, state, locale, deadline_ms, …"""
        request = {"world": world, "npc": npc, "player": player, "message": message, **more}
        told = Told(request, speak or self._handlers.speak, self._handlers.language)
        return AsyncTurn(told, self._sentences(told, act or self._handlers.act), lambda: self.cancel(**told.name))

    def session(self, **handlers: Any) -> Session:
        """One WebSocket for many players; it takes the extra `socket`. Enter it with `async with`."""
        ours = {"act": self._handlers.act, "speak": self._handlers.speak, "language": self._handlers.language}
        return Session(self.base, self.credential, retries=self._retries, quiet=self._quiet, **{**ours, **handlers})

    async def worlds(self) -> list[dict[str, Any]]:
        return list((await self._json("GET", "/v1/worlds"))["worlds"])

    async def npcs(self, world: str) -> list[dict[str, Any]]:
        return list((await self._json("GET", f"/v1/worlds/{world}/npcs"))["npcs"])

    async def token(self, world: str, player: str, *, npc: str = "", ttl_s: int = 0) -> str:
        """A player's token, for a game's client. It takes a backend's key."""
        request = {"world": world, "player": player, "npc": npc, "ttl_s": ttl_s}
        return str((await self._json("POST", "/v1/tokens", {k: v for k, v in request.items() if v}))["token"])

    async def witness(self, world: str, event: dict[str, Any]) -> str:
        """Tells NPCs what the game saw happen; the event's id."""
        return str((await self._json("POST", f"/v1/worlds/{world}/events", event))["event_id"])

    async def enter(self, world: str, scene: str, *, npcs: Iterable[str] = (), players: Iterable[str] = ()) -> dict[str, Any]:
        """Has NPCs and players enter a scene; who is there then. It takes a backend's key."""
        return await self._move(world, scene, "enter", npcs, players)

    async def leave(self, world: str, scene: str, *, npcs: Iterable[str] = (), players: Iterable[str] = ()) -> dict[str, Any]:
        return await self._move(world, scene, "leave", npcs, players)

    async def _move(
        self, world: str, scene: str, how: str, npcs: Iterable[str], players: Iterable[str]
    ) -> dict[str, Any]:
        body = {"scene": {how: {"npcs": list(npcs), "players": list(players)}}}
        return dict((await self._json("POST", turns({"world": world, "scene": scene}), body))["scene"])

    async def scene(self, world: str, scene: str) -> dict[str, Any]:
        """Who is in a scene: npcs and players."""
        return dict(await self._json("GET", scene_at(world, scene)))

    async def cancel(
        self, *, world: str, turn_id: str, npc: str | None = None, player: str | None = None, scene: str | None = None
    ) -> None:
        at = {"world": world, "npc": npc, "player": player, "scene": scene, "turn_id": turn_id}
        await self._json("DELETE", one(at))

    async def answer(self, world: str, action: Action, result: dict[str, Any]) -> None:
        """The game's answer to an action: accepted, and reason. The first stands."""
        await self._json("POST", one(action.where(world), f"/actions/{action.index}"), result)

    async def credential(self) -> str | None:
        key = self._key() if callable(self._key) else self._key
        return await key if inspect.isawaitable(key) else key

    async def _headers(self) -> dict[str, str]:
        key = await self.credential()
        return {"Authorization": f"Bearer {key}"} if key else {}

    async def _json(self, method: str, path: str, body: Any = None) -> Any:
        try:
            answer = await self._http.request(method, path, headers=await self._headers(), json=body)
        except httpx.TransportError as e:
            raise unreachable(f"the gateway at {self.base} cannot be reached: {e}") from e
        if not answer.is_success:
            raise problem_of(answer.status_code, answer.content)
        return answer.json() if answer.content else None

    async def _sentences(self, told: Told, act: AsyncAct | None) -> AsyncIterator[Sentence]:
        tries = 0
        while told.last is None:
            before = told.seen
            try:
                async for thing in self._stream(told):
                    if isinstance(thing, Sentence):
                        yield thing
                    elif isinstance(thing, Action) and act:
                        await self._act(told, act, thing)
            except ForsoothError as e:
                tries = 0 if told.seen > before else tries
                if not told.worth(e, tries, self._retries):
                    raise
                await asyncio.sleep(max(e.retry_after, backoff(tries)))
                tries += 1

    async def _stream(self, told: Told) -> AsyncIterator[Sentence | Action | Reply | None]:
        method, path, headers, body = told.where()
        headers |= await self._headers()
        events = Events()
        try:
            async with self._http.stream(method, path, headers=headers, content=body) as answer:
                if not answer.is_success:
                    raise problem_of(answer.status_code, await answer.aread())
                async for line in answer.aiter_lines():
                    if event := events.line(line):
                        yield told.take(event)
                        if told.last:
                            return
        except httpx.TransportError as e:
            raise unreachable(f"the connection to {self.base} broke: {e}") from e
        raise unreachable(f"the connection to {self.base} ended in the middle of a turn")

    async def _act(self, told: Told, act: AsyncAct, action: Action) -> None:
        given = act(action)
        answer = await given if inspect.isawaitable(given) else given
        if answer is None:
            return
        try:
            await self.answer(told.request["world"], action, result_of(answer))
        except ForsoothError as e:
            log.warning("the answer to action %s of turn %s was not taken: %s", action.name, told.id, e)
