package replay_test

import (
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A change is of one NPC in a copy: the world that is served stays as it is.
func TestAChangeIsOfACopy(t *testing.T) {
	line, strict := 0.9, true
	mira, wren := &world.NPC{Handle: "mira", Policy: "lively"}, &world.NPC{Handle: "wren"}
	mira.Thresholds = map[string]float64{"unknown_threshold": 0.1}
	w := &world.World{Name: "village", Budget: world.Budget{TokensPerDay: 9},
		NPCs: map[string]*world.NPC{"mira": mira, "wren": wren}}
	c := replay.Change{Entailment: &line, Policy: "strict", Strict: &strict, Depth: "lean"}
	got := c.Over(w, "mira").NPCs["mira"]
	if got.Policy != "strict" || !*got.Strict || got.Depth != "lean" || got.Thresholds["entailment_threshold"] != 0.9 ||
		got.Thresholds["unknown_threshold"] != 0.1 {
		t.Errorf("%+v", got)
	}
	if mira.Policy != "lively" || mira.Strict != nil || len(mira.Thresholds) != 1 || w.NPCs["mira"] != mira {
		t.Errorf("the world has changed: %+v", mira)
	}
	if c.Over(w, "mira").Budget != (world.Budget{}) || w.Budget.TokensPerDay != 9 {
		t.Error("a replay is held to the day's budget, or has taken it from the world")
	}
	if none := (&replay.Change{}).Over(w, "wren"); none.NPCs["mira"] != mira || none.NPCs["wren"].Policy != "" {
		t.Errorf("%+v", none.NPCs)
	}
}

// npc.yaml may give a threshold its short name; a change goes before either.
func TestAChangeGoesBeforeTheShortName(t *testing.T) {
	mira, model, unknown := &world.NPC{Handle: "mira"}, 0.7, 0.2
	mira.Thresholds = map[string]float64{"model": 0.5, "unknown": 0.1}
	w := &world.World{NPCs: map[string]*world.NPC{"mira": mira}}
	got := (&replay.Change{Confidence: &model, Unknown: &unknown}).Over(w, "mira").NPCs["mira"].Thresholds
	if want := map[string]float64{"confidence_threshold": 0.7, "unknown_threshold": 0.2}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAChangeThatCannotBe(t *testing.T) {
	high, low, none, nought := 1.1, -0.1, math.NaN(), 0.0
	for field, c := range map[string]replay.Change{
		"entailment_threshold": {Entailment: &high}, "confidence_threshold": {Confidence: &low},
		"unknown_threshold": {Unknown: &none}, "policy": {Policy: "mad"}, "depth": {Depth: "deep"},
		"model": {Model: strings.Repeat("x", 201)},
	} {
		var wrong *schema.FieldError
		if err := c.Check(); !errors.As(err, &wrong) || wrong.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if err := (&replay.Change{Entailment: &nought}).Check(); err == nil {
		t.Error("a score of 0 is taken, and would leave the policy's line")
	}
	one, half := 1.0, 0.5
	if err := (&replay.Change{Unknown: &one, Confidence: &half}).Check(); err == nil {
		t.Error("a model speaks where the NPC does not know")
	}
	if err := (&replay.Change{Policy: "lively", Depth: "full", Model: "m"}).Check(); err != nil {
		t.Error(err)
	}
}
