package retrieval

import (
	"math"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// view is what one NPC may ever know of: fixed for a world, so kept.
type view struct {
	passages []int32
	inside   []bool // by passage
	outside  int
}

func (x *Index) viewOf(npc *world.NPC) *view {
	if v, ok := x.views.Load(npc.Handle); ok {
		return v.(*view)
	}
	v := &view{inside: make([]bool, len(x.passages))}
	for i := range x.passages {
		if world.ScopeOf(x.passages[i].chunk, npc) {
			v.passages = append(v.passages, int32(i))
			v.inside[i] = true
		} else {
			v.outside++
		}
	}
	got, _ := x.views.LoadOrStore(npc.Handle, v)
	return got.(*view)
}

// scope is what the NPC may know in this turn, before anything is ranked: all
// statistics of the search are taken over it alone, so nothing outside it changes
// what is found. It is felt in one way: see compareOutside.
type scope struct {
	open     []int32
	isOpen   []bool
	refused  map[int32]string // by the provenance contract: what nobody is held to know
	docs     int
	average  float64 // length of a passage
	rejected map[string]int
}

// scopeOf filters by scope, by what a passage says of its making, by condition
// and by game time, and leaves out what the contract has refused already.
func (x *Index) scopeOf(q Query, refused map[int32]string) scope {
	v := x.viewOf(q.NPC)
	s := scope{isOpen: make([]bool, len(x.passages)), refused: refused, rejected: map[string]int{}}
	length := 0.0
	last := int32(-1)
	for _, i := range v.passages {
		p := &x.passages[i]
		reason := refused[i]
		if reason == "" {
			reason = p.refusal(q)
		}
		if reason != "" {
			s.rejected[reason]++
			continue
		}
		s.open = append(s.open, i)
		s.isOpen[i] = true
		length += float64(p.length)
		if p.doc != last {
			s.docs++
			last = p.doc
		}
	}
	if v.outside > 0 {
		s.rejected[grounding.RejectScope] = v.outside
	}
	if len(s.open) > 0 {
		s.average = length / float64(len(s.open))
	}
	return s
}

// refusal is the cheap part of the provenance contract: what changes with the
// turn and can be told without reading the text.
func (p *passage) refusal(q Query) string {
	c, at := &p.chunk, q.Check.GameTime
	switch {
	case p.signature != "":
		return p.signature
	case p.sealed || !q.Gated && !p.condition.Holds(q.Facts):
		return grounding.RejectRequires
	case at.IsZero():
		return ""
	case c.CreatedAt.After(at):
		return grounding.RejectFuture
	case c.ValidFrom.After(at):
		return grounding.RejectNotYetValid
	case !c.ValidTo.IsZero() && c.ValidTo.Before(at):
		return grounding.RejectNoLonger
	}
	return ""
}

// counts are the refusals by reason, in order of name.
func (s scope) counts() []schema.Count {
	var out []schema.Count
	for name, n := range s.rejected {
		out = append(out, schema.Count{Name: name, N: n})
	}
	slices.SortFunc(out, func(a, b schema.Count) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// idf is the rarity of a term among the documents in scope.
func (x *Index) idf(s *scope, id int32) float64 {
	df := 0
	if id >= 0 {
		last := int32(-1)
		for _, p := range x.terms[id].postings {
			if d := x.passages[p.at].doc; s.isOpen[p.at] && d != last {
				df++
				last = d
			}
		}
	}
	return math.Log(1 + (float64(s.docs)-float64(df)+0.5)/(float64(df)+0.5))
}

// docOpen says whether any passage of a document is in scope.
func (x *Index) docOpen(s *scope, doc int32) bool {
	for _, p := range x.docs[doc].passages {
		if s.isOpen[p] {
			return true
		}
	}
	return false
}
