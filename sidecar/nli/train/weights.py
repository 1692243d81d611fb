"""Weights as they ship, in safetensors, for Go and the sidecar alike.

Linear layers and positions are int8 by output channel. Words are four bits a value, by groups that
share a scale; they are rounded before training, which leaves them as they are, so that rounding
costs the trained model nothing.
"""

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

FORMAT, VERSION = "forsooth-transformer", "2"
GROUP = 64  # values of a word that share a scale, where a word has so many
LINEARS = ("q", "k", "v", "o", "up", "down")
NORMS = ("attention_norm", "output_norm")
HEADS = ("entail", "answers", "kind")  # the last where a model has it
WORDS = ("embeddings.word.weight", "embeddings.word.scale")
TRAINING = ("token_", "worst")  # how the names begin of what only training needs (tune.py)
Tensors = dict[str, NDArray[np.generic]]


def quantise(w: Tensor) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Round each row to int8 at the scale of its largest weight."""
    scale = w.abs().amax(1).clamp_min(1e-12) / 127
    q = (w / scale[:, None]).round().clamp(-127, 127)
    return q.to(torch.int8).numpy(), scale.to(torch.float32).numpy()


def grouped(w: Tensor) -> tuple[NDArray[np.uint8], NDArray[np.float16]]:
    """Round each group of a row to four bits, at the scale that loses least of it.

    The scale has the sign that puts the group's largest value among the eight negative steps.
    What was rounded before comes back as it is.
    """
    group = GROUP if w.shape[1] % GROUP == 0 else w.shape[1]
    g = w.detach().to(torch.float32).reshape(w.shape[0], -1, group)
    largest = g.gather(-1, g.abs().argmax(-1, keepdim=True))
    best, scale, least = torch.zeros_like(g), torch.zeros_like(largest), torch.full_like(largest, torch.inf)
    for step in (*(x / 800 for x in range(60, 125, 5)), 1 / 7):
        s = (largest * -step).half().float() + 0.0  # no scale is -0
        q = (g / torch.where(s == 0, torch.ones_like(s), s)).round().clamp(-8, 7)
        off = ((q * s - g) ** 2).sum(-1, keepdim=True)
        better = (off < least) & ((off == 0) | (step != 1 / 7))  # of a seventh is what was rounded so
        best, scale, least = torch.where(better, q, best), torch.where(better, s, scale), torch.where(better, off, least)
    turned = (best.amin(-1, keepdim=True) > -8) & (scale < 0)  # either sign would do
    best, scale = torch.where(turned, -best, best), torch.where(turned, -scale, scale)
    q = torch.nn.functional.pad((best.reshape(w.shape) + 8).to(torch.uint8), (0, w.shape[1] % 2), value=8)
    return (q[:, 0::2] | q[:, 1::2] << 4).numpy(), scale[..., 0].half().numpy()


def ungrouped(t: Tensors, width: int) -> Tensor:
    packed, scale = t["embeddings.word.weight"].astype(np.uint8), t["embeddings.word.scale"].astype(np.float32)
    values = np.stack([packed & 15, packed >> 4], axis=-1).reshape(len(packed), -1)[:, :width].astype(np.float32) - 8
    return torch.from_numpy(values * np.repeat(scale, width // scale.shape[1], axis=1))


def rounded_words(w: Tensor) -> Tensor:
    """Give word embeddings as they will ship."""
    packed, scale = grouped(w)
    return ungrouped({"embeddings.word.weight": packed, "embeddings.word.scale": scale}, w.shape[1])


def flat(w: Tensor) -> NDArray[np.float32]:
    return w.detach().to(torch.float32).contiguous().numpy()


def encoder_tensors(enc: Encoder, words: bool) -> Tensors:
    out: Tensors = {}

    def both(name: str, w: Tensor) -> None:
        out[f"{name}.weight"], out[f"{name}.scale"] = quantise(w.detach())

    if words:
        out["embeddings.word.weight"], out["embeddings.word.scale"] = grouped(enc.word.weight)
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
    for name in HEADS:
        if not hasattr(v, f"{name}_out"):
            continue
        for part in ("dense", "out"):
            linear: nn.Linear = getattr(v, f"{name}_{part}")
            out[f"heads.{name}.{part}.weight"], out[f"heads.{name}.{part}.bias"] = flat(linear.weight), flat(linear.bias)
    return out


def words_sha256(enc: Encoder) -> str:
    packed, scale = grouped(enc.word.weight)
    return hashlib.sha256(packed.tobytes() + scale.astype(np.float32).tobytes()).hexdigest()


def trained(enc: Encoder, state: dict[str, Tensor]) -> Verifier:
    """Give the model of a checkpoint, with a head for kinds where it has one and without what only training needs."""
    v = Verifier(enc, kinds="kind_out.weight" in state)
    v.load_state_dict({k: w for k, w in state.items() if not k.startswith(TRAINING)})
    return v


def write(path: Path, name: str, enc: Encoder, heads: Tensors, words: bool, packed: Tensors | None = None) -> None:
    """Write one file; its metadata holds its shape and the hash of its data.

    The words may be copied as another file has packed them, where training left them as they were.
    """
    s = enc.shape
    tensors = {**encoder_tensors(enc, words), **heads}
    if packed is not None:
        if not torch.equal(ungrouped(packed, s.hidden), enc.word.weight):
            raise ValueError("the word embeddings are not those of the file that they were to be copied from; freeze them")
        tensors |= {w: packed[w] for w in WORDS}
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
    if words:
        meta["word_group"] = str(GROUP if s.hidden % GROUP == 0 else s.hidden)
    else:
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
    if (meta["format"], meta["version"]) != (FORMAT, VERSION):
        said = f"{meta['format']} of version {meta['version']}"
        raise ValueError(f"{path}: is {said}, {FORMAT} of version {VERSION} is wanted; take the scripts of its commit")
    return load_safetensors(raw), meta


def dequantised(t: Tensors, name: str) -> Tensor:
    return torch.from_numpy(t[f"{name}.weight"].astype(np.float32) * t[f"{name}.scale"].astype(np.float32)[:, None])


def restore(v: Verifier, t: Tensors) -> Verifier:
    """Put the weights of a file into a model, so that what ships is what is measured."""
    enc = v.encoder
    with torch.no_grad():
        enc.word.weight.copy_(ungrouped(t, enc.shape.hidden))
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
        for name in HEADS:
            if not (hasattr(v, f"{name}_out") and f"heads.{name}.out.weight" in t):
                continue
            for part in ("dense", "out"):
                for p in ("weight", "bias"):
                    getattr(getattr(v, f"{name}_{part}"), p).copy_(torch.from_numpy(t[f"heads.{name}.{part}.{p}"]))
    return v
