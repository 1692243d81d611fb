package embed

import (
	"crypto/sha256"
	_ "embed" // the table is part of the binary
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
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

// Kept as a string, the table stays in the binary's read-only pages: it takes no
// heap and only the rows that texts touch become resident.
//
//go:embed static.bin
var staticTable string

const (
	tableMagic   = "FSSTATIC"
	tableVersion = 1
	tableHeader  = 64
	maxDim       = 4096
	maxRows      = 1 << 20
)

// ErrTable says that a table of token vectors is damaged or of another version.
var ErrTable = errors.New("token table")

// table is a parsed static.bin; sidecar/embed/tablefile.py describes the format.
type table struct {
	name  string
	crc   uint32
	dim   int
	vocab []string
	// scales and rows are views of the file: float32 little endian, and int8.
	scales, rows string
}

func parseTable(data string) (*table, error) {
	if len(data) < tableHeader || data[:8] != tableMagic {
		return nil, refuseTable("it does not begin with %s", tableMagic)
	}
	if v := u32(data, 8); v != tableVersion {
		return nil, refuseTable("it is version %d, this binary reads version %d", v, tableVersion)
	}
	dim, rows, words := int(u32(data, 12)), int(u32(data, 16)), int(u32(data, 20))
	if dim < 1 || dim > maxDim || rows < 1 || rows > maxRows {
		return nil, refuseTable("%d rows of %d dimensions cannot be right", rows, dim)
	}
	body := data[tableHeader:]
	if want := words + rows*(4+dim); len(body) != want {
		return nil, refuseTable("its body has %d bytes, its header says %d", len(body), want)
	}
	crc := crc32.ChecksumIEEE(unsafe.Slice(unsafe.StringData(body), len(body)))
	if want := u32(data, 24); crc != want {
		return nil, refuseTable("its checksum is %08x, its header says %08x", crc, want)
	}
	vocab := strings.Split(strings.TrimSuffix(body[:words], "\n"), "\n")
	if len(vocab) != rows {
		return nil, refuseTable("it has %d tokens for %d rows", len(vocab), rows)
	}
	return &table{
		name:   strings.TrimRight(data[28:tableHeader], "\x00"),
		crc:    crc,
		dim:    dim,
		vocab:  vocab,
		scales: body[words : words+4*rows],
		rows:   body[words+4*rows:],
	}, nil
}

func refuseTable(format string, args ...any) error {
	return fmt.Errorf("%w: %s; make it again with sidecar/embed/distil.py and rebuild", ErrTable,
		fmt.Sprintf(format, args...))
}

func u32(s string, at int) uint32 { return binary.LittleEndian.Uint32([]byte(s[at : at+4])) }

// add puts row id on top of acc.
func (t *table) add(acc []float32, id int32) {
	scale := math.Float32frombits(u32(t.scales, 4*int(id)))
	if scale == 0 {
		return
	}
	row := t.rows[int(id)*t.dim:][:len(acc)]
	for i := range acc {
		acc[i] += float32(scale * float32(int8(row[i])))
	}
}
