package retrieval_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/world"
)

func cite(t *testing.T, x *retrieval.Index, w *world.World, npc, message string, at time.Time,
	facts world.Facts) retrieval.Result {
	t.Helper()
	n := w.NPCs[npc]
	r, err := x.CitationQuery(context.Background(), retrieval.Query{
		NPC: n, Message: message, TopK: 20, Facts: facts,
		Check: grounding.Check{
			World: w.Name, TurnStart: wall.AddDate(0, 0, 1), GameTime: at,
			InScope: func(c protocol.Chunk) bool { return world.ScopeOf(c, n) },
			Holds: func(requires string) bool {
				c, err := world.ParseCondition(requires)
				return err == nil && c.Holds(facts)
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantKeys wants the files that tell of a key.
func wantKeys(t *testing.T, r retrieval.Result, want []string) {
	t.Helper()
	var got []string
	for _, s := range r.Sources {
		itself := s.Type == "backstory" || s.Type == protocol.TypeGoal || s.Type == protocol.TypePersonality
		if !itself && !slices.Contains(got, s.Path) && s.Summary != "" ||
			s.Content == "The cellar key is in the clock." {
			got = append(got, s.Path)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func refusedFor(r retrieval.Result, reason string) int {
	for _, c := range r.Retrieval.Rejected {
		if c.Name == reason {
			return c.N
		}
	}
	return 0
}

func wantRefused(t *testing.T, r retrieval.Result, want map[string]int) {
	t.Helper()
	for reason, n := range want {
		if got := refusedFor(r, reason); got != n {
			t.Errorf("refused for %s: %d, want %d (%v)", reason, got, n, r.Retrieval.Rejected)
		}
	}
	if len(r.Retrieval.Rejected) != len(want) {
		t.Errorf("refused: %v, want %v", r.Retrieval.Rejected, want)
	}
}

// forge writes a copy of the first passage of a file, with another text, spoiled.
func (e *engine) forge(t *testing.T, path, told string, spoiled map[string]any,
	spoil func(*protocol.Chunk)) (undo func()) {
	t.Helper()
	return e.server.Forge(t, e.prefix+"corpus", path, spoiled, func(record []byte) []byte {
		var chunk protocol.Chunk
		if err := json.Unmarshal(record, &chunk); err != nil {
			t.Fatal(err)
		}
		chunk.ID, chunk.Text = path+"#99", told
		if spoil != nil {
			spoil(&chunk)
		}
		record, err := json.Marshal(chunk)
		if err != nil {
			t.Fatal(err)
		}
		return record
	})
}
