// Package monologue is Pass 2: the NPC's inner monologue, in the first person,
// each fact with the source it rests on. A model thinks where one is configured
// and the confidence gate is open; without one the thoughts are the
// sources' own sentences and a plan; they are reviewed like any other. It decides
// nothing and says nothing to the player.
package monologue

import (
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Service answers the think pass.
type Service struct {
	library *lore.Library
	model   *model.Model
}

// New makes the service; m is nil where no model is configured.
func New(library *lore.Library, m *model.Model) *Service { return &Service{library: library, model: m} }

// maxRecalled is how many blocks come to the NPC's mind: a speech says three
// sentences.
const maxRecalled = 3

// Think is Pass 2. On a second attempt it leaves out what the review found wrong.
func (s *Service) Think(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
	x, npc, err := s.library.FindTurn(t)
	if err != nil {
		return "", err
	}
	if a := s.model.For(ctx, t, x, npc); a != nil && !a.Lean() {
		err := ask(ctx, t, a)
		if err == nil {
			return schema.PassReviewThought, nil
		}
		if ended := model.GoOn(ctx, t, err); ended != nil {
			return "", ended
		}
	}
	recallAll(t, x, npc)
	return schema.PassReviewThought, nil
}

// thinkingShare is how much of the time left the thoughts may take.
const thinkingShare = 0.4

// ask lets the model think.
func ask(ctx context.Context, t *protocol.Turn, a *model.Turn) error {
	var thoughts []protocol.Thought
	_, err := a.Ask(ctx, model.Asked{Name: prompt.Monologue, Data: a.Think(), Words: grounding.ThoughtWords(t.Class),
		Share: thinkingShare,
		Validate: func(answer []byte) (err error) {
			thoughts, err = prompt.Thoughts(answer)
			return err
		}})
	if err != nil {
		return err
	}
	t.Thoughts = within(thoughts, grounding.ThoughtWords(t.Class))
	return nil
}

// within are the first thoughts that stay in the limit: what is thought too much
// is not thought.
func within(thoughts []protocol.Thought, limit int) []protocol.Thought {
	for i, th := range thoughts {
		if limit -= len(text.WordSpans(th.Text)); limit < 0 && i > 0 {
			return thoughts[:i]
		}
	}
	return thoughts
}

// recallAll makes the thoughts without a model.
func recallAll(t *protocol.Turn, x *lore.Lore, npc *world.NPC) {
	budget := grounding.ThoughtWords(t.Class)
	var thoughts []protocol.Thought
	add := func(th protocol.Thought) {
		if words := len(text.WordSpans(th.Text)); len(thoughts) == 0 || words <= budget {
			budget -= words
			thoughts = append(thoughts, th)
		}
	}
	for _, name := range t.Unknown {
		add(protocol.Thought{Text: "I have never heard of " + name + ".", Plan: true})
	}
	if t.Retrieval.Zone != protocol.ZoneUnknown {
		for _, e := range t.Evidence[:min(len(t.Evidence), maxRecalled)] {
			if th, ok := recall(e, t, x.Person(npc)); ok && !refused(th.Text, t.ThoughtReview) {
				add(th)
			}
		}
	}
	add(plan(t))
	t.Thoughts = thoughts
}

// recall is the sentence of a block that is nearest to the question, as this NPC
// would say it to itself.
func recall(e protocol.Evidence, t *protocol.Turn, p voice.Person) (protocol.Thought, bool) {
	want := text.ContentSet(t.Retrieval.Query)
	best, most := "", -1
	for _, s := range text.Sentences(e.Text) {
		n := 0
		for w := range text.ContentSet(s) {
			if want[w] {
				n++
			}
		}
		if ways := voice.Renderings(e, s, p); n > most && len(ways) > 0 {
			best, most = ways[0].Text, n
		}
	}
	return protocol.Thought{Text: best, Citations: []string{e.SourceID}}, best != ""
}

// plan is the NPC's intention: marked as one, so it grounds nothing.
func plan(t *protocol.Turn) protocol.Thought {
	say := "I will tell them what I know of it."
	switch {
	case t.Retrieval.Intent == protocol.IntentInjection:
		say = "I will not be told what to say."
	case t.Retrieval.Zone == protocol.ZoneNone:
		say = "They want a word, not an answer."
	case t.Retrieval.Zone == protocol.ZoneNear && len(t.Evidence) > 0:
		say = "I do not know quite this, and will tell them what comes nearest."
	case t.Retrieval.Zone == protocol.ZoneUnknown || len(t.Evidence) == 0:
		say = "I know nothing that answers this, and will say so."
	}
	return protocol.Thought{Text: say, Citations: []string{"self"}, Plan: true}
}

// refused says whether the last review found fault with a thought or a part of it.
func refused(thought string, r *protocol.Review) bool {
	return r != nil && slices.ContainsFunc(r.Issues, func(i schema.Issue) bool {
		claim := text.Fold(i.Claim)
		return claim != "" && strings.Contains(text.Fold(thought), claim)
	})
}
