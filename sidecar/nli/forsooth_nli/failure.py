"""What can be wrong, each in one line that says what, where and how to mend it."""

from __future__ import annotations


class LoadError(Exception):
    """A model cannot be used as it lies there."""


class UnsoundError(Exception):
    """The model answered with something that is no probability."""


class FullError(Exception):
    """More is waiting than the queue may hold."""


class StoppedError(Exception):
    """The service is on its way down."""


class RequestError(Exception):
    """A request cannot be answered, with the status that says so."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
