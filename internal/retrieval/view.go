package retrieval

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// view is what one NPC may ever know of: fixed for a world, so kept.
type view struct {
	passages []int32
	outside  int
}

func (x *Index) viewOf(npc *world.NPC) *view {
	if v, ok := x.views.Load(npc.Handle); ok {
		return v.(*view)
	}
	v := &view{}
	for i := range x.passages {
		if world.ScopeOf(x.passages[i].chunk, npc) {
			v.passages = append(v.passages, int32(i))
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
	usual    []int32          // by what is open the scope is measured: all of it, or a sample
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
	length, at := 0.0, momentOf(q.Check.GameTime)
	last := int32(-1)
	for _, i := range v.passages {
		reason := ""
		if len(refused) > 0 {
			reason = refused[i]
		}
		if l := &x.limits[i]; reason == "" && !l.hold(at) {
			reason = x.passages[i].refusal(q)
		}
		if reason != "" {
			s.rejected[reason]++
			continue
		}
		s.open = append(s.open, i)
		s.isOpen[i] = true
		length += float64(x.limits[i].length)
		if doc := x.docOf[i]; doc != last {
			s.docs++
			last = doc
		}
	}
	if v.outside > 0 {
		s.rejected[grounding.RejectScope] = v.outside
	}
	if len(s.open) > 0 {
		s.average = length / float64(len(s.open))
	}
	s.usual = s.open
	if x.facts != nil {
		x.facts.correct(x, &s)
	}
	return s
}

// limits are what every search asks of every passage, side by side so that a large
// world is gone through in a fraction of a millisecond.
type limits struct {
	from, to int64 // moments between which it is told
	asks     bool  // it has a condition or is never told: its refusal tells
	length   float32
}

func limitsOf(p *passage) limits {
	l := limits{from: max(momentOf(p.chunk.CreatedAt), momentOf(p.chunk.ValidFrom)), to: math.MaxInt64, length: p.length}
	if !p.chunk.ValidTo.IsZero() {
		l.to = momentOf(p.chunk.ValidTo)
	}
	l.asks = p.signature != "" || p.sealed || p.chunk.Requires != ""
	return l
}

// hold says whether a passage is told at a moment without further question.
func (l *limits) hold(at int64) bool {
	return !l.asks && (at == noMoment || l.from <= at && at <= l.to)
}

// noMoment is where no time is given.
const noMoment = math.MinInt64

// momentOf is a time in microseconds, which reach beyond any world's years.
func momentOf(t time.Time) int64 {
	if t.IsZero() {
		return noMoment
	}
	return t.UnixMicro()
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
func (s scope) counts() []protocol.Count {
	var out []protocol.Count
	for name, n := range s.rejected {
		out = append(out, protocol.Count{Name: name, N: n})
	}
	slices.SortFunc(out, func(a, b protocol.Count) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// idf is the rarity of a term among the documents in scope.
func (x *Index) idf(s *scope, id int32) float64 {
	df := 0
	if id >= 0 {
		last := int32(-1)
		for _, p := range x.terms[id].postings {
			if d := x.docOf[p.at]; s.isOpen[p.at] && d != last {
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
