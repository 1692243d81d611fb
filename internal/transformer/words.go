package transformer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
)

// words are word embeddings of four bits a value, as in the file: of each byte the low half
// is the first of two values, and 8 stands for 0. A group of neighbours has a scale of its own.
type words struct {
	packed []byte
	scale  []float32
	group  int
}

// readWords reads the word embeddings of a file that shares nobody's.
func (m *Model) readWords(f *file) (w words, err error) {
	if w.group, err = f.number("word_group", m.hidden); err != nil {
		return w, err
	}
	if m.hidden%w.group != 0 {
		return w, fmt.Errorf("weights: %d values cannot be read in groups of %d", m.hidden, w.group)
	}
	if w.packed, err = f.raw("embeddings.word.weight", "U8", m.words, (m.hidden+1)/2); err != nil {
		return w, err
	}
	w.scale, err = f.halves("embeddings.word.scale", m.words, m.hidden/w.group)
	return w, err
}

// add adds the embedding of a word to a row.
func (w *words) add(row []float32, id int) {
	width := (len(row) + 1) / 2
	packed := w.packed[id*width : (id+1)*width]
	groups := len(row) / w.group
	for g, scale := range w.scale[id*groups : (id+1)*groups] {
		for c := g * w.group; c < (g+1)*w.group; c++ {
			row[c] += float32(int(packed[c/2]>>(4*(c%2))&15)-8) * scale
		}
	}
}

// hash is that of the embeddings: their bytes, then their scales as float32.
func (w *words) hash() string {
	h := sha256.New()
	h.Write(w.packed)
	scale := make([]byte, 0, 4*len(w.scale))
	for _, s := range w.scale {
		scale = binary.LittleEndian.AppendUint32(scale, math.Float32bits(s))
	}
	h.Write(scale)
	return hex.EncodeToString(h.Sum(nil))
}

// shared are another model's word embeddings, which a file names by their hash.
func (m *Model) shared(owner *Model, hash string) (words, error) {
	if owner == nil {
		return words{}, errors.New("weights: the file shares another's word embeddings, and none were given")
	}
	if have := owner.word.hash(); have != hash {
		return words{}, fmt.Errorf("weights: the file shares word embeddings %.12s…, those given are %.12s…; take "+
			"both files of one version", hash, have)
	}
	if owner.hidden != m.hidden || owner.words != m.words {
		return words{}, fmt.Errorf("weights: the file has %d words of %d values, the model whose word embeddings it "+
			"shares %d of %d; take both files of one version",
			m.words, m.hidden, owner.words, owner.hidden)
	}
	return owner.word, nil
}

// half reads a float16 (IEEE 754 binary16).
func half(b uint16) float32 {
	sign, exponent, fraction := uint32(b>>15)<<31, uint32(b>>10&31), uint32(b&1023)
	switch exponent {
	case 0:
		v := float32(fraction) / (1 << 24)
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
