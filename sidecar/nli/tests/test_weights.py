from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tiny import GROUP, HIDDEN, LAYERS, VOCAB, encoder_tensors, weights_bytes, weights_file

from forsooth_nli.failure import LoadError
from forsooth_nli.weights import read

Tensors = dict[str, NDArray[np.generic]]


def refused(folder: Path, raw: bytes) -> str:
    with pytest.raises(LoadError) as err:
        read(weights_file(folder, raw))
    assert "\n" not in str(err.value)
    return str(err.value)


def test_weights_come_back_at_their_scale(tmp_path: Path) -> None:
    stored = encoder_tensors()
    w = read(weights_file(tmp_path))
    assert (w.name, w.vocab, w.shape.layers) == ("tiny", VOCAB, LAYERS)
    want = stored["layers.1.up.weight"].astype(np.float32) * stored["layers.1.up.scale"].astype(np.float32)[:, None]
    assert (w.tensors["layers.1.up.weight"] == want).all()


def test_words_come_back_by_halves_of_bytes_and_groups(tmp_path: Path) -> None:
    stored = encoder_tensors()
    packed, scale = stored["embeddings.word.weight"], stored["embeddings.word.scale"]
    got = read(weights_file(tmp_path)).tensors["embeddings.word.weight"]
    for word in range(len(VOCAB)):
        for c in range(HIDDEN):
            nibble = int(packed[word, c // 2]) >> 4 * (c % 2) & 15
            assert got[word, c] == np.float32(nibble - 8) * np.float32(scale[word, c // GROUP])


def test_a_file_cut_short_anywhere_is_refused(tmp_path: Path) -> None:
    whole = weights_bytes(encoder_tensors())
    header = 8 + struct.unpack("<Q", whole[:8])[0]
    for size in (0, 3, 8, 100, header - 1, header, header + 10, len(whole) - 1):
        assert "cut short" in refused(tmp_path, whole[:size])


def test_a_changed_byte_is_refused(tmp_path: Path) -> None:
    raw = bytearray(weights_bytes(encoder_tensors()))
    raw[-7] ^= 1
    assert "data_sha256" in refused(tmp_path, bytes(raw))


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"version": "1"}, "version '1', this sidecar reads '2'"),
        ({"version": ""}, "version None"),
        ({"format": "other"}, "is no forsooth-transformer file"),
        ({"data_sha256": ""}, "data_sha256"),
        ({"layers": "0"}, "states layers as '0'"),
        ({"layers": "three"}, "states layers as 'three'"),
        ({"hidden": "99999999999"}, "states hidden"),
        ({"heads": "5"}, "cannot be shared among 5 heads"),
        ({"word_group": "5"}, "cannot be read in groups of 5"),
        ({"word_group": "4"}, "embeddings.word.scale is float16[15, 2], float16[15, 4] is wanted"),
        ({"layers": "3"}, "holds no layers.2.q.scale"),
        ({"positions": "50"}, "embeddings.position.scale is float32[48], float32[50] is wanted"),
        ({"vocab": "7"}, "vocab.txt: has 15 different lines, the weights know 7 tokens"),
    ],
)
def test_metadata_that_is_not_true_is_refused(tmp_path: Path, changed: dict[str, str], says: str) -> None:
    assert says in refused(tmp_path, weights_bytes(encoder_tensors(), **changed))


def drop(name: str) -> Callable[[Tensors], None]:
    def change(t: Tensors) -> None:
        del t[name]

    return change


def put(name: str, value: NDArray[np.generic]) -> Callable[[Tensors], None]:
    def change(t: Tensors) -> None:
        t[name] = value

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (drop("embeddings.word.weight"), "holds no embeddings.word.weight"),
        (drop("heads.entail.out.bias"), "holds no heads.entail.out.bias"),
        (put("heads.entail.out.bias", np.zeros(2, np.float32)), "heads.entail.out.bias is float32[2], float32[3] is wanted"),
        (put("heads.entail.out.bias", np.zeros(3, np.float64)), "heads.entail.out.bias is float64[3]"),
        (
            put("embeddings.word.weight", np.zeros((15, 16), np.int8)),
            "embeddings.word.weight is int8[15, 16], uint8[15, 8] is wanted",
        ),
        (
            put("embeddings.word.scale", np.full((15, 2), np.nan, np.float16)),
            "embeddings.word.scale holds a value that is no number",
        ),
        (put("layers.0.q.scale", np.full(16, np.nan, np.float32)), "layers.0.q.scale holds a value that is no number"),
    ],
)
def test_tensors_that_are_not_as_they_should_be_are_refused(
    tmp_path: Path, change: Callable[[Tensors], None], says: str
) -> None:
    tensors = encoder_tensors()
    change(tensors)
    assert says in refused(tmp_path, weights_bytes(tensors))


@pytest.mark.parametrize(
    "raw", [b"{}", b"PK\x03\x04" + b"x" * 400, struct.pack("<Q", 2) + b"[]", struct.pack("<Q", 9) + b"\xff" * 90]
)
def test_another_kind_of_file_is_refused(tmp_path: Path, raw: bytes) -> None:
    assert refused(tmp_path, raw).startswith(str(tmp_path / "verifier.safetensors"))


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"none\.safetensors: No such file"):
        read(tmp_path / "none.safetensors")
    path = weights_file(tmp_path)
    (tmp_path / "vocab.txt").unlink()
    with pytest.raises(LoadError, match=r"vocab\.txt: No such file"):
        read(path)


def test_a_vocabulary_of_another_model_is_refused(tmp_path: Path) -> None:
    path = weights_file(tmp_path)
    (tmp_path / "vocab.txt").write_text("\n".join(["<s>", *VOCAB[1:]]) + "\n")
    with pytest.raises(LoadError, match=r"has no line \[PAD\]"):
        read(path)
