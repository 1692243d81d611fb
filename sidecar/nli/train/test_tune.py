import random
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install -r requirements.txt")
pytest.importorskip("onnx", reason="onnx is not installed: pip install -r requirements.txt")

import scene
import spoken
import weights
from data import CONTRADICTION, ENTAILMENT, Group, Pair
from data import Question as Answer
from draw import Draws, Listed, Texts
from encoder import Encoder, Shape, Verifier, tokenizer
from export import write_verifier
from spoken import Asked, Question, Sentence, Speech
from train import Mixture
from tune import Tuned, Tuning, begun, follow

TINY = Shape(layers=1, hidden=24, heads=2, intermediate=48, vocab=120, positions=200)
HELD = next(w for w in (f"mill {i}" for i in range(100)) if spoken.held(w))
FREE = [w for w in (f"mill {i}" for i in range(100)) if not spoken.held(w)][:3]
VOCAB = ["[PAD]", "[UNK]", ".", "!", "it", "burned", "last", "winter", "the", "mill", "##er", "spring", "in", "did", "who", "?", "a", "b"]


def speech(world: str) -> Speech:
    false = Sentence("It burned last winter!", ["E1"], "unsupported", "world", "time", "last winter")
    true, manner = Sentence("The mill did.", ["E1"], "supported", "world"), Sentence("I still hate it.", [], "no_claim", "self")
    evidence = [{"id": "E1", "text": f"The mill burned in spring. So says {world}."}, {"id": "E2", "text": "The miller is Ann."}]
    return Speech(
        f"{world}/1", world, "mira", "Mira", "who burned it?", "good", "Mira is a smith. Mira is dry.", evidence, [false, true, manner]
    )


def texts() -> Texts:
    worlds = [HELD, *FREE]
    questions = [Question("who? / did it burn", "who", ["P1"], ["P2"]), Question("kids?", "nobody", [], [])]
    passages = {f"P{i}": ("own", f"passage {i}") for i in range(1, 10)}
    asked = [Asked(w, "mira", "Mira", {**passages, "P9": ("own", f"passage of {w}")}, questions) for w in worlds]
    return Texts([speech(w) for w in worlds], asked, [Listed("who?", [("a", 1.0), ("b", 0.0)])])


def mixture() -> Mixture:
    groups = [Group(str(i), f"the mill {i}", []) for i in range(4)]
    for g in groups:
        g.pairs = [Pair(g.premise, "the mill burned", ENTAILMENT), Pair(g.premise, "the mill did", CONTRADICTION)]
    return Mixture(groups, [Pair("it burned", "it did", ENTAILMENT)], [Answer("it burned", "did it?", 1.0)])


def begin(out: Path) -> Tuning:
    torch.manual_seed(1)
    run = Tuning(Tuned(Encoder(TINY)), tokenizer(VOCAB), out)
    run.rounded = False
    return run


def draws() -> Draws:
    return Draws(texts(), mixture(), random.Random(1))


def test_exactly_the_words_at_fault_are_marked(tmp_path: Path) -> None:
    run = begin(tmp_path)
    false, true, manner = speech(FREE[0]).sentences
    assert run.sentence(false.text) == [VOCAB.index(w) for w in ("it", "burned", "last", "winter", ".")]
    assert run.faults(false) == [0, 0, 1, 1, 0]
    assert run.faults(true) == [0, 0, 0, 0] and not any(run.faults(manner) or [])
    part = Sentence("The miller burned", [], "unsupported", "world", "who", "Miller")
    assert run.faults(part) == [0, 1, 1, 0, 0], "every piece of a word, and not the full stop that closes the sentence"
    assert run.faults(Sentence("It burned.", [], "unsupported", "world", "time")) is None


def test_the_logits_of_a_sentence_are_those_of_its_own_tokens(tmp_path: Path) -> None:
    """Whatever stands before it, and wherever its row stands in the batch."""
    run = begin(tmp_path)
    with torch.no_grad():
        run.model.token_out.weight.normal_()
    rows = [([4] * n, [5] * k) for n, k in ((30, 2), (2, 3), (17, 1), (9, 4), (25, 2))]
    with torch.no_grad():
        entail, _, _, words = run.judge(rows)
        for i, (premise, ids) in enumerate(rows):
            assert len(words[i]) == len(premise) + len(ids) + 3
            alone = run.judge([(premise, ids)])
            assert torch.allclose(words[i], alone[3][0], atol=1e-5) and torch.allclose(entail[i], alone[0][0], atol=1e-5)


def test_a_premise_is_what_stands_nearest_within_its_budget() -> None:
    s = speech(FREE[0])
    words = lambda text: len(text.split())  # noqa: E731
    assert scene.selected(s, 1, 6, ["E1"], words) == "The mill burned in spring."
    assert scene.selected(s, 1, 100, [], words) == " ".join([*(e["text"] for e in s.evidence), s.self])
    assert scene.cited(s, s.sentences[0]) == s.evidence[0]["text"]
    assert scene.cited(s, s.sentences[2]) == " ".join(e["text"] for e in s.evidence)


def test_no_setting_that_is_held_out_is_in_a_batch() -> None:
    batches = draws()
    seen = set[str]()
    for _ in range(60):
        b = batches.next()
        seen |= {s.speech.world for s in b.said}
        assert HELD not in {s.speech.world for s in b.said}
        assert all(f"passage of {HELD}" != text for x in b.lists for text, _ in x.passages)
    assert seen == set(FREE)


def test_a_list_holds_what_answers_and_says_how_far() -> None:
    batches = draws()
    for _ in range(50):
        x = batches.listed()
        assert len(x.passages) == 7
        if x.question == "kids?":
            assert {worth for _, worth in x.passages} == {0.0}
        else:
            assert x.question == "who? ; did it burn"
            assert {"passage 1": 1.0, "passage 2": 0.25}.items() <= dict(x.passages).items()
            assert sum(worth for _, worth in x.passages) == 1.25


def test_a_step_changes_the_weights_and_no_word(tmp_path: Path) -> None:
    run = begin(tmp_path)
    before = {k: v.clone() for k, v in run.model.state_dict().items()}
    follow(run, draws(), 2, 1e-3, until=2)
    for model in (run.model, run.average):
        after = model.state_dict()
        assert torch.equal(after["encoder.word.weight"], before["encoder.word.weight"])
        for name in ("encoder.layers.0.q", "entail_out", "answers_out", "kind_out", "token_out"):
            assert not torch.equal(after[f"{name}.weight"], before[f"{name}.weight"]), name


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    """And ends with the weights that it would have had."""
    whole = begin(tmp_path)
    follow(whole, draws(), 2, 1e-3)
    (tmp_path / "stopped").mkdir()
    follow(begin(tmp_path / "stopped"), draws(), 2, 1e-3, until=1)
    again = begin(tmp_path / "stopped")
    again.resume()
    assert again.step == 1
    follow(again, draws(), 2, 1e-3)
    assert again.step == 2
    for k, v in whole.average.state_dict().items():
        assert torch.allclose(again.average.state_dict()[k], v, atol=1e-6), k


def test_what_is_exported_has_the_head_for_kinds_and_the_words_of_its_start(tmp_path: Path) -> None:
    start, out = tmp_path / "start.safetensors", tmp_path / "out.safetensors"
    torch.manual_seed(2)
    plain = Verifier(Encoder(TINY))
    weights.write(start, "tiny", plain.encoder, weights.head_tensors(plain), True)
    assert not [k for k in weights.read(start)[0] if k.startswith("heads.kind")]
    run = Tuning(begun(start, start), tokenizer(VOCAB), tmp_path)
    run.rounded = False
    follow(run, draws(), 1, 1e-3)
    model = weights.trained(Encoder(TINY), torch.load(tmp_path / "checkpoint.pt")["average"])
    write_verifier(out, "tiny", model, start)
    before, after = weights.read(start)[0], weights.read(out)[0]
    for name in weights.WORDS:
        assert after[name].tobytes() == before[name].tobytes()
    assert after["heads.kind.out.weight"].shape == (3, 24) and after["heads.kind.dense.bias"].shape == (24,)
    assert not [k for k in after if "token_" in k or "worst" in k]
    back = weights.restore(Verifier(Encoder(TINY), kinds=True), after)
    assert torch.equal(back.kind_out.weight, run.average.kind_out.weight)
    assert isinstance(begun(tmp_path / "checkpoint.pt", start), Tuned)
    with torch.no_grad():
        model.encoder.word.weight.add_(0.1)
    with pytest.raises(ValueError, match="word embeddings"):
        write_verifier(out, "tiny", model, start)
