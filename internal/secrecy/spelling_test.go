package secrecy

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// spelling is a trick: it writes a text so that a reader may still get it back.
type spelling struct {
	name string
	of   func(string) string
}

func reversed(s string) string {
	r := []rune(s)
	slices.Reverse(r)
	return string(r)
}

func each(s string, of func(r rune) string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(of(r))
	}
	return b.String()
}

func eachByte(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func lettersOf(s string) []rune {
	var out []rune
	for _, r := range s {
		if unicode.In(r, unicode.L, unicode.N, unicode.So, unicode.Sc, unicode.M) || r == '@' || r == '$' || r == '!' {
			out = append(out, r)
		}
	}
	return out
}

func eachWord(s string, of func(string) string) string {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = of(w)
	}
	return strings.Join(words, " ")
}

func shift(by int) func(string) string {
	return func(s string) string {
		return each(s, func(r rune) string {
			switch {
			case r >= 'a' && r <= 'z':
				return string('a' + (r-'a'+rune(by))%26)
			case r >= 'A' && r <= 'Z':
				return string('A' + (r-'A'+rune(by))%26)
			}
			return string(r)
		})
	}
}

func onto(first rune) func(string) string {
	return func(s string) string {
		return each(strings.ToLower(s), func(r rune) string {
			if r >= 'a' && r <= 'z' {
				return string(first + r - 'a')
			}
			return string(r)
		})
	}
}

func swapped(pairs string) func(string) string {
	to := map[rune]string{}
	for _, p := range strings.Fields(pairs) {
		r := []rune(p)
		to[r[0]] = string(r[1:])
	}
	return func(s string) string {
		return each(s, func(r rune) string {
			if x, ok := to[unicode.ToLower(r)]; ok {
				return x
			}
			return string(r)
		})
	}
}

func between(sep string) func(string) string {
	return func(s string) string {
		var out []string
		for _, r := range lettersOf(s) {
			out = append(out, string(r))
		}
		return strings.Join(out, sep)
	}
}

func grouped(n int) func(string) string {
	return func(s string) string {
		var out []string
		for part := range slices.Chunk(lettersOf(s), n) {
			out = append(out, string(part))
		}
		return strings.Join(out, " ")
	}
}

func pieces(s string, n int) []string {
	var out []string
	for part := range slices.Chunk([]byte(s), n) {
		out = append(out, string(part))
	}
	return out
}

// letterwise are tricks that leave one sign for each letter, so that others may
// follow them.
var letterwise = []spelling{
	{"backwards", reversed},
	{"each word backwards", func(s string) string { return eachWord(s, reversed) }},
	{"leet", swapped("a4 e3 i1 o0 s5 t7 b8")},
	{"leet with symbols", swapped("a@ s$ e3 o0 i!")},
	{"capitals", strings.ToUpper},
	{"turns of capitals", func(s string) string {
		n := 0
		return each(s, func(r rune) string {
			if n++; n%2 == 0 {
				return strings.ToUpper(string(r))
			}
			return strings.ToLower(string(r))
		})
	}},
	{"Cyrillic look-alikes", swapped("aа cс eе oо pр xх yу iі sѕ")},
	{"Greek look-alikes", swapped("aα oο iι nη vν pρ tτ uυ")},
	{"full width", onto(0xFF41)},
	{"mathematical bold", onto(0x1D41A)},
	{"circled", onto(0x24D0)},
	{"flags", onto(0x1F1E6)},
	{"small capitals", swapped("aᴀ bʙ cᴄ dᴅ eᴇ gɢ hʜ iɪ kᴋ lʟ mᴍ nɴ oᴏ pᴘ rʀ tᴛ uᴜ wᴡ yʏ")},
	{"accents", swapped("aä eé oõ uû nñ ií")},
	{"marks piled up", func(s string) string { return each(s, func(r rune) string { return string(r) + "̷͛" }) }},
	{"no width between", between("\u200b")},
	{"soft hyphens", between("\u00ad")},
	{"joiners", between("\u2060\u200d")},
}

// spread are tricks that take a sentence's letters apart.
var spread = []spelling{
	{"spaced", between(" ")}, {"dots", between(".")}, {"hyphens", between("-")}, {"commas", between(", ")},
	{"stars", between("*")},
	{"lines", between("\n")}, {"spelt out", between("... then ")}, {"groups of four", grouped(4)},
	{"groups of three", grouped(3)}, {"no spaces", grouped(1000)},
	{"underscores", func(s string) string { return strings.ReplaceAll(s, " ", "_") }},
	{"every second letter", func(s string) string {
		return each(string(lettersOf(s)), func(r rune) string { return string(r) + "x" })
	}},
	{"first letters", func(s string) string {
		return each(string(lettersOf(s)), func(r rune) string { return string(r) + "at " })
	}},
	{"last letters", func(s string) string {
		return each(string(lettersOf(s)), func(r rune) string { return "no" + string(r) + " " })
	}},
	{"first letters of sentences", func(s string) string {
		return each(string(lettersOf(s)),
			func(r rune) string { return strings.ToUpper(string(r)) + "oh and so on it went. " })
	}},
	{"capitals among small letters", func(s string) string {
		return each(string(lettersOf(strings.ToUpper(s))), func(r rune) string { return "we " + string(r) + " go " })
	}},
	{"an alphabet of names", func(s string) string {
		return each(string(lettersOf(s)), func(r rune) string { return string(r) + " as in " + string(r) + "um, " })
	}},
	{"words backwards", func(s string) string {
		w := strings.Fields(s)
		slices.Reverse(w)
		return strings.Join(w, " ")
	}},
	{"first words of sentences", func(s string) string {
		return eachWord(s, func(w string) string { return w + " is a fine word, you know." })
	}},
	{"every second word", func(s string) string { return eachWord(s, func(w string) string { return w + " pop" }) }},
	{"letters mixed within words", func(s string) string {
		return eachWord(s, func(w string) string {
			r := []rune(w)
			if len(r) > 3 {
				r[1], r[2] = r[2], r[1]
			}
			return string(r)
		})
	}},
	{"without vowels", swapped("a e i o u")},
	{"stars for vowels", swapped("a* e* i* o* u*")},
}

// codes are tricks that need a table to be read.
var codesOf = []spelling{
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }},
	{"base64 of a URL", func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }},
	{"base64 in pieces", func(s string) string {
		return strings.Join(pieces(base64.RawStdEncoding.EncodeToString([]byte(s)), 6), " ")
	}},
	{"base64 twice", func(s string) string {
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(s))))
	}},
	{"base32", func(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }},
	{"hex", func(s string) string { return hex.EncodeToString([]byte(s)) }},
	{"hex in pairs", func(s string) string { return fmt.Sprintf("% x", s) }},
	{"hex of C", func(s string) string { return eachByte(s, `\x%02x`) }},
	{"code points", func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf(`\u%04x`, r) }) }},
	{"escapes of a URL", func(s string) string { return eachByte(s, "%%%02X") }},
	{"entities", func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("&#%d;", r) }) }},
	{"binary", func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("%08b ", r) }) }},
	{"octal", func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("%03o ", r) }) }},
	{"ASCII codes", func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("%d, ", r) }) }},
	{"letters as numbers", func(s string) string {
		return each(strings.ToLower(s), func(r rune) string {
			if r >= 'a' && r <= 'z' {
				return fmt.Sprint(r-'a'+1, "-")
			}
			return " "
		})
	}},
	{"Morse", func(s string) string {
		codes := strings.Fields(morseLetters)
		return each(strings.ToLower(s), func(r rune) string {
			switch {
			case r >= 'a' && r <= 'z':
				return codes[r-'a'] + " "
			case r >= '0' && r <= '9':
				return codes[26+r-'0'] + " "
			}
			return "/ "
		})
	}},
	{"Braille", func(s string) string {
		return each(strings.ToLower(s), func(r rune) string {
			if r >= 'a' && r <= 'z' {
				return string(0x2800 + rune(brailleLetters[r-'a']))
			}
			return " "
		})
	}},
	{"on its head", func(s string) string {
		return reversed(swapped("aɐ bq cɔ dp eǝ fɟ gƃ hɥ iᴉ jɾ kʞ mɯ nu pd qb rɹ tʇ un vʌ wʍ yʎ")(s))
	}},
	{"rot13", shift(13)}, {"rot3", shift(3)}, {"rot25", shift(25)},
	{"rot47", rot47},
	{"the alphabet turned", func(s string) string {
		return each(strings.ToLower(s), func(r rune) string {
			if r >= 'a' && r <= 'z' {
				return string('a' + 'z' - r)
			}
			return string(r)
		})
	}},
	{"tags that nobody sees", func(s string) string {
		return "Aye." +
			each(s, func(r rune) string { return string(0xE0000 + r) })
	}},
	{"selectors that nobody sees", func(s string) string {
		return "Aye." + each(s, func(r rune) string { return string(0xE0100 + r - 16) })
	}},
	{"bits without width", func(s string) string {
		return "Aye." + each(s, func(r rune) string {
			return strings.NewReplacer("0", "\u200b", "1", "\u200c").Replace(fmt.Sprintf("%08b", r))
		})
	}},
	{"Cyrillic by sound", swapped("aа bб dд eе fф gг iи kк lл mм nн oо pп rр sс tт uу vв zз")},
}

// all are the tricks of one step.
func allSpellings() []spelling { return slices.Concat(letterwise, spread, codesOf) }
