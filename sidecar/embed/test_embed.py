"""The distillation, without the teacher: a small encoder of random weights stands in."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest

import fit
import golden
import pool
import retrieval
import tablefile
from encoder import Encoder, InputError, checked, erf, reference_tokenizer, unit
from informal import informal

PACKAGE = Path(__file__).parents[2] / "internal" / "embed"
VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "mill", "burn", "##ed", "smith", "sword"]


def small_encoder(layers: int = 2, dim: int = 24) -> Encoder:
    rng = np.random.default_rng(3)
    shapes = {
        "embeddings.word_embeddings.weight": (len(VOCAB), dim),
        "embeddings.position_embeddings.weight": (32, dim),
        "embeddings.token_type_embeddings.weight": (2, dim),
        "embeddings.LayerNorm.weight": (dim,),
        "embeddings.LayerNorm.bias": (dim,),
    }
    for i in range(layers):
        for name, out, into in (
            ("attention.self.query", dim, dim),
            ("attention.self.key", dim, dim),
            ("attention.self.value", dim, dim),
            ("attention.output.dense", dim, dim),
            ("intermediate.dense", 2 * dim, dim),
            ("output.dense", dim, 2 * dim),
        ):
            shapes[f"encoder.layer.{i}.{name}.weight"] = (out, into)
            shapes[f"encoder.layer.{i}.{name}.bias"] = (out,)
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"encoder.layer.{i}.{name}.weight"] = shapes[f"encoder.layer.{i}.{name}.bias"] = (dim,)
    return Encoder({k: rng.normal(size=s).astype(np.float32) for k, s in shapes.items()}, VOCAB)


def test_erf_is_that_of_the_standard_library() -> None:
    x = np.linspace(-5, 5, 1001, dtype=np.float32)
    assert np.abs(erf(x) - [math.erf(v) for v in x]).max() < 1e-6


def test_company_in_a_batch_changes_nothing() -> None:
    encoder = small_encoder()
    texts = ["the mill burned", "sword", "the smith the smith the mill", ""]
    together = encoder.encode(texts)
    alone = np.concatenate([encoder.encode([t]) for t in texts])
    assert np.allclose(together, alone, atol=1e-5)
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_another_input_file_is_refused() -> None:
    with pytest.raises(InputError, match="sha256"):
        checked(b"something else", "0" * 64, "model.safetensors")


def test_a_table_comes_back_within_half_a_quantum(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(len(VOCAB), 16)).astype(np.float32)
    rows[0] = 0
    file = tmp_path / "t.bin"
    file.write_bytes(tablefile.encode("name", VOCAB, rows))
    table = tablefile.read(file)
    assert (table.name, table.vocab) == ("name", VOCAB)
    assert (np.abs(table.rows - rows) <= np.abs(rows).max(1, keepdims=True) / 253).all()


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    data = bytearray(tablefile.encode("name", VOCAB, np.ones((len(VOCAB), 4), np.float32)))
    data[-1] ^= 1
    (tmp_path / "t.bin").write_bytes(data)
    with pytest.raises(ValueError, match="make it again"):
        tablefile.read(tmp_path / "t.bin")


def test_the_committed_table_is_whole() -> None:
    table = tablefile.read(PACKAGE / "static.bin")
    assert table.rows.shape == (30_522, 256)
    special = [fit.is_special(t) for t in table.vocab]
    assert not table.rows[special].any()
    assert table.rows[~np.array(special)].any(1).all()


def test_the_go_reference_files_are_current() -> None:
    vocab = tablefile.read(PACKAGE / "static.bin").vocab
    tok = reference_tokenizer(vocab)
    assert (PACKAGE.parent / golden.CLASSES).read_text("utf-8") == golden.go_file(tok)
    lines = (PACKAGE / "testdata" / "wordpiece.jsonl").read_text("utf-8").split("\n")[:-1]
    texts = golden.texts(vocab)
    assert [json.loads(x) for x in lines] == [{"text": t, "ids": i} for t, i in zip(texts, golden.ids(tok, texts), strict=True)]


def test_the_gradient_is_that_of_the_loss() -> None:
    rng = np.random.default_rng(5)
    y, target = rng.normal(size=(3, 4)).astype(np.float32), unit(rng.normal(size=(3, 4)).astype(np.float32))
    _, gradient = fit.cosine_gradient(y, target)
    for at in np.ndindex(y.shape):
        step = np.zeros_like(y)
        step[at] = 1e-2
        slope = (fit.cosine_gradient(y + step, target)[0] - fit.cosine_gradient(y - step, target)[0]) / 2e-2
        assert abs(slope - gradient[at]) < 1e-3


def test_fitting_finds_a_planted_table_again() -> None:
    rng = np.random.default_rng(7)
    planted = rng.normal(size=(40, 8)).astype(np.float32)
    rows = [rng.integers(0, 40, rng.integers(1, 9)).tolist() for _ in range(6000)]
    targets = fit.means(planted, rows)
    noisy = planted + rng.normal(size=planted.shape).astype(np.float32)
    fitted, losses = fit.fit(noisy, fit.counts(rows, 40), targets)
    assert losses[-1] < 0.1 * losses[0]
    again, _ = fit.fit(noisy, fit.counts(rows, 40), targets)
    assert (fitted == again).all()


def test_an_empty_text_has_the_zero_vector() -> None:
    assert fit.means(np.ones((4, 3), np.float32), [[], [1]]).tolist()[0] == [0, 0, 0]


def test_the_measured_world_stays_out_of_the_pool(tmp_path: Path) -> None:
    world, data = tmp_path / "world", tmp_path / "data"
    (world / "lore").mkdir(parents=True)
    (world / "lore" / "a.txt").write_text("The old mill by the river burned in spring.")
    (world / "lore" / "a.txt.meta.yaml").write_text("author: x\n")
    (data / "npc").mkdir(parents=True)
    (data / "nli").mkdir()
    seen = {"premise": "They say the old mill by the river burned.", "hypothesis": "A dog sleeps.", "origin": "x"}
    (data / "npc" / "train.jsonl").write_text(json.dumps(seen) + "\n")
    (data / "nli" / "train.jsonl.gz").write_bytes(gzip.compress((json.dumps(seen) + "\n").encode()))
    assert pool.texts(data, world, 10) == ["A dog sleeps."]


def test_bags_hold_every_token_before_any_twice() -> None:
    drawn = [i for bag in pool.bags(VOCAB, 8, 0) for i in bag]
    assert sorted(drawn[:6]) == [4, 5, 6, 7, 8, 9]
    assert not {0, 1, 2, 3} & set(drawn)


def test_informal_text_depends_on_its_seed_alone() -> None:
    text = "What do you want to know about the mill?"
    once = [informal(text, np.random.default_rng(1)) for _ in range(2)]
    assert once[0] == once[1] == once[0].lower()
    assert len({informal(text, np.random.default_rng(s)) for s in range(20)}) > 5


def test_only_what_the_npc_may_know_is_ranked() -> None:
    docs = [
        retrieval.Document("lore/a.txt", frozenset(["all"]), []),
        retrieval.Document("npcs/bo/home/b.txt", frozenset(["bo"]), []),
        retrieval.Document("npcs/mira/home/c.txt", frozenset(["mira"]), []),
    ]
    scores = np.array([0.2, 0.9, 0.1], np.float32)
    question = retrieval.Question("mira", "?", ["npcs/mira/home/*"])
    assert retrieval.rank(scores, docs, question, frozenset(["all", "mira"])) == 2


def test_windows_are_two_sentences_long() -> None:
    assert retrieval.windows("One. Two!\nThree?") == ["One. Two!", "Two! Three?"]
    assert retrieval.windows("Alone") == ["Alone"]
    assert retrieval.windows(" ") == []
