package admin_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// records are the messages that lie in the blocks of a folder, by stream, sequence
// and subject: the bytes themselves, whatever the server says.
func records(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	blocks, err := filepath.Glob(filepath.Join(dir, "nats/jetstream/*/streams/*/msgs/*.blk"))
	if err != nil || len(blocks) == 0 {
		t.Fatal(blocks, err)
	}
	for _, path := range blocks {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		stream := filepath.Base(filepath.Dir(filepath.Dir(path)))
		for len(data) > 0 {
			n := binary.LittleEndian.Uint32(data) &^ (1 << 31)
			r := data[:n]
			data = data[n:]
			if seq := binary.LittleEndian.Uint64(r[4:]); seq>>62 == 0 {
				subject := string(r[22 : 22+binary.LittleEndian.Uint16(r[20:])])
				out[strings.Join([]string{stream, subject, string(r[4:12])}, " ")] = string(r)
			}
		}
	}
	return out
}

// untouched are the records that name one player and not the other.
func untouched(all map[string]string, of, not string) map[string]string {
	out := map[string]string{}
	for key, r := range all {
		if strings.Contains(key, of) && !strings.Contains(r, not) {
			out[key] = r
		}
	}
	return out
}
