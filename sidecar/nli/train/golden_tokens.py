"""What the Go tokeniser is held to: texts with the ids that the reference tokeniser gives them.

    python golden_tokens.py --vocab ../../../weights/vocab.txt --worlds ../../../worlds \
        --out ../../../internal/transformer/testdata/tokens.jsonl.gz

A line is {"text", "ids"}, or {"block", "crc"}: a checksum over the ids of "a", a
code point and "b" for the 4,096 code points of a block. The same inputs give the
same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import struct
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from encoder import tokenizer
from tokenizers import Tokenizer

SEED, TEXTS, BLOCK, LAST = 5, 3600, 4096, 0x110000

SPOKEN = [
    "Aye, the toll is two coppers; three if the ox is wet.",
    'Old Maud\'s words, not mine: "Leave the well be."',
    "I haven't (and won't) cross Teague's weir before the 3rd of Thaw.",
    "Grain: 1,402 sacks @ 2.5d. -- rye/barley 60%/40%!",
    "Fiancé, naïveté, Zürich, Łukasz, Þórr, İzmir, smørrebrød, Đặng, ﬃx",
    "Ὀδυσσεὺς πολύμητις, ΣΊΣΥΦΟΣ; жёлтый ЁЖ и йод.",
    "水車小屋は１４０２年に焼けた。「誰が？」ガギグ ﾊﾟ",
    "磨坊着火了，没有人看见；𠮷𪚥",
    "방앗간이 불탔다 방앗간",
    "قالَ الطَّحّانُ: احترقت المطحنة؟ ١٤٠٢",
    "הַטַּחֲנָה נִשְׂרְפָה – ״מי?״",
    "चक्की जल गई। कौन था? ১৪০২ ஆலை โรงสี",
    "\u202bright to left\u202c and \u2067isolates\u2069 with \u200fmarks\u200e",
    "🔥 the mill 🔥🔥 👨‍👩‍👧‍👦 🧙🏽‍♀️ 🇬🇧 1️⃣ ☠︎",
    "zero\u200bwidth\u200cjoin\u200der\u2060word \ufeffsoft\u00adhyphen",
    "tab\tfeed\x0cvertical\x0breturn\rnext\x85line\u2028para\u2029nbsp\u00a0thin\u2009ideo\u3000end",
    "bell\x07nul\x00esc\x1b[0m del\x7f c1\x9b private\ue000\U000f0000 unassigned\u0378 replaced\ufffd",
    "ｆｕｌｌ ＷＩＤＴＨ ㎏ ℡ ½ x² H₂O Ⅳ ⓐ ﷽ ǅ ǈ ß ẞ ŉ",
    "[CLS] [SEP] [UNK] [PAD] [MASK] ##ing ## # [unused0] <s>",
    "user@mill.example /etc/passwd C:\\grain $(rm) `x` ${y} <b>bold</b> a_b^c~d|e",
    "“quotes” ‘single’ ‚low‘ «angle» ‹one› — – ‐ … ‽ § ¶ † • ° © ™ € £ ¥ ₿ × ÷ ≠ ∞",
]
ALPHABETS = [
    range(a, b)
    for a, b in (
        (0x00, 0x20), (0x20, 0x7F), (0x7F, 0x180), (0x180, 0x300), (0x2B0, 0x370), (0x370, 0x590), (0x590, 0x780), (0x900, 0xE00),
        (0xE00, 0x1200), (0x1AB0, 0x1D00), (0x1DC0, 0x2000), (0x2000, 0x2100), (0x2100, 0x2C00), (0x2E00, 0x3200), (0x3300, 0x3500),
        (0x4DA0, 0x4E40), (0xA000, 0xABFF), (0xABC0, 0xAC80), (0xE000, 0xE010), (0xF900, 0xFB00), (0xFB00, 0x10000), (0x10000, 0x10F00),
        (0x11000, 0x11800), (0x1D100, 0x1D800), (0x1E000, 0x1F000), (0x1F000, 0x1FB00), (0x20000, 0x20040), (0x2F800, 0x2FA20), (0xE0000, 0xE01F0),
    )
]  # fmt: skip


def lore(worlds: Path) -> list[str]:
    """Give the prose of our worlds, cut at blank lines."""
    parts: list[str] = []
    for file in sorted(worlds.rglob("*.md")):
        parts += [p.strip()[:600] for p in re.split(r"\n\s*\n", file.read_text("utf-8")) if len(p.strip()) > 20]
    return parts


class Maker:
    def __init__(self, vocab: list[str], prose: list[str]) -> None:
        self.dice = random.Random(SEED)
        self.words = [t for t in vocab[999:] if not t.startswith("##")]
        self.prose = prose

    def texts(self) -> list[str]:
        edges = ["", " ", "\n", "\u0301", "x" * 100, "x" * 101, "é" * 100, "é" * 101, "ab" * 5000, "x" * 99 + "\u0301", "水" * 101]
        makers: tuple[Callable[[], str], ...] = (self.told, self.shuffled, self.coined, self.noise, self.accented, self.spliced)
        return edges + SPOKEN + [makers[i % len(makers)]() for i in range(TEXTS - len(edges) - len(SPOKEN))]

    def told(self) -> str:
        return self.dice.choice(self.prose)

    def shuffled(self) -> str:
        parts = [p for s in self.dice.sample(SPOKEN, 2) for p in s.split(" ")]
        self.dice.shuffle(parts)
        return self.dice.choice([" ", "", "\n", "-", "\u00a0"]).join(parts[: self.dice.randint(2, 12)])

    def coined(self) -> str:
        ends = ["", "wyn", "mere's", "ish,", "ing!", "ldred", "-by-the-Water", "2", "...", "esses;"]
        return " ".join((self.dice.choice(self.words) + self.dice.choice(ends)).title() for _ in range(self.dice.randint(1, 8)))

    def noise(self) -> str:
        alphabet = self.dice.choice(ALPHABETS)
        chars = [chr(self.dice.choice(alphabet)) for _ in range(self.dice.randint(1, 30))] + list(self.dice.choice(self.words))
        if self.dice.random() < 0.5:
            self.dice.shuffle(chars)
        return "".join(chars)

    def accented(self) -> str:
        marks = ["\u0300", "\u0301", "\u0308", "\u0327", "\u0323\u0302", "\u0345", "\u3099", "\u302e", "\u20dd", ""]
        word = "".join(c + self.dice.choice(marks) for c in self.dice.choice(self.words))
        form = self.dice.choice(["NFC", "NFD", "NFKC", "NFKD"])
        return unicodedata.normalize(form, self.dice.choice([word, word.upper(), word.title()])) + " " + self.dice.choice(self.words)

    def spliced(self) -> str:
        s = self.told()[:160]
        for _ in range(self.dice.randint(1, 6)):
            at = self.dice.randint(0, len(s))
            s = s[:at] + chr(self.dice.choice(self.dice.choice(ALPHABETS))) + s[at:]
        return s


def ids(tok: Tokenizer, batch: list[str]) -> list[list[int]]:
    return [e.ids for e in tok.encode_batch(batch, add_special_tokens=False)]


def checksums(tok: Tokenizer) -> Iterator[dict[str, int]]:
    for start in range(0, LAST, BLOCK):
        crc = 0
        for row in ids(tok, [f"a{chr(c)}b" for c in range(start, start + BLOCK) if not 0xD800 <= c < 0xE000]):
            crc = zlib.crc32(struct.pack(f"<{len(row) + 1}I", len(row), *row), crc)
        yield {"block": start, "crc": crc}


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--vocab", type=Path, required=True)
    p.add_argument("--worlds", type=Path, required=True)
    p.add_argument("--out", type=Path, required=True)
    a = p.parse_args()
    vocab = a.vocab.read_text("utf-8").rstrip("\n").split("\n")
    tok = tokenizer(vocab)
    texts = Maker(vocab, lore(a.worlds)).texts()
    rows = [{"text": t, "ids": i} for t, i in zip(texts, ids(tok, texts), strict=True)] + list(checksums(tok))
    data = "".join(json.dumps(r, separators=(",", ":")) + "\n" for r in rows).encode()
    a.out.parent.mkdir(parents=True, exist_ok=True)
    a.out.write_bytes(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    main()
