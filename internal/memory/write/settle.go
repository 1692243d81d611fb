package write

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// By is who the events of this guard are by.
const By = "guard1"

// TagShadow marks what would have been dropped.
const TagShadow = "would_be_dropped"

// settle turns a verdict into a fate.
func (g *Guard) settle(m schema.Memory, v schema.GroundingVerdict) Outcome {
	o := Outcome{Fate: Store, Verdict: v, Memory: m}
	switch v.Label {
	case schema.GroundingSupported:
	case schema.GroundingPartial:
		o.Memory.Confidence = round(max(0, m.Confidence-v.Penalty))
		o.Memory.Tags = append(slices.Clone(m.Tags), protocol.TagPartial)
	case schema.GroundingUnknown:
		o.Fate = map[OnFailure]Fate{Queue: Wait, Block: Drop, Allow: Flag}[g.settings.OnFailure]
	case schema.GroundingNotSupported:
		o.Fate = Drop
	}
	if o.Fate == Store && o.Memory.Confidence < g.settings.Floor {
		o.Fate = Drop
		o.Verdict.Why += "; its confidence is below the floor"
	}
	if o.Fate == Drop && g.settings.Shadow && len(m.Spans) > 0 {
		o.Fate = Flag
		o.Memory.Tags = append(slices.Clone(o.Memory.Tags), TagShadow)
	}
	return o
}

// round keeps confidences to what they mean: 0.82 - 0.20 is 0.62.
func round(v float64) float64 { return float64(int(v*1000+0.5)) / 1000 }

// Events are what an outcome adds to the log. pending is the id under which the
// candidate waits, where it was proposed; a rewritten memory has another. The book
// is not changed.
func (g *Guard) Events(b *memory.Book, o Outcome, pending string, at time.Time) []schema.MemoryEvent {
	m := o.Memory
	id, known := b.Place(&m)
	if earlier, ok := b.Get(o.Again); ok && !known && o.Fate == Store && earlier.Status == schema.MemoryActive {
		id = earlier.ID
	}
	m.ID = id
	have, _ := b.Get(id)
	if known && have.Status != schema.MemoryPending && o.Fate != Drop {
		return append(g.let(b, nil, pending, id, o, at), g.Finish(b, &m, at)...) // this turn has proved it before
	}
	switch o.Fate {
	case Wait:
		if known || pending != "" {
			return nil
		}
		m.Status = schema.MemoryPending
		return []schema.MemoryEvent{eventOf(schema.MemoryProposed, m, o.Verdict, at)}
	case Drop:
		if pending != "" {
			m.ID = pending
			if waiting, ok := b.Get(pending); ok && waiting.Status != schema.MemoryErased {
				m = waiting
			}
		}
		return droppedEvents(m, o, at)
	case Flag:
		m.Status = schema.MemoryFlagged
	case Store:
		m.Status = schema.MemoryActive
	}
	out := g.let(b, []schema.MemoryEvent{eventOf(schema.MemoryWritten, m, o.Verdict, at)}, pending, id, o, at)
	if o.Fate == Store && g.settings.Supersede {
		out = append(out, g.changes(b, &m, at)...)
	}
	return out
}

// droppedEvents carry the candidate, so that what was blocked can be audited. One
// that is too damaged for the log is counted by its caller only.
func droppedEvents(m schema.Memory, o Outcome, at time.Time) []schema.MemoryEvent {
	if memory.Check(&m) != nil {
		return nil
	}
	return []schema.MemoryEvent{eventOf(schema.MemoryDropped, m, o.Verdict, at)}
}

// let adds the event that lets a proposed candidate go whose memory was rewritten
// under another id.
func (g *Guard) let(
	b *memory.Book, out []schema.MemoryEvent, pending, id string, o Outcome, at time.Time,
) []schema.MemoryEvent {
	if pending == "" || pending == id {
		return out
	}
	waiting, ok := b.Get(pending)
	if !ok || waiting.Status != schema.MemoryPending {
		return out
	}
	e := eventOf(schema.MemoryDropped, waiting, o.Verdict, at)
	e.Why = rewritten + id
	return append(out, e)
}

// changes are the events by which a new memory takes the place of older ones, or
// an older one that came late yields to one that is here. What is neither, Guard 2
// looks at.
func (g *Guard) changes(b *memory.Book, m *schema.Memory, at time.Time) []schema.MemoryEvent {
	preds, out := g.predicates(m.World), takenBack(b, m, at)
	if !preds.Stateful(m.Pred) {
		return out
	}
	rule := memory.Rule{Gap: g.settings.Gap}
	if gap, own := preds.Gap(m.Pred); own {
		rule.Gap = gap
	}
	settled := b.Settled()
	for _, other := range b.Same(m) {
		if other.ID == m.ID || other.Status != schema.MemoryActive || memory.IsSettled(settled, m.ID, other.ID) ||
			slices.ContainsFunc(out, func(e schema.MemoryEvent) bool { return e.Target == other.ID }) {
			continue
		}
		older, newer, relation, why := rule.Judge(&other, m, true)
		switch relation {
		case memory.Evolution:
			out = append(out, memory.Supersede(older, newer, m.ID, By, why, at))
		case memory.Contradicts:
			out = append(out, memory.Flag(older, newer, m.ID, By, why, at))
		case memory.Same, memory.Distinct:
		}
		if relation == memory.Evolution && older == m {
			return out // it holds no longer itself
		}
	}
	return out
}

// Finish are the events that should stand behind the one by which a turn proved a
// memory and do not: whoever wrote it ended in between, or somebody else wrote first.
// It is asked when a turn comes again, with the candidate under its id, and looks only
// at what was there when that turn was read and at what no operator has decided since;
// so a turn that was finished adds nothing, however often it comes.
func (g *Guard) Finish(b *memory.Book, m *schema.Memory, at time.Time) []schema.MemoryEvent {
	now, ok := b.Get(m.ID)
	if !ok || now.Status != schema.MemoryActive || !g.settings.Supersede {
		return nil
	}
	written := b.PlaceOf(eventOf(schema.MemoryWritten, *m, schema.GroundingVerdict{}, at).ID)
	if _, decided := b.Wrote(m.ID); written == 0 || decided > written {
		return nil
	}
	return slices.DeleteFunc(g.changes(b, m, at), func(e schema.MemoryEvent) bool {
		other := e.Target
		if other == m.ID {
			other = e.Others[0]
		}
		before, decided := b.Wrote(other)
		return before == 0 || before > written || decided > written || b.Has(e.ID)
	})
}

// Expired says whether a candidate has waited too long for a verdict.
func (g *Guard) Expired(proposed, now time.Time) bool {
	return now.Sub(proposed) >= g.settings.QueueFor
}

// Expire is the event that drops a candidate of a book for which no verdict came in
// time. Where the drop was undone, the next one has an id of its own, which follows
// from the log too: with the same one it would count as written, and the candidate
// would wait for ever.
func Expire(b *memory.Book, waiting schema.Memory, at time.Time) schema.MemoryEvent {
	e := eventOf(schema.MemoryDropped, waiting,
		schema.GroundingVerdict{Label: schema.GroundingUnknown, Why: "no verdict came in time"}, at)
	for n, first := 2, e.ID; b.Undone(e.ID) != ""; n++ {
		e.ID = fmt.Sprintf("%s.%d", first, n)
	}
	return e
}

// eventOf is an event whose id follows from the turn or event that the candidate
// comes from: a replay gives the same.
func eventOf(kind schema.MemoryEventType, m schema.Memory, v schema.GroundingVerdict, at time.Time) schema.MemoryEvent {
	cause := m.TurnID
	e := schema.MemoryEvent{Type: kind, World: m.World, NPC: m.NPC, Player: m.Player, At: at, By: By, Why: v.Why,
		TurnID: m.TurnID}
	for _, s := range m.Spans {
		if s.EventID != "" {
			cause, e.EventID = s.EventID, s.EventID
		}
	}
	if v.Label != "" {
		e.Verdict = &v
	}
	e.Memory = &m
	e.ID = memory.EventID(kind, cause, m.ID)
	return e
}

// takenBack supersedes what an earlier message said that this one puts right: the memory that
// was put right, which this one shares all but the words in its place with, or all that a
// sentence said which was withdrawn.
func takenBack(b *memory.Book, m *schema.Memory, at time.Time) []schema.MemoryEvent {
	if !slices.Contains(m.Tags, extract.TagCorrection) || m.Spans[0].TurnID == m.TurnID {
		return nil
	}
	withdrawn := slices.Contains(m.Tags, extract.TagWithdrawal)
	var out []schema.MemoryEvent
	for _, then := range b.Of(m.Spans[0].TurnID) {
		other, known := b.Get(then.ID)
		if !known || other.ID == m.ID || other.Status != schema.MemoryActive || other.Player != m.Player ||
			other.Source != schema.OriginUser {
			continue
		}
		same := other.Subject == m.Subject && other.Pred == m.Pred && len(other.Spans) < len(m.Spans) &&
			slices.EqualFunc(other.Spans, m.Spans[:len(other.Spans)], func(a, b schema.MemorySpan) bool {
				return a.Text == b.Text && a.TurnID == b.TurnID
			})
		if same || withdrawn && strings.Contains(m.Spans[0].Text, other.Spans[0].Text) {
			out = append(out, memory.Supersede(&other, m, m.ID, By, "the player took it back", at))
		}
	}
	return out
}
