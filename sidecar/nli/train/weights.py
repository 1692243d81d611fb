"""Weights as they ship: int8 by output channel, in safetensors, for Go and the sidecar alike."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import torch
from encoder import Encoder, Verifier
from numpy.typing import NDArray
from safetensors.numpy import load as load_safetensors
from safetensors.numpy import save
from torch import Tensor, nn

FORMAT, VERSION = "forsooth-transformer", "1"
LINEARS = ("q", "k", "v", "o", "up", "down")
NORMS = ("attention_norm", "output_norm")
Tensors = dict[str, NDArray[np.generic]]


def quantise(w: Tensor) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round each row to int8 at the scale of its largest weight."""
    scale = w.abs().amax(1).clamp_min(1e-12) / 127
    q = (w / scale[:, None]).round().clamp(-127, 127)
    return q.to(torch.int8).numpy(), scale.to(torch.float32).numpy()


def flat(w: Tensor) -> NDArray[np.float32]:
    return w.detach().to(torch.float32).contiguous().numpy()


def encoder_tensors(enc: Encoder, words: bool) -> Tensors:
    out: Tensors = {}

    def both(name: str, w: Tensor) -> None:
        out[f"{name}.weight"], out[f"{name}.scale"] = quantise(w.detach())

    if words:
        both("embeddings.word", enc.word.weight)
    both("embeddings.position", enc.position.weight)
    out["embeddings.type.weight"] = flat(enc.token_type.weight)
    out["embeddings.norm.weight"], out["embeddings.norm.bias"] = flat(enc.norm.weight), flat(enc.norm.bias)
    for i, layer in enumerate(enc.layers):
        for name in LINEARS:
            linear: nn.Linear = getattr(layer, name)
            both(f"layers.{i}.{name}", linear.weight)
            out[f"layers.{i}.{name}.bias"] = flat(linear.bias)
        for name in NORMS:
            norm: nn.LayerNorm = getattr(layer, name)
            out[f"layers.{i}.{name}.weight"], out[f"layers.{i}.{name}.bias"] = flat(norm.weight), flat(norm.bias)
    return out


def head_tensors(v: Verifier) -> Tensors:
    out: Tensors = {}
    for name in ("entail", "answers"):
        for part in ("dense", "out"):
            linear: nn.Linear = getattr(v, f"{name}_{part}")
            out[f"heads.{name}.{part}.weight"], out[f"heads.{name}.{part}.bias"] = flat(linear.weight), flat(linear.bias)
    return out


def words_sha256(enc: Encoder) -> str:
    q, scale = quantise(enc.word.weight.detach())
    return hashlib.sha256(q.tobytes() + scale.tobytes()).hexdigest()


def write(path: Path, name: str, enc: Encoder, heads: Tensors, words: bool) -> None:
    """Write one file; its metadata holds its shape and the hash of its data."""
    s = enc.shape
    tensors = {**encoder_tensors(enc, words), **heads}
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "layers": str(s.layers),
        "hidden": str(s.hidden),
        "heads": str(s.heads),
        "intermediate": str(s.intermediate),
        "vocab": str(s.vocab),
        "positions": str(s.positions),
    }
    if not words:
        meta["words_sha256"] = words_sha256(enc)
    raw = save(tensors)
    data = raw[8 + int.from_bytes(raw[:8], "little") :]
    meta["data_sha256"] = hashlib.sha256(data).hexdigest()
    path.write_bytes(save(tensors, meta))


def read(path: Path) -> tuple[Tensors, dict[str, str]]:
    """Read a file and check its hash."""
    raw = path.read_bytes()
    n = int.from_bytes(raw[:8], "little")
    meta: dict[str, str] = json.loads(raw[8 : 8 + n])["__metadata__"]
    if hashlib.sha256(raw[8 + n :]).hexdigest() != meta["data_sha256"]:
        raise ValueError(f"{path}: its data does not match its data_sha256; it was cut short or changed")
    return load_safetensors(raw), meta


def dequantised(t: Tensors, name: str) -> Tensor:
    return torch.from_numpy(t[f"{name}.weight"].astype(np.float32) * t[f"{name}.scale"].astype(np.float32)[:, None])


def restore(v: Verifier, t: Tensors) -> Verifier:
    """Put the weights of a file into a model, so that what ships is what is measured."""
    enc = v.encoder
    with torch.no_grad():
        enc.word.weight.copy_(dequantised(t, "embeddings.word"))
        enc.position.weight.copy_(dequantised(t, "embeddings.position"))
        enc.token_type.weight.copy_(torch.from_numpy(t["embeddings.type.weight"]))
        for i, layer in enumerate(enc.layers):
            for name in LINEARS:
                getattr(layer, name).weight.copy_(dequantised(t, f"layers.{i}.{name}"))
                getattr(layer, name).bias.copy_(torch.from_numpy(t[f"layers.{i}.{name}.bias"]))
            for name in NORMS:
                for part in ("weight", "bias"):
                    getattr(getattr(layer, name), part).copy_(torch.from_numpy(t[f"layers.{i}.{name}.{part}"]))
        for part in ("weight", "bias"):
            getattr(enc.norm, part).copy_(torch.from_numpy(t[f"embeddings.norm.{part}"]))
        for name in ("entail", "answers"):
            for part in ("dense", "out"):
                for p in ("weight", "bias"):
                    getattr(getattr(v, f"{name}_{part}"), p).copy_(torch.from_numpy(t[f"heads.{name}.{part}.{p}"]))
    return v
