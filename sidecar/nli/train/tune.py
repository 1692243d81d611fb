"""Goes on from the weights that ship, or from a checkpoint, on natural speech, what players ask, and the pairs.

    python tune.py --data DATA --start ../../../weights/verifier.safetensors --out RUN --steps 1750

A batch holds sentences of speech, each beside a view of what its prompt showed; questions, each with several
passages of which some answer; and pairs as in train.py. A sentence is short beside its premise, and the mean over all
tokens says little of one of them. So where the writer says which words are at fault, each token of the
sentence learns whether it is one of them, by a head that does not ship. Another head, which does, learns the kind of a sentence.

Settings that `spoken.held` holds out are in no batch. The word embeddings stay as they are. A run that was stopped goes on
from its last checkpoint, with the batches that it would have had. The averaged weights come out.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path

import card
import scene
import torch
import torch.nn.functional as F
import weights
from data import ENTAILMENT, NOT_ENTAILMENT
from draw import Batch, Draws, Said, read
from encoder import SEP, Encoder, Verifier, collate, pooled, tokenizer
from spoken import Sentence
from tokenizers import Tokenizer
from torch import Tensor, nn
from train import CONTRAST, Run, contrast_loss, entailment_loss

SHIPPED = Path(__file__).parents[3] / "weights" / "verifier.safetensors"
BEFORE = 40  # tokens of the message, and of the sentence before
LIMIT, WARM_UP, DECAY = 192, 60, 0.99
KINDS = ("world", "self", "social")


class Tuned(Verifier):
    """The verifier with a head for kinds, and one for words at fault that only training needs."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__(encoder, kinds=True)
        h = encoder.shape.hidden
        self.token_dense, self.token_out = nn.Linear(h, h), nn.Linear(h, 1)
        nn.init.zeros_(self.token_out.weight)
        nn.init.constant_(self.token_out.bias, -2.5)  # few words are at fault
        self.worst = nn.Parameter(torch.zeros(()))  # from the sum over a sentence's words to its logit

    def judge(self, ids: Tensor, types: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Give entailment, answers and kind of each row, and of each token whether it is at fault."""
        tokens = self.encoder.tokens(ids, types, mask)
        x = pooled(tokens, mask)
        entail = self.entail_out(torch.tanh(self.entail_dense(x)))
        answers = self.answers_out(torch.tanh(self.answers_dense(x))).squeeze(-1)
        kinds = self.kind_out(torch.tanh(self.kind_dense(x)))
        return entail, answers, kinds, self.token_out(torch.tanh(self.token_dense(tokens))).squeeze(-1)


def fault_loss(words: Sequence[Tensor], labels: Sequence[list[float] | None]) -> Tensor:
    """Ask of each token whether it is at fault, twice as hard where it is; sentences whose fault nobody marked stay out."""
    losses = [torch.zeros(())]
    for z, label in zip(words, labels, strict=True):
        if label is not None and len(label) == len(z):
            t = torch.tensor(label)
            losses.append((F.binary_cross_entropy_with_logits(z, t, reduction="none") * (1 + t)).mean())
    return torch.stack(losses).sum() / max(1, len(losses) - 1)


def claim_loss(entail: Tensor, true: list[bool]) -> Tensor:
    """Ask whether each claim is supported, and that each that is stands above each that is not."""
    labels = torch.tensor([ENTAILMENT if t else NOT_ENTAILMENT for t in true])
    return entailment_loss(entail, labels).mean() + 0.15 * contrast_loss(entail, labels, torch.zeros_like(labels))


def list_loss(z: Tensor, worth: list[float]) -> Tensor:
    """Ask of each passage whether it answers, and which of them does best; a nought among them stands for none."""
    t = torch.tensor(worth)
    best = F.pad((t == 1).float(), (0, 1))
    best[-1] = float(best.sum() == 0)
    choice = -(best / best.sum() * F.log_softmax(F.pad(z, (0, 1)), 0)).sum()
    return 0.3 * F.binary_cross_entropy_with_logits(z, t) + 0.15 * choice


class Tuning(Run):
    """A run over batches that hold speech too."""

    model: Tuned

    def __init__(self, model: Tuned, tok: Tokenizer, out: Path) -> None:
        super().__init__(model, tok, out)
        self.decay = DECAY

    def faults(self, s: Sentence) -> list[float] | None:
        """Give 1 for each token of the words at fault, 0 for the others; nothing where the fault is not marked."""
        n = len(self.sentence(s.text))
        if s.label != "unsupported":
            return [0.0] * n
        start = s.text.lower().find(s.part.lower()) if s.part else -1
        if start < 0:
            return None
        marked = [float(a < start + len(s.part) and b > start) for a, b in self.tok.encode(s.text).offsets]
        return [*marked[: n - 1], *[0.0] * (n - 1 - len(marked)), 0.0]  # a full stop closes each sentence, and is never at fault

    def row(self, said: Said) -> tuple[list[int], list[int]]:
        speech, s = said.speech, said.sentence
        if said.budget:
            premise = scene.selected(speech, said.at, said.budget, s.cites if said.cites else [], lambda t: len(self.tokens(t)))
        else:
            premise = scene.cited(speech, s)
        ids = self.sentence(s.text)
        if not said.asked:
            return self.tokens(premise), ids
        before = [speech.message] + ([speech.sentences[said.at - 1].text] if said.at else [])
        return self.tokens(premise), [i for text in before for i in (*self.tokens(text)[-BEFORE:], SEP)] + ids

    def judge(self, rows: list[tuple[list[int], list[int]]]) -> tuple[Tensor, Tensor, Tensor, list[Tensor]]:
        """Give what the heads say of each row and of its tokens. Thirds by length are read apart, for attention is padded."""
        order = sorted(range(len(rows)), key=lambda i: len(rows[i][0]) + len(rows[i][1]))
        third = -(-len(order) // 3)
        heads, words = list[tuple[Tensor, Tensor, Tensor]](), list[Tensor]()
        for at in range(0, len(order), third):
            ids, types, mask = collate([rows[i] for i in order[at : at + third]], LIMIT)
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.rounded):
                *said, tokens = self.model.judge(ids, types, mask)
            heads.append((said[0], said[1], said[2]))
            words += [z[m] for z, m in zip(tokens.float(), mask, strict=True)]
        back = torch.tensor(order).argsort()
        entail, answers, kinds = (torch.cat(parts).float()[back] for parts in zip(*heads, strict=True))
        return entail, answers, kinds, [words[i] for i in back.tolist()]

    def total(self, b: Batch) -> Tensor:
        """Give the loss of a batch."""
        rows = [(self.tokens(p.premise), self.sentence(p.hypothesis)) for p in b.pairs]
        rows += [self.row(s) for s in b.said]
        rows += [(self.tokens(q.block), self.tokens(q.question)) for q in b.questions]
        rows += [(self.tokens(text), self.tokens(x.question)) for x in b.lists for text, _ in x.passages]
        entail, answers, kinds, words = self.judge(rows)
        n, m = len(b.pairs), len(b.pairs) + len(b.said)
        closed = [self.sentence(t) for t in (*(p.hypothesis for p in b.pairs), *(s.sentence.text for s in b.said))]
        own = [words[i][-len(ids) - 1 : -1] for i, ids in enumerate(closed)]  # what stands before the last mark of the row
        at_fault = torch.stack([z.logsumexp(0) for z in own]) + self.model.worst

        labels = torch.tensor([p.label for p in b.pairs])
        where = {p.premise: i for i, p in enumerate(b.pairs)}
        premises = torch.tensor([where[p.premise] for p in b.pairs])
        loss = entailment_loss(entail[:n], labels).mean() + CONTRAST * contrast_loss(entail[:n], labels, premises)
        loss = loss + 0.3 * F.binary_cross_entropy_with_logits(at_fault[:n], (labels != ENTAILMENT).float())

        sentences = [s.sentence for s in b.said]
        loss = loss + 0.8 * fault_loss(own[n:], [self.faults(s) for s in sentences])
        loss = loss + 0.3 * F.cross_entropy(kinds[n:m], torch.tensor([KINDS.index(s.kind) for s in sentences]))
        claims = [i for i, s in enumerate(sentences, n) if s.label != "no_claim"]
        if claims:
            true = [sentences[i - n].label == "supported" for i in claims]
            loss = loss + claim_loss(entail[claims], true)
            loss = loss + 0.5 * F.binary_cross_entropy_with_logits(at_fault[claims], 1 - torch.tensor(true).float())

        at = m + len(b.questions)
        if b.questions:
            loss = loss + 0.4 * F.binary_cross_entropy_with_logits(answers[m:at], torch.tensor([q.answers for q in b.questions]))
        for x in b.lists:
            loss = loss + list_loss(answers[at : at + len(x.passages)], [worth for _, worth in x.passages])
            at += len(x.passages)
        return loss


def follow(run: Tuning, draws: Draws, steps: int, rate: float, until: int | None = None) -> None:
    """Run from where the run stands to its end, or until a step before it; the rate falls to zero at the end."""
    for _ in range(run.step):
        draws.next()  # what the run had before it was stopped
    total, end = 0.0, steps if until is None else until
    while run.step < end:
        now = rate * min(1.0, (run.step + 1) / WARM_UP) * (1 - run.step / steps)
        total += run.descend(run.total(draws.next()), now)
        if run.step % 25 == 0:
            print(f"step {run.step} loss {total / 25:.3f} rate {now:.2e}", flush=True)
            total = 0.0
        if run.step % 100 == 0 or run.step == end:
            run.save()


def begun(start: Path, words: Path) -> Tuned:
    """Give the model to go on from. Its words are those of a file that ships, exact, for training leaves them so."""
    tensors, meta = weights.read(words)
    model = Tuned(Encoder(card.shape_of(meta)))
    if start.suffix == ".safetensors":
        weights.restore(model, weights.read(start)[0])
    else:
        left = model.load_state_dict(torch.load(start)["average"], strict=False)
        missing = [k for k in left.missing_keys if not k.startswith(("kind_", *weights.TRAINING))]
        if missing or left.unexpected_keys:
            raise SystemExit(f"--start {start}: is no checkpoint of this model: {[*missing, *left.unexpected_keys][:3]}")
    exact = weights.ungrouped(tensors, model.encoder.shape.hidden)
    if not torch.allclose(model.encoder.word.weight, exact, atol=1e-6):
        raise SystemExit(f"--start {start}: its words are not those of {words}; name its file with --words")
    with torch.no_grad():
        model.encoder.word.weight.copy_(exact)
    return model


def main() -> None:
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--data", type=Path, required=True, help="the data folder: nli/ and npc/")
    ap.add_argument("--start", type=Path, default=SHIPPED, help="weights as they ship, or a checkpoint, to go on from")
    ap.add_argument("--words", type=Path, default=SHIPPED, help="weights as they ship, whose words are kept byte for byte")
    ap.add_argument("--out", type=Path, required=True)
    ap.add_argument("--steps", type=int, default=1750)
    ap.add_argument("--rate", type=float, default=6e-5, help="at its height; it falls to zero")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--exact", action="store_true", help="multiply in float32: for a processor without bfloat16")
    args = ap.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    tok = tokenizer((SHIPPED.parent / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n"))
    run = Tuning(begun(args.start, args.words), tok, args.out)
    run.rounded = not args.exact
    run.resume()
    if run.step > args.steps:
        ap.error(f"--out {args.out}: holds a longer run, of step {run.step}; give another folder")
    texts, mix = read(args.data)
    asked = sum(len(a.questions) for a in texts.asked)
    print(f"{len(texts.speeches)} speeches, {asked} questions, {len(texts.stories)} on stories", flush=True)
    follow(run, Draws(texts, mix, random.Random(args.seed)), args.steps, args.rate)
    packed, meta = weights.read(args.words)
    heads = weights.head_tensors(run.average)
    weights.write(args.out / "verifier.safetensors", meta["name"], run.average.encoder, heads, True, packed)


if __name__ == "__main__":
    main()
