"""A talk in a terminal: `forsooth dev` in one window, `python example.py "Will you give me a quest?"` in another."""

import os
import sys

from forsooth import Action, Forsooth, ForsoothError, Speech


def act(action: Action) -> bool:
    print(f"(the game lets Mira do: {action.name} {action.parameters})")
    return True


def speak(s: Speech) -> None:
    print(f"(voice of {s.npc}, {s.language}, sentence {s.index}: {len(s.text)} characters)")


message = sys.argv[1] if len(sys.argv) > 1 else "Tell me about your sister."
url = os.environ.get("FORSOOTH_URL", "http://127.0.0.1:8080")
with Forsooth(url, os.environ.get("FORSOOTH_KEY"), act=act, speak=speak) as client:
    try:
        turn = client.say("hollowmere", "mira", "ansel", message, trust=50)
        for sentence in turn:
            print("Mira:", sentence.text)
        print(f"({turn.reply().status})")
    except ForsoothError as problem:
        sys.exit(str(problem))
