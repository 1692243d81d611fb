// Package monologue is Pass 2: the NPC's inner monologue, in the first person,
// each fact with the source it rests on. Without a model the thoughts are the
// sources' own sentences and a plan; they are reviewed like any other. It decides
// nothing and says nothing to the player.
package monologue

import (
	"context"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Service answers the think pass.
type Service struct{}

// New makes the service.
func New() *Service { return &Service{} }

// maxRecalled is how many blocks come to the NPC's mind: a speech says three
// sentences.
const maxRecalled = 5

// WordLimit is how long the thoughts of a class may be, in words.
func WordLimit(c schema.Class) int {
	switch c {
	case schema.ClassGreeting:
		return 20
	case schema.ClassMedium:
		return 50
	}
	return 150
}

// Think is Pass 2. On a second attempt it leaves out what the review found wrong.
func (s *Service) Think(_ context.Context, t *schema.Turn) (schema.Pass, error) {
	refused := refusedClaims(t.ThoughtReview)
	t.Thoughts = nil
	budget := WordLimit(t.Class)
	add := func(th schema.Thought) bool {
		words := len(text.WordSpans(th.Text))
		if len(t.Thoughts) > 0 && words > budget {
			return false
		}
		budget -= words
		t.Thoughts = append(t.Thoughts, th)
		return true
	}
	for _, name := range t.Unknown {
		add(schema.Thought{Text: "I have never heard of " + name + ".", Plan: true})
	}
	for i, e := range t.Evidence {
		if i == maxRecalled || t.Retrieval.Zone == schema.ZoneUnknown {
			break
		}
		th := schema.Thought{Text: e.Text, Citations: []string{e.SourceID}}
		if !refused[text.Fold(e.Text)] && !add(th) {
			break
		}
	}
	add(plan(t))
	return schema.PassReviewThought, nil
}

// plan is the NPC's intention: marked as one, so it grounds nothing.
func plan(t *schema.Turn) schema.Thought {
	say := "I will tell them what I know of it."
	switch {
	case t.Retrieval.Intent == schema.IntentInjection:
		say = "I will not be told what to say."
	case t.Retrieval.Zone == schema.ZoneNone:
		say = "They want a word, not an answer."
	case t.Retrieval.Zone == schema.ZoneUnknown || len(t.Evidence) == 0:
		say = "I know nothing that answers this, and will say so."
	}
	return schema.Thought{Text: say, Citations: []string{"self"}, Plan: true}
}

// refusedClaims are the thoughts that the last review found unsupported.
func refusedClaims(r *schema.Review) map[string]bool {
	out := map[string]bool{}
	if r == nil {
		return out
	}
	for _, issue := range r.Issues {
		out[text.Fold(strings.TrimSpace(issue.Claim))] = true
	}
	return out
}
