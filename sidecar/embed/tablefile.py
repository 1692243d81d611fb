"""The file that internal/embed reads: int8 rows with one scale each, and the vocabulary.

Little endian, in this order:

    8 bytes   magic "FSSTATIC"
    u32       version (1)
    u32       dimensions
    u32       rows, which is the size of the vocabulary
    u32       length of the vocabulary in bytes
    u32       CRC-32 (IEEE) of everything after the header
    36 bytes  the model's name, zero-padded
    vocabulary, one token a line, in order of id
    float32   one scale a row
    int8      the rows
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from encoder import Floats

MAGIC = b"FSSTATIC"
VERSION = 1
HEADER = struct.Struct("<8s5I36s")


@dataclass(frozen=True)
class Table:
    name: str
    vocab: list[str]
    rows: Floats


def quantise(rows: Floats) -> tuple[Floats, np.ndarray]:
    peak = np.abs(rows).max(1)
    scales = (peak / 127).astype(np.float32)
    q = np.rint(rows / np.where(scales > 0, scales, 1)[:, None])
    return scales, np.clip(q, -127, 127).astype(np.int8)


def encode(name: str, vocab: Sequence[str], rows: Floats) -> bytes:
    if len(vocab) != len(rows):
        raise ValueError(f"{len(vocab)} tokens but {len(rows)} rows")
    scales, q = quantise(rows)
    words = ("\n".join(vocab) + "\n").encode("utf-8")
    body = words + scales.astype("<f4").tobytes() + q.tobytes()
    head = HEADER.pack(MAGIC, VERSION, rows.shape[1], len(vocab), len(words), zlib.crc32(body), name.encode())
    return head + body


def read(path: Path) -> Table:
    data = path.read_bytes()
    magic, version, dim, n, words, crc, name = HEADER.unpack_from(data)
    body = data[HEADER.size :]
    if magic != MAGIC or version != VERSION or zlib.crc32(body) != crc:
        raise ValueError(f"{path}: not a whole version {VERSION} table; make it again as README.md says")
    vocab = body[:words].decode("utf-8").rstrip("\n").split("\n")
    scales = np.frombuffer(body, "<f4", n, words)
    rows = np.frombuffer(body, np.int8, n * dim, words + 4 * n).reshape(n, dim)
    return Table(name.rstrip(b"\0").decode(), vocab, rows.astype(np.float32) * scales[:, None])
