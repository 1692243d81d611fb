"""The verifier as an ONNX graph: a BERT encoder, the mean over its tokens, and the entailment head."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from .weights import NORMS, Weights

OPSET, IR = 17, 8
EPSILON = 1e-12
FAR = np.float32(-1e9)  # what is added to the attention on padding


class _Graph:
    """Nodes and constants as they grow, each under a name of its own."""

    def __init__(self) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []

    def constant(self, value: NDArray[np.generic] | np.generic | float | list[int]) -> str:
        name = f"c{len(self.constants)}"
        if isinstance(value, list):
            array = np.array(value, np.int64)
        elif isinstance(value, float):
            array = np.array(value, np.float32)
        else:
            array = np.ascontiguousarray(value) if np.ndim(value) else np.array(value)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name


class _Builder(_Graph):
    def __init__(self, w: Weights) -> None:
        super().__init__()
        self.w = w

    def linear(self, x: str, name: str) -> str:
        t = self.w.tensors
        return self.op("Add", self.op("MatMul", x, self.constant(t[f"{name}.weight"].T)), self.constant(t[f"{name}.bias"]))

    def norm(self, x: str, name: str) -> str:
        t = self.w.tensors
        scale, bias = self.constant(t[f"{name}.weight"]), self.constant(t[f"{name}.bias"])
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)

    def gelu(self, x: str) -> str:
        erf = self.op("Erf", self.op("Div", x, self.constant(math.sqrt(2))))
        return self.op("Mul", self.op("Mul", x, self.op("Add", erf, self.constant(1.0))), self.constant(0.5))

    def embeddings(self) -> str:
        t = self.w.tensors
        length = self.op("Gather", self.op("Shape", "input_ids"), self.constant(np.int64(1)), axis=0)
        at = self.op("Range", self.constant(np.int64(0)), length, self.constant(np.int64(1)))
        words = self.op("Gather", self.constant(t["embeddings.word.weight"]), "input_ids", axis=0)
        positions = self.op("Gather", self.constant(t["embeddings.position.weight"]), at, axis=0)
        types = self.op("Gather", self.constant(t["embeddings.type.weight"]), "token_type_ids", axis=0)
        return self.norm(self.op("Add", self.op("Add", words, types), positions), "embeddings.norm")

    def attention(self, x: str, layer: str, bias: str) -> str:
        s = self.w.shape
        size = s.hidden // s.heads

        def split(name: str, order: list[int]) -> str:
            parts = self.op("Reshape", self.linear(x, f"{layer}.{name}"), self.constant([0, 0, s.heads, size]))
            return self.op("Transpose", parts, perm=order)

        scores = self.op("MatMul", split("q", [0, 2, 1, 3]), split("k", [0, 2, 3, 1]))
        scores = self.op("Add", self.op("Div", scores, self.constant(math.sqrt(size))), bias)
        seen = self.op("MatMul", self.op("Softmax", scores, axis=-1), split("v", [0, 2, 1, 3]))
        joined = self.op("Reshape", self.op("Transpose", seen, perm=[0, 2, 1, 3]), self.constant([0, 0, s.hidden]))
        return self.linear(joined, f"{layer}.o")

    def layer(self, x: str, layer: str, bias: str) -> str:
        after, output = NORMS
        x = self.norm(self.op("Add", x, self.attention(x, layer, bias)), f"{layer}.{after}")
        wide = self.gelu(self.linear(x, f"{layer}.up"))
        return self.norm(self.op("Add", x, self.linear(wide, f"{layer}.down")), f"{layer}.{output}")

    def pooled(self, x: str, mask: str) -> str:
        column = self.op("Unsqueeze", mask, self.constant([2]))
        total = self.op("ReduceSum", self.op("Mul", x, column), self.constant([1]), keepdims=0)
        return self.op("Div", total, self.op("ReduceSum", mask, self.constant([1]), keepdims=1))


def build(w: Weights) -> bytes:
    """Give the model, serialised: ids, types and mask in, three logits a pair out."""
    g = _Builder(w)
    mask = g.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    padding = g.op("Mul", g.op("Sub", g.constant(1.0), mask), g.constant(FAR))
    bias = g.op("Unsqueeze", padding, g.constant([1, 2]))
    x = g.embeddings()
    for i in range(w.shape.layers):
        x = g.layer(x, f"layers.{i}", bias)
    dense = g.op("Tanh", g.linear(g.pooled(x, mask), "heads.entail.dense"))
    logits = g.linear(dense, "heads.entail.out")
    g.nodes.append(helper.make_node("Identity", [logits], ["logits"]))
    graph = helper.make_graph(
        g.nodes,
        "forsooth",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])],
        g.constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
    out: bytes = model.SerializeToString()
    return out
