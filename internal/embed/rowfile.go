package embed

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"unsafe"
)

// Key says of what rows are: of which texts, cut how, by which model.
type Key = [sha256.Size]byte

// ErrRows says that a file of rows is damaged.
var ErrRows = errors.New("is damaged")

// A file of rows is a header, the scales, the rows and notes of whoever wrote it,
// all little endian. The sum is of all that stands behind the header.
const (
	rowsMagic   = "FSROWS\x00\x01" // with the version of the layout
	rowsHeader  = 128
	headDim     = 8
	headRows    = 12
	headNotes   = 16
	headSum     = 20
	headSelfSum = 24 // of the header before it and of the key
	headKey     = 32
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteRows writes rows to a file in one step: whoever opens it has the file before
// or this one, and none that is cut short.
func WriteRows(path string, key Key, r *Rows, notes []byte) (err error) {
	head := make([]byte, rowsHeader)
	copy(head, rowsMagic)
	for at, n := range map[int]int{headDim: r.dim, headRows: r.Len(), headNotes: len(notes)} {
		if n > math.MaxUint32 {
			return fmt.Errorf("%s: %d is more than a file of rows holds", path, n)
		}
		binary.LittleEndian.PutUint32(head[at:], uint32(n)) //nolint:gosec // just checked
	}
	scales := make([]byte, 0, 4*r.Len())
	for _, s := range r.scales {
		scales = binary.LittleEndian.AppendUint32(scales, math.Float32bits(s))
	}
	values := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(r.values))), len(r.values))
	sum := uint32(0)
	parts := [][]byte{scales, values, notes}
	for _, p := range parts {
		sum = crc32.Update(sum, castagnoli, p)
	}
	binary.LittleEndian.PutUint32(head[headSum:], sum)
	copy(head[headKey:], key[:])
	binary.LittleEndian.PutUint32(head[headSelfSum:], headerSum(head))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	for _, p := range append([][]byte{head}, parts...) {
		if _, err := f.Write(p); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func headerSum(head []byte) uint32 {
	sum := crc32.Update(0, castagnoli, head[:headSelfSum])
	return crc32.Update(sum, castagnoli, head[headKey:rowsHeader])
}

// OpenRows opens the rows of a file, shared with every process that has it open. It
// gives none where there is no file or one of another key. A damaged file is an
// error that wraps ErrRows.
func OpenRows(path string, key Key) (*Rows, []byte, error) {
	m, err := openMapping(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	}
	r, notes, err := parseRows(m, key)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, notes, nil
}

func parseRows(m *mapping, key Key) (*Rows, []byte, error) {
	data := m.data
	if len(data) < rowsHeader || string(data[:6]) != rowsMagic[:6] {
		return nil, nil, fmt.Errorf("%w: it is no file of rows", ErrRows)
	}
	if string(data[:8]) != rowsMagic {
		return nil, nil, nil // of another version: made anew
	}
	u := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	if uint32(u(headSelfSum)) != headerSum(data) { //nolint:gosec // it was one
		return nil, nil, fmt.Errorf("%w: its header does not match its checksum", ErrRows)
	}
	if Key(data[headKey:headKey+len(key)]) != key {
		return nil, nil, nil
	}
	dim, n, notes := u(headDim), u(headRows), u(headNotes)
	body := data[rowsHeader:]
	if want := n*(4+stride(dim)) + notes; len(body) != want {
		return nil, nil, fmt.Errorf("%w: it has %d bytes of rows, its header says %d", ErrRows, len(body), want)
	}
	if crc32.Checksum(body, castagnoli) != uint32(u(headSum)) { //nolint:gosec // it was one
		return nil, nil, fmt.Errorf("%w: it does not match its checksum", ErrRows)
	}
	r := &Rows{dim: dim, file: m, scales: make([]float32, n)}
	for i := range r.scales {
		r.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[4*i:]))
	}
	values := body[4*n : len(body)-notes]
	r.values = unsafe.Slice((*int8)(unsafe.Pointer(unsafe.SliceData(values))), len(values))
	return r, append([]byte(nil), body[len(body)-notes:]...), nil
}
