"""One cross-encoder in onnxruntime: pairs in, three probabilities a pair out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence as Ordered
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray
from tokenizers import Tokenizer

from . import graph, labels, weights
from .failure import LoadError
from .pairs import PAIR_TOKENS, Ending, Reader, Sequence, bert

Probabilities = NDArray[np.float64]  # rows of entailment, neutral, contradiction
_INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))
_INTEGERS: dict[str, type[np.integer[Any]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Model:
    """A session with all that is needed to read pairs for it. One thread at a time runs it."""

    def __init__(
        self,
        name: str,
        sha256: str,
        reader: Reader,
        session: ort.InferenceSession,
        order: tuple[str, ...],
        pad: int,
        where: str,
    ) -> None:
        self.name, self.sha256, self.labels = name, sha256, order
        self._reader, self._session, self._pad = reader, session, pad
        self._types = _input_types(session, where)
        outputs = [o.name for o in session.get_outputs()]
        self._output = "logits" if "logits" in outputs else outputs[0]
        self._try(where)

    def read(self, premise: str, hypothesis: str) -> list[Sequence]:
        return self._reader.read(premise, hypothesis)

    def run(self, batch: Ordered[Sequence]) -> Probabilities:
        """Give one row a sequence; a row is NaN where the model's output is no number."""
        logits = self._logits(batch)
        p = np.full((len(batch), 3), np.nan)
        sound = np.isfinite(logits).all(axis=1)
        odds = np.exp(logits[sound] - logits[sound].max(axis=1, keepdims=True))
        share = odds / odds.sum(axis=1, keepdims=True)
        p[sound] = 0
        for at, label in enumerate(self.labels):
            # Of two classes the one that does not entail says nothing of a contradiction.
            to = {labels.ENTAILMENT: 0, labels.CONTRADICTION: 2}.get(label, 1)
            p[sound, to] += share[:, at]
        return p

    def _logits(self, batch: Ordered[Sequence]) -> Probabilities:
        longest = max(len(s) for s in batch)
        arrays = {name: np.zeros((len(batch), longest), kind) for name, kind in self._types.items()}
        arrays["input_ids"].fill(self._pad)
        for i, s in enumerate(batch):
            arrays["input_ids"][i, : len(s)] = s.ids
            if "attention_mask" in arrays:
                arrays["attention_mask"][i, : len(s)] = 1
            if "token_type_ids" in arrays:
                arrays["token_type_ids"][i, : len(s)] = s.types
        out = np.asarray(self._session.run([self._output], arrays)[0], np.float64)
        if out.shape != (len(batch), len(self.labels)):
            raise ValueError(f"the model answers {list(out.shape)} for {len(batch)} pairs and {len(self.labels)} labels")
        return out

    def _try(self, where: str) -> None:
        """Run it once, so that a model that cannot work is refused at the start."""
        trial = self.read("The mill burned in spring.", "It did.") + self.read("No.", "So it is.")
        try:
            rows = self.run(trial)
        except Exception as err:  # onnxruntime has no exception of its own to name
            raise LoadError(f"{where}: cannot be run ({_line(err)}); export it again with its tokenizer and config") from err
        if not np.isfinite(rows).all():
            raise LoadError(f"{where}: answers with no number; export it again")


def _line(err: Exception) -> str:
    return " ".join(str(err).split())[:300]


def _input_types(session: ort.InferenceSession, where: str) -> dict[str, type[np.integer[Any]]]:
    given = {i.name: i.type for i in session.get_inputs()}
    if "input_ids" not in given or not set(given) <= _INPUTS or not set(given.values()) <= set(_INTEGERS):
        said = ", ".join(f"{n} {t}" for n, t in given.items())
        raise LoadError(
            f"{where}: takes {said}; input_ids, attention_mask and token_type_ids of integers are what an encoder takes"
        )
    return {name: _INTEGERS[kind] for name, kind in given.items()}


def _session(model: bytes | Path, threads: int, where: str) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 4  # what goes wrong is raised, and said in one line
    try:
        return ort.InferenceSession(
            str(model) if isinstance(model, Path) else model, options, providers=["CPUExecutionProvider"]
        )
    except Exception as err:  # onnxruntime has no exception of its own to name
        raise LoadError(f"{where}: is no model that onnxruntime can load ({_line(err)})") from err


def own(path: Path, threads: int = 0) -> Model:
    """Load the verifier's own weights."""
    w = weights.read(path)
    tokenizer = bert(w.vocab)
    reader = Reader(tokenizer, min(PAIR_TOKENS, w.shape.positions), Ending(tokenizer))
    order = (labels.ENTAILMENT, labels.NEUTRAL, labels.CONTRADICTION)
    return Model(
        w.name, w.sha256, reader, _session(graph.build(w), threads, str(path)), order, w.vocab.index("[PAD]"), str(path)
    )


def folder(path: Path, threads: int = 0) -> Model:
    """Load any cross-encoder out of a folder with model.onnx, tokenizer.json and config.json."""
    onnx = next((p for p in (path / "model.onnx", path / "onnx" / "model.onnx") if p.is_file()), None)
    if onnx is None:
        raise LoadError(f"{path}: holds no model.onnx and no onnx/model.onnx; export the model to ONNX into this folder first")
    config = _config(path / "config.json")
    order = labels.order(config, str(path / "config.json"))
    tokenizer = _tokenizer(path / "tokenizer.json")
    try:
        reader = Reader(tokenizer, _limit(config, path))
    except ValueError as err:
        raise LoadError(
            f"{path / 'tokenizer.json'}: is of no use ({_line(err)}); save the model's fast tokenizer again"
        ) from err
    return Model(
        path.resolve().name,
        _sha256(onnx),
        reader,
        _session(onnx, threads, str(onnx)),
        order,
        _pad(config, tokenizer),
        str(onnx),
    )


def _config(path: Path) -> dict[str, Any]:
    try:
        config = json.loads(path.read_text("utf-8"))
    except OSError as err:
        raise LoadError(f"{path}: {err.strerror or err}; it belongs beside the model and names its labels") from err
    except (ValueError, RecursionError) as err:
        raise LoadError(f"{path}: is no JSON ({_line(err)})") from err
    if not isinstance(config, dict):
        raise LoadError(f"{path}: is no JSON object")
    return config


def _tokenizer(path: Path) -> Tokenizer:
    if not path.is_file():
        raise LoadError(f"{path}: there is none; save the model's fast tokenizer beside it")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as err:  # tokenizers raises plain exceptions
        raise LoadError(f"{path}: is no tokenizer ({_line(err)})") from err
    if tokenizer.num_special_tokens_to_add(is_pair=True) == 0:
        raise LoadError(f"{path}: puts nothing between two texts; save the fast tokenizer with its post_processor")
    return tokenizer


def _limit(config: dict[str, Any], path: Path) -> int:
    positions = config.get("max_position_embeddings", PAIR_TOKENS)
    if not isinstance(positions, int) or positions <= 0:
        return PAIR_TOKENS
    if "roberta" in str(config.get("model_type", "")):
        positions -= 2  # it counts from behind its padding
    if positions < 16:
        raise LoadError(f"{path / 'config.json'}: max_position_embeddings of {positions} leave no room for two texts")
    return min(PAIR_TOKENS, positions)


def _pad(config: dict[str, Any], tokenizer: Tokenizer) -> int:
    stated = config.get("pad_token_id")
    if isinstance(stated, int) and stated >= 0:
        return stated
    found = (tokenizer.token_to_id(t) for t in ("[PAD]", "<pad>"))
    return next((i for i in found if i is not None), 0)


def _sha256(onnx: Path) -> str:
    """Hash the model, and the weights that lie in files of their own beside it."""
    total = hashlib.sha256()
    for part in sorted(onnx.parent.glob(onnx.name + "*")):
        with part.open("rb") as f:
            while block := f.read(1 << 20):
                total.update(block)
    return total.hexdigest()
