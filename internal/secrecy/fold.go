package secrecy

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// letter is one letter of a text in the form in which spellings are compared.
type letter struct {
	same   byte // one of a class of signs that stand for each other: i, l, 1, ! and | are one
	raw    byte // the letter itself; 0 where the sign is a digit or a symbol
	odd    bool // not how anybody writes it: a look-alike, a digit for a letter, a letter by itself
	digit  int8 // the value of a digit of whatever script, or -1
	upper  bool
	hidden bool // something that nobody sees stands before it
}

// token is a run of letters; ends marks one behind which a sentence ends.
type token struct {
	letters []letter
	ends    bool
	line    bool // a new line begins behind it
}

// digitAs are the letters that digits stand for.
const digitAs = "oizeasgtbg"

// class puts the letters together that spellings take for each other.
func class(b byte) byte {
	if b == 'l' || b == 'j' {
		return 'i'
	}
	return b
}

// tokens cuts a text into its runs of letters, without what cannot be seen and
// with every sign as the Latin letter that it looks like.
func tokens(s string) []token {
	out := make([]token, 0, 4+len(s)/6)
	room := make([]letter, 0, len(s))
	var now token
	begin, hidden := 0, false
	end := func() {
		if len(room) > begin {
			now.letters = room[begin:len(room):len(room)]
			out = append(out, now)
			now = token{}
			begin = len(room)
		}
	}
	put := func(l letter) {
		l.hidden, hidden = hidden, false
		room = append(room, l)
	}
	one := func(r, before, after rune) {
		switch l, kind := fold(r, before, after); kind {
		case isLetter:
			put(l)
		case isUnseen:
			hidden = true
		case isMark:
		default:
			end()
			if len(out) > 0 {
				out[len(out)-1].ends = out[len(out)-1].ends || r == '.' || r == '!' || r == '?' || r == '\n' || r == '…'
				out[len(out)-1].line = out[len(out)-1].line || r == '\n'
			}
		}
	}
	if !plainASCII(s) {
		runes := []rune(norm.NFKD.String(s))
		for i, r := range runes {
			before, after := beside(len(runes), i, func(i int) rune { return runes[i] })
			one(r, before, after)
		}
	} else {
		for i := range len(s) {
			if c := s[i]; c >= 'a' && c <= 'z' { // as nearly all are
				room = append(room, letter{same: class(c), raw: c, digit: -1})
				continue
			}
			before, after := beside(len(s), i, func(i int) rune { return rune(s[i]) })
			one(rune(s[i]), before, after)
		}
	}
	end()
	oddSingles(out)
	return out
}

// beside are the runes before and after a place; 0 where there is none.
func beside(n, i int, at func(int) rune) (before, after rune) {
	if i > 0 {
		before = at(i - 1)
	}
	if i+1 < n {
		after = at(i + 1)
	}
	return before, after
}

func plainASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

type kind int

const (
	isBreak kind = iota
	isLetter
	isMark   // an accent, an apostrophe: belongs to the letter before it
	isUnseen // no width: nobody reads it
)

// fold is a sign as the letter it stands for.
func fold(r, before, after rune) (letter, kind) {
	l := letter{digit: -1}
	switch {
	case r >= 'a' && r <= 'z':
		l.raw = byte(r)
	case r >= 'A' && r <= 'Z':
		l.raw, l.upper = byte(r)+'a'-'A', true
	case r >= '0' && r <= '9':
		l.digit, l.odd, l.same = int8(r-'0'), true, class(digitAs[r-'0'])
		return l, isLetter
	case r == '\'' || r == '’' || r == '`':
		return l, isMark
	case r < 0x80:
		return symbol(l, r, before, after)
	case unicode.Is(unicode.Cf, r) || r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF || r == 0x034F ||
		r == 0x115F || r == 0x3164:
		return l, isUnseen
	case unicode.Is(unicode.M, r):
		return l, isMark
	default:
		return foreign(l, r)
	}
	l.same = class(l.raw)
	return l, isLetter
}

// symbol is a sign of ASCII that may stand for a letter within a word.
func symbol(l letter, r, before, after rune) (letter, kind) {
	as := byte(0)
	switch r {
	case '@':
		as = 'a'
	case '$':
		as = 's'
	case '&':
		as = 'b'
	case '!', '|':
		as = 'i'
	case '+':
		as = 't'
	case '(', '<':
		as = 'c'
	}
	within := wordy(before) && wordy(after)
	alone := (before == 0 || before == ' ' || before == '\n') && !wordy(after)
	if as == 0 || !within && !alone && r != '@' && r != '$' {
		return l, isBreak
	}
	l.same, l.odd = as, true
	return l, isLetter
}

func wordy(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '@' || r == '$' || r > 0x80
}

// foreign is a sign beyond ASCII: a look-alike, a digit, or a letter of a script
// of its own, which is compared as it is.
func foreign(l letter, r rune) (letter, kind) {
	if b, ok := lookAlike(r); ok {
		l.raw, l.odd, l.same = b, true, class(b)
		return l, isLetter
	}
	if v, ok := digitOf(r); ok {
		l.digit, l.odd, l.same = v, true, class(digitAs[v])
		return l, isLetter
	}
	if unicode.IsLetter(r) {
		l.same = 0x80 | byte(unicode.ToLower(r)*31>>2) // 128 classes: enough to tell words apart
		return l, isLetter
	}
	return l, isBreak
}

// digitOf is the value of a decimal digit of any script: they stand in tens.
func digitOf(r rune) (int8, bool) {
	if !unicode.IsDigit(r) {
		return 0, false
	}
	n := int8(0)
	for n < 9 && unicode.IsDigit(r-rune(n)-1) {
		n++
	}
	// Scripts whose digits follow each other, as mathematical ones, count on.
	return n % 10, true
}

// oddSingles marks letters that stand by themselves beside others that do.
func oddSingles(all []token) {
	single := func(i int) bool { return i >= 0 && i < len(all) && len(all[i].letters) == 1 }
	for i := range all {
		if single(i) && (single(i-1) || single(i+1)) {
			all[i].letters[0].odd = true
		}
		for j := range all[i].letters {
			if all[i].letters[j].hidden {
				all[i].letters[j].odd = true
				if j > 0 {
					all[i].letters[j-1].odd = true
				}
			}
		}
	}
}

// looks are the signs that stand for each Latin letter.
var looks = map[byte]string{
	'a': "аαᴀɑ∀𐌀Λ", 'b': "вβʙЬ", 'c': "сϲᴄᴐ¢", 'd': "ԁᴅđð", 'e': "еєεᴇ€ɘэ",
	'f': "ꜰƒ", 'g': "ɢɡ", 'h': "нһʜ",
	'i': "іιɪıӏɩ¡Ӏ", 'j': "јᴊ", 'k': "кκᴋ", 'l': "ʟłⅼ£", 'm': "мᴍΜ", 'n': "ηпɴΝ",
	'o': "оοσᴏøө", 'p': "рρᴘ", 'q': "ԛǫ",
	'r': "ʀгя", 's': "ѕꜱ§", 't': "тτᴛ†", 'u': "υμᴜцµ", 'v': "νѵᴠ", 'w': "ԝωᴡшѡ",
	'x': "хχ×", 'y': "уγʏү¥", 'z': "ᴢʐ",
}

var looksLike = func() map[rune]byte {
	out := map[rune]byte{}
	for b, signs := range looks {
		for _, r := range signs {
			out[r], out[unicode.ToUpper(r)] = b, b
		}
	}
	for _, pair := range []struct {
		signs string
		b     byte
	}{{"А", 'a'}, {"В", 'b'}, {"С", 'c'}, {"Е", 'e'}, {"Н", 'h'}, {"Р", 'p'}, {"Х", 'x'}, {"У", 'y'}, {"Η", 'h'},
		{"Υ", 'y'}, {"Ρ", 'p'}, {"Χ", 'x'}} {
		for _, r := range pair.signs {
			out[r] = pair.b
		}
	}
	return out
}()

// lookAlike is the Latin letter of a sign, of enclosed letters and flags too.
func lookAlike(r rune) (byte, bool) {
	for _, first := range []rune{0x1F1E6, 0x1F150, 0x1F170, 0x1F130} {
		if r >= first && r < first+26 {
			return 'a' + byte(r-first), true
		}
	}
	b, ok := looksLike[r]
	return b, ok
}
