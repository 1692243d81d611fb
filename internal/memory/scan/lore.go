package scan

import (
	"fmt"
	"math"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Lore is a sentence of the world that changed since the last run.
type Lore struct {
	ID     string // of its chunk
	Text   string
	Vector []float32
	Model  string
	Knows  func(npc string) bool // who may know it; nil: everybody
}

// A memory is held against a sentence of lore that holds so much of what it says,
// or is nearly as near as two memories that are alike. Vectors are looked at only
// while that is cheap.
const (
	loreShare   = 0.6
	loreSlack   = 0.1
	loreProduct = 4_000_000
	loreMost    = 8 // sentences a memory is held against
)

// lore marks the memories that changed lore contradicts. They stay active: the NPC
// did hear what it remembers.
func (r *run) lore() error {
	if len(r.in.Lore) == 0 {
		return nil
	}
	shared := r.loreByWords()
	vectors := r.Settings.Floor > 0 && r.Entail != nil && len(r.in.Lore)*len(r.items) <= loreProduct
	for i := range r.items {
		if r.gone[i] {
			continue
		}
		near := shared(i)
		if vectors {
			near = append(near, r.loreByVector(i)...)
		}
		slices.Sort(near)
		near = slices.Compact(near)
		for _, at := range near[:min(len(near), loreMost)] {
			l := &r.in.Lore[at]
			if slices.Contains(r.items[i].Contradicts, memory.LorePrefix+l.ID) || l.Knows != nil && !l.Knows(r.items[i].NPC) {
				continue
			}
			why, err := r.deniedBy(i, l)
			if err != nil {
				if r.ctx.Err() != nil {
					return fmt.Errorf("scan of %s: %w", r.in.World, r.ctx.Err())
				}
				r.out.Report.Failed++
				r.out.Report.LoreFailed++
				continue
			}
			if why != "" {
				r.markLore(i, l, why)
				break
			}
		}
	}
	return nil
}

// loreByWords gives, for a memory, the sentences that share most of its words.
func (r *run) loreByWords() func(i int) []int {
	postings := map[int32][]int{}
	for n := range r.in.Lore {
		t := r.vocab.read(r.in.Lore[n].Text)
		for _, list := range [][]int32{t.stems, t.names} {
			for _, id := range list {
				postings[id] = append(postings[id], n)
			}
		}
	}
	common := max(64, len(r.in.Lore)/8) // a word of so many sentences tells none apart
	return func(i int) []int {
		t := r.traitsOf(i)
		hits := map[int]int{}
		for _, list := range [][]int32{t.stems, t.names} {
			for _, id := range list {
				if p := postings[id]; len(p) <= common {
					for _, n := range p {
						hits[n]++
					}
				}
			}
		}
		var out []int
		for n, k := range hits {
			if float64(k) >= loreShare*float64(len(t.stems)+len(t.names)) {
				out = append(out, n)
			}
		}
		return out
	}
}

func (r *run) loreByVector(i int) []int {
	var out []int
	m := r.items[i]
	for n := range r.in.Lore {
		l := &r.in.Lore[n]
		if l.Model != m.Model || len(l.Vector) != len(m.Vector) || len(m.Vector) == 0 {
			continue
		}
		lengths := math.Sqrt(float64(embed.Dot(l.Vector, l.Vector)) * float64(embed.Dot(m.Vector, m.Vector)))
		if float64(embed.Dot(l.Vector, m.Vector)) >= (r.Settings.Floor-loreSlack)*lengths && lengths > 0 {
			out = append(out, n)
		}
	}
	return out
}

// deniedBy says why a sentence of lore contradicts a memory; empty: it does not.
func (r *run) deniedBy(i int, l *Lore) (string, error) {
	for tier, e := range []Entailer{Entail(entail.NewRules()), r.Entail} {
		if e == nil {
			continue
		}
		r.out.Report.Entailed += tier // rules cost no call
		_, label, err := e.Entails(r.ctx, l.Text, matter(r.items[i].Content))
		switch {
		case err != nil:
			return "", err
		case label == schema.Contradicted:
			return "lore says: " + l.Text, nil
		case label == schema.Supported:
			return "", nil
		}
	}
	return "", nil
}

func (r *run) markLore(i int, l *Lore, why string) {
	m := &r.items[i].Memory
	r.emit(schema.MemoryEvent{
		ID: memory.EventID(schema.MemoryFlag, "lore", m.ID, l.ID, protocol.HashText(l.Text)), Type: schema.MemoryFlag,
		World: m.World, NPC: m.NPC, Player: m.Player, At: r.in.Now, By: By, Why: why,
		Target: m.ID, Others: []string{memory.LorePrefix + l.ID},
	})
	r.out.Report.Lore++
}
