"""How long onnxruntime takes for a pair on one core, fp32 and int8, beside the verifier in Go.

    python bench_onnx.py --weights ../../../weights/verifier.safetensors

It runs the sidecar's own graph of the weights, and that graph with onnxruntime's
dynamic int8, and needs what the sidecar's requirements.txt lists: the interpreter of
.venv/nli has it. Times are of the processor, so that a busy machine changes them
little.

With --serve it answers `forsooth bench verify --python`, which takes turns with it.
A line on standard input is a batch, {"ids", "split"}: token ids of one length, of
which the first so many are the premise's. A line on standard output answers it,
{"fp32", "int8"}: how many milliseconds the batch took, and P(entailed) of each pair.
The first line says which onnxruntime runs.
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_dynamic

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from forsooth_nli import graph, weights

Ids = NDArray[np.int64]
Engines = dict[str, ort.InferenceSession]


def session(path: Path) -> ort.InferenceSession:
    o = ort.SessionOptions()
    o.intra_op_num_threads = o.inter_op_num_threads = 1
    o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    return ort.InferenceSession(str(path), o, providers=["CPUExecutionProvider"])


def engines(file: Path) -> Engines:
    """Build the graph once, and quantise its matrices as onnxruntime itself does it."""
    with tempfile.TemporaryDirectory() as folder:
        plain, small = Path(folder) / "fp32.onnx", Path(folder) / "int8.onnx"
        plain.write_bytes(graph.build(weights.read(file)))
        quantize_dynamic(plain, small, op_types_to_quantize=["MatMul"], per_channel=True, weight_type=QuantType.QInt8)
        return {"fp32": session(plain), "int8": session(small)}


def timed(s: ort.InferenceSession, ids: Ids, split: int) -> tuple[float, list[float]]:
    """Give the milliseconds of a batch, and P(entailed) of each pair."""
    types = np.zeros_like(ids)
    types[:, split:] = 1
    inputs = {"input_ids": ids, "token_type_ids": types, "attention_mask": np.ones_like(ids)}
    began = time.process_time()
    logits = s.run(None, inputs)[0]
    took = time.process_time() - began
    e = np.exp(logits - logits.max(1, keepdims=True))
    return took * 1000, (e[:, 0] / e.sum(1)).tolist()


def serve(by_name: Engines) -> None:
    def say(what: dict[str, Any]) -> None:
        print(json.dumps(what), flush=True)

    say({"onnxruntime": ort.__version__})
    for line in sys.stdin:
        batch = json.loads(line)
        ids, answer = np.array(batch["ids"], np.int64), {}
        for name, s in by_name.items():
            ms, entailed = timed(s, ids, batch["split"])
            answer[name] = {"ms": ms, "entailed": entailed}
        say(answer)


def alone(by_name: Engines, pairs: int, tokens: int, rounds: int) -> None:
    """Print the median of so many rounds of each, in turns; the first warms them up."""
    ids = np.random.default_rng(1).integers(1000, 30000, (pairs, tokens))
    times = [{name: timed(s, ids, tokens // 2)[0] / pairs for name, s in by_name.items()} for _ in range(rounds + 1)]
    for name in by_name:
        print(f"onnxruntime {ort.__version__} {name}: {statistics.median(t[name] for t in times[1:]):.2f} ms a pair")


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--weights", type=Path, required=True)
    p.add_argument("--serve", action="store_true")
    p.add_argument("--pairs", type=int, default=16)
    p.add_argument("--tokens", type=int, default=64)
    p.add_argument("--rounds", type=int, default=7)
    a = p.parse_args()
    logging.disable(logging.WARNING)  # the quantiser advises a step that this graph does not need
    by_name = engines(a.weights)
    if a.serve:
        serve(by_name)
    else:
        alone(by_name, a.pairs, a.tokens, max(1, a.rounds))


if __name__ == "__main__":
    main()
