package transformer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Vocab is the vocabulary of an uncased BERT, and the cutter of words into its
// pieces.
type Vocab struct {
	ids          map[string]int32
	cls, sep, un int32
}

// LoadVocab reads a vocabulary of one piece a line.
func LoadVocab(data []byte) (*Vocab, error) {
	v := &Vocab{ids: map[string]int32{}}
	for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
		piece := string(bytes.TrimSuffix(line, []byte("\r")))
		if _, twice := v.ids[piece]; twice || piece == "" {
			return nil, fmt.Errorf("vocabulary: line %d holds %q, which is empty or stands there twice", i+1, piece)
		}
		v.ids[piece] = int32(i) //nolint:gosec // a vocabulary has thousands of lines
	}
	for _, special := range []struct {
		piece string
		to    *int32
	}{{"[CLS]", &v.cls}, {"[SEP]", &v.sep}, {"[UNK]", &v.un}} {
		id, ok := v.ids[special.piece]
		if !ok {
			return nil, errors.New("vocabulary: no piece " + special.piece + "; it is not that of a BERT")
		}
		*special.to = id
	}
	return v, nil
}

// Size is how many pieces there are.
func (v *Vocab) Size() int { return len(v.ids) }

// maxWord is how many characters a word may have; a longer one is unknown.
const maxWord = 100

// Encode appends the pieces of a text, as the reference tokeniser cuts them: no
// control characters, CJK characters by themselves, no accents, lower case,
// punctuation by itself, and the longest pieces first.
func (v *Vocab) Encode(dst []int32, s string) []int32 {
	var word []rune
	flush := func() {
		if len(word) > 0 {
			dst = v.pieces(dst, word)
			word = word[:0]
		}
	}
	for _, r := range cleaned(s) {
		switch {
		case unicode.IsSpace(r):
			flush()
		case isPunctuation(r):
			flush()
			dst = v.pieces(dst, []rune{r})
		default:
			word = append(word, r)
		}
	}
	flush()
	return dst
}

// pieces appends the pieces of one word, or that of an unknown one.
func (v *Vocab) pieces(dst []int32, word []rune) []int32 {
	if len(word) > maxWord {
		return append(dst, v.un)
	}
	from := len(dst)
	for start := 0; start < len(word); {
		end := len(word)
		for ; end > start; end-- {
			piece := string(word[start:end])
			if start > 0 {
				piece = "##" + piece
			}
			if id, ok := v.ids[piece]; ok {
				dst = append(dst, id)
				break
			}
		}
		if end == start {
			return append(dst[:from], v.un)
		}
		start = end
	}
	return dst
}

// cleaned is a text without control characters and accents, in lower case, with
// spaces around CJK characters.
func cleaned(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	ascii := true
	for _, r := range s {
		switch {
		case r == 0 || r == utf8.RuneError || isControl(r):
			continue
		case unicode.IsSpace(r):
			r = ' '
		case isCJK(r):
			b.WriteRune(' ')
			b.WriteRune(r)
			r = ' '
		}
		ascii = ascii && r < utf8.RuneSelf
		b.WriteRune(r)
	}
	if ascii {
		return strings.ToLower(b.String())
	}
	var out strings.Builder
	for _, r := range norm.NFD.String(b.String()) {
		if !unicode.Is(unicode.Mn, r) {
			lower(&out, r)
		}
	}
	return out.String()
}

// lower writes a rune in lower case; one capital has two letters there.
func lower(b *strings.Builder, r rune) {
	if r == 'İ' {
		b.WriteString("i̇")
		return
	}
	b.WriteRune(unicode.ToLower(r))
}

// isControl is what the reference calls a control character: the categories of
// "other", but for tab and line ends.
func isControl(r rune) bool {
	if r == '\t' || r == '\n' || r == '\r' {
		return false
	}
	return unicode.Is(unicode.C, r)
}

func isCJK(r rune) bool {
	return r >= 0x4E00 && r <= 0x9FFF || r >= 0x3400 && r <= 0x4DBF || r >= 0x20000 && r <= 0x2A6DF || r >= 0x2A700 && r <= 0x2B73F ||
		r >= 0x2B740 && r <= 0x2B81F || r >= 0x2B920 && r <= 0x2CEAF || r >= 0xF900 && r <= 0xFAFF || r >= 0x2F800 && r <= 0x2FA1F
}

func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 33 && r <= 47 || r >= 58 && r <= 64 || r >= 91 && r <= 96 || r >= 123 && r <= 126
	}
	return unicode.IsPunct(r)
}

// Sequence is what the encoder reads: pieces between [CLS] and [SEP].
type Sequence struct {
	IDs   []int32
	Types []uint8 // nil: all 0
}

// Pair is [CLS] premise [SEP] hypothesis [SEP]; the premise is cut where the whole
// is longer than most.
func Pair(v *Vocab, premise, hypothesis []int32, most int) Sequence {
	hypothesis = hypothesis[:min(len(hypothesis), max(0, most-3))]
	premise = premise[:min(len(premise), max(0, most-3-len(hypothesis)))]
	ids := make([]int32, 0, len(premise)+len(hypothesis)+3)
	ids = append(append(append(ids, v.cls), premise...), v.sep)
	types := make([]uint8, len(ids), cap(ids))
	ids = append(append(ids, hypothesis...), v.sep)
	for len(types) < len(ids) {
		types = append(types, 1)
	}
	return Sequence{ids, types}
}

// Single is [CLS] text [SEP].
func Single(v *Vocab, ids []int32, most int) Sequence {
	ids = ids[:min(len(ids), max(0, most-2))]
	out := make([]int32, 0, len(ids)+2)
	return Sequence{IDs: append(append(append(out, v.cls), ids...), v.sep)}
}
