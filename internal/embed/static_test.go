package embed

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func static(t testing.TB) *Static {
	t.Helper()
	s, err := NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func embedAll(t testing.TB, e Embedder, texts ...string) [][]float32 {
	t.Helper()
	vectors, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

func TestStaticGivesUnitVectors(t *testing.T) {
	s := static(t)
	texts := []string{"Who burned the mill?", "a", "漢字", "\xff\xfebroken utf-8",
		strings.Repeat("grain and flour ", 10_000)}
	for i, v := range embedAll(t, s, texts...) {
		if len(v) != s.Dim() {
			t.Errorf("text %d: %d dimensions, Dim says %d", i, len(v), s.Dim())
		}
		if n := math.Sqrt(float64(Dot(v, v))); math.Abs(n-1) > 1e-5 {
			t.Errorf("text %d: length %v", i, n)
		}
	}
	if s.Dim() != 256 || !strings.HasPrefix(s.ID(), "minilm-static-256-") {
		t.Errorf("%s with %d dimensions", s.ID(), s.Dim())
	}
}

func TestATextWithNothingToEmbedIsNearToNothing(t *testing.T) {
	for _, text := range []string{"", " \t\r\n", "\x00\x01", "\u0301", "\U0001f9ff"} {
		if v := embedAll(t, static(t), text)[0]; slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) {
			t.Errorf("%q: the vector is not zero", text)
		}
	}
	none, err := static(t).Embed(context.Background(), nil)
	if err != nil || len(none) != 0 {
		t.Errorf("no texts: %v, %v", none, err)
	}
}

func TestMeaningIsSeenWithoutASharedWord(t *testing.T) {
	for _, c := range []struct{ query, near, far string }{
		{"who set fire to the mill", "Somebody burned down the granary in spring.", "Who set the table for the feast?"},
		{"how much is a bed for the night", "Lodging costs four silver.", "How long is the road to the coast?"},
		{"where can I find a healer", "The physician lives beside the chapel.", "I can find no fault in this sword."},
		{"do you have any weapons", "My blades and axes hang on the wall.", "Do you have any brothers?"},
		{"wanna buy some ale", "Beer is sold in the tavern.", "I want to learn some history."},
	} {
		v := embedAll(t, static(t), c.query, c.near, c.far)
		if near, far := Dot(v[0], v[1]), Dot(v[0], v[2]); near <= far {
			t.Errorf("%q: %.3f to %q, but %.3f to %q", c.query, near, c.near, far, c.far)
		}
	}
}

func TestTheSameTextHasTheSameVectorInAnyCompanyAndAtOnce(t *testing.T) {
	s := static(t)
	texts := []string{"The bridge is out.", "", "Renly owes me forty crowns.", "Ask at the inn."}
	want := embedAll(t, s, texts...)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, text := range texts {
				got, err := s.Embed(context.Background(), []string{text})
				if err != nil || !slices.Equal(got[0], want[i]) {
					t.Errorf("%q: alone it has another vector, or error %v", text, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestVectorsDoNotShareTheirEnds(t *testing.T) {
	v := embedAll(t, static(t), "one", "two")
	second := slices.Clone(v[1])
	_ = append(v[0], 9)
	if !slices.Equal(v[1], second) {
		t.Error("appending to one vector changed the next")
	}
}

func TestStaticStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := static(t).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestTheTableIsReadOnce(t *testing.T) {
	if a, b := static(t), static(t); a != b {
		t.Error("two tables in one process")
	}
}

func TestADamagedTableIsRefusedInOneLine(t *testing.T) {
	swap := func(at int, with string) string { return staticTable[:at] + with + staticTable[at+len(with):] }
	for name, c := range map[string]struct{ data, want string }{
		"empty":            {"", "does not begin"},
		"another file":     {strings.Repeat("GIF89a", 100), "does not begin"},
		"a later version":  {swap(8, "\x02"), "version 2"},
		"no dimensions":    {swap(12, "\x00\x00\x00\x00"), "cannot be right"},
		"too many rows":    {swap(16, "\xff\xff\xff\xff"), "cannot be right"},
		"vocabulary's end": {swap(20, "\xff\xff\xff\xff"), "header says"},
		"cut short":        {staticTable[:len(staticTable)-1], "header says"},
		"one byte flipped": {swap(len(staticTable)/2, string(staticTable[len(staticTable)/2]^1)), "checksum"},
	} {
		_, err := newStatic(c.data)
		if !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", name, err, c.want)
		}
	}
}

func FuzzTable(f *testing.F) {
	f.Add(staticTable[:4096])
	f.Add(staticTable[:tableHeader])
	f.Add("")
	f.Fuzz(func(t *testing.T, data string) {
		if s, err := newStatic(data); err == nil {
			embedAll(t, s, "any text at all")
		}
	})
}

func BenchmarkStaticSentence(b *testing.B) {
	s := static(b)
	texts := []string{"The mill burned in the third week of frost, and nobody in town will say who lit it."}
	for b.Loop() {
		embedAll(b, s, texts...)
	}
}

func BenchmarkColdStart(b *testing.B) {
	for b.Loop() {
		if _, err := newStatic(staticTable); err != nil {
			b.Fatal(err)
		}
	}
}
