"""Models small enough to be made in a test: an encoder of random weights, and ones whose verdicts are spelled out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from forsooth_nli.model import Probabilities
from forsooth_nli.pairs import Sequence as Tokens

VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "mill", "burn", "##ed", "smith", "sword", "yes", "no", "maybe", "nan", "."]
HIDDEN, HEADS, LAYERS, INTERMEDIATE, POSITIONS, GROUP = 16, 2, 2, 24, 48, 8
PATIENCE = 180  # seconds until a test that waits gives up: long, for a busy machine is no failure


def encoder_tensors(seed: int = 1) -> dict[str, NDArray[np.generic]]:
    rng = np.random.default_rng(seed)
    out: dict[str, NDArray[np.generic]] = {}

    def quantised(name: str, rows: int, columns: int) -> None:
        out[f"{name}.weight"] = rng.integers(-127, 128, (rows, columns)).astype(np.int8)
        out[f"{name}.scale"] = rng.uniform(0.002, 0.01, rows).astype(np.float32)

    def flat(name: str, *size: int, around: float = 0.0) -> None:
        out[name] = rng.normal(around, 0.3, size).astype(np.float32)

    out["embeddings.word.weight"] = rng.integers(0, 256, (len(VOCAB), HIDDEN // 2)).astype(np.uint8)
    out["embeddings.word.scale"] = rng.uniform(0.03, 0.16, (len(VOCAB), HIDDEN // GROUP)).astype(np.float16)
    quantised("embeddings.position", POSITIONS, HIDDEN)
    flat("embeddings.type.weight", 2, HIDDEN)
    norms = ["embeddings.norm"]
    for i in range(LAYERS):
        for name in ("q", "k", "v", "o", "up", "down"):
            into = INTERMEDIATE if name == "down" else HIDDEN
            rows = INTERMEDIATE if name == "up" else HIDDEN
            quantised(f"layers.{i}.{name}", rows, into)
            flat(f"layers.{i}.{name}.bias", rows)
        norms += [f"layers.{i}.attention_norm", f"layers.{i}.output_norm"]
    for name in norms:
        flat(f"{name}.weight", HIDDEN, around=1.0)
        flat(f"{name}.bias", HIDDEN)
    for name, rows in (("entail.dense", HIDDEN), ("entail.out", 3), ("answers.dense", HIDDEN), ("answers.out", 1)):
        flat(f"heads.{name}.weight", rows, HIDDEN)
        flat(f"heads.{name}.bias", rows)
    return out


def weights_bytes(tensors: dict[str, NDArray[np.generic]], **changed: str) -> bytes:
    """Write the shipped format; changed metadata replaces what is true, an empty value leaves a key out."""
    raw = save(tensors)
    data = raw[8 + int.from_bytes(raw[:8], "little") :]
    meta = {
        "format": "forsooth-transformer",
        "version": "2",
        "name": "tiny",
        "layers": str(LAYERS),
        "hidden": str(HIDDEN),
        "heads": str(HEADS),
        "intermediate": str(INTERMEDIATE),
        "vocab": str(len(VOCAB)),
        "positions": str(POSITIONS),
        "word_group": str(GROUP),
        "data_sha256": hashlib.sha256(data).hexdigest(),
    }
    return save(tensors, {k: v for k, v in (meta | changed).items() if v})


def weights_file(folder: Path, raw: bytes | None = None) -> Path:
    path = folder / "verifier.safetensors"
    path.write_bytes(weights_bytes(encoder_tensors()) if raw is None else raw)
    (folder / "vocab.txt").write_text("\n".join(VOCAB) + "\n")
    return path


def verdict_table(order: Sequence[str]) -> NDArray[np.float32]:
    """Give logits a token: "yes" entails, "maybe" is neutral, "no" contradicts, wherever their column lies."""
    table = np.zeros((len(VOCAB), len(order)), np.float32)
    for word, label in (("yes", "entailment"), ("maybe", "neutral"), ("maybe", "not_entailment"), ("no", "contradiction")):
        if label in order:
            table[VOCAB.index(word), list(order).index(label)] = 40
    table[VOCAB.index("nan")] = np.nan
    return table


def onnx_bytes(table: NDArray[np.float32], *, types: bool, integer: int = TensorProto.INT64, output: str = "logits") -> bytes:
    """Make a model that adds up its tokens' rows. With token types it hears the premise alone."""
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["rows"], axis=0),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
    ]
    if types:
        nodes += [
            helper.make_node("Cast", ["token_type_ids"], ["type"], to=TensorProto.FLOAT),
            helper.make_node("Sub", ["mask", "type"], ["heard"]),
        ]
    else:
        nodes.append(helper.make_node("Identity", ["mask"], ["heard"]))
    nodes += [
        helper.make_node("Unsqueeze", ["heard", "two"], ["column"]),
        helper.make_node("Mul", ["rows", "column"], ["weighed"]),
        helper.make_node("ReduceSum", ["weighed", "one"], [output], keepdims=0),
    ]
    names = ["input_ids", "attention_mask"] + (["token_type_ids"] if types else [])
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(n, integer, ["batch", "tokens"]) for n in names],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["batch", table.shape[1]])],
        [
            numpy_helper.from_array(table, "table"),
            numpy_helper.from_array(np.array([1]), "one"),
            numpy_helper.from_array(np.array([2]), "two"),
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    raw: bytes = made.SerializeToString()
    return raw


def bert_tokenizer() -> Tokenizer:
    """Make one as such folders have it: its special tokens are looked for in texts, and it pads and cuts by itself."""
    tok = Tokenizer(models.WordPiece({t: i for i, t in enumerate(VOCAB)}, unk_token="[UNK]"))
    tok.normalizer = normalizers.BertNormalizer()
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.add_special_tokens(VOCAB[:4])
    tok.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tok.enable_padding(length=64)
    tok.enable_truncation(20)
    return tok


def roberta_tokenizer() -> Tokenizer:
    """Make one with two separators and no token types."""
    vocab = {"<s>": 2, "<pad>": 0, "</s>": 3, "<unk>": 1} | {t: i for i, t in enumerate(VOCAB) if i > 3}
    tok = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    tok.pre_tokenizer = pre_tokenizers.Whitespace()
    tok.add_special_tokens(["<s>", "<pad>", "</s>"])
    tok.post_processor = processors.RobertaProcessing(("</s>", 3), ("<s>", 2))
    return tok


def model_folder(
    folder: Path, id2label: object, onnx: bytes, tokenizer: Tokenizer, *, inside: str = "model.onnx", **config: object
) -> Path:
    (folder / inside).parent.mkdir(parents=True, exist_ok=True)
    (folder / inside).write_bytes(onnx)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"id2label": id2label, **config}))
    return folder


class Spelled:
    """A judge without a model: a premise says its own entailment as a number, a window a space-separated word."""

    name = "spelled"
    sha256 = "0" * 64
    labels: tuple[str, ...] = ("entailment", "neutral", "contradiction")

    def __init__(self) -> None:
        self.batches: list[list[int]] = []

    def read(self, premise: str, hypothesis: str) -> list[Tokens]:
        """Give a window for each word; the length is that of the hypothesis."""
        return [Tokens([round(float(w) * 1000)] * max(1, len(hypothesis)), []) for w in premise.split()]

    def run(self, batch: Sequence[Tokens]) -> Probabilities:
        self.batches.append([len(s) for s in batch])
        entailed = np.array([s.ids[0] / 1000 for s in batch])
        return np.stack([entailed, (1 - entailed) / 2, (1 - entailed) / 2], axis=1)
