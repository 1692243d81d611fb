package embed

import (
	_ "embed" // the table is part of the binary
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"unsafe"
)

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
