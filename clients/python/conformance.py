"""Plays the transcript of examples/conformance: `python conformance.py http`, `… aio` or `… socket`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from typing import Any

from forsooth import Action, AsyncForsooth, Forsooth, ForsoothError, Speech

URL, KEY, TOKEN, WHO = (os.environ["FORSOOTH_" + name] for name in ("URL", "KEY", "TOKEN", "WHO"))
SCRIPT = json.load(open(os.environ["FORSOOTH_TRANSCRIPT"], encoding="utf-8"))
WORLD = SCRIPT["world"]


def fields(turn: dict[str, Any]) -> dict[str, Any]:
    out = {"world": WORLD, "message": "", **turn}
    return out | {k: f"{out[k]}-{WHO}" for k in ("player", "turn_id") if k in out}


def name(turn: dict[str, Any]) -> dict[str, Any]:
    return {k: turn[k] for k in ("world", "npc", "player", "turn_id")}


class Heard:
    def __init__(self) -> None:
        self.line: dict[str, Any] = {"sentences": [], "spoken": [], "actions": []}

    def speak(self, s: Speech) -> None:
        self.line["spoken"].append({"text": s.text, "npc": s.npc, "language": s.language, "index": s.index})

    def action(self, a: Action) -> None:
        self.line["actions"].append({"name": a.name, "parameters": a.parameters, "confirm": a.confirm})

    def problem(self, e: ForsoothError) -> None:
        self.line["problem"] = {"code": e.code, "field": e.field}


def play(step: dict[str, Any], turn: dict[str, Any], backend: Forsooth, player: Forsooth) -> dict[str, Any]:
    heard, by = Heard(), player if step.get("as") == "token" else backend
    try:
        if step.get("do") == "ping":
            by.npcs(WORLD)
        elif step.get("do") == "cancel":
            by.cancel(**name(fields(turn)))
        else:

            def act(a: Action) -> Any:
                heard.action(a)
                if step.get("cancel") == "action":
                    said.cancel()
                return step.get("answer")

            said = by.say(**fields(turn), act=act, speak=heard.speak)
            heard.line["sentences"] += [s.text for s in said]
            reply = said.reply()
            heard.line |= {"status": reply.status, "reason": reply.reason, "reply": reply.text}
    except ForsoothError as e:
        heard.problem(e)
    return heard.line


class Watch:
    """Answers the actions of a whole world over a socket."""

    def __init__(self) -> None:
        self.by_player: dict[str, tuple[dict[str, Any], Heard]] = {}

    def act(self, a: Action) -> Any:
        if a.player not in self.by_player:
            return None
        step, heard = self.by_player[a.player]
        heard.action(a)
        return step["answer"]


watch = Watch()


async def play_async(step: dict[str, Any], turn: dict[str, Any], backend: Any, player: Any) -> dict[str, Any]:
    heard, by = Heard(), player if step.get("as") == "token" else backend
    try:
        if step.get("do") == "ping":
            await (by.ping() if hasattr(by, "ping") else by.npcs(WORLD))
        elif step.get("do") == "cancel":
            await by.cancel(**name(fields(turn)))
        else:

            watched = bool(step.get("watch")) and hasattr(by, "actions")
            if watched:
                watch.by_player[fields(turn)["player"]] = (step, heard)

            async def act(a: Action) -> Any:
                if watched:
                    return None
                heard.action(a)
                if step.get("cancel") == "action":
                    await said.cancel()
                return step.get("answer")

            said = by.say(**fields(turn), act=act, speak=heard.speak)
            heard.line["sentences"] += [s.text async for s in said]
            reply = await said.reply()
            heard.line |= {"status": reply.status, "reason": reply.reason, "reply": reply.text}
    except ForsoothError as e:
        heard.problem(e)
    return heard.line


def tell(step: dict[str, Any], all_heard: list[dict[str, Any]]) -> None:
    for i, line in enumerate(all_heard):
        print(json.dumps({"step": step["name"], "turn": i, **line}), flush=True)


def main() -> None:
    with Forsooth(URL, KEY, quiet=2) as backend, Forsooth(URL, lambda: TOKEN, quiet=2) as player:
        for step in SCRIPT["steps"]:
            tell(step, [play(step, turn, backend, player) for turn in step["turns"]])


async def main_async(over_socket: bool) -> None:
    async with AsyncForsooth(URL, KEY, quiet=2) as backend, AsyncForsooth(URL, lambda: TOKEN, quiet=2) as player:

        async def steps(first: Any, second: Any) -> None:
            for step in SCRIPT["steps"]:
                tell(step, await asyncio.gather(*(play_async(step, t, first, second) for t in step["turns"])))

        if not over_socket:
            await steps(backend, player)
            return
        async with backend.session() as first, player.session() as second:
            await first.actions(WORLD, watch.act)
            await steps(first, second)


if sys.argv[1] == "http":
    main()
else:
    asyncio.run(main_async(sys.argv[1] == "socket"))
