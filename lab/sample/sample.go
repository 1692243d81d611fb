// Package sample makes up memories for benches and tests of the scan: those of a
// busy world, with a known number of things that changed, contradict or stand
// twice. The same seed gives the same memories. They are for measuring only, and
// nobody is ever told of them.
package sample

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// World is the world that all of them are of.
const World = "sample"

// Embedder makes the vectors; internal/embed has some.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	ID() string
}

// Options say what is made.
type Options struct {
	Seed     uint64
	Memories int
	// So many of each are planted, each of a subject of its own.
	Evolutions     int
	Contradictions int
	Equivalents    int
	Embed          Embedder // nil: no vectors
}

// Usual plants as much as a healthy store of that size has a night.
func Usual(seed uint64, memories int, e Embedder) Options {
	k := max(1, memories/10_000)
	return Options{Seed: seed, Memories: memories, Evolutions: k, Contradictions: k, Equivalents: 2 * k, Embed: e}
}

// Predicates are those that the memories have. Others may have several values.
func Predicates() *memory.PredicateTable {
	var file strings.Builder
	for _, name := range []string{"lives_in", "works_at", "role", "from", "stays_at"} {
		fmt.Fprintf(&file, "- {name: %s, stateful: true}\n", name)
	}
	table, err := memory.LoadPredicates(nil, []byte(file.String()), "predicates.yaml")
	if err != nil {
		panic(err) // the text above is at fault
	}
	return table
}

// Start is the game time of the oldest memory.
var Start = time.Date(1204, 1, 1, 8, 0, 0, 0, time.UTC)

// How a world's memories are spread: so many NPCs, so many memories of a player,
// and one in twenty of no player with the one NPC who sees everybody.
const (
	npcs      = 40
	perPlayer = 24
	witnessed = 20
)

// maker makes memories one after another.
type maker struct {
	*rand.Rand
	o   Options
	out []scan.Item
}

// Make makes memories.
func Make(ctx context.Context, o Options) ([]scan.Item, error) {
	m := &maker{Rand: rand.New(rand.NewPCG(o.Seed, 1)), o: o} //nolint:gosec // no secret
	m.plant()
	for person := 0; len(m.out) < o.Memories; person++ {
		m.person(person)
	}
	m.out = m.out[:max(o.Memories, 0)]
	for i := range m.out {
		m.out[i].Accessed = m.IntN(9)
	}
	if o.Embed == nil {
		return m.out, nil
	}
	texts := make([]string, len(m.out))
	for i := range m.out {
		texts[i] = m.out[i].Content
	}
	vectors, err := o.Embed.Embed(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed %d made-up memories: %w", len(texts), err)
	}
	for i := range m.out {
		m.out[i].Vector, m.out[i].Model = vectors[i], o.Embed.ID()
	}
	return m.out, nil
}

// add remembers a sentence; day is in the game.
func (m *maker) add(npc, player string, kind schema.MemoryKind, subject, pred, object, content string, day int) {
	n := len(m.out)
	at := Start.AddDate(0, 0, day).Add(time.Duration(n%600) * time.Minute)
	source, speaker := schema.OriginUser, "player"
	if player == "" {
		source, speaker = schema.OriginSystem, "game"
	}
	m.out = append(m.out, scan.Item{Memory: schema.Memory{
		ID: fmt.Sprintf("m%08d", n), World: World, NPC: npc, Player: player, Kind: kind, Subject: subject, Pred: pred,
		Object: object, Content: content,
		Confidence: 0.6 + 0.01*float64(m.IntN(40)), Source: source, Count: 1, Status: schema.MemoryActive,
		Spans:     []schema.MemorySpan{{TurnID: fmt.Sprintf("t%08d", n), Speaker: speaker, Text: content, At: at}},
		CreatedAt: at, EventTime: at, ValidFrom: at,
	}})
}

func (m *maker) one(list []string) string { return list[m.IntN(len(list))] }

// person is what one NPC remembers of one player, and what it saw besides.
func (m *maker) person(n int) {
	npc, id := fmt.Sprintf("n%02d", n%npcs), fmt.Sprintf("p%d", n)
	name, who := m.name(), "player:"+id
	for _, f := range m.Perm(len(facts))[:2+m.IntN(2)] {
		object := m.one(facts[f].values)
		m.add(npc, id, schema.MemoryFact, who, facts[f].pred, object, told(name, fmt.Sprintf(facts[f].says, object)),
			m.IntN(300))
	}
	tastes := m.Perm(len(things))
	for i := range 3 + m.IntN(3) {
		m.add(npc, id, schema.MemoryPreference, who, "likes", things[tastes[i]],
			told(name, fmt.Sprintf(m.one(likings), things[tastes[i]])), m.IntN(300))
	}
	for len(m.out)%perPlayer != 0 {
		m.add(npc, id, schema.MemoryOccurrence, who, "did", "",
			told(name, fmt.Sprintf(m.one(deeds), "they", m.one(things), m.one(places))), m.IntN(300))
		if len(m.out)%witnessed == 0 {
			other := m.name()
			m.add("n00", "", schema.MemoryOccurrence, other, "did", "",
				fmt.Sprintf(m.one(deeds), other, m.one(things), m.one(places)), m.IntN(300))
		}
	}
	thing := m.one(things)
	m.add(npc, id, schema.MemoryPromise, who, "promised", thing, name+" promised me to bring "+thing+".", m.IntN(300))
}

// plant puts in what a scan is to find: each of a player of its own.
func (m *maker) plant() {
	for i := range m.o.Evolutions {
		m.pair("e", i, 100, "lives_in", "they live in %s.", places[i%len(places)], places[(i+1)%len(places)])
	}
	for i := range m.o.Contradictions {
		m.pair("c", i, 1, "works_at", "they work at %s.", places[i%len(places)], places[(i+1)%len(places)])
	}
	for i := range m.o.Equivalents {
		npc, id, place := fmt.Sprintf("n%02d", i%npcs), fmt.Sprintf("q%d", i), places[i%len(places)]
		name := m.name()
		m.add(npc, id, schema.MemoryFact, "player:"+id, "lives_in", place, told(name, "they live in "+place+"."), 10)
		m.add(npc, id, schema.MemoryFact, "player:"+id, "lives_in", place, told(name, "they have a home in "+place+"."), 20)
	}
}

func (m *maker) pair(tag string, i, days int, pred, says, from, to string) {
	npc, id := fmt.Sprintf("n%02d", i%npcs), fmt.Sprintf("%s%d", tag, i)
	name := m.name()
	m.add(npc, id, schema.MemoryFact, "player:"+id, pred, from, told(name, fmt.Sprintf(says, from)), 10)
	m.add(npc, id, schema.MemoryFact, "player:"+id, pred, to, told(name, fmt.Sprintf(says, to)), 10+days)
}

// told is a sentence as an NPC remembers that it was told it.
func told(name, says string) string { return name + " told me that " + says }

// name is a made-up name.
func (m *maker) name() string { return m.one(starts) + m.one(ends) }
