package transformer

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/forsooth-npc/forsooth/weights"
)

func shippedVocab(t testing.TB) *Vocab {
	t.Helper()
	v, err := LoadVocab(weights.Vocab)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The golden file comes from the reference tokeniser: sidecar/nli/train/golden_tokens.py.
func TestTokensAreThoseOfTheReference(t *testing.T) {
	v, texts, blocks := shippedVocab(t), 0, 0
	for line := range goldenLines(t, "tokens.jsonl.gz") {
		var want struct {
			Text  string
			IDs   []int32
			Block rune
			CRC   *uint32
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		if want.CRC != nil {
			blocks++
			if got := blockChecksum(v, want.Block); got != *want.CRC {
				t.Errorf("code points from U+%04X: checksum %08x, the reference gives %08x", want.Block, got, *want.CRC)
			}
			continue
		}
		texts++
		if got := v.Encode(nil, want.Text); !slices.Equal(got, want.IDs) {
			t.Errorf("%.200q:\n got %v\nwant %v", want.Text, got, want.IDs)
		}
	}
	if texts < 3000 || blocks != 272 {
		t.Errorf("%d texts and %d blocks of code points were compared; 3,000 or more and 272 are wanted", texts, blocks)
	}
}

// blockChecksum is over the tokens of "a", a code point and "b", for a block of them.
func blockChecksum(v *Vocab, start rune) uint32 {
	crc := uint32(0)
	for r := start; r < start+4096; r++ {
		if r >= 0xD800 && r < 0xE000 {
			continue
		}
		ids := v.Encode(nil, "a"+string(r)+"b")
		row := binary.LittleEndian.AppendUint32(nil, uint32(len(ids)))
		for _, id := range ids {
			row = binary.LittleEndian.AppendUint32(row, uint32(id))
		}
		crc = crc32.Update(crc, crc32.IEEETable, row)
	}
	return crc
}

// goldenLines are the lines of a gzipped file in testdata.
func goldenLines(t testing.TB, name string) func(func([]byte) bool) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func([]byte) bool) {
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if !yield(lines.Bytes()) {
				return
			}
		}
		if lines.Err() != nil {
			t.Error(lines.Err())
		}
	}
}

func TestEncodeAppendsAndTakesHugeText(t *testing.T) {
	v := shippedVocab(t)
	if got, want := v.Encode([]int32{7, 8}, "mill"),
		append([]int32{7, 8}, v.Encode(nil, "mill")...); !slices.Equal(got, want) {
		t.Errorf("appended: %v, want %v", got, want)
	}
	if got := v.Encode(nil, strings.Repeat("x", 1<<20)); len(got) != 1 {
		t.Errorf("a word of a megabyte has %d tokens, want one unknown", len(got))
	}
	if got := v.Encode(nil, strings.Repeat("mill ", 1<<18)); len(got) != 1<<18 {
		t.Errorf("%d tokens of %d words", len(got), 1<<18)
	}
}

// Whatever a text holds, its pieces are the vocabulary's, no more than it has
// characters; bytes that are no text are as if the mark for them stood there; and
// what stands on either side of a space does not depend on the other.
func FuzzEncode(f *testing.F) {
	v := shippedVocab(f)
	for _, seed := range [][2]string{{"the mill", "burned"}, {"", ""}, {"a\xff\xfe", "\xc3"}, {"x\u0301", "\u0301y"},
		{"水車", "İß\ufffd"}, {"\u200bno\u00ad", "\u202eup\x00"},
		{"🧙🏽‍♀️", "가각"}, {strings.Repeat("é", 101), "[SEP] ##ing"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		left, right := v.Encode(nil, a), v.Encode(nil, b)
		for _, id := range left {
			if id < 0 || int(id) >= v.Size() {
				t.Fatalf("piece %d of %q", id, a)
			}
		}
		if most := utf8.RuneCountInString(norm.NFD.String(a)); len(left) > most {
			t.Errorf("%d pieces of the %d characters in %q", len(left), most, a)
		}
		if marked := v.Encode(nil, string([]rune(a))); !slices.Equal(marked, left) {
			t.Errorf("%q: %v, with marks for broken bytes %v", a, left, marked)
		}
		if both := v.Encode(nil, a+" "+b); !slices.Equal(both, slices.Concat(left, right)) {
			t.Errorf("%q and %q: %v, apart %v and %v", a, b, both, left, right)
		}
	})
}

func TestAVocabularyThatCannotWorkIsRefused(t *testing.T) {
	for name, pieces := range map[string][]string{
		"no unknown token":  {"[CLS]", "[SEP]", "a"},
		"no special tokens": {"[UNK]", "a"},
		"a token twice":     {"[UNK]", "[CLS]", "[SEP]", "a", "a"},
		"an empty line":     {"[UNK]", "[CLS]", "", "[SEP]"},
		"nothing":           nil,
	} {
		_, err := LoadVocab([]byte(strings.Join(pieces, "\n")))
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line", name, err)
		}
	}
	if v, err := LoadVocab([]byte("[UNK]\r\n[CLS]\r\n[SEP]\r\na\r\n")); err != nil || v.Size() != 4 ||
		!slices.Equal(v.Encode(nil, "a"), []int32{3}) {
		t.Errorf("a vocabulary with lines of another system: %v", err)
	}
}

func TestSequencesAreCutThePremiseFirst(t *testing.T) {
	v := &Vocab{cls: 101, sep: 102}
	premise, hypothesis := []int32{1, 2, 3, 4}, []int32{8, 9}
	for _, c := range []struct {
		most  int
		ids   []int32
		types []uint8
	}{
		{100, []int32{101, 1, 2, 3, 4, 102, 8, 9, 102}, []uint8{0, 0, 0, 0, 0, 0, 1, 1, 1}},
		{7, []int32{101, 1, 2, 102, 8, 9, 102}, []uint8{0, 0, 0, 0, 1, 1, 1}},
		{5, []int32{101, 102, 8, 9, 102}, []uint8{0, 0, 1, 1, 1}},
		{4, []int32{101, 102, 8, 102}, []uint8{0, 0, 1, 1}},
		{0, []int32{101, 102, 102}, []uint8{0, 0, 1}},
	} {
		if got := Pair(v, premise, hypothesis, c.most); !slices.Equal(got.IDs, c.ids) || !slices.Equal(got.Types, c.types) {
			t.Errorf("a pair of at most %d: %v", c.most, got)
		}
	}
	if got := Single(v, premise, 4); !slices.Equal(got.IDs, []int32{101, 1, 2, 102}) || got.Types != nil {
		t.Errorf("a single of at most 4: %v", got)
	}
	if got := Single(v, nil, 0); !slices.Equal(got.IDs, []int32{101, 102}) {
		t.Errorf("an empty single: %v", got)
	}
}
