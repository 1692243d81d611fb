package secrecy

import (
	"strings"
	"unicode/utf8"
)

// The alphabets that stand for the Latin one, sign by sign.

const morseLetters = ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- " +
	".-- -..- -.-- --.. " +
	"----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."

var morseOf = func() map[string]byte {
	out := map[string]byte{}
	for i, code := range strings.Fields(morseLetters) {
		if i < 26 {
			out[code] = byte('a' + i)
			continue
		}
		out[code] = byte('0' + i - 26)
	}
	return out
}()

var morseMarks = strings.NewReplacer("·", ".", "•", ".", "−", "-", "–", "-", "—", "-", "_", "-", "/", " ", "|",
	" ", ",", " ")

func morse(s string) string {
	var b strings.Builder
	for _, w := range strings.Fields(morseMarks.Replace(s)) {
		if c, ok := morseOf[w]; ok {
			b.WriteByte(c)
		}
	}
	return b.String()
}

func rot47(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= '!' && c <= '~' {
			out[i] = '!' + (c-'!'+47)%94
		}
	}
	return string(out)
}

// unseen reads what signs without width spell: letters of the plane of tags, bytes
// as variation selectors, bits as spaces of no width.
func unseen(s string) string {
	var b, row []byte
	for _, r := range s {
		switch {
		case r > 0xE0020 && r < 0xE007F:
			b = append(b, byte(r-0xE0000))
		case r >= 0xFE00 && r <= 0xFE0F:
			b = append(b, byte(r-0xFE00))
		case r >= 0xE0100 && r <= 0xE01EF:
			b = append(b, byte(r-0xE0100+16))
		case r == 0x200B || r == 0x2060:
			row = append(row, '0')
		case r == 0x200C || r == 0x200D || r == 0xFEFF:
			row = append(row, '1')
		}
	}
	if text, ok := bits(string(row)); ok {
		b = append(b, text...)
	}
	if !legible(b) {
		return ""
	}
	return string(b)
}

const brailleLetters = "\x01\x03\x09\x19\x11\x0b\x1b\x13\x0a\x1a\x05\x07\x0d\x1d\x15\x0f\x1f\x17\x0e\x1e" +
	"\x25\x27\x3a\x2d\x3d\x35"

func braille(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r <= 0x2800 || r > 0x28FF {
			continue
		}
		if i := strings.IndexByte(brailleLetters, byte(r-0x2800)); i >= 0 {
			b.WriteByte(byte('a' + i))
		}
	}
	return b.String()
}

var turned = strings.NewReplacer("ɐ", "a", "q", "b", "ɔ", "c", "p", "d", "ǝ", "e", "ɟ", "f", "ƃ", "g", "ɥ", "h",
	"ᴉ", "i", "ı", "i", "ɾ", "j",
	"ʞ", "k", "ɯ", "m", "u", "n", "d", "p", "b", "q", "ɹ", "r", "ʇ", "t", "n", "u", "ʌ", "v", "ʍ", "w", "ʎ", "y")

// upsideDown reads letters that stand on their heads.
func upsideDown(s string) string {
	if !strings.ContainsAny(s, "ɐɔǝɟƃɥᴉɹʇʌʍʎɯ") {
		return ""
	}
	return turned.Replace(strings.ToLower(s))
}

var otherAlphabets = strings.NewReplacer("а", "a", "б", "b", "в", "v", "г", "g", "д", "d", "е", "e", "ж", "zh",
	"з", "z", "и", "i", "й", "y",
	"к", "k", "л", "l", "м", "m", "н", "n", "о", "o", "п", "p", "р", "r", "с", "s", "т", "t", "у", "u", "ф",
	"f", "х", "h", "ц", "c", "ч", "ch", "ш", "sh",
	"щ", "sh", "ъ", "", "ы", "y", "ь", "", "э", "e", "ю", "yu", "я", "ya",
	"α", "a", "β", "b", "γ", "g", "δ", "d", "ε", "e", "ζ", "z", "η", "h", "θ", "th", "ι", "i", "κ", "k", "λ",
	"l", "μ", "m", "ν", "n", "ξ", "x", "ο", "o",
	"π", "p", "ρ", "r", "σ", "s", "ς", "s", "τ", "t", "υ", "u", "φ", "f", "χ", "ch", "ψ", "ps", "ω", "w")

// transliterated reads Cyrillic and Greek letters by their sound.
func transliterated(s string) string {
	lower := strings.ToLower(s)
	other := 0
	for _, r := range lower {
		if r >= 0x370 && r < 0x530 {
			other++
		}
	}
	if 3*other < utf8.RuneCountInString(s) {
		return ""
	}
	return otherAlphabets.Replace(lower)
}
