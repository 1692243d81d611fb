// Package retriever is Pass 1 with what belongs to it: what the message wants,
// the citation query in this NPC's scope at this game time, the confidence gate,
// citable sources and evidence blocks (1.7). It writes no word that a player
// reads. Intake, the doorbell on the queue of turns, runs beside it: see
// internal/mesh.
package retriever

import (
	"context"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/language"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// TopK is how many sources Pass 1 hands on, and TopKModel how many where a model
// may choose among them.
const (
	TopK      = 8
	TopKModel = 12
)

// Service answers the retrieve pass.
type Service struct {
	library  *lore.Library
	model    *model.Model
	hooks    *moderation.Hooks
	memories Memories
	ungated  bool // an experiment: whatever is found goes to the model, after one search
}

// Options are what the service may have besides its library.
type Options struct {
	Model *model.Model      // nil: no model words the search
	Hooks *moderation.Hooks // nil: no world moderates

	Memories Memories // nil: nothing is remembered beyond the conversation at hand

	Without ablation.Set // what an experiment leaves out
}

// New makes the service.
func New(library *lore.Library, o Options) *Service {
	return &Service{library: library, model: o.Model, hooks: o.Hooks, memories: o.Memories,
		ungated: o.Without.Has(ablation.SelfRAG)}
}

// Retrieve is Pass 1.
func (s *Service) Retrieve(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
	x, npc, err := s.library.FindTurn(t)
	if err != nil {
		return "", err
	}
	if t.Begin != nil {
		if next := s.begin(ctx, t, x, npc); next != "" {
			return next, nil
		}
	} else {
		heard, err := s.hooks.Message(ctx, t)
		if err != nil {
			return "", fmt.Errorf("moderation: %w", err)
		}
		if !heard.Released() {
			return unheard(t, heard), nil
		}
	}
	rule := language.Policy(&t.Request, x.World, npc)
	reading := read(t, rule)
	if rule.Verified {
		reading = followed(t, reading, x.World.NPCs)
	}
	t.Class = reading.Class
	t.Retrieval = &protocol.Retrieval{Query: reading.Question, Intent: reading.Kind, Zone: protocol.ZoneNone,
		LoreHash: x.World.Version}
	t.Sources, t.Evidence, t.Unknown = nil, nil, nil
	if t.Begin == nil { // else begin has
		s.relate(ctx, t, x, npc)
	}

	switch {
	case rule.Verified && !reading.Injected && overheard(t, x, npc):
	case rule.Verified && !reading.Injected && s.standing(ctx, t, x, npc):
	case rule.Verified && !reading.Injected && s.sharedPast(ctx, t, x, npc, reading.Kind):
	case reading.Kind == protocol.IntentRecap:
		t.Evidence = retell(t, x, npc)
	case reading.OwnLife: // answered in kind: see intent.Reading
	case reading.Kind == protocol.IntentFeelings && len(text.ContentWords(t.Message)) > 1,
		reading.Kind == protocol.IntentTelling:
		if err := s.searchBeside(ctx, t, x, npc, reading); err != nil {
			return "", fmt.Errorf("search %s for %s: %w", t.World, t.NPC, err)
		}
	case reading.Question != "":
		if err := s.search(ctx, t, x, npc, reading); err != nil {
			return "", fmt.Errorf("search %s for %s: %w", t.World, t.NPC, err)
		}
	}
	if rule.Verified && !reading.Injected {
		fromHearing(t, x, npc)
	}
	if !rule.Verified {
		t.Evidence = rule.Evidence(t.Evidence)
		if len(t.Evidence) == 0 && t.Retrieval.Zone != protocol.ZoneNone {
			t.Retrieval.Zone, t.Retrieval.Confidence = protocol.ZoneUnknown, 0
		}
	}
	return schema.PassThink, nil
}

// unheard ends a turn whose message moderation did not let through.
func unheard(t *protocol.Turn, why moderation.Outcome) schema.Pass {
	t.Ending = &protocol.Ending{Status: why.Status, Reason: why.Reason, Line: why.Line, Detail: why.Detail}
	t.Class, t.Retrieval = protocol.ClassGreeting,
		&protocol.Retrieval{Zone: protocol.ZoneNone, Intent: protocol.IntentStatement}
	t.Decision = &protocol.Decision{Kind: protocol.KindWithhold, Plan: []string{"Say nothing of it."}}
	return schema.PassSpeak
}

// read is what the message wants. In a language that is not verified the rules for
// English read nothing: there it is courtesy or a question, no model speaks, and
// the authored lines are those of its locale.
func read(t *protocol.Turn, rule language.Rule) intent.Reading {
	reading := intent.Read(t.Message)
	if rule.Verified {
		return reading
	}
	t.Locale, t.Fallback = rule.Locale, rule.Reason
	reading.Kind, reading.Question = rule.Intent(t.Message), ""
	if reading.Kind == protocol.IntentQuestion {
		reading.Question = t.Message
	}
	return reading
}

// searchBeside looks whether the NPC has written down what answers a message that
// need not be answered with facts: how it feels about something ("how do you like
// the town?"), or what the player tells of itself. An authored line answers unless a
// passage surely does.
func (s *Service) searchBeside(
	ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC, reading intent.Reading,
) error {
	reading.Question, t.Retrieval.Query = t.Message, t.Message
	if err := s.search(ctx, t, x, npc, reading); err != nil {
		return err
	}
	if t.Retrieval.Zone == protocol.ZoneModel && len(t.Evidence) > 0 {
		t.Retrieval.Intent, t.Class = protocol.IntentQuestion, protocol.ClassMedium
		return nil
	}
	t.Sources, t.Evidence, t.Unknown = nil, nil, nil
	t.Retrieval.Zone, t.Retrieval.Confidence, t.Retrieval.Gated = protocol.ZoneNone, 0, ""
	t.Retrieval.Compacted = ""
	return nil
}

// search fills the turn with what the index holds for this question.
func (s *Service) search(
	ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC, reading intent.Reading,
) error {
	a, top := s.model.Searching(ctx, t, x, npc), TopK
	if a != nil {
		top = TopKModel
	}
	settings := x.SettingsFor(npc)
	query := retrieval.Query{
		Zones: retrieval.Zones{Unknown: settings.Unknown, Model: settings.Confidence},
		NPC:   npc, Message: worded(ctx, t, a, reading.Question), TopK: top, Check: x.ProvenanceCheck(t, npc),
		Facts:  lore.Facts(t),
		Player: t.PlayerName, Context: recentLines(t.Convo), Once: s.ungated,
	}
	result, err := x.Index.CitationQuery(ctx, query)
	if err != nil {
		return err
	}
	kept := t.Retrieval
	t.Retrieval = &result.Retrieval
	t.Retrieval.Query, t.Retrieval.Intent, t.Retrieval.LoreHash = kept.Query, kept.Intent, kept.LoreHash
	t.Retrieval.Whole = result.Whole
	t.Sources, t.Unknown = result.Sources, result.Unknown
	if s.ungated && len(t.Sources) > 0 {
		t.Retrieval.Zone = protocol.ZoneModel
	}
	if t.Retrieval.Zone != protocol.ZoneModel {
		a = nil // no model thinks of what is found
	}
	if a != nil {
		rerank(ctx, t, a)
	}
	t.Sources, t.Evidence = grounding.Cut(t.Sources)
	t.Evidence = append(t.Evidence, stateBlocks(t, npc)...)
	if err := keepBack(ctx, t, x, query); err != nil {
		return err
	}
	if err := more(ctx, t, x, a, query); err != nil {
		return err
	}
	compact(ctx, t, a)
	return nil
}

// recentLines are what was last said, for "and his brother?".
func recentLines(c *schema.Conversation) []string {
	if c == nil {
		return nil
	}
	lines := c.Memory
	if len(lines) > 4 {
		lines = lines[len(lines)-4:]
	}
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}
