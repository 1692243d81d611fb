"""The client of a Forsooth gateway: README.md shows its use."""

from .aio import AsyncForsooth
from .client import Forsooth
from .session import Session
from .shapes import Action, Answer, ForsoothError, Reply, Sentence, Speech
from .turn import AsyncTurn, Turn

__all__ = [
    "Action",
    "Answer",
    "AsyncForsooth",
    "AsyncTurn",
    "Forsooth",
    "ForsoothError",
    "Reply",
    "Sentence",
    "Session",
    "Speech",
    "Turn",
]
