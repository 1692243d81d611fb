"""Pairs of texts as a model reads them: tokens, and windows of a long premise."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from .sentences import sentences

# The bounds are those of the Go tier, so that one file of weights says the same in both.
WINDOW_TOKENS = 110
PAIR_TOKENS = 256
WINDOWS = 24


@dataclass(frozen=True)
class Sequence:
    """One window of a premise with its hypothesis."""

    ids: list[int]
    types: list[int]

    def __len__(self) -> int:
        return len(self.ids)


def bert(vocab: list[str]) -> Tokenizer:
    """Build the uncased BERT tokeniser.

    No special token is looked for in the text, for a player may well write "[SEP]".
    """
    known = {t: i for i, t in enumerate(vocab)}
    tok = Tokenizer(models.WordPiece(known, unk_token="[UNK]", max_input_chars_per_word=100))
    tok.normalizer = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    tok.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tok.post_processor = processors.BertProcessing(("[SEP]", known["[SEP]"]), ("[CLS]", known["[CLS]"]))
    return tok


def says_nothing(text: str) -> bool:
    """Say whether a text is empty but for blanks and characters that nobody sees."""
    return all(c.isspace() or unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Mn") for c in text)


class _Marks:
    """What a model's tokeniser puts before, between and behind two texts, learnt from one pair."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        e = tokenizer.encode("one", "one")
        places: tuple[list[int], list[int]] = ([], [])
        for i, of in enumerate(e.sequence_ids):
            if of is not None:
                places[of].append(i)
        if not all(places):
            raise ValueError("it reads no token in a text of one word")
        (a, behind_a), (b, behind_b) = ((p[0], p[-1] + 1) for p in places)
        self.before, self.between, self.behind = (
            Sequence(e.ids[start:end], e.type_ids[start:end]) for start, end in ((0, a), (behind_a, b), (behind_b, len(e.ids)))
        )
        self.types = e.type_ids[a], e.type_ids[b]

    def __len__(self) -> int:
        return len(self.before) + len(self.between) + len(self.behind)

    def around(self, premise: list[int], hypothesis: list[int]) -> Sequence:
        first, second = self.types
        return Sequence(
            [*self.before.ids, *premise, *self.between.ids, *hypothesis, *self.behind.ids],
            [
                *self.before.types,
                *([first] * len(premise)),
                *self.between.types,
                *([second] * len(hypothesis)),
                *self.behind.types,
            ],
        )


_MARKS = (".", "!", "?", ",", ";", ":", "…", "-", "–", "—", '"', "”", "“", "’", "‘", "'", ")", "]", "}", "*")


class Ending:
    """Ends a hypothesis with one full stop in place of its marks.

    Most of the sentences that our weights learnt from and that end without a full stop are
    true; weights that may see whether there is one accept far more of the false ones that
    are sent without. The training and the Go tier read them so as well.
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._stop = tokenizer.token_to_id(".")
        self._marks = {tokenizer.token_to_id(m) for m in _MARKS}

    def close(self, ids: list[int]) -> list[int]:
        n = len(ids)
        while n > 0 and ids[n - 1] in self._marks:
            n -= 1
        return ids if n == 0 or self._stop is None else [*ids[:n], self._stop]


class Reader:
    """Cuts pairs into sequences of at most so many tokens."""

    def __init__(self, tokenizer: Tokenizer, limit: int, ending: Ending | None = None) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        # "</s>" in a text is four characters of that text, not the end of it.
        tokenizer.encode_special_tokens = True
        self._tokenizer, self._ending = tokenizer, ending
        self._marks = _Marks(tokenizer)
        self._most = min(PAIR_TOKENS, limit) // 2  # of a hypothesis
        self._room = limit - len(self._marks)

    def read(self, premise: str, hypothesis: str) -> list[Sequence]:
        """Give the windows of a pair; none where one of its texts says nothing."""
        premise, hypothesis = _scalar(premise), _scalar(hypothesis)
        if says_nothing(premise) or says_nothing(hypothesis):
            return []
        most = min(self._most, self._room)
        h = (
            self._tokens(hypothesis)[:most]
            if self._ending is None
            else self._ending.close(self._tokens(hypothesis)[: max(0, most - 1)])
        )
        return [self._marks.around(w[: self._room - len(h)], h) for w in self._windows(premise)] if h else []

    def _tokens(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def _windows(self, premise: str) -> list[list[int]]:
        whole = self._tokens(premise)
        if len(whole) <= WINDOW_TOKENS:
            return [whole] if whole else []
        # A text without a sentence is marks alone.
        return list(islice(self._runs(premise), WINDOWS)) or [whole[:WINDOW_TOKENS]]

    def _runs(self, premise: str) -> Iterator[list[int]]:
        """Give runs of whole sentences, each beginning with the last sentence of the one before."""
        run: list[int] = []
        last: list[int] = []
        for i, s in enumerate(sentences(premise)):
            # Some tokenisers tell a word behind a blank from one at the start.
            for ids in _pieces(self._tokens(f" {s}" if i else s)):
                if run and len(run) + len(ids) > WINDOW_TOKENS:
                    yield run
                    run = [*last] if len(last) + len(ids) <= WINDOW_TOKENS else []
                run += ids
                last = ids
        if run:
            yield run


def _pieces(ids: list[int]) -> Iterator[list[int]]:
    """Cut what is longer than a window, such as a list or a page without full stops, so that each half is read twice."""
    step = WINDOW_TOKENS // 2
    for start in range(0, max(1, len(ids) - WINDOW_TOKENS + step), step):
        yield ids[start : start + WINDOW_TOKENS]


def _scalar(text: str) -> str:
    """Put the replacement character for half a surrogate pair, which no tokeniser reads."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
