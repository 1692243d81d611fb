"""What the service counts about itself, for Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 10.0)


class Meters:
    """The meters of one service; two in one process do not meet."""

    def __init__(self) -> None:
        r = self._registry = CollectorRegistry()
        self.requests = Counter("forsooth_nli_requests", "Requests for verdicts, by status.", ["status"], registry=r)
        self.pairs = Counter("forsooth_nli_pairs", "Pairs answered.", registry=r)
        self.dropped = Counter("forsooth_nli_dropped", "Requests whose client went away.", registry=r)
        self.errors = Counter("forsooth_nli_errors", "Requests that the service failed, by cause.", ["cause"], registry=r)
        self.latency = Histogram("forsooth_nli_request_seconds", "Time a request took.", buckets=_SECONDS, registry=r)
        self.batch_seconds = Histogram(
            "forsooth_nli_batch_seconds", "Time the model took for a batch.", buckets=_SECONDS, registry=r
        )
        self.batch_size = Histogram(
            "forsooth_nli_batch_sequences", "Sequences in a batch.", buckets=(1, 2, 4, 8, 16, 32, 64, 128, 256), registry=r
        )
        self.batch_tokens = Histogram(
            "forsooth_nli_batch_tokens",
            "Tokens in a batch, padding included.",
            buckets=(64, 256, 1024, 2048, 4096, 16384),
            registry=r,
        )
        self._queue = Gauge("forsooth_nli_queue_pairs", "Pairs admitted and not yet answered.", registry=r)

    def watch_queue(self, size: Callable[[], int]) -> None:
        self._queue.set_function(size)

    def page(self) -> bytes:
        return generate_latest(self._registry)
