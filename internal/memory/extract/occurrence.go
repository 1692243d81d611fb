package extract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// FromOccurrence gives the candidate of what the game saw, for one of its
// witnesses. Whoever did not witness it gets none.
func FromOccurrence(o *schema.Occurrence, npc string, c Context) ([]Candidate, error) {
	words := strings.TrimSpace(o.Text)
	switch {
	case o.ID == "" || o.World == "":
		return nil, fmt.Errorf("occurrence %q: event_id and world must be given", o.ID)
	case words == "":
		return nil, fmt.Errorf("occurrence %s: text is empty; give one sentence that says what happened", o.ID)
	case len(words) > memory.MaxContent:
		return nil, fmt.Errorf("occurrence %s: text holds %d bytes; at most %d are kept", o.ID, len(words), memory.MaxContent)
	case !slices.Contains(o.Witnesses, npc):
		return nil, nil
	}
	c = c.withDefaults()
	f := frame{context: c, world: o.World, npc: npc, player: o.Player, event: o.ID, at: o.GameTime}
	pred, known := c.Predicates.Canonical(o.Predicate)
	if o.Predicate == "" {
		pred, known = "happened", true
	}
	kind := schema.MemoryOccurrence
	if p, ok := c.Predicates.Get(pred); ok && known {
		kind = p.Kind
	}
	subject, object := f.party(o.Subject), f.party(o.Object)
	if subject == "" {
		subject = "the world"
	}
	if object == "" {
		object = words
	}
	out := f.candidate(kind, subject, pred, object, words, f.span(SpeakerGame, words))
	out.Source, out.Confidence, out.Claim = schema.OriginSystem, 1, words
	out.Witnesses = slices.Clone(o.Witnesses)
	return []Candidate{out}, nil
}

// OccurrenceWords are what the candidate of an occurrence is checked against.
func OccurrenceWords(o *schema.Occurrence) []Utterance {
	return []Utterance{{EventID: o.ID, Speaker: SpeakerGame, Text: strings.TrimSpace(o.Text), At: o.GameTime}}
}

// party is the id of one whom a backend names by handle, id or name.
func (f *frame) party(name string) string {
	switch {
	case name == "":
		return ""
	case strings.HasPrefix(name, memory.PlayerPrefix) || strings.HasPrefix(name, memory.NPCPrefix):
		return name
	case name == f.player:
		return memory.PlayerPrefix + name
	case name == f.npc:
		return memory.NPCPrefix + name
	}
	if id, ok := f.context.Names.Resolve(name); ok {
		return id
	}
	return name
}
