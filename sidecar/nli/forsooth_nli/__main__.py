"""The command: load a model, say so in one line, and serve until told to stop."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import uvicorn

from . import model
from .batches import Settings
from .failure import LoadError
from .service import MAX_PAIRS, service

WEIGHTS = Path(__file__).resolve().parents[3] / "weights" / "verifier.safetensors"
UNUSABLE = 3  # the exit code of a model that cannot be used
KEEP_ALIVE = 75  # seconds: longer than a client keeps its idle connections, so that it closes them
LAST_WORDS = 5  # seconds that requests have to end in

log = logging.getLogger("forsooth_nli")


def _within(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else -1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is no number from {low} to {high}")
        return value

    return number


def arguments(argv: Sequence[str] | None, environment: Mapping[str, str]) -> argparse.Namespace:
    """Read the settings: a flag, else FORSOOTH_NLI_NAME, else the default."""
    p = argparse.ArgumentParser(
        prog="forsooth_nli", description="Entailment over HTTP: POST /v1/entail, GET /healthz, GET /metrics."
    )

    def setting(name: str, default: str, text: str, kind: Callable[[str], object] = str) -> None:
        variable = "FORSOOTH_NLI_" + name.upper().replace("-", "_")
        value = environment.get(variable) or default  # a set but empty variable is an unset one
        shown = f"default {default}" if default else "default none"
        p.add_argument(f"--{name}", default=value, type=kind, help=f"{text} ({variable}; {shown})")

    setting("host", "127.0.0.1", "address to listen on")
    setting("port", "8400", "port to listen on; 0 takes a free one", _within(0, 65535))
    setting("weights", "", "the verifier's weights, vocab.txt beside them; without it those that ship")
    setting("model", "", "folder of another model: model.onnx, tokenizer.json, config.json")
    setting("threads", "0", "threads of the model; 0 takes one a core", _within(0, 1024))
    setting("batch-tokens", "2048", "tokens of a batch at most", _within(256, 1 << 20))
    setting("gather-ms", "3", "how long a batch waits for company", _within(0, 1000))
    setting("queue-pairs", "1024", "pairs that may wait", _within(MAX_PAIRS, 1 << 20))
    args = p.parse_args(argv)
    if args.weights and args.model:
        p.error("--weights and --model (or their variables) exclude each other; give one")
    return args


def _load(args: argparse.Namespace) -> model.Model:
    if args.model:
        return model.folder(Path(args.model), args.threads)
    return model.own(Path(args.weights or WEIGHTS), args.threads)


def _listen(host: str, port: int) -> socket.socket:
    family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    listening = socket.socket(family, kind)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError:
        listening.close()
        raise
    return listening


def main(argv: Sequence[str] | None = None) -> int:
    """Run the service and give its exit code."""
    args = arguments(argv, os.environ)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s", stream=sys.stderr)
    try:
        loaded = _load(args)
    except LoadError as err:
        print(f"forsooth_nli: {err}", file=sys.stderr)
        return UNUSABLE
    try:
        listening = _listen(args.host, args.port)
    except OSError as err:
        print(
            f"forsooth_nli: cannot listen on {args.host}:{args.port}: {err.strerror or err}; give --host and --port",
            file=sys.stderr,
        )
        return 1
    settings = Settings(batch_tokens=args.batch_tokens, gather=args.gather_ms / 1000, queue_pairs=args.queue_pairs)
    config = uvicorn.Config(
        service(loaded, settings),
        log_level="warning",
        access_log=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=LAST_WORDS,
    )
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    log.info("%s (sha256 %s; %s) on http://%s:%d", loaded.name, loaded.sha256[:12], ", ".join(loaded.labels), shown, port)
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again once all is closed
        uvicorn.Server(config).run(sockets=[listening])
    return 0


if __name__ == "__main__":
    sys.exit(main())
