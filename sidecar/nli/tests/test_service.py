from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from collections.abc import Sequence as Ordered
from pathlib import Path
from typing import Any

import httpx
import pytest
from tiny import PATIENCE, Spelled, model_folder, onnx_bytes, roberta_tokenizer, verdict_table

from forsooth_nli import model
from forsooth_nli.batches import Settings
from forsooth_nli.model import Probabilities
from forsooth_nli.pairs import Sequence
from forsooth_nli.service import MAX_BODY, MAX_PAIRS, MAX_TEXT, Served, service

Use = Callable[[httpx.AsyncClient], Awaitable[None]]
SETTINGS = Settings(gather=0.001)


@contextlib.asynccontextmanager
async def client(served: Served, settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    app = service(served, settings)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://nli") as c,
    ):
        yield c


def serve(use: Use, served: Served | None = None, settings: Settings = SETTINGS) -> None:
    async def whole() -> None:
        async with client(served or Spelled(), settings) as c:
            await asyncio.wait_for(use(c), PATIENCE)

    asyncio.run(whole())


def pairs(*premises: str) -> dict[str, Any]:
    return {"pairs": [{"premise": p, "hypothesis": "h"} for p in premises]}


def test_probabilities_come_in_the_order_of_the_pairs() -> None:
    async def use(c: httpx.AsyncClient) -> None:
        r = await c.post("/v1/entail", json=pairs("0.2", "0.1 0.8", ""))
        assert r.status_code == 200
        assert r.json() == {
            "model": "spelled",
            "weights_sha256": Spelled.sha256,
            "probabilities": [
                {"entailment": 0.2, "neutral": 0.4, "contradiction": 0.4},
                {"entailment": 0.8, "neutral": pytest.approx(0.1), "contradiction": pytest.approx(0.1)},
                {"entailment": 0.0, "neutral": 1.0, "contradiction": 0.0},
            ],
        }

    serve(use)


def test_no_pairs_get_no_probabilities() -> None:
    async def use(c: httpx.AsyncClient) -> None:
        said = (await c.post("/v1/entail", json={"pairs": []})).json()
        assert said == {"model": "spelled", "weights_sha256": Spelled.sha256, "probabilities": []}

    serve(use)


def test_as_much_as_is_allowed_is_answered() -> None:
    async def use(c: httpx.AsyncClient) -> None:
        r = await c.post("/v1/entail", json=pairs(*["0.5"] * MAX_PAIRS))
        assert len(r.json()["probabilities"]) == MAX_PAIRS
        r = await c.post("/v1/entail", json=pairs("0.5" + " " * (MAX_TEXT - 3)))
        assert r.status_code == 200

    serve(use)


GOOD = {"premise": "0.5", "hypothesis": "h"}


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (b"", 422, "the body is not JSON"),
        (b"<html>", 422, "the body is not JSON"),
        (b"\xff\xfe\x00", 422, "the body is not JSON"),
        (b"[" * 100_000, 422, "the body is not JSON"),
        (b'{"pairs":' + b"9" * 9000 + b"}", 422, "the body is not JSON"),
        (b"[]", 422, "has no list of pairs"),
        (b"null", 422, "has no list of pairs"),
        (b'{"pair": []}', 422, "has no list of pairs"),
        (b'{"pairs": {}}', 422, "has no list of pairs"),
        (json.dumps({"pairs": [GOOD, "x"]}).encode(), 422, "pair 1 is no object"),
        (json.dumps({"pairs": [GOOD, {"premise": "x"}]}).encode(), 422, "pair 1 has no text as its hypothesis"),
        (json.dumps({"pairs": [{"premise": 1, "hypothesis": "x"}]}).encode(), 422, "pair 0 has no text as its premise"),
        (json.dumps({"pairs": [{"premise": None, "hypothesis": "x"}]}).encode(), 422, "pair 0 has no text as its premise"),
        (json.dumps({"pairs": [GOOD] * 257}).encode(), 413, "257 pairs are more than 256"),
        (json.dumps({"pairs": [{"premise": "x" * 65_537, "hypothesis": ""}]}).encode(), 413, "has 65537 bytes"),
        (json.dumps({"pairs": [{"premise": "", "hypothesis": "é" * 32_769}]}).encode(), 413, "has 65538 bytes"),
        (b" " * (MAX_BODY + 1), 413, "the body is larger than"),
    ],
)
def test_what_cannot_be_answered_is_said_in_one_line(body: bytes, status: int, says: str) -> None:
    async def use(c: httpx.AsyncClient) -> None:
        r = await c.post("/v1/entail", content=body)
        assert r.status_code == status
        assert list(r.json()) == ["detail"]
        assert says in r.json()["detail"]
        assert "\n" not in r.json()["detail"]

    serve(use)


def test_a_body_without_a_stated_length_is_bounded_too() -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 1 << 20
            yield b" " * (1 << 20)

    async def use(c: httpx.AsyncClient) -> None:
        assert (await c.post("/v1/entail", content=endless())).status_code == 413

    serve(use)
    assert sent <= MAX_BODY + (2 << 20)


def tiny_model(folder: Path) -> model.Model:
    labels = ("contradiction", "entailment", "neutral")
    onnx = onnx_bytes(verdict_table(labels), types=False)
    return model.folder(model_folder(folder, {str(i): x for i, x in enumerate(labels)}, onnx, roberta_tokenizer()), 1)


@pytest.mark.parametrize(
    "text",
    [
        "mi\0ll",
        "\u202eyes",
        "yes \ud83d",
        "\udc00",
        "\u200b",
        "ｙｅｓ",
        "yes " * 15_000,
        "火" * 20_000,
        "! " * 32_000,
        "." * 300,
    ],
)
def test_odd_texts_get_probabilities(tmp_path: Path, text: str) -> None:
    async def use(c: httpx.AsyncClient) -> None:
        odd = {"pairs": [{"premise": text, "hypothesis": "no"}, {"premise": "no", "hypothesis": text}]}
        r = await c.post("/v1/entail", content=json.dumps(odd))
        assert r.status_code == 200
        for p in r.json()["probabilities"]:
            assert sum(p.values()) == pytest.approx(1)
            assert all(0 <= v <= 1 for v in p.values())

    serve(use, tiny_model(tmp_path))


@pytest.mark.parametrize("word", ["nan", "yes nan"])
def test_no_number_is_no_probability(tmp_path: Path, word: str) -> None:
    async def use(c: httpx.AsyncClient) -> None:
        r = await c.post("/v1/entail", json=pairs("yes", word))
        assert r.status_code == 500
        assert "no number" in r.json()["detail"]
        assert (await c.post("/v1/entail", json=pairs("yes"))).json()["probabilities"][0]["entailment"] > 0.99
        assert 'forsooth_nli_errors_total{cause="unsound"} 1.0' in (await c.get("/metrics")).text

    serve(use, tiny_model(tmp_path))


class Failing(Spelled):
    def run(self, batch: Ordered[Sequence]) -> Probabilities:
        raise RuntimeError("no such\noperator")


def test_a_model_that_fails_is_500() -> None:
    async def use(c: httpx.AsyncClient) -> None:
        r = await c.post("/v1/entail", json=pairs("0.5"))
        assert (r.status_code, r.json()) == (500, {"detail": "the model failed; the log says why"})

    serve(use, Failing())


def test_health_says_what_runs(tmp_path: Path) -> None:
    async def use(c: httpx.AsyncClient) -> None:
        health = (await c.get("/healthz")).json()
        assert len(health.pop("weights_sha256")) == 64
        assert health == {"status": "ok", "model": tmp_path.name, "labels": ["contradiction", "entailment", "neutral"]}

    serve(use, tiny_model(tmp_path))


def test_metrics_count_what_happened() -> None:
    async def use(c: httpx.AsyncClient) -> None:
        await c.post("/v1/entail", json=pairs("0.5", "0.6"))
        await c.post("/v1/entail", content=b"x")
        page = (await c.get("/metrics")).text
        for line in (
            'forsooth_nli_requests_total{status="200"} 1.0',
            'forsooth_nli_requests_total{status="422"} 1.0',
            "forsooth_nli_pairs_total 2.0",
            "forsooth_nli_batch_sequences_sum 2.0",
            "forsooth_nli_request_seconds_count 2.0",
            "forsooth_nli_batch_seconds_count 1.0",
            "forsooth_nli_queue_pairs 0.0",
        ):
            assert f"\n{line}\n" in page

    serve(use)


class Held(Spelled):
    def __init__(self) -> None:
        super().__init__()
        self.go, self.begun = threading.Event(), threading.Event()

    def run(self, batch: Ordered[Sequence]) -> Probabilities:
        self.begun.set()
        assert self.go.wait(PATIENCE)
        return super().run(batch)


def test_a_full_queue_is_503_with_a_time_to_return() -> None:
    held = Held()

    async def use(c: httpx.AsyncClient) -> None:
        first = asyncio.create_task(c.post("/v1/entail", json=pairs(*["0.5"] * 256)))
        assert await asyncio.to_thread(held.begun.wait, PATIENCE)
        r = await c.post("/v1/entail", json=pairs("0.5"))
        assert (r.status_code, r.headers["retry-after"]) == (503, "1")
        assert "forsooth_nli_queue_pairs 256.0" in (await c.get("/metrics")).text
        held.go.set()
        assert (await first).status_code == 200

    serve(use, held, Settings(gather=0.001, queue_pairs=256))


def test_a_request_whose_client_went_away_is_dropped() -> None:
    held = Held()
    left = asyncio.Event()

    async def abandoned(app: Any) -> None:
        body = [{"type": "http.request", "body": json.dumps(pairs(*["0.9"] * 99)).encode()}]

        async def receive() -> MutableMapping[str, Any]:
            if body:
                return body.pop()
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(_: MutableMapping[str, Any]) -> None:
            pass

        headers = [(b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": "/v1/entail", "query_string": b"", "headers": headers}
        await app(scope, receive, send)

    async def use(c: httpx.AsyncClient) -> None:
        transport = c._transport
        assert isinstance(transport, httpx.ASGITransport)
        first = asyncio.create_task(c.post("/v1/entail", json=pairs("0.5")))
        assert await asyncio.to_thread(held.begun.wait, PATIENCE)
        going = asyncio.create_task(abandoned(transport.app))
        while "forsooth_nli_queue_pairs 100.0" not in (await c.get("/metrics")).text:
            await asyncio.sleep(0.01)
        left.set()
        await going
        page = (await c.get("/metrics")).text
        assert "forsooth_nli_queue_pairs 1.0" in page
        assert "forsooth_nli_dropped_total 1.0" in page
        held.go.set()
        await first

    serve(use, held)
    assert held.batches == [[1]]


def test_another_method_or_path_is_refused_as_json() -> None:
    async def use(c: httpx.AsyncClient) -> None:
        assert (await c.get("/v1/entail")).status_code == 405
        assert (await c.get("/docs")).json() == {"detail": "Not Found"}

    serve(use)
