package nli

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
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/weights"
)

// tinyVocab is a vocabulary of letters and a few words.
func tinyVocab(t testing.TB) *transformer.Vocab {
	t.Helper()
	pieces := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "mill", "burned", "owns", "ferry", "not", ".", ",",
		"!", "?"}
	for c := 'a'; c <= 'z'; c++ {
		pieces = append(pieces, string(c), "##"+string(c))
	}
	for c := '0'; c <= '9'; c++ {
		pieces = append(pieces, string(c), "##"+string(c))
	}
	v, err := transformer.LoadVocab([]byte(strings.Join(pieces, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// tiny describes a weights file with random weights, and what is wrong with it.
type tiny struct {
	words    int
	metadata map[string]string    // in place of what would stand there
	replace  map[string][]float32 // tensors with other values
	without  string               // a tensor that is left out
}

const tinyHidden = 32

// file writes the weights file.
func (w tiny) file() []byte {
	dice := rand.New(rand.NewPCG(7, 7))
	header := map[string]any{}
	var body bytes.Buffer
	put := func(name, kind string, data []byte, shape ...int) {
		if name == w.without {
			return
		}
		header[name] = map[string]any{"dtype": kind, "shape": shape,
			"data_offsets": []int{body.Len(), body.Len() + len(data)}}
		body.Write(data)
	}
	floats := func(name string, about, spread float32, shape ...int) {
		n := 1
		for _, d := range shape {
			n *= d
		}
		values := w.replace[name]
		if values == nil {
			values = make([]float32, n)
			for i := range values {
				values[i] = about + spread*float32(dice.NormFloat64())
			}
		} else {
			shape = []int{len(values)}
		}
		data := make([]byte, 0, 4*n)
		for _, v := range values {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		put(name, "F32", data, shape...)
	}
	ints := func(name string, rows, width int) {
		data := make([]byte, rows*width)
		for i := range data {
			data[i] = byte(dice.IntN(255))
		}
		put(name+".weight", "I8", data, rows, width)
		floats(name+".scale", 0.004, 0, rows)
	}
	linear := func(name string, out, in int) {
		ints(name, out, in)
		floats(name+".bias", 0, 0.05, out)
	}
	norm := func(name string) {
		floats(name+".weight", 1, 0, tinyHidden)
		floats(name+".bias", 0, 0.02, tinyHidden)
	}
	nibbles, halves := make([]byte, w.words*tinyHidden/2), rand.New(rand.NewPCG(7, 2))
	for i := range nibbles {
		nibbles[i] = byte(halves.IntN(256))
	}
	put("embeddings.word.weight", "U8", nibbles, w.words, tinyHidden/2)
	put("embeddings.word.scale", "F16", bytes.Repeat([]byte{0x00, 0x2c}, w.words), w.words, 1) // 1/16
	ints("embeddings.position", 512, tinyHidden)
	floats("embeddings.type.weight", 0, 0.1, 2, tinyHidden)
	norm("embeddings.norm")
	for _, name := range []string{"q", "k", "v", "o"} {
		linear("layers.0."+name, tinyHidden, tinyHidden)
	}
	linear("layers.0.up", 2*tinyHidden, tinyHidden)
	linear("layers.0.down", tinyHidden, 2*tinyHidden)
	norm("layers.0.attention_norm")
	norm("layers.0.output_norm")
	for name, outputs := range map[string]int{"entail": 3, "answers": 1} {
		dice = rand.New(rand.NewPCG(uint64(outputs), 1)) // a map has no order
		floats("heads."+name+".dense.weight", 0, 0.5, tinyHidden, tinyHidden)
		floats("heads."+name+".dense.bias", 0, 0.1, tinyHidden)
		floats("heads."+name+".out.weight", 0, 1, outputs, tinyHidden)
		floats("heads."+name+".out.bias", 0, 0.1, outputs)
	}
	sum := sha256.Sum256(body.Bytes())
	metadata := map[string]string{"format": "forsooth-transformer", "version": "2", "word_group": fmt.Sprint(tinyHidden),
		"name": "tiny", "layers": "1", "hidden": fmt.Sprint(tinyHidden), "heads": "2",
		"intermediate": fmt.Sprint(2 * tinyHidden), "vocab": fmt.Sprint(w.words), "positions": "512",
		"data_sha256": hex.EncodeToString(sum[:])}
	maps.Copy(metadata, w.metadata)
	header["__metadata__"] = metadata
	head, err := json.Marshal(header)
	if err != nil {
		panic(err) // maps of strings and numbers
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	return slices.Concat(out, head, body.Bytes())
}

// tinyCalibration makes a tiny model's random scores fall on all sides.
var tinyCalibration = Calibration{Scale: entail.Scale{Slope: 1},
	Thresholds: entail.Thresholds{Entailment: 0.5, Contradiction: 0.5, Ambiguous: 0.2, Doubted: 0.7}}

// tinyModel is a model of random weights: it judges nothing well, and quickly.
func tinyModel(t testing.TB, w tiny) *Model {
	t.Helper()
	v := tinyVocab(t)
	w.words = v.Size()
	m, err := Uncalibrated(v, w.file())
	if err != nil {
		t.Fatal(err)
	}
	m.calibration = tinyCalibration
	return m
}

// shipped is the model of the weights that every binary carries, loaded once.
var shipped = sync.OnceValues(func() (*Model, error) {
	v, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		return nil, err
	}
	return Open(v, weights.Verifier)
})

func shippedModel(t testing.TB) *Model {
	t.Helper()
	m, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	return m
}
