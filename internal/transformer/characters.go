package transformer

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// wordReader reads the words of uncased BERT out of a text, one at a time and
// without holding more of it than a word.
type wordReader struct {
	text  string
	word  []byte // the current word; no longer than maxWordRunes runes are kept
	runes int    // how many runes it really has
	// later holds the decomposition of one rune, in what has not been read of it.
	later []byte
	buf   [64]byte
}

// next moves to the next word and says whether there is one.
func (w *wordReader) next() bool {
	w.word, w.runes = w.word[:0], 0
	for {
		r, size, ok := w.peek()
		if !ok {
			return w.runes > 0
		}
		switch kind := kindOf(r); {
		case kind == dropped:
			w.skip(size)
		case kind == space:
			w.skip(size)
			if w.runes > 0 {
				return true
			}
		case kind == alone && w.runes > 0:
			return true
		case kind == alone:
			w.skip(size)
			w.keep(r)
			return true
		default:
			w.skip(size)
			w.keep(r)
		}
	}
}

// peek gives the next rune of the text in canonical decomposition.
func (w *wordReader) peek() (r rune, size int, ok bool) {
	for len(w.later) == 0 {
		if w.text == "" {
			return 0, 0, false
		}
		if c := w.text[0]; c < utf8.RuneSelf {
			return rune(c), 1, true
		}
		r, size := utf8.DecodeRuneInString(w.text)
		if k := kindOf(r); k == dropped || k == space {
			return r, size, true
		}
		w.later = norm.NFD.AppendString(w.buf[:0], w.text[:size])
		w.text = w.text[size:]
	}
	r, size = utf8.DecodeRune(w.later)
	return r, size, true
}

func (w *wordReader) skip(size int) {
	if len(w.later) > 0 {
		w.later = w.later[size:]
		return
	}
	w.text = w.text[size:]
}

func (w *wordReader) keep(r rune) {
	w.runes++
	if w.runes <= maxWordRunes {
		w.word = utf8.AppendRune(w.word, unicode.ToLower(r))
	}
}

type kind int

const (
	plain   kind = iota
	dropped      // control characters and accents
	space
	alone // a word by itself: punctuation, CJK
)

func kindOf(r rune) kind {
	if r < utf8.RuneSelf {
		return asciiKinds[r]
	}
	switch {
	case r == utf8.RuneError || unicode.Is(droppedTable, r):
		return dropped
	case unicode.Is(spaceTable, r):
		return space
	case isCJK(r) || unicode.Is(punctuationTable, r):
		return alone
	}
	return plain
}

var asciiKinds = func() (kinds [utf8.RuneSelf]kind) {
	for r := range rune(utf8.RuneSelf) {
		switch {
		case r == ' ' || r == '\t' || r == '\n' || r == '\r':
			kinds[r] = space
		case r < ' ' || r == 0x7f:
			kinds[r] = dropped
		case unicode.IsPunct(r) || unicode.IsSymbol(r):
			kinds[r] = alone
		}
	}
	return kinds
}()

// isCJK says whether BERT sets the ideograph r apart; kana and Hangul it does not.
func isCJK(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF ||
		r >= 0x2A700 && r <= 0x2B73F || r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF ||
		r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}
