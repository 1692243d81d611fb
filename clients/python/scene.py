"""A scene: two NPCs hear one player. `python scene.py`, with asyncio `python scene.py aio`, over a WebSocket `python scene.py socket`."""

import asyncio
import json
import os
import sys
from typing import Any

from forsooth import AsyncForsooth, Forsooth, Reply, Sentence

URL, KEY = os.environ.get("FORSOOTH_URL", "http://127.0.0.1:8080"), os.environ.get("FORSOOTH_KEY")
WORLD, SCENE = "hollowmere", os.environ.get("FORSOOTH_SCENE", "tavern")
THERE: dict[str, Any] = {"npcs": ["mira", "osric"], "players": ["ansel"]}
SAID: dict[str, Any] = {
    "world": WORLD,
    "npc": None,
    "player": "ansel",
    "message": "Osric, when did the mill burn?",
    "scene": {"id": SCENE, "rounds": 1},
    "turn_id": f"{SCENE}-1",
}


def show(what: Any) -> None:
    print(json.dumps(what), flush=True)


def said(s: Sentence) -> None:
    show({"npc": s.npc, "text": s.text})


def ended(replies: list[Reply]) -> None:
    for r in replies:
        show({"npc": r.raw["npc"], "reply": r.text})


def main() -> None:
    with Forsooth(URL, KEY, quiet=2) as client:
        show(client.enter(WORLD, SCENE, **THERE))
        turn = client.say(**SAID)
        for s in turn:
            said(s)
        ended(turn.replies())
        show(client.leave(WORLD, SCENE, players=["ansel"]))
        show(client.scene(WORLD, SCENE))


async def main_async(over_socket: bool) -> None:
    async with AsyncForsooth(URL, KEY, quiet=2) as client:

        async def talk(by: Any) -> None:
            turn = by.say(**SAID)
            async for s in turn:
                said(s)
            ended(await turn.replies())

        show(await client.enter(WORLD, SCENE, **THERE))
        if over_socket:
            async with client.session() as session:
                await talk(session)
        else:
            await talk(client)
        show(await client.leave(WORLD, SCENE, players=["ansel"]))
        show(await client.scene(WORLD, SCENE))


if sys.argv[1:] in (["aio"], ["socket"]):
    asyncio.run(main_async(sys.argv[1] == "socket"))
else:
    main()
