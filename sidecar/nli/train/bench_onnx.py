"""onnxruntime beside the verifier in Go: the same weights, the same tokens, one thread.

    python bench_onnx.py --weights ../../../weights/verifier.safetensors

It serves `forsooth bench verify --python`, and needs what the sidecar's
requirements.txt lists: the interpreter of .venv/nli has it. A line on standard input is a batch,
{"ids", "split"}: token ids of one length, of which the first so many are the
premise's. A line on standard output answers it, {"fp32", "int8"}: how many
milliseconds of a core the batch took, and P(entailed) of each pair. The first line
says which onnxruntime runs.
"""

from __future__ import annotations

import argparse
import json
import logging
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
from forsooth_nli import graph, weights  # noqa: E402 (the path above finds it)

Batch = dict[str, NDArray[np.int64]]


def session(path: Path) -> ort.InferenceSession:
    o = ort.SessionOptions()
    o.intra_op_num_threads = o.inter_op_num_threads = 1
    o.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    return ort.InferenceSession(str(path), o, providers=["CPUExecutionProvider"])


def sessions(file: Path, folder: Path) -> dict[str, ort.InferenceSession]:
    """Build the graph once, and quantise its matrices as onnxruntime itself does it."""
    plain, small = folder / "fp32.onnx", folder / "int8.onnx"
    plain.write_bytes(graph.build(weights.read(file)))
    quantize_dynamic(plain, small, op_types_to_quantize=["MatMul"], per_channel=True, weight_type=QuantType.QInt8)
    return {"fp32": session(plain), "int8": session(small)}


def inputs(line: str) -> Batch:
    batch = json.loads(line)
    ids = np.array(batch["ids"], np.int64)
    types = np.zeros_like(ids)
    types[:, batch["split"] :] = 1
    return {"input_ids": ids, "token_type_ids": types, "attention_mask": np.ones_like(ids)}


def timed(s: ort.InferenceSession, batch: Batch) -> dict[str, Any]:
    began = time.process_time()
    logits = s.run(None, batch)[0]
    took = time.process_time() - began
    e = np.exp(logits - logits.max(1, keepdims=True))
    return {"ms": took * 1000, "entailed": (e[:, 0] / e.sum(1)).tolist()}


def say(what: dict[str, Any]) -> None:
    print(json.dumps(what), flush=True)


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--weights", type=Path, required=True)
    a = p.parse_args()
    logging.disable(logging.WARNING)  # the quantiser advises a step that this graph does not need
    with tempfile.TemporaryDirectory() as folder:
        engines = sessions(a.weights, Path(folder))
    say({"onnxruntime": ort.__version__})
    for line in sys.stdin:
        batch = inputs(line)
        say({name: timed(s, batch) for name, s in engines.items()})


if __name__ == "__main__":
    main()
