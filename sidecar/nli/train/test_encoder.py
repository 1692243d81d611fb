from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")

import torch
import weights
from encoder import Encoder, Shape, Verifier, collate, sentence, tokenizer
from train import started

VOCAB = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "mill", "burned", *'?.!,…—"”)']


@pytest.mark.parametrize("tail", ["", ".", "!", "?", "!?", " ...", "…", ", —", ".\u200b", '."', ".”)"])
def test_what_a_hypothesis_ends_with_tells_nothing(tail: str) -> None:
    tok = tokenizer(VOCAB)
    assert sentence(tok, "the mill burned" + tail) == tok.encode("the mill burned .").ids


@pytest.mark.parametrize("text", ["", "...", '"…"'])
def test_marks_alone_are_left(text: str) -> None:
    tok = tokenizer(VOCAB)
    assert sentence(tok, text) == tok.encode(text).ids


def test_a_vocabulary_without_a_full_stop_closes_nothing() -> None:
    tok = tokenizer(VOCAB[:7])
    assert sentence(tok, "the mill burned") == tok.encode("the mill burned").ids


def test_a_run_goes_on_from_the_weights_that_ship(tmp_path: Path) -> None:
    """All but the word embeddings come from the file; those stay exact, for the encoder shares them."""
    shape = Shape(1, 8, 2, 16, len(VOCAB), 16)
    shipped, fresh = Verifier(Encoder(shape)), Verifier(Encoder(shape))
    exact = fresh.encoder.word.weight.detach().clone()
    weights.write(tmp_path / "w.safetensors", "test", shipped.encoder, weights.head_tensors(shipped), True)
    model = started(fresh, tmp_path / "w.safetensors")
    assert torch.equal(model.encoder.word.weight, exact)
    assert torch.allclose(model.encoder.layers[0].up.weight, shipped.encoder.layers[0].up.weight, atol=0.01)
    assert torch.equal(model.entail_out.weight, shipped.entail_out.weight)


def test_rounded_multiplication_says_what_exact_does_and_minds_the_padding() -> None:
    torch.manual_seed(1)
    model = Verifier(Encoder(Shape(2, 24, 2, 48, 200, 32))).eval()
    short, long = ([4, 5], [6]), ([4, 5, 6, 4, 5, 6, 4], [5, 6, 4])
    with torch.no_grad():
        exact, _ = model(*collate([short, long], 32))
        with torch.autocast("cpu", dtype=torch.bfloat16):
            rounded, _ = model(*collate([short, long], 32))
            alone, _ = model(*collate([short], 32))
    assert torch.allclose(exact, rounded.float(), atol=0.004)
    assert torch.allclose(rounded[0].float(), alone[0].float(), atol=0.004)
