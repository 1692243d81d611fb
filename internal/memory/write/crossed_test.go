package write_test

import (
	"context"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var sayings = []string{
	"My name is Garrick.", "I'm a ropemaker.", "I'm thirty-two years old.", "I come from the coast.",
	"My brother Tom works at the mill.",
	"I moved to Ferrytown.", "I don't drink.", "I promised Wren a rope.", "I no longer live in Oakham.",
	"My sister Ada is allergic to nuts.",
	"Osric owes me forty marks.", "I don't trust Bram.", "I killed the white wolf.",
	"I found a bronze seal near the weir.", "My favourite colour is blue.",
	"I heard that the pass is closed.", "I speak Fellish.", "I'm married to Ysolt.", "I fought in the Fell War.",
	"I'm afraid of wolves.",
}

func candidateOf(message string) extract.Candidate {
	r := &schema.Reply{TurnID: "t1", World: "hollowmere", NPC: "mira", Player: "p42", Message: message,
		Status: schema.StatusAnswered, GameTime: &game}
	list := extract.FromReply(r, x)
	return list[len(list)-1]
}

// A candidate that is said to come from other words is stored by no verifier's
// leave, not even of one that believes everything.
func TestCrossedCandidatesAreRefused(t *testing.T) {
	for name, v := range map[string]write.Verifier{"rules alone": nil,
		"a verifier that believes everything": answers{label: schema.Supported}} {
		g := guard(t, v)
		tried, stored := 0, 0
		for i, one := range sayings {
			for j, other := range sayings {
				if i == j {
					continue
				}
				c := candidateOf(one)
				c.Spans = []schema.MemorySpan{{TurnID: "t1", Speaker: extract.SpeakerPlayer, Text: other, At: game}}
				tried++
				o := g.Judge(context.Background(), c, said(other), x)
				if o.Fate == write.Store && o.Memory.Pred != "said" {
					stored++
					t.Logf("%q from %q: %s", c.Claim, other, o.Verdict.Why)
				}
			}
		}
		if stored > 0 {
			t.Errorf("%s: %d of %d invented memories were stored", name, stored, tried)
		}
	}
}

func BenchmarkGuardByRules(b *testing.B) {
	g, err := write.New(write.DefaultSettings(), nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	c, words := candidateOf(sayings[4]), said(sayings[4])
	for b.Loop() {
		g.Judge(context.Background(), c, words, x)
	}
}

// What was denied is not affirmed by a correction of something else.
func TestACorrectionKeepsTheDenial(t *testing.T) {
	for claim, want := range map[string]write.Fate{
		"I did not sail with six ships": write.Store,
		"I did sail with six ships":     write.Drop,
	} {
		c := candidateOf("I did not sail with nine ships.")
		c.Pred, c.Object, c.Claim = "said", claim, claim
		c.Content, c.Tags = "Ansel told me that "+claim+".", []string{extract.TagCorrection}
		words := said("I did not sail with nine ships.", "No, sail with six")
		c.Spans = nil
		for _, u := range words {
			c.Spans = append(c.Spans, schema.MemorySpan{TurnID: u.TurnID, Speaker: u.Speaker, Text: u.Text, At: u.At})
		}
		if o := guard(t, nil).Judge(context.Background(), c, words, x); o.Fate != want {
			t.Errorf("%s: %s, %s", claim, o.Fate, o.Verdict.Why)
		}
	}
}
