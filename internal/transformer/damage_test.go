package transformer

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// A download may break off anywhere, and a disk may lose any byte.
func TestAFileCutOrChangedAnywhereIsRefused(t *testing.T) {
	w := tiny{layers: 1, hidden: 8, heads: 2, inner: 8, words: 5, positions: 4, seed: 1}
	v, good := w.vocab(t), w.file()
	if _, err := Load(v, good, nil); err != nil {
		t.Fatal(err)
	}
	header := 8 + int(binary.LittleEndian.Uint64(good))
	for at := range good {
		if _, err := Load(v, good[:at:at], nil); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("cut at byte %d of %d: error %v; want one line", at, len(good), err)
		}
		changed := bytes.Clone(good)
		changed[at] ^= 0x40
		m, err := Load(v, changed, nil)
		if err != nil && strings.Contains(err.Error(), "\n") || err == nil && at >= header {
			t.Errorf("changed at byte %d of %d: error %v; want one line", at, len(good), err)
		}
		if err != nil {
			continue
		}
		// A changed header may still describe a model, such as one of another name. It
		// reads what it says it reads.
		if _, err := m.Session().Pool(nil, w.sequences(m.positions)); err != nil {
			t.Errorf("changed at byte %d: %v", at, err)
		}
	}
}
