package bench

import (
	"bytes"
	"fmt"
	"os"
)

// Place is where a page holds what a command prints: between two equal marks.
type Place struct {
	page  string
	parts [][]byte // before the first mark, between the two, behind the second
	mark  []byte
}

// PlaceIn finds the place before anything long is measured. Without a page it is nil, and
// writes nothing.
func PlaceIn(page, mark string) (*Place, error) {
	if page == "" {
		return nil, nil
	}
	data, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	p := &Place{page, bytes.Split(data, []byte(mark)), []byte(mark)}
	if len(p.parts) != 3 {
		return nil, fmt.Errorf("%s: holds no place for the table; write %s twice, each on a line of its own", page, mark)
	}
	return p, nil
}

// Write puts a table there.
func (p *Place) Write(table string) error {
	if p == nil {
		return nil
	}
	p.parts[1] = []byte("\n" + table)
	return os.WriteFile(p.page, bytes.Join(p.parts, p.mark), 0o644) //nolint:gosec // it is to be read
}
