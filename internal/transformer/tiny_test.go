package transformer

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// tiny describes a small model with random weights, and what is wrong with its file.
type tiny struct {
	layers, hidden, heads, inner, words, positions int
	seed                                           uint64
	metadata                                       map[string]string // in place of what would stand there
	shares                                         bool              // leaves the word embeddings out
	without                                        string            // a tensor that is left out
	reshape                                        map[string][]int  // tensors that claim another shape
	retype                                         map[string]string // tensors that claim another type
	replace                                        map[string][]float32
}

func small() tiny {
	return tiny{layers: 2, hidden: 24, heads: 3, inner: 40, words: 30, positions: 20, seed: 1}
}

func (w tiny) vocab(t fataler) *Vocab {
	t.Helper()
	pieces := []string{"[UNK]", "[CLS]", "[SEP]"}
	for i := len(pieces); i < w.words; i++ {
		pieces = append(pieces, "w"+strconv.Itoa(i))
	}
	v, err := LoadVocab([]byte(strings.Join(pieces, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// load makes the model, which must not fail.
func (w tiny) load(t testing.TB) *Model {
	t.Helper()
	m, err := Load(w.vocab(t), w.file(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// sequences are random ones of the given lengths.
func (w tiny) sequences(lengths ...int) []Sequence {
	dice := rand.New(rand.NewPCG(w.seed, 3))
	var out []Sequence
	for _, n := range lengths {
		q := Sequence{IDs: make([]int32, n), Types: make([]uint8, n)}
		for i := range q.IDs {
			q.IDs[i], q.Types[i] = int32(dice.IntN(w.words)), uint8(dice.IntN(2))
		}
		out = append(out, q)
	}
	return out
}

// writer collects tensors.
type writer struct {
	tiny
	dice   *rand.Rand
	header map[string]any
	body   bytes.Buffer
	words  []byte // the hash's input
}

func (w *writer) put(name, kind string, data []byte, shape ...int) {
	if name == w.without || w.shares && strings.HasPrefix(name, "embeddings.word.") {
		return
	}
	if s, ok := w.reshape[name]; ok {
		shape = s
	}
	if k, ok := w.retype[name]; ok {
		kind = k
	}
	at := w.body.Len()
	w.body.Write(data)
	w.header[name] = map[string]any{"dtype": kind, "shape": shape, "data_offsets": []int{at, w.body.Len()}}
}

func (w *writer) floats(name string, from, spread float32, shape ...int) []byte {
	n := 1
	for _, d := range shape {
		n *= d
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = from + spread*(2*w.dice.Float32()-1)
	}
	if v, ok := w.replace[name]; ok {
		copy(values, v)
	}
	data, _ := binary.Append(nil, binary.LittleEndian, values)
	w.put(name, "F32", data, shape...)
	return data
}

func (w *writer) bytes(name string, out, in int) {
	data := make([]byte, out*in)
	for i := range data {
		data[i] = byte(int8(w.dice.IntN(255) - 127))
	}
	w.put(name+".weight", "I8", data, out, in)
	w.floats(name+".scale", 0.0015, 0.0007, out)
}

// group is how many values of a word share a scale.
func (w tiny) group() int {
	if w.hidden%4 == 0 {
		return 4
	}
	return w.hidden
}

// halves are four bits a value, with scales of two bytes.
func (w *writer) halves(name string, out, in int) {
	data := make([]byte, out*((in+1)/2))
	for i := range data {
		data[i] = byte(w.dice.IntN(256))
	}
	w.put(name+".weight", "U8", data, out, (in+1)/2)
	var scale []byte
	words := bytes.Clone(data)
	for range out * in / w.group() {
		bits := uint16(0x2800 + w.dice.IntN(0x400)) // from .031 to .062
		if w.dice.IntN(2) == 0 {
			bits |= 1 << 15
		}
		scale = binary.LittleEndian.AppendUint16(scale, bits)
		words = binary.LittleEndian.AppendUint32(words, math.Float32bits(half(bits)))
	}
	if v, ok := w.replace[name+".scale"]; ok && v[0] != v[0] {
		binary.LittleEndian.PutUint16(scale, 0x7e00)
	}
	w.put(name+".scale", "F16", scale, out, in/w.group())
	w.words = words
}

func (w *writer) norm(name string) {
	w.floats(name+".weight", 1, 0.3, w.hidden)
	w.floats(name+".bias", 0, 0.3, w.hidden)
}

// file writes the weights file.
func (w tiny) file() []byte {
	to := &writer{tiny: w, dice: rand.New(rand.NewPCG(w.seed, 7)), header: map[string]any{}}
	to.halves("embeddings.word", w.words, w.hidden)
	to.bytes("embeddings.position", w.positions, w.hidden)
	to.floats("embeddings.type.weight", 0, 0.5, 2, w.hidden)
	to.norm("embeddings.norm")
	for i := range w.layers {
		for _, l := range []struct {
			name    string
			out, in int
		}{{"q", w.hidden, w.hidden}, {"k", w.hidden, w.hidden}, {"v", w.hidden, w.hidden}, {"o", w.hidden, w.hidden},
			{"up", w.inner, w.hidden}, {"down", w.hidden, w.inner}} {
			name := fmt.Sprintf("layers.%d.%s", i, l.name)
			to.bytes(name, l.out, l.in)
			to.floats(name+".bias", 0, 0.2, l.out)
		}
		to.norm(fmt.Sprintf("layers.%d.attention_norm", i))
		to.norm(fmt.Sprintf("layers.%d.output_norm", i))
	}
	to.floats("heads.test.out.weight", 0, 1, 3, w.hidden)
	sum := sha256.Sum256(to.body.Bytes())
	metadata := map[string]string{"format": format, "version": version, "name": "tiny",
		"data_sha256": hex.EncodeToString(sum[:])}
	for name, n := range map[string]int{"layers": w.layers, "hidden": w.hidden, "heads": w.heads, "intermediate": w.inner,
		"vocab": w.words, "positions": w.positions, "word_group": w.group()} {
		metadata[name] = strconv.Itoa(n)
	}
	if w.shares {
		words := sha256.Sum256(to.words)
		metadata["words_sha256"] = hex.EncodeToString(words[:])
	}
	maps.Copy(metadata, w.metadata)
	to.header["__metadata__"] = metadata
	header, _ := json.Marshal(to.header)
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), to.body.Bytes()...)
}
