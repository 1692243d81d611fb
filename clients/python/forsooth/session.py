"""One WebSocket for many players. It takes the package websockets: pip install 'forsooth-client[socket]'."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
from typing import Any, AsyncIterator, Awaitable, Callable

from .shapes import Action, ForsoothError, Sentence, Speech, result_of, unreachable
from .turn import AsyncAct, AsyncTurn, Handlers, Told, backoff, log


class _Shown:
    """A turn of a session, with what its reader has not taken yet."""

    def __init__(self, told: Told, act: AsyncAct | None) -> None:
        self.told, self.act = told, act
        self.tries = 0  # since the connection broke
        self.queue: asyncio.Queue[Sentence | ForsoothError | None] = asyncio.Queue()


class Session:
    """Enter it with `async with`: the first connection must succeed. After a break it connects again, and each turn goes on."""

    def __init__(
        self,
        base: str,
        credential: Callable[[], Awaitable[str | None]],
        *,
        act: AsyncAct | None = None,
        speak: Callable[[Speech], None] | None = None,
        language: str = "en",
        retries: int = 5,
        quiet: float = 40,
    ) -> None:
        self._base, self._credential, self._retries, self._quiet = base, credential, retries, quiet
        self._handlers: Handlers[AsyncAct] = Handlers(act, speak, language)
        self._refs = itertools.count(1)
        self._turns: dict[str, _Shown] = {}
        self._calls: dict[str, tuple[dict[str, Any], asyncio.Future[None]]] = {}
        self._watches: dict[str, tuple[str, AsyncAct]] = {}
        self._proposed: dict[tuple[str, int], None] = {}
        self._since: dict[str, str] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._socket: Any = None
        self._refused: ForsoothError | None = None

    async def __aenter__(self) -> Session:
        self._socket = await self._connect()
        self._spawn(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._socket:
            await self._socket.close()
        self._fail(unreachable("the session was closed"))

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
        """Says something to an NPC. more are the other fields of a turn: trust, state, locale, deadline_ms, …"""
        request = {"world": world, "npc": npc, "player": player, "message": message, **more}
        told = Told(request, speak or self._handlers.speak, self._handlers.language)
        ref, shown = f"t{next(self._refs)}", _Shown(told, act or self._handlers.act)
        self._turns[ref] = shown
        self._spawn(self._say_or_resume(ref))
        return AsyncTurn(told, self._sentences(shown), lambda: self.cancel(**told.name))

    async def cancel(
        self, *, world: str, turn_id: str, npc: str | None = None, player: str | None = None, scene: str | None = None
    ) -> None:
        at = {"world": world, "npc": npc, "player": player, "scene": scene, "turn_id": turn_id}
        await self._call({"type": "cancel"} | {k: v for k, v in at.items() if v})

    async def answer(self, world: str, action: Action, result: dict[str, Any]) -> None:
        """The game's answer to an action: accepted, and reason. The first stands."""
        await self._call({"type": "result", "index": action.index, "result": result} | action.where(world))

    async def ping(self) -> None:
        await self._call({"type": "ping"})

    async def actions(self, world: str, act: AsyncAct) -> None:
        """Has act answer every action that the NPCs of a world propose to any player, while the session lasts."""
        ref = f"a{next(self._refs)}"
        self._watches[ref] = (world, act)
        await self._watch(ref)

    async def _sentences(self, shown: _Shown) -> AsyncIterator[Sentence]:
        while thing := await shown.queue.get():
            if isinstance(thing, ForsoothError):
                shown.queue.put_nowait(thing)  # whoever asks again is told again
                raise thing
            yield thing
        shown.queue.put_nowait(None)

    def _spawn(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _call(self, frame: dict[str, Any]) -> None:
        ref = f"c{next(self._refs)}"
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._calls[ref] = ({**frame, "ref": ref}, done)
        await self._send(self._calls[ref][0])
        await done

    async def _send(self, frame: dict[str, Any]) -> None:
        from websockets.exceptions import ConnectionClosed

        if self._socket:
            try:
                await self._socket.send(json.dumps(frame))
            except ConnectionClosed:
                pass  # it is sent again over the next connection

    async def _say_or_resume(self, ref: str, after: float = 0) -> None:
        await asyncio.sleep(after)
        if ref not in self._turns:
            return
        told = self._turns[ref].told
        if told.seen == 0:
            await self._send({"type": "say", "ref": ref, "say": told.request})
            return
        at = {k: v for k, v in told.name.items() if v}
        await self._send({"type": "resume", "ref": ref, "after": told.seen} | at)

    async def _watch(self, ref: str) -> None:
        world = self._watches[ref][0]
        since = {"since": self._since[ref]} if ref in self._since else {}
        await self._send({"type": "actions", "ref": ref, "world": world, **since})

    async def _connect(self) -> Any:
        try:
            from websockets.asyncio.client import connect
        except ImportError as e:
            raise ImportError("a session takes websockets: pip install 'forsooth-client[socket]'") from e
        from websockets.exceptions import InvalidStatus

        from .client import problem_of

        key = await self._credential()
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        url = "ws" + self._base.removeprefix("http") + "/v1/ws"
        try:
            return await connect(
                url,
                additional_headers=headers,
                max_size=None,
                proxy=None,
                ping_interval=self._quiet / 2,
                ping_timeout=self._quiet / 2,
                close_timeout=1,
            )
        except InvalidStatus as e:
            raise problem_of(e.response.status_code, bytes(e.response.body or b"")) from e
        except (OSError, TimeoutError) as e:
            raise unreachable(f"the gateway at {self._base} cannot be reached: {e}") from e
        except Exception as e:  # a handshake that breaks has many names
            raise unreachable(f"the gateway at {self._base} does not open a socket: {e}") from e

    async def _run(self) -> None:
        tries = 0
        while True:
            if await self._read():
                tries = 0
            self._socket = None
            for shown in self._turns.values():
                shown.tries += 1
            while self._socket is None:
                await asyncio.sleep(backoff(tries) if tries else 0.05)
                tries += 1
                try:
                    self._socket = await self._connect()
                except ForsoothError as e:
                    if tries > self._retries or e.status in (401, 403):
                        self._fail(self._refused or e)
            for ref in list(self._turns):
                await self._say_or_resume(ref)
            for frame, _ in list(self._calls.values()):
                await self._send(frame)
            for ref in list(self._watches):
                await self._watch(ref)

    async def _read(self) -> bool:
        """Takes what comes until the connection ends; whether anything came."""
        from websockets.exceptions import ConnectionClosed

        any_came = False
        try:
            async for message in self._socket:
                any_came = True
                self._take(json.loads(message))
        except ConnectionClosed:
            pass
        return any_came

    def _fail(self, error: ForsoothError) -> None:
        for shown in self._turns.values():
            shown.queue.put_nowait(error)
        for _, done in self._calls.values():
            if not done.done():
                done.set_exception(error)
        self._turns.clear()
        self._calls.clear()

    def _take(self, event: dict[str, Any]) -> None:
        ref = event.get("ref", "")
        problem = ForsoothError.of(event["problem"]) if event["type"] == "problem" else None
        if ref in self._turns:
            self._of_turn(ref, event, problem)
        elif ref in self._watches:
            self._of_watch(ref, event, problem)
        elif ref in self._calls:
            _, done = self._calls.pop(ref)
            if done.done():
                return
            if problem:
                done.set_exception(problem)
            else:
                done.set_result(None)
        elif problem:
            self._refused = problem

    def _of_turn(self, ref: str, event: dict[str, Any], problem: ForsoothError | None) -> None:
        shown = self._turns[ref]
        if problem and 0 < shown.tries <= self._retries and problem.retry_after:
            shown.tries += 1
            self._spawn(self._say_or_resume(ref, max(problem.retry_after, backoff(shown.tries))))
        elif problem:
            del self._turns[ref]
            shown.queue.put_nowait(problem)
        else:
            thing = shown.told.take(event)
            if isinstance(thing, Sentence):
                shown.queue.put_nowait(thing)
            elif isinstance(thing, Action) and shown.act:
                self._spawn(self._act(shown.told.request["world"], shown.act, thing))
            elif shown.told.last:
                del self._turns[ref]
                shown.queue.put_nowait(None)

    def _of_watch(self, ref: str, event: dict[str, Any], problem: ForsoothError | None) -> None:
        world, act = self._watches[ref]
        if problem:
            log.warning("the actions of %s are not shown: %s", world, problem)
        if event["type"] == "ok":
            self._since.setdefault(ref, event["at"])
        if event["type"] != "action":
            return
        action = Action.of(event["action"])
        if (action.turn_id, action.index) in self._proposed:
            return
        self._proposed[action.turn_id, action.index] = None
        if len(self._proposed) > 10_000:
            del self._proposed[next(iter(self._proposed))]
        self._since[ref] = max(self._since.get(ref, ""), action.at)
        self._spawn(self._act(world, act, action))

    async def _act(self, world: str, act: AsyncAct, action: Action) -> None:
        try:
            given = act(action)
            answer = await given if inspect.isawaitable(given) else given
            if answer is not None:
                await self.answer(world, action, result_of(answer))
        except ForsoothError as e:
            log.warning("the answer to action %s of turn %s was not taken: %s", action.name, action.turn_id, e)
        except Exception:
            log.exception("the handler of action %s failed", action.name)
