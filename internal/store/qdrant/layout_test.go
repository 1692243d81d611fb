package qdrant

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
)

func TestMigration(t *testing.T) {
	ctx := context.Background()
	o := Options{Addr: edgetest.Own(t).Addr, Dimension: 2}
	var ran []int
	broken := true
	step := func(n int) func(context.Context, *collection) error {
		return func(context.Context, *collection) error {
			if n == 2 && broken {
				return errors.New("broken off")
			}
			ran = append(ran, n)
			return nil
		}
	}
	l := layout{kind: "kept", distance: sessionLayout().distance, version: 1}
	opened := func() error {
		c, err := open(ctx, o, l)
		if err != nil {
			return err
		}
		return c.Close()
	}
	if err := opened(); err != nil {
		t.Fatal(err)
	}
	l.version, l.steps = 3, []func(context.Context, *collection) error{step(1), step(2)}
	if err := opened(); err == nil || !strings.Contains(err.Error(), "from schema version 2 to 3") {
		t.Fatalf("a step that failed: %v", err)
	}
	broken = false
	for range 2 {
		if err := opened(); err != nil {
			t.Fatal(err)
		}
	}
	if len(ran) != 2 || ran[0] != 1 || ran[1] != 2 {
		t.Errorf("steps run: %v, want each once", ran)
	}
	l.version, l.steps = 5, l.steps[:1]
	if err := opened(); err == nil || !strings.Contains(err.Error(), "cannot bring it to 5") {
		t.Errorf("a version too old: %v", err)
	}
}

func TestOrderOfIDs(t *testing.T) {
	id := rapid.StringMatching(`(m0000000)?[A-Za-z0-9_:.-]{1,40}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := id.Draw(t, "id"), rapid.OneOf(id, rapid.StringN(0, 12, -1)).Draw(t, "other")
		for level := range orderLevels {
			x, y := orderKey(a, level), orderKey(b, level)
			if x > 1<<53 {
				t.Fatalf("%d is more than a float64 holds exactly", x)
			}
			if a > b && x < y {
				t.Fatalf("level %d: %q is after %q, and %d before %d", level, a, b, x, y)
			}
			if x != y {
				return // the levels after this one say nothing
			}
		}
	})
}
