package embed

import (
	"crypto/sha256"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func randomRows(t testing.TB, n, dim int) (*Rows, [][]float32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	r := NewRows(dim, n)
	all := make([][]float32, n)
	for i := range all {
		v := make([]float32, dim)
		for k := range v {
			v[k] = float32(rng.NormFloat64())
		}
		normalise(v)
		all[i] = v
		if err := r.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	return r, all
}

func TestDotsComeNearTheExactOnes(t *testing.T) {
	for _, c := range []struct{ rows, dim int }{{1, 1}, {70, 33}, {200, 64}, {3 * fewOfRows, 96}, {1000, 384}} {
		r, all := randomRows(t, c.rows, c.dim)
		got := r.Dots(all[0])
		for i, v := range all {
			if want := Dot(all[0], v); math.Abs(float64(got[i]-want)) > 0.005 {
				t.Fatalf("%d rows of %d: dot %d is %v, want about %v", c.rows, c.dim, i, got[i], want)
			}
			if near := Dot(r.At(i), v); math.Abs(float64(near)-1) > 0.005 {
				t.Fatalf("%d rows of %d: row %d comes back at %v of itself", c.rows, c.dim, i, near)
			}
		}
	}
}

func TestDotsAreTheSameOnEveryProcessor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks, n := rapid.IntRange(1, 12).Draw(t, "blocks"), rapid.IntRange(1, 9).Draw(t, "rows")
		rows := rapid.SliceOfN(rapid.Int8Range(-rowLimit, rowLimit), n*blocks*rowBlock, n*blocks*rowBlock).Draw(t, "values")
		asked := rapid.SliceOfN(rapid.Int16Range(-askLimit, askLimit), blocks*rowBlock, blocks*rowBlock).Draw(t, "asked")
		got, want := make([]int32, n), make([]int32, n)
		dotRows(got, rows, asked)
		portableDotRows(want, rows, asked)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestRowsOfOtherDimensionsAreRefused(t *testing.T) {
	r, _ := randomRows(t, 3, 8)
	if err := r.Add(make([]float32, 9)); err == nil {
		t.Error("a vector of another dimension was added")
	}
	if got := r.Dots(make([]float32, 9)); !slices.Equal(got, make([]float32, 3)) {
		t.Errorf("a query of another dimension finds %v", got)
	}
}

func TestFileOfRows(t *testing.T) {
	key, notes := sha256.Sum256([]byte("these texts")), []byte("of whoever wrote it")
	r, all := randomRows(t, 100, 48)
	whole := func(b []byte) []byte { return b }
	for _, c := range []struct {
		name   string
		change func([]byte) []byte
		key    Key
		there  bool
		err    error
	}{
		{"whole", whole, key, true, nil},
		{"of other texts or another model", whole, sha256.Sum256([]byte("other texts")), false, nil},
		{"of another version", func(b []byte) []byte { b[7]++; return b }, key, false, nil},
		{"empty", func([]byte) []byte { return nil }, key, false, ErrRows},
		{"cut short", func(b []byte) []byte { return b[:len(b)-1] }, key, false, ErrRows},
		{"with a bit turned in a row", func(b []byte) []byte { b[len(b)-40] ^= 4; return b }, key, false, ErrRows},
		{"with a bit turned in its header", func(b []byte) []byte { b[headRows] ^= 1; return b }, key, false, ErrRows},
		{"with a bit turned in its key", func(b []byte) []byte { b[headKey] ^= 1; return b }, key, false, ErrRows},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder", "some.vectors")
			if err := WriteRows(path, key, r, notes); err != nil {
				t.Fatal(err)
			}
			written, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, c.change(written), 0o600); err != nil {
				t.Fatal(err)
			}
			got, about, err := OpenRows(path, c.key)
			if !errors.Is(err, c.err) || (got != nil) != c.there {
				t.Fatalf("got rows %v and error %v", got != nil, err)
			}
			if c.there && (string(about) != string(notes) || !slices.Equal(got.Dots(all[7]), r.Dots(all[7]))) {
				t.Error("what was read is not what was written")
			}
		})
	}
	if got, _, err := OpenRows(filepath.Join(t.TempDir(), "none.vectors"), key); got != nil || err != nil {
		t.Errorf("no file: rows %v, error %v", got != nil, err)
	}
}

func TestAFileThatIsReplacedStaysForWhoHasItOpen(t *testing.T) {
	path, key := filepath.Join(t.TempDir(), "some.vectors"), Key{1}
	r, all := randomRows(t, 10, 32)
	other, _ := randomRows(t, 20, 64)
	if err := WriteRows(path, key, r, nil); err != nil {
		t.Fatal(err)
	}
	open, _, err := OpenRows(path, key)
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteRows(path, Key{2}, other, nil); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(open.Dots(all[3]), r.Dots(all[3])) {
		t.Error("the rows changed under their reader")
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("%v, %v: want the file alone", left, err)
	}
}

func BenchmarkDots(b *testing.B) {
	r, all := randomRows(b, 60_000, 384)
	for b.Loop() {
		r.Dots(all[0])
	}
}
