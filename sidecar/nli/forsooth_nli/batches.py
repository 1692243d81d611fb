"""Requests of many clients as batches of one model.

What arrives within a few milliseconds is gathered, sorted by length and cut into
batches of so many tokens. One thread reads texts, one runs the model. A request
takes its turn with the others a slice at a time, so that a long one starves none.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Iterator
from collections.abc import Sequence as Ordered
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from .failure import FullError, StoppedError, UnsoundError
from .meters import Meters
from .model import Probabilities
from .pairs import Sequence

log = logging.getLogger("forsooth_nli")

Texts = tuple[str, str]
SLICE = 32  # sequences that one request adds before the next one's turn
ROUND = 8  # batches' worth of tokens that are sorted together


class Judge(Protocol):
    """What runs pairs: a Model, or a test's stand-in."""

    def read(self, premise: str, hypothesis: str) -> list[Sequence]: ...

    def run(self, batch: Ordered[Sequence]) -> Probabilities: ...


@dataclass(frozen=True)
class Settings:
    batch_tokens: int = 2048
    gather: float = 0.003  # seconds
    queue_pairs: int = 1024


@dataclass(eq=False)
class _Job:
    """One request: its sequences, whose they are, and what is known of them."""

    pairs: int
    done: asyncio.Future[Probabilities]
    sequences: list[Sequence] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    taken: int = 0
    missing: int = 0
    rows: Probabilities = field(default_factory=lambda: np.empty((0, 3)))

    def read(self, judge: Judge, texts: Ordered[Texts]) -> None:
        for i, (premise, hypothesis) in enumerate(texts):
            if self.done.done():  # nobody waits any more
                return
            for s in judge.read(premise, hypothesis):
                self.sequences.append(s)
                self.owners.append(i)
        self.missing = len(self.sequences)
        self.rows = np.full((self.missing, 3), np.nan)

    def best(self) -> Probabilities:
        """Let the window with the highest entailment speak for each pair. A pair without one says nothing: it is neutral."""
        out = np.tile(np.array([0.0, 1.0, 0.0]), (self.pairs, 1))
        seen: set[int] = set()
        for i, row in zip(self.owners, self.rows, strict=True):
            if i not in seen or row[0] > out[i, 0]:
                out[i] = row
            seen.add(i)
        return out


@dataclass(frozen=True)
class _Item:
    job: _Job
    at: int

    @property
    def sequence(self) -> Sequence:
        return self.job.sequences[self.at]


class Batcher:
    """Answers requests. It belongs to one event loop, between start and stop."""

    def __init__(self, judge: Judge, settings: Settings, meters: Meters) -> None:
        self._judge, self._settings, self._meters = judge, settings, meters
        self._reading = ThreadPoolExecutor(1, "read")
        self._running = ThreadPoolExecutor(1, "model")
        self._jobs: deque[_Job] = deque()
        self._open: set[_Job] = set()
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        meters.watch_queue(self.waiting)

    def start(self) -> None:
        self._task = asyncio.create_task(self._work())

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        for job in self._open:
            _fail(job, StoppedError())
        self._reading.shutdown(wait=False, cancel_futures=True)
        self._running.shutdown(wait=False, cancel_futures=True)

    def waiting(self) -> int:
        """Count the pairs that are admitted and not yet answered."""
        return sum(job.pairs for job in self._open)

    async def judge(self, texts: Ordered[Texts]) -> Probabilities:
        """Give one row a pair: entailment, neutral, contradiction. To cancel it is to drop the request."""
        if self._task is None:
            raise StoppedError
        if self.waiting() + len(texts) > self._settings.queue_pairs:
            raise FullError
        loop = asyncio.get_running_loop()
        job = _Job(len(texts), loop.create_future())
        self._open.add(job)
        try:
            await loop.run_in_executor(self._reading, job.read, self._judge, texts)
            if job.missing == 0 and not job.done.done():
                return job.best()
            self._jobs.append(job)
            self._wake.set()
            return await job.done
        finally:
            job.done.cancel()  # also when the reading was cut off
            self._open.discard(job)

    async def _work(self) -> None:
        while True:
            await self._wake.wait()
            await asyncio.sleep(self._settings.gather)
            while self._jobs:
                for batch in self._cut(self._take()):
                    await self._run(batch)
            self._wake.clear()

    def _take(self) -> list[_Item]:
        """Take a round of sequences, a slice of each request at a time."""
        items: list[_Item] = []
        budget = ROUND * self._settings.batch_tokens
        while self._jobs and budget > 0:
            job = self._jobs.popleft()
            if job.done.done():
                continue
            end = min(job.taken + SLICE, len(job.sequences))
            items += (_Item(job, at) for at in range(job.taken, end))
            budget -= sum(len(s) for s in job.sequences[job.taken : end])
            job.taken = end
            if end < len(job.sequences):
                self._jobs.append(job)
        return sorted(items, key=lambda i: len(i.sequence))

    def _cut(self, items: list[_Item]) -> Iterator[list[_Item]]:
        """Cut sorted sequences into batches; the last of a batch is its longest."""
        batch: list[_Item] = []
        for item in items:
            if batch and (len(batch) + 1) * len(item.sequence) > self._settings.batch_tokens:
                yield batch
                batch = []
            batch.append(item)
        if batch:
            yield batch

    async def _run(self, batch: list[_Item]) -> None:
        batch = [item for item in batch if not item.job.done.done()]
        if not batch:
            return
        sequences = [item.sequence for item in batch]
        self._meters.batch_size.observe(len(batch))
        self._meters.batch_tokens.observe(len(batch) * len(sequences[-1]))
        start = time.perf_counter()
        try:
            rows = await asyncio.get_running_loop().run_in_executor(self._running, self._judge.run, sequences)
        except Exception as err:  # one request's failure must not end the service
            log.error("the model failed on %d pairs: %s", len(batch), " ".join(str(err).split())[:300])
            for item in batch:
                _fail(item.job, err)
            return
        self._meters.batch_seconds.observe(time.perf_counter() - start)
        for item, row in zip(batch, rows, strict=True):
            _settle(item, row)


def _settle(item: _Item, row: Probabilities) -> None:
    job = item.job
    if not np.isfinite(row).all():
        _fail(job, UnsoundError())
        return
    job.rows[item.at] = row
    job.missing -= 1
    if job.missing == 0 and not job.done.done():
        job.done.set_result(job.best())


def _fail(job: _Job, err: Exception) -> None:
    if not job.done.done():
        job.done.set_exception(err)
