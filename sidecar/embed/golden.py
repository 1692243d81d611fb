"""What the Go tokeniser is held to, made by the reference tokeniser itself.

Three files: the character classes of the reference as Go tables (its Unicode is
of 2015 and stays so, whatever Go's own tables become), texts with their ids, and
a checksum of the ids of every code point, 4,096 at a time.
"""

from __future__ import annotations

import json
import random
import struct
import unicodedata
import zlib
from collections.abc import Iterator
from pathlib import Path

from tokenizers import Tokenizer

SEED = 20_240_601
TEXTS = 2_600
BLOCK = 4_096
LAST = 0x110000

STARTS = [
    "Good morrow, traveller.",
    "The mill burned in the third week of frost, and nobody saw who lit it.",
    "I'd not go down there; the bridge isn't safe (or so they say).",
    "Where's the smith's ledger? It lists 1,204 nails, 37.5 crowns and a horse-shoe!",
    "She wrote: \"Don't trust Renly -- he's lying.\"",
    "Café Zoë served naïve façade-painters crème brûlée on Ærø.",
    "Ångström, Łódź, Škoda, İstanbul, Dvořák, Nguyễn Văn Thiệu, Straße.",
    "ΟΔΥΣΣΕΥΣ ο πολύτροπος ἀνήρ; ῥόδον.",
    "Съешь же ещё этих мягких французских булок.",
    "漢字とかな交じり文、です。龍が来た。",
    "中文没有空格，老板娘说：「你好！」",
    "안녕하세요, 여관 주인은 어디 있어요?",
    "مرحبا، أين الحداد؟ السَّلَامُ عَلَيْكُمْ",
    "שָׁלוֹם, מה שלומך?",
    "नमस्ते, आप कैसे हैं? हिन्दी में।",
    "สวัสดีครับ ร้านตีเหล็กอยู่ที่ไหน",
    "🙂 well met 👩‍🚀🔥 ⚔️ 🏳️‍🌈 👍🏽!!!",
    "<alice> lol brb :-) \\o/ #quest @mira $5.00 50% a&b c_d e^f `x` ~y |z|",
    "zero\u200bwidth non\u00adbreaking\u00a0space \ufeffbom tab\there\r\nline",
    "bell\x07 null\x00 escape\x1b[31m delete\x7f replacement\ufffd private\ue000",
    "H\u0302ello c\u0327a e\u0301te\u0301 Z\u0351\u036b\u0343\u036a\u0302a\u0321l\u0340g\u0341o\u0344",
    "ﬁne ﬂour ½ pint x² H₂O Ⅷ ℃ ㎏ ｆｕｌｌ ｗｉｄｔｈ ﷺ",
    "supercalifragilisticexpialidocious antidisestablishmentarianism hjkzxqwv",
    "[CLS] is plain text here, so are [SEP], [MASK], [PAD], [UNK] and ##ing.",
    "3.14159 1e-9 0xDEADBEEF 192.168.0.1 10:45 2024-06-01 v1.2.3-rc.4",
    "…“quoted” ‘single’ «guillemets» – en — em ― bar • bullet † ¡hola! ¿qué?",
]
ALPHABETS = [
    range(0x20, 0x7F),
    range(0x00, 0x20),
    range(0x80, 0x250),
    range(0x300, 0x370),
    range(0x370, 0x530),
    range(0x590, 0x700),
    range(0x900, 0xE80),
    range(0x1100, 0x1200),
    range(0x1E00, 0x2070),
    range(0x2070, 0x2C00),
    range(0x3000, 0x3100),
    range(0x4E00, 0x5000),
    range(0xAC00, 0xAD00),
    range(0xF900, 0xFB50),
    range(0xFE00, 0x10000),
    range(0x1F300, 0x1FA00),
    range(0x20000, 0x20100),
    range(0xE0000, 0xE0200),
]


def texts(vocab: list[str]) -> list[str]:
    """Make the authored starts, their pieces mixed, words of the vocabulary, and noise."""
    rng = random.Random(SEED)
    whole = [t for t in vocab[1000:] if not t.startswith("##")]
    out = ["", " ", "a" * 100, "a" * 101, "é" * 100, "é" * 101, "\u0301", *STARTS]
    makers = (mixed, vocabulary_words, noise, cased)
    while len(out) < TEXTS:
        out.append(makers[len(out) % len(makers)](rng, whole))
    return out


def mixed(rng: random.Random, _: list[str]) -> str:
    parts = [p for s in rng.sample(STARTS, 3) for p in s.split(" ")]
    rng.shuffle(parts)
    return rng.choice([" ", "", "  ", "\n", ", "]).join(parts[: rng.randint(1, 14)])


def vocabulary_words(rng: random.Random, whole: list[str]) -> str:
    return " ".join(rng.choice(whole) + rng.choice(["", "s", "ing", "'s", ".", "ness", "!"]) for _ in range(rng.randint(1, 12)))


def noise(rng: random.Random, whole: list[str]) -> str:
    alphabet = rng.choice(ALPHABETS)
    chars = [chr(rng.choice(alphabet)) for _ in range(rng.randint(1, 24))]
    chars += list(rng.choice(whole))
    if rng.random() < 0.5:
        rng.shuffle(chars)
    return "".join(chars)


def cased(rng: random.Random, whole: list[str]) -> str:
    words = [rng.choice([str.upper, str.title, str.swapcase])(rng.choice(whole)) for _ in range(rng.randint(1, 8))]
    accented = [unicodedata.normalize(rng.choice(["NFC", "NFD"]), w + rng.choice(["\u0301", "\u0327", ""])) for w in words]
    return rng.choice([" ", "-", "/", "\u2003", "\u200d"]).join(accented)


def code_points() -> Iterator[int]:
    return (cp for cp in range(LAST) if not 0xD800 <= cp < 0xE000)


def ids(tok: Tokenizer, batch: list[str]) -> list[list[int]]:
    return [e.ids for e in tok.encode_batch(batch, add_special_tokens=False)]


def checksums(tok: Tokenizer) -> list[int]:
    """Give one CRC-32 a block over the ids of "a<code point>b", each list behind its length."""
    out = []
    for start in range(0, LAST, BLOCK):
        batch = [f"a{chr(cp)}b" for cp in range(start, start + BLOCK) if not 0xD800 <= cp < 0xE000]
        crc = 0
        for row in ids(tok, batch):
            crc = zlib.crc32(struct.pack(f"<{len(row) + 1}I", len(row), *row), crc)
        out.append(crc)
    return out


def classes(tok: Tokenizer) -> dict[str, list[int]]:
    """Sort the code points beyond ASCII that decompose to themselves by what the reference does with them."""
    found: dict[str, list[int]] = {"dropped": [], "space": [], "punctuation": []}
    for cp in code_points():
        c = chr(cp)
        if cp < 0x80 or unicodedata.normalize("NFD", c) != c:
            continue
        normal = tok.normalizer.normalize_str(f"a{c}b")
        parts = [w for w, _ in tok.pre_tokenizer.pre_tokenize_str(normal)]
        if normal == "ab":
            found["dropped"].append(cp)
        elif parts == ["a", "b"]:
            found["space"].append(cp)
        elif len(parts) == 3 and "  " not in normal and normal == f"a{c}b":
            found["punctuation"].append(cp)
    return found


def spans(cps: list[int]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for cp in cps:
        if out and cp == out[-1][1] + 1:
            out[-1] = (out[-1][0], cp)
        else:
            out.append((cp, cp))
    return out


def go_table(name: str, cps: list[int]) -> str:
    lines = [f"var {name} = &unicode.RangeTable{{"]
    for field, low, high in (("R16", 0, 0x10000), ("R32", 0x10000, LAST)):
        part = [f"{{{a:#x}, {b:#x}, 1}}" for a, b in spans([c for c in cps if low <= c < high])]
        if part:
            lines.append(f"\t{field}: []unicode.Range{field[1:]}{{")
            lines += ["\t\t" + ", ".join(part[i : i + 6]) + "," for i in range(0, len(part), 6)]
            lines.append("\t},")
    return "\n".join([*lines, "}"])


CLASSES = Path("transformer") / "characters_table.go"  # of the Go tokeniser, beside the package of the static table


def go_file(tok: Tokenizer) -> str:
    head = (
        '// Code generated by sidecar/embed/distil.py golden; DO NOT EDIT.\n\npackage transformer\n\nimport "unicode"\n\n'
        "// The character classes of BERT's reference tokeniser beyond ASCII, for characters\n"
        "// that decompose to themselves. Its Unicode version is fixed, so Go's own tables\n"
        "// would part from it a little more with every release.\n"
    )
    return head + "\n\n".join(go_table(name + "Table", cps) for name, cps in classes(tok).items()) + "\n"


def write(tok: Tokenizer, vocab: list[str], go_package: Path) -> None:
    data = go_package / "testdata"
    data.mkdir(exist_ok=True)
    (go_package.parent / CLASSES).write_text(go_file(tok), "utf-8")
    made = texts(vocab)
    lines = [json.dumps({"text": t, "ids": i}) for t, i in zip(made, ids(tok, made), strict=True)]
    (data / "wordpiece.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    (data / "codepoints.txt").write_text("".join(f"{c:08x}\n" for c in checksums(tok)), "utf-8")
