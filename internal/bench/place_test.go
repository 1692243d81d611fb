package bench_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/bench"
)

func TestATableTakesItsPlaceInAPage(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	write := func(text string) {
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("before\n<!-- x -->\nold\n<!-- x -->\nbehind\n")
	p, err := bench.PlaceIn(page, "<!-- x -->")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"| new |\n", "| newer |\n"} {
		if err := p.Write(table); err != nil {
			t.Fatal(err)
		}
		got, _ := os.ReadFile(page)
		if want := "before\n<!-- x -->\n" + table + "<!-- x -->\nbehind\n"; string(got) != want {
			t.Errorf("the page is %q, want %q", got, want)
		}
	}
	for _, text := range []string{"no mark", "one <!-- x -->", "<!-- x --> <!-- x --> <!-- x -->"} {
		write(text)
		if _, err := bench.PlaceIn(page, "<!-- x -->"); err == nil {
			t.Errorf("%q has a place", text)
		}
	}
	if none, err := bench.PlaceIn("", "<!-- x -->"); err != nil || none.Write("x") != nil {
		t.Error("no page was named, and something is written or wrong")
	}
}
