package embed

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/transformer"
)

// The files in testdata come from the reference tokeniser: sidecar/embed/golden.py.

func TestTokensAreThoseOfTheReference(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "wordpiece.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	tok, n := tokenizer(t), 0
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var want struct {
			Text string
			IDs  []int32
		}
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		n++
		if got := tok.AppendIDs(nil, want.Text, 1000); !slices.Equal(got, want.IDs) {
			t.Errorf("line %d, %q: ids %v, the reference gives %v", n, want.Text, got, want.IDs)
		}
	}
	if n < 2000 || lines.Err() != nil {
		t.Errorf("%d texts, error %v; want 2000 or more", n, lines.Err())
	}
}

func TestEveryCodePointIsTreatedAsTheReferenceDoes(t *testing.T) {
	const block, last = 4096, 0x110000
	data, err := os.ReadFile(filepath.Join("testdata", "codepoints.txt"))
	if err != nil {
		t.Fatal(err)
	}
	tok, want := tokenizer(t), bytes.Fields(data)
	if len(want) != last/block {
		t.Fatalf("%d checksums, want %d", len(want), last/block)
	}
	for start := rune(0); start < last; start += block {
		crc := uint32(0)
		for r := start; r < start+block; r++ {
			if r >= 0xD800 && r < 0xE000 {
				continue
			}
			ids := tok.AppendIDs(nil, "a"+string(r)+"b", 100)
			row := binary.LittleEndian.AppendUint32(nil, uint32(len(ids)))
			for _, id := range ids {
				row = binary.LittleEndian.AppendUint32(row, uint32(id))
			}
			crc = crc32.Update(crc, crc32.IEEETable, row)
		}
		if got := fmt.Sprintf("%08x", crc); got != string(want[start/block]) {
			t.Errorf("U+%04X to U+%04X: checksum %s, the reference gives %s", start, start+block-1, got, want[start/block])
		}
	}
}

func TestTokensStopAtTheLimit(t *testing.T) {
	tok := tokenizer(t)
	huge := strings.Repeat("unbelievably long-winded tales, ", 1_000_000)
	whole := tok.AppendIDs(nil, huge[:4096], 10_000)
	for _, limit := range []int{0, 1, 2, 3, 500} {
		if got := tok.AppendIDs(nil, huge, limit); !slices.Equal(got, whole[:limit]) {
			t.Errorf("limit %d: %d ids, want the first %d of the whole", limit, len(got), limit)
		}
	}
	kept := tok.AppendIDs([]int32{7, 8}, "a tale", 1)
	if !slices.Equal(kept, append([]int32{7, 8}, tok.AppendIDs(nil, "a", 1)...)) {
		t.Errorf("appended to 7, 8: %v", kept)
	}
}

func TestAWordWithoutEndIsOneUnknownToken(t *testing.T) {
	got := tokenizer(t).AppendIDs(nil, strings.Repeat("x", 32<<20)+" mill", 10)
	want := tokenizer(t).AppendIDs(nil, "\u2603\u2603 mill", 10)
	if len(got) != 2 || !slices.Equal(got, want) {
		t.Errorf("ids %v, want one unknown token and the word after it, %v", got, want)
	}
}

func TestAVocabularyThatCannotWorkIsRefused(t *testing.T) {
	for name, vocab := range map[string][]string{
		"no unknown token": {"a", "##b"},
		"a token twice":    {"[UNK]", "a", "a"},
		"an empty line":    {"[UNK]", "", "a"},
	} {
		if _, err := transformer.NewTokenizer(vocab); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line", name, err)
		}
	}
}

func FuzzTokenizer(f *testing.F) {
	for _, seed := range []string{"", "The mill burned.", "é\u0301\u0327", "漢字かな", "\x00\x7f\ufffd\xff\xc0",
		"[MASK] ##ing", "안녕", "a\u2003b", strings.Repeat("ab", 60)} {
		f.Add(seed, 16)
	}
	s, err := NewStatic()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string, limit int) {
		limit = max(0, min(limit, 1000))
		ids := s.Tokenizer().AppendIDs(nil, text, limit)
		if len(ids) > limit {
			t.Fatalf("%d ids, limit %d", len(ids), limit)
		}
		for _, id := range ids {
			if id < 0 || int(id) >= len(s.table.vocab) {
				t.Fatalf("id %d is not in the vocabulary", id)
			}
		}
		again := s.Tokenizer().AppendIDs(nil, strings.ToUpper(strings.ToLower(text)), limit)
		if ascii(text) && !slices.Equal(ids, again) {
			t.Fatalf("%q: case changes the ids", text)
		}
	})
}

func ascii(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= 0x80 }) < 0
}

func tokenizer(t *testing.T) *Tokenizer {
	t.Helper()
	s, err := NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	return s.Tokenizer()
}
