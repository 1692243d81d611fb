"""The command as a person runs it: a process of its own, on a free port."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from tiny import (
    PATIENCE,
    encoder_tensors,
    model_folder,
    onnx_bytes,
    roberta_tokenizer,
    verdict_table,
    weights_bytes,
    weights_file,
)

from forsooth_nli.__main__ import WEIGHTS, arguments

HERE = Path(__file__).parents[1]


def command(*args: str) -> list[str]:
    return [sys.executable, "-m", "forsooth_nli", *args]


@contextlib.contextmanager
def running(*args: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """Start the sidecar on a free port and give the process, its URL and its first line."""
    process = subprocess.Popen(command("--port", "0", *args), cwd=HERE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        url = re.search(r"http://\S+", line)
        assert url, line + process.stderr.read()
        yield process, url[0], line
    finally:
        process.kill()
        process.communicate()


def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    path = weights_file(tmp_path)
    with running("--weights", str(path), "--threads", "1") as (process, url, line):
        assert re.search(
            r"tiny \(sha256 [0-9a-f]{12}; entailment, neutral, contradiction\) on http://127\.0\.0\.1:\d+\n$", line
        )
        with httpx.Client(base_url=url, timeout=PATIENCE) as client:
            body = {"pairs": [{"premise": "The mill burned.", "hypothesis": "the sword"}] * 3}
            answer = client.post("/v1/entail", json=body).json()
            assert [round(sum(p.values()), 6) for p in answer["probabilities"]] == [1, 1, 1]
            assert client.get("/healthz").json()["status"] == "ok"
            refused = client.post("/v1/entail", content=b" " * (9 << 20))
            assert refused.status_code == 413
            assert "forsooth_nli_requests_total" in client.get("/metrics").text
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=PATIENCE)
        assert (process.returncode, rest) == (0, "")


def test_another_model_is_served_by_setting(tmp_path: Path) -> None:
    labels = ("contradiction", "entailment", "neutral")
    onnx = onnx_bytes(verdict_table(labels), types=False)
    model_folder(tmp_path, {str(i): x for i, x in enumerate(labels)}, onnx, roberta_tokenizer())
    with running("--model", str(tmp_path)) as (_, url, _):
        body = {"pairs": [{"premise": "yes", "hypothesis": "mill"}, {"premise": "no", "hypothesis": "mill"}]}
        answer = httpx.post(url + "/v1/entail", json=body, timeout=PATIENCE).json()
        assert [max(p, key=lambda k: p[k]) for p in answer["probabilities"]] == ["entailment", "contradiction"]


def test_weights_that_cannot_be_used_end_it_with_3_and_one_line(tmp_path: Path) -> None:
    whole = weights_bytes(encoder_tensors())
    for raw, says in ((whole[:-9], "cut short"), (weights_bytes(encoder_tensors(), version="7"), "version '7'")):
        ended = subprocess.run(
            command("--weights", str(weights_file(tmp_path, raw))), cwd=HERE, capture_output=True, text=True, timeout=PATIENCE
        )
        assert ended.returncode == 3
        assert says in ended.stderr
        assert ended.stderr.count("\n") == 1


def test_a_port_that_is_taken_ends_it_with_one_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        args = command("--weights", str(weights_file(tmp_path)), "--port", str(taken.getsockname()[1]))
        ended = subprocess.run(args, cwd=HERE, capture_output=True, text=True, timeout=PATIENCE)
    assert ended.returncode == 1
    assert re.fullmatch(
        r"forsooth_nli: cannot listen on 127.0.0.1:\d+: Address already in use; give --host and --port\n", ended.stderr
    )


def test_a_flag_goes_before_a_variable_and_a_variable_before_the_default() -> None:
    environment = {
        "FORSOOTH_NLI_PORT": "8500",
        "FORSOOTH_NLI_BATCH_TOKENS": "512",
        "FORSOOTH_NLI_WEIGHTS": "",
        "FORSOOTH_NLI_MODEL": "m",
    }
    args = arguments(["--port", "8600"], environment)
    assert (args.port, args.batch_tokens, args.model, args.threads) == (8600, 512, "m", 0)


@pytest.mark.parametrize(
    ("argv", "environment", "says"),
    [
        (["--port", "x"], {}, "'x' is no number from 0 to 65535"),
        ([], {"FORSOOTH_NLI_PORT": "70000"}, "'70000' is no number from 0 to 65535"),
        (["--queue-pairs", "10"], {}, "'10' is no number from 256"),
        (["--weights", "w", "--model", "m"], {}, "exclude each other"),
        (["--weights", "w"], {"FORSOOTH_NLI_MODEL": "m"}, "exclude each other"),
    ],
)
def test_settings_that_cannot_be_are_refused(
    argv: list[str], environment: dict[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        arguments(argv, environment)
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_the_weights_that_ship_lie_where_it_looks() -> None:
    assert HERE.parents[1] / "weights" / "verifier.safetensors" == WEIGHTS
