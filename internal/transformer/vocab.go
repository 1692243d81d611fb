package transformer

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Vocab is the vocabulary of an uncased BERT, and the cutter of texts into its
// pieces. It is safe for concurrent use.
type Vocab struct {
	tokens   *Tokenizer
	size     int
	cls, sep int32
}

// LoadVocab reads a vocabulary of one piece a line.
func LoadVocab(data []byte) (*Vocab, error) {
	pieces := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	v := &Vocab{size: len(pieces), cls: -1, sep: -1}
	for i := range pieces {
		pieces[i] = strings.TrimSuffix(pieces[i], "\r")
		switch id := int32(i); pieces[i] { //nolint:gosec // a vocabulary has thousands of lines
		case "[CLS]":
			v.cls = id
		case "[SEP]":
			v.sep = id
		}
	}
	var err error
	if v.tokens, err = NewTokenizer(pieces); err != nil {
		return nil, fmt.Errorf("%w; take the vocab.txt that came with the weights", err)
	}
	if v.cls < 0 || v.sep < 0 {
		return nil, fmt.Errorf("vocabulary: no [CLS] or no [SEP] among its %d pieces; it is not that of a BERT", v.size)
	}
	return v, nil
}

// Size is how many pieces there are.
func (v *Vocab) Size() int { return v.size }

// ID is the id of a piece that begins a word.
func (v *Vocab) ID(piece string) (int32, bool) { return v.tokens.ID(piece) }

// Encode appends the pieces of a text, as the reference tokeniser cuts them. It
// finds no special token in the text.
func (v *Vocab) Encode(dst []int32, text string) []int32 {
	return v.tokens.AppendIDs(dst, text, math.MaxInt32)
}

// Separator is the token between the texts of a sequence.
func (v *Vocab) Separator() int32 { return v.sep }

const (
	unknownToken = "[UNK]"
	continuation = "##"
	// maxWordRunes is BERT's own limit: a longer word is one unknown token.
	maxWordRunes = 100
)

// Tokenizer cuts text into WordPiece tokens as uncased BERT does: lower case, no
// accents, every punctuation mark and CJK character a word of its own, then the
// longest known pieces of each word. It looks for no special token in the text:
// "[MASK]" is three words. Safe for concurrent use.
type Tokenizer struct {
	first, inner map[string]int32
	unknown      int32
	maxPiece     int // bytes of the longest piece, so that a long word costs little
}

// NewTokenizer takes the vocabulary in order of id.
func NewTokenizer(vocab []string) (*Tokenizer, error) {
	t := &Tokenizer{first: make(map[string]int32, len(vocab)), inner: make(map[string]int32, len(vocab)/4), unknown: -1}
	for i, token := range vocab {
		id := int32(i)
		if token == unknownToken {
			t.unknown = id
		}
		pieces := t.first
		if rest, ok := strings.CutPrefix(token, continuation); ok && rest != "" {
			pieces, token = t.inner, rest
		}
		if _, twice := pieces[token]; twice || token == "" {
			return nil, fmt.Errorf("vocabulary: line %d, %q, is empty or stands there twice", i+1, vocab[i])
		}
		pieces[token] = id
		t.maxPiece = max(t.maxPiece, len(token))
	}
	if t.unknown < 0 {
		return nil, errors.New("vocabulary: no " + unknownToken)
	}
	return t, nil
}

// ID is the id of a piece that begins a word.
func (t *Tokenizer) ID(piece string) (int32, bool) {
	id, ok := t.first[piece]
	return id, ok
}

// AppendIDs appends the ids of at most limit tokens of text to dst. It reads no
// further than it must, so a huge text costs no more than its first tokens.
func (t *Tokenizer) AppendIDs(dst []int32, text string, limit int) []int32 {
	w := wordReader{text: text}
	end := len(dst) + limit
	for len(dst) < end && w.next() {
		if w.runes > maxWordRunes {
			dst = append(dst, t.unknown)
			continue
		}
		dst = t.appendPieces(dst, w.word)
	}
	return dst[:min(len(dst), end)]
}

// appendPieces appends the longest known pieces of word from left to right, or the
// unknown token where they do not cover it.
func (t *Tokenizer) appendPieces(dst []int32, word []byte) []int32 {
	mark, pieces := len(dst), t.first
	for len(word) > 0 {
		n := min(len(word), t.maxPiece)
		id, ok := int32(0), false
		for ; n > 0; n-- {
			if n < len(word) && !utf8.RuneStart(word[n]) {
				continue
			}
			if id, ok = pieces[string(word[:n])]; ok {
				break
			}
		}
		if !ok {
			return append(dst[:mark], t.unknown)
		}
		dst, word, pieces = append(dst, id), word[n:], t.inner
	}
	return dst
}
