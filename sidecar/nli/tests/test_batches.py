from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from collections.abc import Sequence as Ordered

import numpy as np
import pytest
from tiny import PATIENCE, Spelled

from forsooth_nli.batches import ROUND, SLICE, Batcher, Settings
from forsooth_nli.failure import FullError, StoppedError, UnsoundError
from forsooth_nli.meters import Meters
from forsooth_nli.model import Probabilities
from forsooth_nli.pairs import Sequence


def run(judge: Spelled, use: Callable[[Batcher], Awaitable[None]], settings: Settings | None = None) -> None:
    async def whole() -> None:
        batcher = Batcher(judge, settings or Settings(batch_tokens=256, gather=0.001), Meters())
        batcher.start()
        try:
            await asyncio.wait_for(use(batcher), PATIENCE)
        finally:
            await batcher.stop()

    asyncio.run(whole())


class Held(Spelled):
    """A judge that runs nothing until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.begun = threading.Event(), threading.Event()

    def run(self, batch: Ordered[Sequence]) -> Probabilities:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        return super().run(batch)

    async def until_begun(self) -> None:
        assert await asyncio.to_thread(self.begun.wait, PATIENCE)


def test_answers_keep_the_order_of_their_pairs() -> None:
    async def use(b: Batcher) -> None:
        rng = np.random.default_rng(2)
        wanted = [rng.integers(0, 1000, rng.integers(1, 60)) / 1000 for _ in range(30)]
        texts = [[(str(x), "h" * int(rng.integers(1, 90))) for x in part] for part in wanted]
        got = await asyncio.gather(*(b.judge(t) for t in texts))
        assert [g[:, 0].round(3).tolist() for g in got] == [w.tolist() for w in wanted]
        assert b.waiting() == 0

    run(Spelled(), use, Settings(batch_tokens=256, gather=0.001, queue_pairs=4096))


def test_batches_hold_no_more_tokens_than_allowed_and_are_of_like_length() -> None:
    judge = Spelled()

    async def use(b: Batcher) -> None:
        await b.judge([("0.5", "h" * n) for n in (1, 100, 2, 99, 3, 98, 250, 300)])

    run(judge, use)
    assert judge.batches == [[1, 2, 3], [98, 99], [100], [250], [300]]


def test_requests_at_one_time_share_a_batch() -> None:
    judge = Spelled()

    async def use(b: Batcher) -> None:
        await asyncio.gather(*(b.judge([("0.5", "hh")]) for _ in range(10)))

    run(judge, use, Settings(gather=0.2))
    assert judge.batches == [[2] * 10]


def test_the_window_with_the_highest_entailment_speaks() -> None:
    async def use(b: Batcher) -> None:
        rows = await b.judge([("0.1 0.9 0.3", "h"), ("0.2", "h")])
        assert rows[:, 0].round(3).tolist() == [0.9, 0.2]

    run(Spelled(), use)


def test_a_pair_that_says_nothing_is_neutral() -> None:
    async def use(b: Batcher) -> None:
        assert (await b.judge([("", "h"), ("0.2", "h")])).round(3).tolist() == [[0, 1, 0], [0.2, 0.4, 0.4]]
        assert (await b.judge([("", "h")])).tolist() == [[0, 1, 0]]
        assert (await b.judge([])).shape == (0, 3)

    run(Spelled(), use)


def test_a_long_request_lets_a_short_one_pass() -> None:
    judge = Held()
    many = SLICE * ROUND * 8
    ended: list[str] = []

    async def ask(b: Batcher, name: str, premise: str) -> None:
        await b.judge([(premise, "h" * 8)])
        ended.append(name)

    async def use(b: Batcher) -> None:
        long = asyncio.create_task(ask(b, "long", "0.5 " * many))
        await judge.until_begun()
        short = asyncio.create_task(ask(b, "short", "0.7"))
        await asyncio.sleep(0.05)
        judge.go.set()
        await asyncio.gather(long, short)

    run(judge, use)
    assert ended == ["short", "long"]
    assert sum(map(len, judge.batches)) == many + 1


def test_a_full_queue_refuses_and_takes_again() -> None:
    judge = Held()

    async def use(b: Batcher) -> None:
        first = asyncio.create_task(b.judge([("0.5", "h")] * 200))
        await judge.until_begun()
        with pytest.raises(FullError):
            await b.judge([("0.5", "h")] * 100)
        assert b.waiting() == 200
        judge.go.set()
        await first
        assert len(await b.judge([("0.5", "h")] * 100)) == 100

    run(judge, use, Settings(queue_pairs=256))


def test_a_dropped_request_is_not_run() -> None:
    judge = Held()

    async def use(b: Batcher) -> None:
        first = asyncio.create_task(b.judge([("0.5", "h")]))
        await judge.until_begun()
        dropped = asyncio.create_task(b.judge([("0.5", "hh")] * 50))
        last = asyncio.create_task(b.judge([("0.5", "hhh")]))
        await asyncio.sleep(0.05)
        dropped.cancel()
        await asyncio.gather(dropped, return_exceptions=True)
        assert b.waiting() == 2
        judge.go.set()
        await asyncio.gather(first, last)

    run(judge, use)
    assert judge.batches == [[1], [3]]


class Broken(Spelled):
    def run(self, batch: Ordered[Sequence]) -> Probabilities:
        rows = super().run(batch)
        if any(s.ids[0] == 666 for s in batch):
            raise RuntimeError("no such operator")
        rows[rows[:, 0] == 0.999] = np.nan
        return rows


def test_one_unsound_answer_spoils_its_own_request_alone() -> None:
    async def use(b: Batcher) -> None:
        good, bad = await asyncio.gather(
            b.judge([("0.5", "h")]), b.judge([("0.4", "h"), ("0.1 0.999", "h")]), return_exceptions=True
        )
        assert isinstance(good, np.ndarray)
        assert isinstance(bad, UnsoundError)

    run(Broken(), use, Settings(gather=0.1))


def test_a_failing_model_is_asked_again() -> None:
    async def use(b: Batcher) -> None:
        with pytest.raises(RuntimeError, match="no such operator"):
            await b.judge([("0.666", "h")])
        assert b.waiting() == 0
        assert (await b.judge([("0.5", "h")]))[0, 0] == 0.5

    run(Broken(), use)


def test_who_waits_when_it_stops_is_told() -> None:
    judge = Held()

    async def use(b: Batcher) -> None:
        waiting = asyncio.create_task(b.judge([("0.5", "h")]))
        await judge.until_begun()
        stopping = asyncio.create_task(b.stop())
        with pytest.raises(StoppedError):
            await waiting
        judge.go.set()
        await stopping
        with pytest.raises(StoppedError):
            await b.judge([("0.5", "h")])

    run(judge, use)


class SlowReader(Spelled):
    """A judge that stops in the middle of reading a request."""

    def __init__(self) -> None:
        super().__init__()
        self.go, self.begun = threading.Event(), threading.Event()

    def read(self, premise: str, hypothesis: str) -> list[Sequence]:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        return super().read(premise, hypothesis)


def test_a_request_half_read_when_it_stops_is_not_answered() -> None:
    judge = SlowReader()

    async def use(b: Batcher) -> None:
        waiting = asyncio.create_task(b.judge([("", "h"), ("0.5", "h")]))
        assert await asyncio.to_thread(judge.begun.wait, PATIENCE)
        await b.stop()
        judge.go.set()
        with pytest.raises(StoppedError):
            await waiting

    run(judge, use)
