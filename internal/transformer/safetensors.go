package transformer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// The format of a weights file, in its metadata.
const (
	format  = "forsooth-transformer"
	version = "2"
)

// file is a safetensors file, read and checked.
type file struct {
	metadata map[string]string
	tensors  map[string]tensor
}

type tensor struct {
	Type    string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
	data    []byte
}

const maxHeader = 1 << 20

// readFile reads a weights file and holds it against its own hash.
func readFile(data []byte) (*file, error) {
	if len(data) < 8 {
		return nil, errors.New("weights: the file is empty or cut short")
	}
	n := binary.LittleEndian.Uint64(data)
	if n > maxHeader || int(n) > len(data)-8 { //nolint:gosec // bounded just before
		return nil, errors.New("weights: the file is cut short, or is no safetensors file")
	}
	header, body := data[8:8+n], data[8+n:]
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return nil, fmt.Errorf("weights: the header is not JSON: %w", err)
	}
	f := &file{metadata: map[string]string{}, tensors: map[string]tensor{}}
	for name, value := range raw {
		if name == "__metadata__" {
			if err := json.Unmarshal(value, &f.metadata); err != nil {
				return nil, fmt.Errorf("weights: the metadata: %w", err)
			}
			continue
		}
		t, err := readTensor(name, value, body)
		if err != nil {
			return nil, err
		}
		f.tensors[name] = t
	}
	if f.metadata["format"] != format || f.metadata["version"] != version {
		return nil, fmt.Errorf("weights: the file is %q of version %q; this program reads %q of version %q",
			f.metadata["format"], f.metadata["version"], format, version)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != f.metadata["data_sha256"] {
		return nil, errors.New("weights: the data does not match its hash; the file was cut short or changed")
	}
	return f, nil
}

func readTensor(name string, header json.RawMessage, body []byte) (tensor, error) {
	var t tensor
	if err := json.Unmarshal(header, &t); err != nil {
		return t, fmt.Errorf("weights: tensor %s: %w", name, err)
	}
	size, known := map[string]int{"I8": 1, "U8": 1, "F16": 2, "F32": 4}[t.Type]
	if !known {
		return t, fmt.Errorf("weights: tensor %s is of type %s; I8, U8, F16 and F32 are read", name, t.Type)
	}
	for _, d := range t.Shape {
		if d <= 0 || d > len(body) || size > len(body)/d {
			return t, fmt.Errorf("weights: tensor %s has the shape %v, which the file cannot hold", name, t.Shape)
		}
		size *= d
	}
	from, to := t.Offsets[0], t.Offsets[1]
	if from < 0 || to > len(body) || to-from != size {
		return t, fmt.Errorf("weights: tensor %s lies at %v of %d bytes and should hold %d", name, t.Offsets, len(body), size)
	}
	t.data = body[from:to]
	return t, nil
}

// floats is a copy of a tensor of that shape.
func (f *file) floats(name string, shape ...int) ([]float32, error) {
	t, err := f.tensor(name, "F32", shape)
	if err != nil {
		return nil, err
	}
	return sound(name, t.floats())
}

// halves is a copy of a tensor of float16 values.
func (f *file) halves(name string, shape ...int) ([]float32, error) {
	t, err := f.tensor(name, "F16", shape)
	if err != nil {
		return nil, err
	}
	out := make([]float32, len(t.data)/2)
	for i := range out {
		out[i] = half(binary.LittleEndian.Uint16(t.data[2*i:]))
	}
	return sound(name, out)
}

func sound(name string, values []float32) ([]float32, error) {
	for i, v := range values {
		if v-v != 0 {
			return nil, fmt.Errorf("weights: tensor %s holds %v at %d, which is no number to compute with; take the file again",
				name, v, i)
		}
	}
	return values, nil
}

func (t tensor) floats() []float32 {
	out := make([]float32, len(t.data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.data[4*i:]))
	}
	return out
}

// bytes are the int8 values of a tensor of that shape, which are not copied.
func (f *file) bytes(name string, shape ...int) ([]int8, error) {
	data, err := f.raw(name, "I8", shape...)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(data))), len(data)),
		nil //nolint:gosec // a byte is an int8 read otherwise
}

// raw are the bytes of a tensor of that type and shape, which are not copied.
func (f *file) raw(name, kind string, shape ...int) ([]byte, error) {
	t, err := f.tensor(name, kind, shape)
	return t.data, err
}

func (f *file) tensor(name, kind string, shape []int) (tensor, error) {
	t, ok := f.tensors[name]
	if !ok {
		return t, fmt.Errorf("weights: tensor %s is missing", name)
	}
	same := len(t.Shape) == len(shape) && t.Type == kind
	for i := 0; same && i < len(shape); i++ {
		same = t.Shape[i] == shape[i]
	}
	if !same {
		return t, fmt.Errorf("weights: tensor %s is %s %v; %s %v is wanted", name, t.Type, t.Shape, kind, shape)
	}
	return t, nil
}

// number is a whole number of the metadata.
func (f *file) number(name string, most int) (int, error) {
	n, err := strconv.Atoi(f.metadata[name])
	if err != nil || n < 1 || n > most {
		return 0, fmt.Errorf("weights: %s is %q; a number from 1 to %d is wanted", name, f.metadata[name], most)
	}
	return n, nil
}
