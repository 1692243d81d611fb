package embedded

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
)

var blockKey = func() []byte { k := sha256.Sum256([]byte("S-1")); return k[:] }()

// written is a record as the file store writes one.
func written(t *testing.T, seq uint64, subject, body string) []byte {
	t.Helper()
	n := recordHead + len(subject) + len(body) + recordSum
	r := make([]byte, 20, n)
	binary.LittleEndian.PutUint32(r, uint32(n))
	binary.LittleEndian.PutUint64(r[4:], seq)
	r = binary.LittleEndian.AppendUint16(r, uint16(len(subject)))
	r = append(append(r, subject...), body...)
	sum, err := checksum(blockKey, r[4:20], r[recordHead:])
	if err != nil {
		t.Fatal(err)
	}
	return append(r, sum...)
}

// What a stream holds stays byte for byte; what it holds no more is overwritten in
// its place; a block that is not understood is left as it is.
func TestOverwriteDead(t *testing.T) {
	live, dead, later := written(t, 1, "a.live", "cheese"), written(t, 2, "a.dead", "marzipan"),
		written(t, 9, "a.later", "bread")
	tomb := written(t, 2|isTomb, "", "")
	held := &Held{First: 1, Last: 8, Deleted: []uint64{2}}
	damaged := bytes.Clone(dead)
	damaged[30] ^= 1
	for _, c := range []struct {
		name  string
		block [][]byte
		held  *Held
		dead  int
		fails bool
	}{
		{"a deleted one", [][]byte{live, dead, tomb, later}, held, 1, false},
		{"before the first", [][]byte{live, dead, later}, &Held{First: 5, Last: 8}, 2, false},
		{"nothing deleted", [][]byte{live, tomb, later}, held, 0, false},
		{"a damaged record", [][]byte{live, damaged, later}, held, 0, true},
		{"a cut one", [][]byte{live, dead[:len(dead)-3]}, held, 0, true},
		{"no block at all", [][]byte{[]byte("cmp\x01 and compressed bytes, of which no length can be read")}, held, 0, true},
		{"empty", nil, held, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := bytes.Join(c.block, nil)
			after := bytes.Clone(before)
			n, err := overwriteDead(after, blockKey, c.held)
			if n != c.dead || err != nil != c.fails {
				t.Fatalf("%d records, %v", n, err)
			}
			if c.fails && !bytes.Equal(before, after) {
				t.Error("it was changed all the same")
			}
			if c.dead > 0 && (bytes.Contains(after, []byte("marzipan")) || bytes.Contains(after, []byte("a.dead"))) {
				t.Errorf("the bytes are there: %q", after)
			}
			for _, r := range [][]byte{live, tomb, later} {
				if held := c.held.First <= 1 || !bytes.Equal(r, live); held && bytes.Contains(before, r) &&
					!bytes.Contains(after, r) {
					t.Errorf("%q was touched", r)
				}
			}
			if again, err := overwriteDead(after, blockKey, c.held); again != 0 || err != nil != c.fails {
				t.Errorf("the second time: %d records, %v", again, err)
			}
		})
	}
}

// A rest of a scrubbing that was killed goes with the next one.
func TestScrubAfterAKilledOne(t *testing.T) {
	store := t.TempDir()
	dir := filepath.Join(store, "jetstream/$G/streams/S/msgs")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"1.blk": written(t, 1, "a", "marzipan"), "1.blk.scrub": []byte("half")} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done, err := scrubStreams(store, map[string]Held{"S": {First: 2, Last: 1}})
	if err != nil || done.Records != 1 || done.Files != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "1.blk.scrub")); !os.IsNotExist(err) {
		t.Error("the rest is still there")
	}
	if data, err := os.ReadFile(filepath.Join(dir, "1.blk")); err != nil || bytes.Contains(data, []byte("marzipan")) {
		t.Errorf("%q, %v", data, err)
	}
}
