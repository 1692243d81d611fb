package transformer

import (
	"fmt"
	"math"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/transformer/wordpiece"
)

// Vocab is the vocabulary of an uncased BERT, and the cutter of texts into its
// pieces. It is safe for concurrent use.
type Vocab struct {
	tokens   *wordpiece.Tokenizer
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
	if v.tokens, err = wordpiece.NewTokenizer(pieces); err != nil {
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
