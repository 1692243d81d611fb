package transformer

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestAWeightsFileThatCannotWorkIsRefused(t *testing.T) {
	w := small()
	good := w.file()
	odd := func(change func(w *tiny)) []byte {
		w := small()
		change(&w)
		return w.file()
	}
	changed := bytes.Clone(good)
	changed[len(changed)-1] ^= 1
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"nothing":         {nil, "cut short"},
		"seven bytes":     {good[:7], "cut short"},
		"half a header":   {good[:100], "cut short"},
		"half the data":   {good[:len(good)-500], "lies at"},
		"no header":       {binary.LittleEndian.AppendUint64(nil, 0), "not JSON"},
		"a huge header":   {binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "cut short"},
		"a foreign file":  {[]byte("PK\x03\x04 a zip file, and no weights at all"), "cut short"},
		"a changed byte":  {changed, "does not match its hash"},
		"another format":  {odd(func(w *tiny) { w.metadata = map[string]string{"format": "pt"} }), `"pt"`},
		"another version": {odd(func(w *tiny) { w.metadata = map[string]string{"version": "1"} }), `version "1"`},
		"no layers":       {odd(func(w *tiny) { w.metadata = map[string]string{"layers": "0"} }), "layers"},
		"more layers":     {odd(func(w *tiny) { w.metadata = map[string]string{"layers": "3"} }), "layers.2."},
		"endless layers": {odd(func(w *tiny) { w.metadata = map[string]string{"layers": "99999999999999999999"} }),
			"layers"},
		"uneven heads":    {odd(func(w *tiny) { w.metadata = map[string]string{"heads": "7"} }), "heads"},
		"other words":     {odd(func(w *tiny) { w.words = 31 }), "vocabulary"},
		"another width":   {odd(func(w *tiny) { w.metadata = map[string]string{"hidden": "48"} }), "is wanted"},
		"groups that end": {odd(func(w *tiny) { w.metadata = map[string]string{"word_group": "5"} }), "groups of 5"},
		"other groups":    {odd(func(w *tiny) { w.metadata = map[string]string{"word_group": "6"} }), "[30 4] is wanted"},
		"words of eight bits": {odd(func(w *tiny) { w.retype = map[string]string{"embeddings.word.weight": "I8"} }),
			"U8 [30 12] is wanted"},
		"a word of NaN": {odd(func(w *tiny) {
			w.replace = map[string][]float32{"embeddings.word.scale": {float32(math.NaN())}}
		}), "no number"},
		"a missing tensor": {odd(func(w *tiny) { w.without = "layers.1.up.scale" }), "layers.1.up.scale is missing"},
		"another shape": {odd(func(w *tiny) { w.reshape = map[string][]int{"layers.0.q.weight": {12, 48}} }),
			"[24 24] is wanted"},
		"a shape too large": {odd(func(w *tiny) { w.reshape = map[string][]int{"layers.0.q.weight": {1 << 40, 1 << 40}} }),
			"cannot hold"},
		"a negative shape": {odd(func(w *tiny) { w.reshape = map[string][]int{"layers.0.q.weight": {-24, -24}} }),
			"cannot hold"},
		"a shape too small": {odd(func(w *tiny) { w.reshape = map[string][]int{"layers.0.q.weight": {2, 2}} }), "lies at"},
		"another type":      {odd(func(w *tiny) { w.retype = map[string]string{"layers.0.q.weight": "BF16"} }), "BF16"},
		"words as floats":   {odd(func(w *tiny) { w.retype = map[string]string{"embeddings.norm.bias": "I8"} }), "lies at"},
		"a scale of NaN": {odd(func(w *tiny) {
			w.replace = map[string][]float32{"layers.0.q.scale": {float32(math.NaN())}}
		}), "no number"},
		"an infinite bias": {odd(func(w *tiny) {
			w.replace = map[string][]float32{"layers.1.o.bias": {float32(math.Inf(1))}}
		}), "no number"},
		"words of another":   {odd(func(w *tiny) { w.shares = true }), "none were given"},
		"a header of a list": {append(binary.LittleEndian.AppendUint64(nil, 2), "[]"...), "not JSON"},
	} {
		m, err := Load(w.vocab(t), c.data, nil)
		switch {
		case err == nil || m != nil:
			t.Errorf("%s: no error", name)
		case !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: %v; want one line with %q", name, err, c.want)
		}
	}
}

func TestWordEmbeddingsAreSharedWithTheirOwnerOnly(t *testing.T) {
	w := small()
	v, owner := w.vocab(t), w.load(t)
	w.shares = true
	m, err := Load(v, w.file(), owner)
	if err != nil {
		t.Fatal(err)
	}
	if &m.word.packed[0] != &owner.word.packed[0] || &m.word.scale[0] != &owner.word.scale[0] {
		t.Error("the word embeddings were copied")
	}
	w.shares = false
	whole := w.load(t)
	q := w.sequences(9)
	a, errA := m.Session().Pool(nil, q)
	b, errB := whole.Session().Pool(nil, q)
	if errA != nil || errB != nil || !slices.Equal(a, b) {
		t.Errorf("with shared words and with its own, vectors differ (errors %v, %v)", errA, errB)
	}
	w.shares, w.seed = true, 2
	if _, err := Load(v, w.file(), owner); err == nil || !strings.Contains(err.Error(), "shares word embeddings") {
		t.Errorf("a stranger's word embeddings: error %v", err)
	}
	narrow := small()
	narrow.hidden, narrow.heads = 12, 3
	w.seed = 1
	if _, err := Load(v, w.file(), narrow.load(t)); err == nil {
		t.Error("word embeddings of another width were taken")
	}
}

func TestHeadsAndMetadataAreHandedOut(t *testing.T) {
	m := small().load(t)
	values, shape, err := m.Tensor("heads.test.out.weight")
	if err != nil || !slices.Equal(shape, []int{3, 24}) || len(values) != 72 {
		t.Fatalf("%d values of shape %v, error %v", len(values), shape, err)
	}
	values[0], shape[0] = 99, 99
	if again, s, _ := m.Tensor("heads.test.out.weight"); again[0] == 99 || s[0] == 99 {
		t.Error("the head is not a copy")
	}
	for _, name := range []string{"heads.none", "layers.0.q.weight"} {
		if _, _, err := m.Tensor(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if m.Name() != "tiny" || m.Hidden() != 24 || m.Metadata("version") != version || m.Metadata("none") != "" {
		t.Errorf("name %q, hidden %d, version %q", m.Name(), m.Hidden(), m.Metadata("version"))
	}
}

// FuzzLoad changes headers and data; the hash is made to match, so that what lies
// behind its check is reached.
func FuzzLoad(f *testing.F) {
	w := tiny{layers: 1, hidden: 8, heads: 2, inner: 8, words: 5, positions: 4, seed: 1}
	v, good := w.vocab(f), w.file()
	n := binary.LittleEndian.Uint64(good)
	header, body := string(good[8:8+n]), good[8+n:]
	hash := func(body []byte) string {
		sum := sha256.Sum256(body)
		return hex.EncodeToString(sum[:])
	}
	header = strings.Replace(header, hash(body), "HASH", 1)
	f.Add(header, body)
	f.Add(header, body[:len(body)/2])
	f.Add(strings.Replace(header, `"hidden":"8"`, `"hidden":"4"`, 1), body)
	f.Add(strings.Replace(header, `"data_offsets":[0`, `"data_offsets":[-9`, 1), body)
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		header = strings.Replace(header, "HASH", hash(body), 1)
		data := append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), body...)
		m, err := Load(v, data, nil)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("error of many lines: %v", err)
			}
			return
		}
		if _, err := m.Session().Pool(nil, []Sequence{{IDs: []int32{1, 2}}}); err != nil && m.positions > 1 {
			t.Fatal(err)
		}
	})
}

// Values as IEEE 754 has them.
func TestHalves(t *testing.T) {
	for bits, want := range map[uint16]float32{
		0: 0, 0x3c00: 1, 0xbc00: -1, 0x3555: 0.33325195, 0x7bff: 65504, 0x0400: 6.1035156e-05, 0x03ff: 6.097555e-05,
		0x0001: 5.9604645e-08,
		0x7c00: float32(math.Inf(1)), 0xfc00: float32(math.Inf(-1)),
	} {
		if got := half(bits); got != want {
			t.Errorf("%#04x is %v, want %v", bits, got, want)
		}
	}
	if got := half(0x7e00); got == got {
		t.Errorf("NaN is %v", got)
	}
	if math.Signbit(float64(half(0x8000))) != true {
		t.Error("-0 lost its sign")
	}
}
