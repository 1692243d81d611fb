package reviewer_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What is released is counted by what it rests on, what is not by its verdict; and
// what is cited under a claim about the world and may not be is counted although it
// is never released.
func TestWhatTheReviewsFindIsCounted(t *testing.T) {
	for _, c := range []struct {
		name   string
		said   []string
		source schema.Origin
		cited  map[string]int
		labels map[schema.Label]int
	}{
		{"what the lore says", []string{owner, crossing}, schema.OriginCorpus, map[string]int{"corpus/world": 2},
			map[schema.Label]int{schema.Supported: 2}},
		{"one of them invented", []string{owner, sold}, schema.OriginCorpus, map[string]int{"corpus/world": 1},
			map[schema.Label]int{schema.Supported: 1, schema.Unverifiable: 1}},
		{"what a model wrote", []string{owner}, schema.OriginModel, map[string]int{"model/world": 1}, nil},
		{"of the corpus, by its own word", []string{owner}, "", map[string]int{"ineligible/world": 1}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			meter := &tally{}
			b, _ := staged(t, stage{meter: meter})
			var said []protocol.DraftSentence
			for _, s := range c.said {
				said = append(said, cite(s, "ferry"))
			}
			turn := draft(t, b, said...)
			for i := range turn.Evidence {
				if c.source == "" {
					turn.Evidence[i].ChunkID = "gen:" + turn.Evidence[i].ChunkID
				} else {
					turn.Evidence[i].Provenance.Source = c.source
				}
			}
			if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
				t.Fatal(err)
			}
			for key, n := range c.cited {
				if meter.cited[key] != n {
					t.Errorf("cited %v, want %s %d", meter.cited, key, n)
				}
			}
			if len(meter.cited) != len(c.cited) {
				t.Errorf("cited %v, want %v", meter.cited, c.cited)
			}
			for label, n := range c.labels {
				if meter.claims[label] != n {
					t.Errorf("claims %v, want %s %d", meter.claims, label, n)
				}
			}
		})
	}
}

// What the game says of the state grounds the state, and raises no alarm.
func TestTheStateIsNoWrongEvidence(t *testing.T) {
	meter := &tally{}
	b, _ := staged(t, stage{meter: meter})
	turn := prepared(t, b, "mira", "who owns the ferry?")
	turn.State = map[string]any{"mira.shop_open": true}
	turn.Evidence = append(turn.Evidence, protocol.Evidence{ID: "S1", SourceID: "state", ChunkID: "state:mira.shop_open",
		Path: "state:mira.shop_open", Type: "state",
		Text: "My shop is open.", Private: true, AllowedFor: []string{string(schema.ClaimState)},
		Provenance: protocol.Provenance{Source: schema.OriginSystem, World: turn.World, NPC: "mira"}})
	turn.SpeechReview = &protocol.Review{Attempt: 2}
	turn.Speech = &protocol.Speech{Attempt: 3, Speaker: "test",
		Sentences: []protocol.DraftSentence{bound(turn, cite("My shop is open.", "S1")), bound(turn, cite(owner, "ferry"))}}
	if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	if len(meter.cited) != 2 || meter.cited["system/state"] != 1 || meter.cited["corpus/world"] != 1 {
		t.Errorf("cited %v", meter.cited)
	}
}
