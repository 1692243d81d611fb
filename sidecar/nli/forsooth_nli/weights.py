"""The verifier's own weights in safetensors, checked before they are believed.

Linear layers and positions are int8 by output channel; words are four bits a value, of each byte
the low half first, 8 for 0, with a float16 scale for each group of neighbours.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_safetensors

from .failure import LoadError

FORMAT, VERSION = "forsooth-transformer", "2"
LINEARS = ("q", "k", "v", "o", "up", "down")
NORMS = ("attention_norm", "output_norm")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
LARGEST = 1 << 20  # of any dimension that a file may state
MEND = "take the file of this version of Forsooth again"

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Shape:
    layers: int
    hidden: int
    heads: int
    intermediate: int
    vocab: int
    positions: int
    word_group: int


@dataclass(frozen=True)
class Weights:
    """What the files hold, dequantised."""

    name: str
    sha256: str  # of the whole file
    shape: Shape
    tensors: dict[str, Floats]
    vocab: list[str]


def read(path: Path) -> Weights:
    """Read a weights file, and the vocabulary beside it."""
    raw = _bytes(path, "give --weights PATH, or --model DIR for another model")
    header, data = _split(path, raw)
    meta = header.get("__metadata__")
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise LoadError(f"{path}: is no {FORMAT} file; give the verifier's weights, or --model DIR for another model")
    if meta.get("version") != VERSION:
        raise LoadError(f"{path}: is of version {meta.get('version')!r}, this sidecar reads {VERSION!r}; {MEND}")
    if hashlib.sha256(data).hexdigest() != meta.get("data_sha256"):
        raise LoadError(f"{path}: its data does not match its data_sha256; it was cut short or changed; {MEND}")
    shape = _shape(path, meta)
    vocab = _vocabulary(path.parent / "vocab.txt", shape)
    try:
        stored = load_safetensors(raw)
    except (SafetensorError, KeyError, ValueError, TypeError) as err:
        raise LoadError(f"{path}: cannot be read ({err}); {MEND}") from err
    name = str(meta.get("name") or path.stem)
    return Weights(name, hashlib.sha256(raw).hexdigest(), shape, _tensors(path, stored, shape), vocab)


def _bytes(path: Path, mend: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as err:
        raise LoadError(f"{path}: {err.strerror or err}; {mend}") from err


def _split(path: Path, raw: bytes) -> tuple[dict[str, Any], bytes]:
    """Part the header from the data."""
    size = int.from_bytes(raw[:8], "little")
    if len(raw) < 8 or size > len(raw) - 8:
        raise LoadError(f"{path}: {len(raw)} bytes are too few for a weights file; it was cut short; {MEND}")
    try:
        header = json.loads(raw[8 : 8 + size])
    except (ValueError, RecursionError) as err:
        raise LoadError(f"{path}: its header is no JSON; it is no safetensors file, or was changed; {MEND}") from err
    if not isinstance(header, dict):
        raise LoadError(f"{path}: its header is no JSON object; {MEND}")
    return header, raw[8 + size :]


def _shape(path: Path, meta: dict[str, Any]) -> Shape:
    values = {}
    for key in Shape.__dataclass_fields__:
        text = str(meta.get(key, ""))
        if not text.isascii() or not text.isdecimal() or not 0 < int(text[:9]) <= LARGEST:
            raise LoadError(f"{path}: states {key} as {text!r}; a number from 1 to {LARGEST} is wanted; {MEND}")
        values[key] = int(text[:9])
    shape = Shape(**values)
    if shape.hidden % shape.heads:
        raise LoadError(f"{path}: {shape.hidden} values cannot be shared among {shape.heads} heads; {MEND}")
    if shape.hidden % shape.word_group:
        raise LoadError(f"{path}: {shape.hidden} values cannot be read in groups of {shape.word_group}; {MEND}")
    return shape


def _vocabulary(path: Path, shape: Shape) -> list[str]:
    text = _bytes(path, "it belongs beside the weights").decode("utf-8", "replace")
    vocab = text.removesuffix("\n").split("\n")
    if len(vocab) != shape.vocab or len(set(vocab)) != len(vocab):
        raise LoadError(f"{path}: has {len(set(vocab))} different lines, the weights know {shape.vocab} tokens; {MEND}")
    if missing := [t for t in SPECIAL if t not in vocab]:
        raise LoadError(f"{path}: has no line {missing[0]}; {MEND}")
    return vocab


def _wanted(s: Shape) -> Iterator[tuple[str, tuple[int, ...], bool]]:
    """Name each tensor, with its shape and whether it is int8 with a scale a row."""
    yield "embeddings.position.weight", (s.positions, s.hidden), True
    yield "embeddings.type.weight", (2, s.hidden), False
    for part in ("weight", "bias"):
        yield f"embeddings.norm.{part}", (s.hidden,), False
    sizes = {"up": (s.intermediate, s.hidden), "down": (s.hidden, s.intermediate)}
    for i in range(s.layers):
        for linear in LINEARS:
            size = sizes.get(linear, (s.hidden, s.hidden))
            yield f"layers.{i}.{linear}.weight", size, True
            yield f"layers.{i}.{linear}.bias", size[:1], False
        for norm in NORMS:
            for part in ("weight", "bias"):
                yield f"layers.{i}.{norm}.{part}", (s.hidden,), False
    for part, rows in (("dense", s.hidden), ("out", 3)):
        yield f"heads.entail.{part}.weight", (rows, s.hidden), False
        yield f"heads.entail.{part}.bias", (rows,), False


def _tensors(path: Path, stored: dict[str, NDArray[Any]], shape: Shape) -> dict[str, Floats]:
    def take(name: str, size: tuple[int, ...], kind: type[np.generic]) -> NDArray[Any]:
        t = stored.get(name)
        if t is None:
            raise LoadError(f"{path}: holds no {name}; {MEND}")
        if t.shape != size or t.dtype != kind:
            raise LoadError(f"{path}: {name} is {t.dtype}{list(t.shape)}, {np.dtype(kind)}{list(size)} is wanted; {MEND}")
        if kind in (np.float32, np.float16) and not np.isfinite(t).all():
            raise LoadError(f"{path}: {name} holds a value that is no number; {MEND}")
        return t

    packed = take("embeddings.word.weight", (shape.vocab, (shape.hidden + 1) // 2), np.uint8)
    scales = take("embeddings.word.scale", (shape.vocab, shape.hidden // shape.word_group), np.float16)
    values = np.stack([packed & 15, packed >> 4], axis=-1).reshape(shape.vocab, -1)[:, : shape.hidden].astype(np.float32) - 8
    out: dict[str, Floats] = {"embeddings.word.weight": values * np.repeat(scales.astype(np.float32), shape.word_group, axis=1)}
    for name, size, quantised in _wanted(shape):
        if not quantised:
            out[name] = take(name, size, np.float32)
            continue
        scale = take(name.removesuffix("weight") + "scale", size[:1], np.float32)
        out[name] = take(name, size, np.int8).astype(np.float32) * scale[:, None]
    return out
