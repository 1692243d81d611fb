"""The HTTP service: what a request may hold, and what is answered to one that holds something else."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import AsyncIterator
from typing import Any, Protocol

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import ClientDisconnect

from .batches import Batcher, Judge, Settings, Texts
from .failure import FullError, RequestError, StoppedError, UnsoundError
from .labels import CONTRADICTION, ENTAILMENT, NEUTRAL
from .meters import Meters
from .model import Probabilities

log = logging.getLogger("forsooth_nli")

MAX_PAIRS = 256
MAX_TEXT = 64 << 10  # bytes of UTF-8
MAX_BODY = 8 << 20
GONE = 499  # nobody reads it: the client went away
_EXAMPLE = '{"pairs": [{"premise": "…", "hypothesis": "…"}]}'


class Served(Judge, Protocol):
    """A judge that can say what it is: a Model, or a test's stand-in."""

    name: str
    sha256: str
    labels: tuple[str, ...]


def service(model: Served, settings: Settings) -> FastAPI:
    """Make the service of one model."""
    meters = Meters()
    batcher = Batcher(model, settings, meters)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        batcher.start()
        yield
        await batcher.stop()

    app = FastAPI(title="forsooth-nli", lifespan=lifespan, openapi_url=None)

    @app.post("/v1/entail")
    async def entail(request: Request) -> Response:
        start = time.perf_counter()
        response = await _entail(request, model, batcher, meters)
        meters.requests.labels(str(response.status_code)).inc()
        meters.latency.observe(time.perf_counter() - start)
        return response

    @app.get("/healthz")
    async def healthz() -> Response:
        return JSONResponse({"status": "ok", "model": model.name, "weights_sha256": model.sha256, "labels": list(model.labels)})

    @app.get("/metrics")
    async def metrics() -> Response:
        return Response(meters.page(), media_type=CONTENT_TYPE_LATEST)

    return app


async def _entail(request: Request, model: Served, batcher: Batcher, meters: Meters) -> Response:
    try:
        texts = read_pairs(await _body(request))
        rows = await _while_connected(request, batcher, texts)
    except ClientDisconnect:
        meters.dropped.inc()
        return Response(status_code=GONE)
    except RequestError as err:
        return _refusal(err.status, err.detail)
    except FullError:
        meters.errors.labels("full").inc()
        return _refusal(503, "too many pairs are waiting; ask again in a second", {"Retry-After": "1"})
    except StoppedError:
        meters.errors.labels("stopped").inc()
        return _refusal(503, "the service is being stopped", {"Retry-After": "5"})
    except UnsoundError:
        meters.errors.labels("unsound").inc()
        return _refusal(500, "the model answered with a value that is no number; nothing is known of these pairs")
    except Exception as err:
        meters.errors.labels("model").inc()
        log.error("a request failed: %s: %s", type(err).__name__, " ".join(str(err).split())[:300])
        return _refusal(500, "the model failed; the log says why")
    meters.pairs.inc(len(texts))
    answers = [dict(zip((ENTAILMENT, NEUTRAL, CONTRADICTION), row, strict=True)) for row in rows.tolist()]
    return JSONResponse({"model": model.name, "weights_sha256": model.sha256, "probabilities": answers})


def _refusal(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse({"detail": detail}, status, headers)


async def _while_connected(request: Request, batcher: Batcher, texts: list[Texts]) -> Probabilities:
    """Judge the pairs for as long as their client waits for them."""
    judged = asyncio.ensure_future(batcher.judge(texts))
    gone = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((judged, gone), return_when=asyncio.FIRST_COMPLETED)
        if not judged.done():
            raise ClientDisconnect
        return judged.result()
    finally:
        for task in (judged, gone):
            task.cancel()
        await asyncio.gather(judged, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _body(request: Request) -> bytes:
    """Read the body, and no more of it than is allowed."""
    too_large = RequestError(413, f"the body is larger than {MAX_BODY} bytes; send fewer pairs at a time")
    stated = request.headers.get("content-length", "")
    if stated.isascii() and stated.isdecimal() and int(stated[:12]) > MAX_BODY:
        raise too_large
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise too_large
    return bytes(body)


def read_pairs(body: bytes) -> list[Texts]:
    """Give the pairs of a body, or say in one line what is wrong with it."""
    try:
        content: Any = json.loads(body)
    except (ValueError, RecursionError) as err:
        raise RequestError(422, f"the body is not JSON in UTF-8; send {_EXAMPLE}") from err
    if not isinstance(content, dict) or not isinstance(content.get("pairs"), list):
        raise RequestError(422, f"the body has no list of pairs; send {_EXAMPLE}")
    pairs = content["pairs"]
    if len(pairs) > MAX_PAIRS:
        raise RequestError(413, f"{len(pairs)} pairs are more than {MAX_PAIRS}; send fewer at a time")
    return [_texts(i, p) for i, p in enumerate(pairs)]


def _texts(i: int, pair: Any) -> Texts:
    if not isinstance(pair, dict):
        raise RequestError(422, f"pair {i} is no object; send {_EXAMPLE}")
    return _text(i, pair, "premise"), _text(i, pair, "hypothesis")


def _text(i: int, pair: dict[str, Any], key: str) -> str:
    text = pair.get(key)
    if not isinstance(text, str):
        raise RequestError(422, f"pair {i} has no text as its {key}; send {_EXAMPLE}")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_TEXT:
        raise RequestError(413, f"the {key} of pair {i} has {size} bytes, {MAX_TEXT} are allowed; cut it into blocks")
    return text
