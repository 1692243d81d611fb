from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import numpy as np
import weights
from encoder import CLS, SEP, Encoder, Shape, Verifier, collate

TINY = Shape(layers=2, hidden=16, heads=4, intermediate=32, vocab=120, positions=24)


def tiny(seed: int = 1) -> Verifier:
    torch.manual_seed(seed)
    v = Verifier(Encoder(TINY))
    with torch.no_grad():
        for p in v.parameters():
            p.normal_(0, 0.3)
    v.eval()
    return v


def written(path: Path, v: Verifier, words: bool = True) -> Path:
    weights.write(path, "tiny", v.encoder, weights.head_tensors(v), words)
    return path


PAIRS = [([5, 6, 7], [8, 9]), ([10, 11, 12, 13, 14, 15], [16]), ([17], [18, 19, 20])]


def test_a_row_is_off_by_half_a_step_at_most() -> None:
    w = torch.tensor([[0.5, -1.27, 0.004], [0.0, 0.0, 0.0], [100.0, 1.0, -100.0]])
    q, scale = weights.quantise(w)
    back = q.astype(np.float32) * scale[:, None]
    assert q.dtype == np.int8 and scale.shape == (3,)
    assert (np.abs(back - w.numpy()) <= scale[:, None] / 2 + 1e-7).all()
    assert q.max() == 127 and q.min() == -127


@pytest.mark.parametrize("width", [64, 192, 48, 7])
def test_words_lose_little_and_nothing_when_rounded_again(width: int) -> None:
    torch.manual_seed(width)
    w = torch.randn(50, width) * torch.rand(50, 1)
    w[0] = 0
    packed, scale = weights.grouped(w)
    assert packed.shape == (50, (width + 1) // 2) and packed.dtype == np.uint8 and scale.dtype == np.float16
    once = weights.rounded_words(w)
    assert (once - w).norm() / w.norm() < 0.12
    again, scales = weights.grouped(once)
    assert np.array_equal(again, packed) and scales.tobytes() == scale.tobytes()


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    v = tiny()
    tensors, meta = weights.read(written(tmp_path / "w", v))
    assert {n: int(meta[n]) for n in ("layers", "hidden", "heads", "intermediate", "vocab", "positions")} == vars(TINY)
    back = weights.restore(tiny(2), tensors).eval()
    again, _ = weights.read(written(tmp_path / "again", back))
    assert set(again) == set(tensors)
    for name, t in tensors.items():  # quantising what was quantised changes no weight
        same = np.array_equal(again[name], t) if t.dtype in (np.int8, np.uint8, np.float16) else np.allclose(again[name], t, rtol=1e-6)
        assert same, name


def test_the_restored_model_answers_as_the_trained_one(tmp_path: Path) -> None:
    v = tiny()
    back = weights.restore(tiny(2), weights.read(written(tmp_path / "w", v))[0]).eval()
    with torch.no_grad():
        for a, b in zip(v(*collate(PAIRS, 24)), back(*collate(PAIRS, 24)), strict=True):
            assert torch.allclose(a, b, atol=0.15)


@pytest.mark.parametrize("at", [-1, -200])
def test_a_changed_or_short_file_is_refused(tmp_path: Path, at: int) -> None:
    path = written(tmp_path / "w", tiny())
    raw = bytearray(path.read_bytes())
    path.write_bytes(raw[:at])
    with pytest.raises(ValueError, match="cut short or changed"):
        weights.read(path)
    raw[at] ^= 1
    path.write_bytes(raw)
    with pytest.raises(ValueError, match="cut short or changed"):
        weights.read(path)


def test_a_file_without_words_names_those_that_it_shares(tmp_path: Path) -> None:
    v = tiny()
    tensors, meta = weights.read(written(tmp_path / "w", v, words=False))
    assert "embeddings.word.weight" not in tensors
    assert meta["words_sha256"] == weights.words_sha256(v.encoder) != weights.words_sha256(tiny(2).encoder)


def test_a_long_pair_is_cut_in_its_premise_and_an_empty_claim_leaves_one_text() -> None:
    ids, types, mask = collate([([5] * 30, [8, 9]), ([5, 6], [])], 10)
    assert ids[0].tolist() == [CLS, 5, 5, 5, 5, 5, SEP, 8, 9, SEP] and types[0].tolist() == [0] * 7 + [1] * 3
    assert ids[1][mask[1]].tolist() == [CLS, 5, 6, SEP] and not types[1].any()


def test_padding_changes_no_answer() -> None:
    v = tiny()
    with torch.no_grad():
        together = v(*collate(PAIRS, 24))[0]
        for i, p in enumerate(PAIRS):
            assert torch.allclose(v(*collate([p], 24))[0][0], together[i], atol=1e-5)
