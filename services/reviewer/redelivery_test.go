package reviewer_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

const (
	owner    = "Teague owns the ferry."
	crossing = "A crossing costs two bits."
	promise  = "I have work for you, if you can hold your tongue."
)

// What was released before a worker died is the fixed prefix: the next worker goes
// on behind it, whatever its own draft looks like.
func TestARedeliveredSpeechGoesOnBehindWhatWasReleased(t *testing.T) {
	cases := []struct {
		name            string
		released, draft []string
		want            string
	}{
		{"nothing was released", nil, []string{owner, crossing}, owner + " " + crossing},
		{"the first was released", []string{owner}, []string{owner, crossing}, owner + " " + crossing},
		{"all was released", []string{owner, crossing}, []string{owner, crossing}, owner + " " + crossing},
		{"this draft has one more in front", []string{crossing}, []string{owner, crossing}, crossing},
		{"this draft is another", []string{crossing}, []string{owner}, crossing},
		{"this draft is unsupported", []string{owner}, []string{"Teague drowned a man."}, owner},
		{"this draft lies behind the prefix", []string{owner}, []string{owner, "Teague drowned a man."}, owner},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := servicetest.New(t, servicetest.Village())
			turn := prepared(t, b, "mira", "who owns the ferry?")
			for i, s := range c.released {
				b.Releases.Of(turn.TurnID).Sentences = append(b.Releases.Of(turn.TurnID).Sentences, schema.Sentence{
					Seq: i + 1, Text: s, Hash: protocol.HashText(s),
					Evidence: []schema.EvidenceRef{{ID: "E1", Source: schema.OriginCorpus}}})
			}
			turn.SpeechReview = &protocol.Review{Attempt: 2}
			turn.Speech = &protocol.Speech{Attempt: 3, Speaker: "test"}
			for _, s := range c.draft {
				turn.Speech.Sentences = append(turn.Speech.Sentences, bound(turn, cite(s, "ferry")))
			}
			if got := b.Walk(t, turn, schema.PassReviewSpeech).Text; got != c.want {
				t.Errorf("reply %q, want %q", got, c.want)
			}
		})
	}
}

// Where nobody reads the sentences, only what is word for word in the evidence is said.
func TestWithoutAReaderOnlyQuotationsAreSaid(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	review := reviewer.New(b.Library, b.Releases, reviewer.Options{})
	b.Handlers[schema.PassReviewSpeech] = review.ReviewSpeech
	turn := prepared(t, b, "mira", "who owns the ferry?")
	turn.SpeechReview = &protocol.Review{Attempt: 2}
	turn.Speech = &protocol.Speech{Attempt: 3, Speaker: "test", Sentences: []protocol.DraftSentence{
		{Text: "Good day to you!"}, bound(turn, cite(owner, "ferry")), bound(turn, cite(paraphrase, "ferry"))}}
	if r := b.Walk(t, turn, schema.PassReviewSpeech); r.Text != owner {
		t.Errorf("the reply is %q", r.Text)
	}
}

// game answers every proposal alike and counts them.
type game struct {
	accepts bool
	asked   int
}

func (g *game) Confirm(context.Context, *protocol.Turn, int, schema.Action, time.Duration) (bool, error) {
	g.asked++
	return g.accepts, nil
}

func TestASentenceOfAnActionWaitsForTheGame(t *testing.T) {
	cases := []struct {
		name     string
		accepts  bool
		released bool // the sentence was released before this delivery
		draft    []string
		said     bool
		asked    int
	}{
		{"the game accepts", true, false, []string{promise}, true, 1},
		{"the game refuses", false, false, []string{promise}, false, 1},
		{"it was released already", false, true, []string{promise}, true, 0},
		{"no sentence speaks of it", true, false, []string{owner}, false, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := servicetest.New(t, servicetest.Village())
			g := &game{accepts: c.accepts}
			b.Handlers[schema.PassReviewSpeech] = reviewer.New(b.Library, b.Releases, reviewer.Options{Confirm: g}).ReviewSpeech
			turn := prepared(t, b, "mira", "who owns the ferry?")
			trust := 20
			turn.Trust = &trust
			turn.Decision.Actions = []schema.Action{{Name: "give_quest", Promised: true, Checked: true, Confirm: true,
				Phrase:     promise,
				Parameters: map[string]any{"quest": "ledger"}}}
			if c.released {
				b.Releases.Of(turn.TurnID).Sentences = []schema.Sentence{
					{Seq: 1, Text: promise, Authored: true, Hash: protocol.HashText(promise)}}
			}
			turn.Speech = &protocol.Speech{Attempt: 1}
			for _, s := range c.draft {
				d := bound(turn, cite(s, "ferry"))
				d.Authored = s == promise
				turn.Speech.Sentences = append(turn.Speech.Sentences, d)
			}
			reply := b.Walk(t, turn, schema.PassReviewSpeech)
			said := len(reply.Sentences) > 0 && reply.Sentences[0].Text == promise
			if said != c.said || g.asked != c.asked {
				t.Errorf("reply %q, the game was asked %d times", reply.Text, g.asked)
			}
			if len(reply.Actions) != 1 || reply.Actions[0].Checked != c.said {
				t.Errorf("the reply's actions: %+v", reply.Actions)
			}
		})
	}
}

func TestATurnWithoutADecisionIsRejected(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	for name, damage := range map[string]func(*protocol.Turn){
		"no speech":    func(x *protocol.Turn) { x.Speech = nil },
		"no decision":  func(x *protocol.Turn) { x.Decision = nil },
		"no retrieval": func(x *protocol.Turn) { x.Retrieval = nil },
	} {
		t.Run(name, func(t *testing.T) {
			turn := prepared(t, b, "mira", "who owns the ferry?")
			turn.Speech = &protocol.Speech{}
			damage(turn)
			_, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn)
			if fmt.Sprintf("%T", err) != fmt.Sprintf("%T", mesh.Reject(nil)) {
				t.Errorf("%T %v: no retry can mend this", err, err)
			}
		})
	}
}
