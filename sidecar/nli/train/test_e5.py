from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import numpy as np
import torch
from e5 import read_jar, tensors
from encoder import InputError
from onnx import TensorProto, helper, numpy_helper


def test_a_matrix_is_named_by_what_multiplies_with_it() -> None:
    matrix, bias = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones(3, np.float32)
    graph = helper.make_graph(
        [
            helper.make_node("MatMul", ["x", "onnx::MatMul_7"], ["y"], name="/encoder/layer.0/output/dense/MatMul"),
            helper.make_node("MatMul", ["y", "x"], ["z"], name="/encoder/layer.0/attention/self/MatMul"),
        ],
        "tiny",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 2])],
        [numpy_helper.from_array(matrix, "onnx::MatMul_7"), numpy_helper.from_array(bias, "encoder.layer.0.output.dense.bias")],
    )
    got = tensors(helper.make_model(graph))
    assert torch.equal(got["encoder.layer.0.output.dense.weight"], torch.from_numpy(matrix.T.copy()))
    assert torch.equal(got["encoder.layer.0.output.dense.bias"], torch.ones(3))
    assert not any("self" in name for name in got)


def test_another_jar_is_refused(tmp_path: Path) -> None:
    (tmp_path / "e5.jar").write_bytes(b"PK")
    with pytest.raises(InputError, match="sha256"):
        read_jar(tmp_path / "e5.jar")
