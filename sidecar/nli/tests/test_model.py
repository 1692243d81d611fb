from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import TensorProto
from tiny import HEADS, LAYERS, VOCAB, bert_tokenizer, model_folder, onnx_bytes, roberta_tokenizer, verdict_table, weights_file

from forsooth_nli import model, weights
from forsooth_nli.failure import LoadError
from forsooth_nli.pairs import Sequence

THREE = ("entailment", "neutral", "contradiction")
Floats = NDArray[np.float64]


def norm(x: Floats, w: weights.Weights, name: str) -> Floats:
    x = x - x.mean(1, keepdims=True)
    out: Floats = x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-12) * w.tensors[f"{name}.weight"] + w.tensors[f"{name}.bias"]
    return out


def linear(x: Floats, w: weights.Weights, name: str) -> Floats:
    out: Floats = x @ w.tensors[f"{name}.weight"].T.astype(np.float64) + w.tensors[f"{name}.bias"]
    return out


def by_hand(w: weights.Weights, s: Sequence) -> Floats:
    """Give the probabilities of one sequence, alone and in plain numpy."""
    t = w.tensors
    x = t["embeddings.word.weight"][s.ids] + t["embeddings.position.weight"][: len(s)] + t["embeddings.type.weight"][s.types]
    y = norm(x.astype(np.float64), w, "embeddings.norm")
    for i in range(LAYERS):
        name = f"layers.{i}"
        q, k, v = (linear(y, w, f"{name}.{p}").reshape(len(s), HEADS, -1) for p in "qkv")
        heads = []
        for h in range(HEADS):
            scores = np.exp(q[:, h] @ k[:, h].T / math.sqrt(q.shape[2]))
            heads.append(scores / scores.sum(1, keepdims=True) @ v[:, h])
        y = norm(y + linear(np.concatenate(heads, 1), w, f"{name}.o"), w, f"{name}.attention_norm")
        up = linear(y, w, f"{name}.up")
        gelu = up * 0.5 * (1 + np.vectorize(math.erf)(up / math.sqrt(2)))
        y = norm(y + linear(gelu, w, f"{name}.down"), w, f"{name}.output_norm")
    pooled = y.mean(0, keepdims=True)
    logits = linear(np.tanh(linear(pooled, w, "heads.entail.dense")), w, "heads.entail.out")[0]
    odds = np.exp(logits - logits.max())
    out: Floats = odds / odds.sum()
    return out


def test_the_graph_computes_what_the_weights_say(tmp_path: Path) -> None:
    path = weights_file(tmp_path)
    m, w = model.own(path, 1), weights.read(path)
    pairs = [
        ("The mill burned.", "yes"),
        ("the smith the smith the sword", "no no no"),
        ("sword", "the mill burned maybe"),
        ("x", "y"),
    ]
    sequences = [s for p in pairs for s in m.read(*p)]
    got = m.run(sequences)
    want = np.stack([by_hand(w, s) for s in sequences])
    assert np.abs(got - want).max() < 1e-4
    assert np.ptp(want, axis=0).min() > 0.02, "the cases are too alike to tell anything"


def test_company_in_a_batch_changes_nothing(tmp_path: Path) -> None:
    m = model.own(weights_file(tmp_path), 1)
    sequences = m.read("the mill", "yes") + m.read("the smith burned the mill the smith the sword " * 3, "no")
    assert np.allclose(m.run(sequences), np.concatenate([m.run([s]) for s in sequences]), atol=1e-6)


def test_a_pair_is_no_longer_than_the_positions(tmp_path: Path) -> None:
    m = model.own(weights_file(tmp_path), 1)
    (s,) = m.read("mill " * 100, "yes " * 100)
    assert len(s) == 48
    assert np.isfinite(m.run([s])).all()


def test_our_own_model_names_itself(tmp_path: Path) -> None:
    m = model.own(weights_file(tmp_path), 1)
    assert (m.name, m.labels, len(m.sha256)) == ("tiny", THREE, 64)


def answers(m: model.Model, *premises: str) -> list[list[float]]:
    out: list[list[float]] = m.run([s for p in premises for s in m.read(p, "the sword")]).round(3).tolist()
    return out


@pytest.mark.parametrize("order", list(itertools.permutations(THREE)))
@pytest.mark.parametrize("types", [True, False])
def test_labels_stand_where_the_config_puts_them(tmp_path: Path, order: tuple[str, ...], types: bool) -> None:
    tokenizer = bert_tokenizer() if types else roberta_tokenizer()
    id2label = {str(i): x.upper() for i, x in enumerate(order)}
    m = model.folder(model_folder(tmp_path, id2label, onnx_bytes(verdict_table(order), types=types), tokenizer), 1)
    assert m.labels == order
    assert answers(m, "yes", "maybe the mill", "no") == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize("order", [("entailment", "not_entailment"), ("not_entailment", "entailment")])
def test_of_two_classes_none_contradicts(tmp_path: Path, order: tuple[str, ...]) -> None:
    id2label = {str(i): x for i, x in enumerate(order)}
    m = model.folder(model_folder(tmp_path, id2label, onnx_bytes(verdict_table(order), types=False), roberta_tokenizer()), 1)
    assert answers(m, "yes", "maybe", "mill") == [[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0]]


def test_two_classes_may_be_numbers(tmp_path: Path) -> None:
    table = verdict_table(("not_entailment", "entailment"))
    folder = model_folder(tmp_path, {"0": "0", "1": "1"}, onnx_bytes(table, types=False), roberta_tokenizer())
    assert answers(model.folder(folder, 1), "yes", "maybe") == [[1, 0, 0], [0, 1, 0]]


ID2LABEL = {str(i): x for i, x in enumerate(THREE)}


def test_token_types_tell_premise_from_hypothesis(tmp_path: Path) -> None:
    m = model.folder(model_folder(tmp_path, ID2LABEL, onnx_bytes(verdict_table(THREE), types=True), bert_tokenizer()), 1)
    assert m.run(m.read("yes", "no no no")).round(3).tolist() == [[1, 0, 0]]


def test_a_folder_as_exporters_lay_it_out_is_read(tmp_path: Path) -> None:
    onnx = onnx_bytes(verdict_table(THREE), types=False, integer=TensorProto.INT32, output="scores")
    folder = model_folder(tmp_path / "some-model", ID2LABEL, onnx, roberta_tokenizer(), inside="onnx/model.onnx")
    m = model.folder(folder, 1)
    assert m.name == "some-model"
    assert answers(m, "yes") == [[1, 0, 0]]


def test_the_tokenizers_own_padding_and_cutting_is_not_used(tmp_path: Path) -> None:
    m = model.folder(model_folder(tmp_path, ID2LABEL, onnx_bytes(verdict_table(THREE), types=True), bert_tokenizer()), 1)
    assert [len(s) for s in m.read("mill", "yes") + m.read("mill " * 40, "yes")] == [5, 44]


@pytest.mark.parametrize(("kind", "limit"), [("roberta", 38), ("bert", 40)])
def test_a_models_positions_bound_a_pair(tmp_path: Path, kind: str, limit: int) -> None:
    onnx = onnx_bytes(verdict_table(THREE), types=False)
    folder = model_folder(tmp_path, ID2LABEL, onnx, roberta_tokenizer(), model_type=kind, max_position_embeddings=40)
    (s,) = model.folder(folder, 1).read("mill " * 90, "yes " * 90)
    assert len(s) == limit


def test_our_weights_are_not_told_how_a_sentence_ends_and_others_are(tmp_path: Path) -> None:
    ours = model.own(weights_file(tmp_path), 1)
    theirs = model.folder(model_folder(tmp_path, ID2LABEL, onnx_bytes(verdict_table(THREE), types=True), bert_tokenizer()), 1)
    assert ours.read("the mill", "yes") == ours.read("the mill", "yes.")
    assert theirs.read("the mill", "yes") != theirs.read("the mill", "yes.")


def test_padding_is_the_models_own(tmp_path: Path) -> None:
    table = verdict_table(THREE)
    onnx = onnx_bytes(table, types=False)
    folder = model_folder(tmp_path, ID2LABEL, onnx, roberta_tokenizer(), pad_token_id=VOCAB.index("nan"))
    with pytest.raises(LoadError, match="answers with no number"):  # its padding is the very token that breaks it
        model.folder(folder, 1)


def test_what_is_no_number_becomes_no_probability(tmp_path: Path) -> None:
    m = model.folder(model_folder(tmp_path, ID2LABEL, onnx_bytes(verdict_table(THREE), types=False), roberta_tokenizer()), 1)
    rows = m.run(m.read("yes", "mill") + m.read("nan", "mill"))
    assert rows[0].round(3).tolist() == [1, 0, 0]
    assert np.isnan(rows[1]).all()


def test_an_infinite_logit_is_no_certainty(tmp_path: Path) -> None:
    table = verdict_table(THREE)
    table[VOCAB.index("smith"), 0] = np.inf
    m = model.folder(model_folder(tmp_path, ID2LABEL, onnx_bytes(table, types=False), roberta_tokenizer()), 1)
    assert np.isnan(m.run(m.read("smith", "mill"))).all()


def broken(folder: Path, **changed: Any) -> str:
    made: dict[str, Any] = {
        "id2label": ID2LABEL,
        "onnx": onnx_bytes(verdict_table(THREE), types=False),
        "tokenizer": roberta_tokenizer(),
    }
    model_folder(folder, **(made | changed))
    with pytest.raises(LoadError) as err:
        model.folder(folder, 1)
    assert "\n" not in str(err.value)
    return str(err.value)


def test_a_folder_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    onnx = onnx_bytes(verdict_table(THREE), types=False)
    assert "is no model that onnxruntime can load" in broken(tmp_path, onnx=onnx[: len(onnx) // 2])
    assert "is no model that onnxruntime can load" in broken(tmp_path, onnx=b"<html>")
    assert "write, in the order it was trained with" in broken(
        tmp_path, id2label={"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}
    )
    assert "for 2 pairs and 2 labels" in broken(tmp_path, id2label={"0": "0", "1": "1"})
    assert "leave no room" in broken(tmp_path, max_position_embeddings=4)
    markless = roberta_tokenizer()
    data = json.loads(markless.to_str()) | {"post_processor": None}
    assert "puts nothing between" in broken(tmp_path, tokenizer=markless.from_str(json.dumps(data)))


def test_a_tokenizer_that_reads_nothing_is_refused(tmp_path: Path) -> None:
    mute = roberta_tokenizer()
    data = json.loads(mute.to_str())
    data["normalizer"] = {"type": "Replace", "pattern": {"Regex": "."}, "content": ""}
    assert "tokenizer.json: is of no use (it reads no token" in broken(tmp_path, tokenizer=mute.from_str(json.dumps(data)))


def test_a_model_that_takes_something_else_is_refused(tmp_path: Path) -> None:
    onnx = onnx_bytes(verdict_table(THREE), types=False, integer=TensorProto.FLOAT)
    assert "onnx" in broken(tmp_path, onnx=onnx)
    swapped = onnx_bytes(verdict_table(THREE), types=False).replace(b"attention_mask", b"attention_bias")
    assert "takes input_ids tensor(int64), attention_bias tensor(int64)" in broken(tmp_path, onnx=swapped)


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("model.onnx", None, "holds no model.onnx and no onnx/model.onnx"),
        ("config.json", None, "config.json: No such file"),
        ("config.json", "{", "config.json: is no JSON"),
        ("config.json", "[" * 100_000, "config.json: is no JSON"),
        ("config.json", "[]", "config.json: is no JSON object"),
        ("tokenizer.json", None, "tokenizer.json: there is none"),
        ("tokenizer.json", "{}", "tokenizer.json: is no tokenizer"),
    ],
)
def test_each_missing_or_damaged_file_is_named(tmp_path: Path, file: str, content: str | None, says: str) -> None:
    model_folder(tmp_path, ID2LABEL, onnx_bytes(verdict_table(THREE), types=False), roberta_tokenizer())
    (tmp_path / file).unlink()
    if content is not None:
        (tmp_path / file).write_text(content)
    with pytest.raises(LoadError) as err:
        model.folder(tmp_path, 1)
    assert says in str(err.value)
