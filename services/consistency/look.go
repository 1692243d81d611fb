package consistency

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	domain "github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// view is a world's memories as one run read them.
type view struct {
	lore  *lore.Lore
	in    scan.Input
	seen  map[string]schema.Memory // active ones, as they were read
	first []schema.MemoryEvent     // to be done before those of the scanner
	state loreState                // the lore as it is now

	merging map[schema.ConversationID]bool // those of whom some memories stand for others
	points  map[string]*store.MemoryPoint  // as the index has them, by id
}

// look reads what a run is about: memories from the log, their vectors and counts
// from the index.
func (s *Service) look(ctx context.Context, x *lore.Lore) (*view, error) {
	name := x.World.Name
	v := &view{lore: x, seen: map[string]schema.Memory{}, merging: map[schema.ConversationID]bool{},
		in: scan.Input{World: name, Settled: map[string]bool{}, Now: s.o.Now()}}
	var err error
	if v.points, err = s.points(ctx, name); err != nil {
		return nil, err
	}
	if err := s.o.Books.Each(ctx, name, v.read); err != nil {
		return nil, err
	}
	if err := s.embed(ctx, v.in.Memories); err != nil {
		return nil, err
	}
	if err := s.recallJudged(ctx, v); err != nil {
		return nil, err
	}
	if err := s.lookAtLore(ctx, v); err != nil {
		return nil, err
	}
	return v, s.withdrawn(ctx, v)
}

// points are the memories of a world as the index has them, by id.
func (s *Service) points(ctx context.Context, world string) (map[string]*store.MemoryPoint, error) {
	out := map[string]*store.MemoryPoint{}
	if s.o.Session == nil {
		return out, nil
	}
	list, err := s.o.Session.Scroll(ctx, store.MemoryFilter{World: world}, "", 0)
	for i := range list {
		out[list[i].Memory.ID] = &list[i]
	}
	return out, err
}

// read takes the active memories of a projection, and what is settled among them.
func (v *view) read(own schema.ConversationID, b *domain.Book) error {
	for _, m := range b.Memories() {
		if m.Status != schema.MemoryActive {
			continue
		}
		item := scan.Item{Memory: m}
		if p := v.points[m.ID]; p != nil {
			item.Accessed = p.Accessed
			if p.Memory.Content == m.Content {
				item.Vector, item.Model = p.Vector, p.Model
			}
		}
		v.seen[m.ID] = m
		v.in.Memories = append(v.in.Memories, item)
	}
	for _, p := range b.Settled() {
		v.in.Settled[scan.PairKey(p[0], p[1])] = true
	}
	if len(b.Merged()) > 0 {
		v.merging[own] = true
	}
	return nil
}

// embedBatch is how many texts are embedded at once.
const embedBatch = 512

// embed makes the vectors that the index lacks, or has of another embedding.
func (s *Service) embed(ctx context.Context, items []scan.Item) error {
	var lacking []int
	for i := range items {
		if len(items[i].Vector) == 0 || items[i].Model != s.o.Embed.ID() {
			lacking = append(lacking, i)
		}
	}
	for part := range slices.Chunk(lacking, embedBatch) {
		texts := make([]string, len(part))
		for n, i := range part {
			texts[n] = items[i].Content
		}
		vectors, err := s.o.Embed.Embed(ctx, texts)
		if err != nil {
			return fmt.Errorf("embed memories: %w", err)
		}
		for n, i := range part {
			items[i].Vector, items[i].Model = nil, ""
			if _, err := store.Unit(vectors[n]); err == nil {
				items[i].Vector, items[i].Model = vectors[n], s.o.Embed.ID()
			}
		}
	}
	return nil
}

// wordsKept is how long after a memory was written its turn and its event are looked
// for. The broker keeps them a day longer.
const wordsKept = 6 * 24 * time.Hour

// withdrawn finds the memories of which the evidence is no longer there, or says
// something else now. What the broker no longer keeps whole says nothing.
func (s *Service) withdrawn(ctx context.Context, v *view) error {
	v.in.Withdrawn = map[string]string{}
	if s.o.Evidence == nil {
		return nil
	}
	turns, events, err := s.o.Evidence.Since(ctx)
	if err != nil {
		return err
	}
	w := &witness{s: s, turns: map[string]*string{}, turnsFrom: turns, eventsFrom: events}
	for i := range v.in.Memories {
		m := &v.in.Memories[i].Memory
		if m.HeardFrom != "" || s.o.Now().Sub(m.CreatedAt) > wordsKept {
			continue
		}
		why, err := w.gone(ctx, m)
		if err != nil {
			return err
		}
		if why != "" {
			v.in.Withdrawn[m.ID] = why
		}
	}
	return nil
}

// witness looks spans up in what the broker keeps, each turn once.
type witness struct {
	s                     *Service
	turns                 map[string]*string // words by NPC, player and turn; nil: it is not there
	events                map[string]string  // words by id
	turnsFrom, eventsFrom time.Time
}

// gone says why the evidence of a memory is gone; empty where some of it stands, or
// nobody can tell.
func (w *witness) gone(ctx context.Context, m *schema.Memory) (string, error) {
	why := ""
	for _, span := range m.Spans {
		lost, known, err := w.lost(ctx, m, span)
		if err != nil || !known || lost == "" {
			return "", err
		}
		why = cmp.Or(why, lost)
	}
	return why, nil
}

// lost says why a span no longer stands; known is false where that cannot be told.
func (w *witness) lost(
	ctx context.Context, m *schema.Memory, span schema.MemorySpan,
) (why string, known bool, err error) {
	switch {
	case span.EventID != "":
		if w.eventsFrom.IsZero() || m.CreatedAt.Before(w.eventsFrom) {
			return "", false, nil
		}
		if err := w.readEvents(ctx, m.World); err != nil {
			return "", false, err
		}
		words, ok := w.events[span.EventID]
		return standsNot(&words, ok, span, "event "+span.EventID), true, nil
	case span.TurnID == "" || span.Speaker == "game": // what an action came to is not said in its turn
		return "", false, nil
	case w.turnsFrom.IsZero() || m.CreatedAt.Before(w.turnsFrom):
		return "", false, nil
	}
	words, err := w.turn(ctx, m.Conversation(span.TurnID), span.TurnID)
	return standsNot(words, words != nil, span, "turn "+span.TurnID), err == nil, err
}

func standsNot(words *string, there bool, span schema.MemorySpan, what string) string {
	switch {
	case !there:
		return what + " is no longer there"
	case !strings.Contains(*words, span.Text):
		return what + " does not say it any more"
	}
	return ""
}

func (w *witness) readEvents(ctx context.Context, world string) error {
	if w.events != nil {
		return nil
	}
	w.events = map[string]string{}
	return w.s.o.Evidence.Witnessed(ctx, world, func(o *schema.Occurrence) { w.events[o.ID] = o.Text })
}
