// Package transformer runs encoders of BERT's shape in plain Go: it cuts texts
// into pieces, embeds them and gives the mean of the last layer. It knows nothing of
// what the vectors mean: heads, labels and thresholds are its users'. Weights are
// int8 by output channel, word embeddings four bits by groups, on disk and in memory;
// word embeddings may be shared between models.
package transformer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
)

// Model is an encoder. It is read-only once loaded and safe for concurrent use.
type Model struct {
	file                                           *file
	layers, hidden, heads, inner, words, positions int
	word                                           words
	position                                       embedding
	types                                          []float32
	norm                                           layerNorm
	stack                                          []layer
	sessions                                       sync.Pool
}

// embedding are int8 vectors, each with its scale.
type embedding struct {
	values []int8
	scale  []float32
}

type layerNorm struct{ weight, bias []float32 }

// layer is one block: attention and what stands behind it.
type layer struct {
	qkv, out, up, down       *linear
	afterAttention, afterAll layerNorm
}

// Bounds of what a file may describe.
const (
	maxLayers = 48
	maxHidden = 4096
	maxWords  = 1 << 20
)

// Load makes a model of a weights file. owner is nil, or the model whose word
// embeddings the file shares.
func Load(v *Vocab, data []byte, owner *Model) (*Model, error) {
	f, err := readFile(data)
	if err != nil {
		return nil, err
	}
	m := &Model{file: f}
	for _, n := range []struct {
		name string
		to   *int
		most int
	}{{"layers", &m.layers, maxLayers}, {"hidden", &m.hidden, maxHidden}, {"heads", &m.heads, 256},
		{"intermediate", &m.inner, 4 * maxHidden},
		{"vocab", &m.words, maxWords}, {"positions", &m.positions, 8192}} {
		if *n.to, err = f.number(n.name, n.most); err != nil {
			return nil, err
		}
	}
	if m.hidden%m.heads != 0 {
		return nil, fmt.Errorf("weights: %d heads do not divide %d", m.heads, m.hidden)
	}
	if m.words != v.Size() {
		return nil, fmt.Errorf("weights: %d words, the vocabulary has %d; take the one that came with the file", m.words,
			v.Size())
	}
	if err := m.readEmbeddings(f, owner); err != nil {
		return nil, err
	}
	for i := range m.layers {
		l, err := m.readLayer(f, fmt.Sprintf("layers.%d.", i))
		if err != nil {
			return nil, err
		}
		m.stack = append(m.stack, l)
	}
	m.sessions.New = func() any { return &Session{m: m} }
	return m, nil
}

func (m *Model) readEmbeddings(f *file, owner *Model) (err error) {
	if hash := f.metadata["words_sha256"]; hash != "" {
		m.word, err = m.shared(owner, hash)
	} else {
		m.word, err = m.readWords(f)
	}
	if err != nil {
		return err
	}
	if m.position.values, err = f.bytes("embeddings.position.weight", m.positions, m.hidden); err != nil {
		return err
	}
	if m.position.scale, err = f.floats("embeddings.position.scale", m.positions); err != nil {
		return err
	}
	if m.types, err = f.floats("embeddings.type.weight", 2, m.hidden); err != nil {
		return err
	}
	m.norm, err = m.readNorm(f, "embeddings.norm")
	return err
}

func (m *Model) readNorm(f *file, name string) (n layerNorm, err error) {
	if n.weight, err = f.floats(name+".weight", m.hidden); err != nil {
		return n, err
	}
	n.bias, err = f.floats(name+".bias", m.hidden)
	return n, err
}

func (m *Model) readLayer(f *file, name string) (l layer, err error) {
	if l.qkv, err = readLinears(f, m.hidden, m.hidden, name+"q", name+"k", name+"v"); err != nil {
		return l, err
	}
	if l.out, err = readLinears(f, m.hidden, m.hidden, name+"o"); err != nil {
		return l, err
	}
	if l.up, err = readLinears(f, m.inner, m.hidden, name+"up"); err != nil {
		return l, err
	}
	if l.down, err = readLinears(f, m.hidden, m.inner, name+"down"); err != nil {
		return l, err
	}
	if l.afterAttention, err = m.readNorm(f, name+"attention_norm"); err != nil {
		return l, err
	}
	l.afterAll, err = m.readNorm(f, name+"output_norm")
	return l, err
}

// readLinears reads linear layers of one input as one.
func readLinears(f *file, out, in int, names ...string) (*linear, error) {
	var values []int8
	var scale, bias []float32
	for _, name := range names {
		v, err := f.bytes(name+".weight", out, in)
		if err != nil {
			return nil, err
		}
		s, err := f.floats(name+".scale", out)
		if err != nil {
			return nil, err
		}
		b, err := f.floats(name+".bias", out)
		if err != nil {
			return nil, err
		}
		values, scale, bias = append(values, v...), append(scale, s...), append(bias, b...)
	}
	return newLinear(values, scale, bias, len(names)*out, in), nil
}

// Hidden is the width of a vector.
func (m *Model) Hidden() int { return m.hidden }

// Name names the weights.
func (m *Model) Name() string { return m.file.metadata["name"] }

// Metadata is an entry of the file's metadata, or "".
func (m *Model) Metadata(name string) string { return m.file.metadata[name] }

// Has says whether the weights hold a tensor of this name.
func (m *Model) Has(name string) bool {
	_, ok := m.file.tensors[name]
	return ok
}

// Tensor is a copy of a further float32 tensor of the file, such as a head's.
func (m *Model) Tensor(name string) ([]float32, []int, error) {
	t, ok := m.file.tensors[name]
	if !ok || t.Type != "F32" {
		return nil, nil, fmt.Errorf("weights: tensor %s is missing, or no F32", name)
	}
	return t.floats(), slices.Clone(t.Shape), nil
}

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
