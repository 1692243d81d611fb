"""How long onnxruntime takes for a pair on one core, fp32 and int8, beside which the Go engine is measured.

    python bench_onnx.py --weights ../../../weights/verifier.safetensors

It runs the sidecar's own graph of the weights, and that graph with onnxruntime's
dynamic int8. Times are of the processor, so that a busy machine changes them little;
run `go test -run - -bench Pool ./internal/transformer` in the same minute.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime as ort
from onnxruntime.quantization import QuantType, quantize_dynamic

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from forsooth_nli import graph, weights  # noqa: E402


def per_pair(model: Path, pairs: int, tokens: int, rounds: int) -> float:
    """Give the median milliseconds a pair."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = ort.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    ids = np.random.default_rng(1).integers(1000, 30000, (pairs, tokens))
    inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    session.run(None, inputs)
    times = []
    for _ in range(rounds):
        start = time.process_time()
        session.run(None, inputs)
        times.append(time.process_time() - start)
    return 1000 * statistics.median(times) / pairs


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--weights", type=Path, required=True)
    p.add_argument("--pairs", type=int, default=16)
    p.add_argument("--tokens", type=int, default=64)
    p.add_argument("--rounds", type=int, default=7)
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        whole, small = Path(tmp) / "fp32.onnx", Path(tmp) / "int8.onnx"
        whole.write_bytes(graph.build(weights.read(a.weights)))
        quantize_dynamic(whole, small, weight_type=QuantType.QInt8, per_channel=True)
        for name, model in (("fp32", whole), ("int8", small)):
            print(f"onnxruntime {ort.__version__} {name}: {per_pair(model, a.pairs, a.tokens, a.rounds):.2f} ms a pair")


if __name__ == "__main__":
    main()
