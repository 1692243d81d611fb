package trials

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/lab/sample"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// shelves are the books of a made-up world, by NPC.
type shelves struct {
	books map[string]*memory.Book
	order []string
}

// shelve writes memories into the books of their NPCs.
func shelve(items []scan.Item) (*shelves, error) {
	s := &shelves{books: map[string]*memory.Book{}}
	for i := range items {
		m := items[i].Memory
		if s.books[m.NPC] == nil {
			s.books[m.NPC] = memory.NewBook(m.World, m.NPC)
			s.order = append(s.order, m.NPC)
		}
		e := schema.MemoryEvent{ID: memory.EventID(schema.MemoryWritten, "bench", m.ID), Type: schema.MemoryWritten,
			World: m.World, NPC: m.NPC, Player: m.Player,
			At: m.CreatedAt, By: "bench", Memory: &m}
		if err := s.books[m.NPC].Apply(e, time.Time{}); err != nil {
			return nil, err
		}
	}
	slices.Sort(s.order)
	return s, nil
}

func (s *shelves) apply(events []schema.MemoryEvent) error {
	for _, e := range events {
		if err := s.books[e.NPC].Apply(e, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// all are the memories of all books.
func (s *shelves) all() map[string]schema.Memory {
	out := map[string]schema.Memory{}
	for _, npc := range s.order {
		for _, m := range s.books[npc].Memories() {
			out[m.ID] = m
		}
	}
	return out
}

// collateral has one memory among many change, and counts what else does.
func (b *memoryBench) collateral(ctx context.Context) error {
	items, err := sample.Make(ctx, sample.Options{Seed: b.Seed, Memories: b.Memories, Evolutions: 1, Embed: b.embed})
	if err != nil {
		return err
	}
	s, err := shelve(items)
	if err != nil {
		return err
	}
	before := s.all()
	prover, err := byRules()
	if err != nil {
		return err
	}
	scanner := nightly(b.embed.ID(), nil, prover)
	r, err := scanner.Run(ctx, scan.Input{World: sample.World, Memories: items, Now: sample.Start.AddDate(2, 0, 0)})
	if err != nil {
		return err
	}
	if err := s.apply(r.Events); err != nil {
		return err
	}
	superseded, otherwise := 0, 0
	for id, m := range s.all() {
		switch was := before[id]; {
		case m.Status == schema.MemorySuperseded:
			superseded++
		case !reflect.DeepEqual(m, was):
			otherwise++
		}
	}
	b.add(exactly("collateral_superseded", float64(superseded), "", 1),
		exactly("collateral_changed_otherwise", float64(otherwise), "", 0))
	return nil
}

// retold are ways of saying one fact, each with a detail of its own that a merge
// must not lose.
var retold = []struct{ says, detail string }{
	{"they live in %s.", ""},
	{"they live in %s, above the chandler's shop.", "chandler"},
	{"they live in %s with a lame goose.", "lame goose"},
	{"they have a home in %s.", "home"},
}

// mergeable are groups of memories that say the same, of a player each, with a detail
// that only one of them holds.
func mergeable(ctx context.Context, groups int, e embed.Embedder) ([]scan.Item, map[string]string, error) {
	places := []string{"Ferrytown", "Marsh End", "Grey Ford", "Harrow Hill", "Low Barrow", "Kingsbridge", "Otter Creek",
		"Stonegate"}
	var items []scan.Item
	details := map[string]string{}
	var texts []string
	for g := range groups {
		player, place := fmt.Sprintf("p%d", g), places[g%len(places)]
		for i := range 2 + g%3 {
			way := retold[(g+i)%len(retold)]
			content := "Ansel told me that " + fmt.Sprintf(way.says, place)
			at := sample.Start.AddDate(0, 0, g+i)
			m := schema.Memory{ID: fmt.Sprintf("m%04d-%d", g, i), World: sample.World, NPC: "n00", Player: player,
				Kind:    schema.MemoryFact,
				Subject: memory.PlayerPrefix + player, Pred: "lives_in", Object: place, Content: content,
				Confidence: 0.7 + float64(i)/20,
				Source:     schema.OriginUser, Count: 1, Status: schema.MemoryActive, CreatedAt: at, EventTime: at,
				ValidFrom: at,
				Spans: []schema.MemorySpan{{TurnID: fmt.Sprintf("t%d-%d", g, i), Speaker: "player",
					Text: strings.Replace(content, "Ansel told me that they", "I", 1), At: at}}}
			details[m.ID] = way.detail
			items, texts = append(items, scan.Item{Memory: m, Model: e.ID()}), append(texts, content)
		}
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, nil, err
	}
	for i := range items {
		items[i].Vector = vectors[i]
	}
	return items, details, nil
}

// merge has memories merged and counts the originals of which something is lost:
// the record, what it points to, the words that prove it, the detail that it alone
// held; and the merges that cannot be undone.
func (b *memoryBench) merge(ctx context.Context) error {
	items, details, err := mergeable(ctx, b.Originals, b.embed)
	if err != nil {
		return err
	}
	s, err := shelve(items)
	if err != nil {
		return err
	}
	before := s.all()
	prover, err := byRules()
	if err != nil {
		return err
	}
	scanner := nightly(b.embed.ID(), nil, prover)
	now := sample.Start.AddDate(2, 0, 0)
	r, err := scanner.Run(ctx, scan.Input{World: sample.World, Memories: items, Now: now})
	if err != nil {
		return err
	}
	if err := s.apply(r.Events); err != nil {
		return err
	}
	after := s.all()
	originals, found := 0, 0
	for id, was := range before {
		if after[id].Status != schema.MemorySuperseded {
			continue
		}
		originals++
		if stillFound(was, after, details[id]) {
			found++
		}
	}
	undone, err := s.undo(r.Events, now)
	if err != nil {
		return err
	}
	whole := 0.0
	if reflect.DeepEqual(s.all(), before) {
		whole = 1
	}
	b.add(bench.Plain("merge_originals", float64(originals), ""), exactly("merge_facts_found", float64(found), "",
		float64(originals)),
		exactly("merge_undone", float64(undone), "", float64(len(r.Events))),
		exactly("merge_undone_to_the_letter", whole, "", 1))
	return nil
}

// stillFound says whether nothing of an original is lost: it is there as it was, it
// points to one that is active, and that one is proved by its words too.
func stillFound(was schema.Memory, after map[string]schema.Memory, detail string) bool {
	is := after[was.ID]
	canonical, ok := after[is.SupersededBy]
	if !ok || canonical.Status != schema.MemoryActive || is.Content != was.Content ||
		!reflect.DeepEqual(is.Spans, was.Spans) {
		return false
	}
	words := ""
	for _, s := range canonical.Spans {
		words += s.Text + "\n"
	}
	for _, s := range was.Spans {
		if !strings.Contains(words, s.Text) {
			return false
		}
	}
	return strings.Contains(words, detail)
}

// undo takes events back, the last first.
func (s *shelves) undo(events []schema.MemoryEvent, at time.Time) (int, error) {
	n := 0
	for _, e := range slices.Backward(events) {
		err := s.books[e.NPC].Apply(schema.MemoryEvent{ID: memory.EventID(schema.MemoryUndone, "bench", e.ID),
			Type:  schema.MemoryUndone,
			World: e.World, NPC: e.NPC, Player: e.Player, At: at, By: "bench", Undoes: e.ID}, time.Time{})
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
