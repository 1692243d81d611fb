"""Pairs of texts as a model reads them: tokens, and windows of a long premise."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from tokenizers import Encoding, Tokenizer, models, normalizers, pre_tokenizers, processors

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


class Reader:
    """Cuts pairs into sequences of at most so many tokens."""

    def __init__(self, tokenizer: Tokenizer, limit: int) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        # "</s>" in a text is four characters of that text, not the end of it.
        tokenizer.encode_special_tokens = True
        self.tokenizer = tokenizer
        self.limit = limit
        self.room = limit - tokenizer.num_special_tokens_to_add(is_pair=True)

    def read(self, premise: str, hypothesis: str) -> list[Sequence]:
        """Give the windows of a pair; none where one of its texts says nothing."""
        premise, hypothesis = _scalar(premise), _scalar(hypothesis)
        if says_nothing(premise) or says_nothing(hypothesis):
            return []
        h = self._tokens(hypothesis, min(PAIR_TOKENS, self.limit) // 2)
        return [self._pair(w, h) for w in self._windows(premise)] if len(h) else []

    def _tokens(self, text: str, most: int) -> Encoding:
        e = self.tokenizer.encode(text, add_special_tokens=False)
        e.truncate(most)
        return e

    def _pair(self, window: Encoding, hypothesis: Encoding) -> Sequence:
        window.truncate(max(0, self.room - len(hypothesis)))
        e = self.tokenizer.post_process(window, hypothesis, add_special_tokens=True)
        return Sequence(e.ids, e.type_ids)

    def _windows(self, premise: str) -> Iterator[Encoding]:
        whole = self.tokenizer.encode(premise, add_special_tokens=False)
        if len(whole) <= WINDOW_TOKENS:
            if len(whole):
                yield whole
            return
        for n, text in enumerate(self._runs(premise)):
            if n == WINDOWS:
                return
            yield self._tokens(text, WINDOW_TOKENS)

    def _runs(self, premise: str) -> Iterator[str]:
        """Give runs of whole sentences, each beginning with the last sentence of the one before."""
        run: list[str] = []
        size = 0
        last, last_size = "", 0
        for s in sentences(premise):
            n = min(len(self.tokenizer.encode(s, add_special_tokens=False)), WINDOW_TOKENS)
            if run and size + n > WINDOW_TOKENS:
                yield " ".join(run)
                run, size = ([last], last_size) if last_size + n <= WINDOW_TOKENS else ([], 0)
            run.append(s)
            size += n
            last, last_size = s, n
        if run:
            yield " ".join(run)


def _scalar(text: str) -> str:
    """Put the replacement character for half a surrogate pair, which no tokeniser reads."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
