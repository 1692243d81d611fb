package review

import (
	"math"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Bounds and weights of a premise. The training of the weights selects in the same way.
const (
	premiseTokens  = 110
	tokensPerWord  = 1.35
	contextWeight  = 0.3 // of a word that only the question or the sentence before holds
	citedBonus     = 4
	citedSelfBonus = 1
)

// unit is a sentence of what was shown.
type unit struct {
	of    *protocol.Evidence
	text  string
	words []string // its content words, each once
	self  bool
}

// shown are the sentences of everything that may ground a sentence of this draft.
func (l *line) shown(session bool) []unit {
	var out []unit
	add := func(e *protocol.Evidence, self bool) {
		spoken := grounding.Premise(e, &l.Context)
		for _, s := range text.Sentences(spoken) {
			out = append(out, unit{of: e, text: s, words: distinct(text.ContentWords(s)), self: self})
		}
	}
	for _, e := range l.usable {
		if (session || !said(e)) && l.serves(e, session) {
			add(e, false)
		}
	}
	for i := range l.Self {
		add(&l.Self[i], true)
	}
	return out
}

// said says whether a block is of the conversation: it grounds that something was
// said, and never what was said.
func said(e *protocol.Evidence) bool {
	return e.SourceID == "session" || e.Provenance.Source == schema.OriginUser
}

// premise selects what of the shown sentences stands nearest to a sentence, in the
// order in which they were shown, and names the block that holds most of it.
func (l *line) premise(i int, units []unit) (premise string, best *protocol.Evidence) {
	want := text.ContentSet(l.Sentences[i].Text)
	around := text.ContentSet(strings.Join(l.before(i), " "))
	held := map[string]float64{}
	for _, u := range units {
		for _, w := range u.words {
			held[w]++
		}
	}
	score := make([]float64, len(units))
	order := make([]int, len(units))
	for k, u := range units {
		order[k] = k
		score[k] = l.nearness(i, u, func(w string) float64 {
			idf := math.Log(1 + float64(len(units))/held[w])
			switch {
			case want[w]:
				return idf
			case around[w]:
				return contextWeight * idf
			}
			return 0
		})
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case score[a] > score[b]:
			return -1
		case score[a] < score[b]:
			return 1
		}
		return 0
	})
	var take []int
	left := float64(premiseTokens)
	for _, k := range order {
		if cost := tokensOf(units[k].text); cost <= left {
			take, left = append(take, k), left-cost
		}
	}
	if len(take) > 0 {
		best = units[take[0]].of
	} else if len(order) > 0 { // one sentence that is longer than all that fits is cut by the reader
		take, best = order[:1], units[order[0]].of
	}
	slices.Sort(take)
	parts := make([]string, len(take))
	for n, k := range take {
		parts[n] = units[k].text
	}
	return strings.Join(parts, " "), best
}

// nearness of a shown sentence to sentence i: the weights of the words that they
// share, and a bonus where it is cited.
func (l *line) nearness(i int, u unit, weight func(word string) float64) float64 {
	sum := 0.0
	for _, w := range u.words {
		sum += weight(w)
	}
	for _, c := range l.Sentences[i].Citations {
		switch {
		case u.self && c.EvidenceID == selfID:
			return sum + citedSelfBonus
		case !u.self && c.EvidenceID == u.of.ID:
			return sum + citedBonus
		}
	}
	return sum
}

// tokensOf estimates how many tokens a text takes.
func tokensOf(s string) float64 { return 1 + tokensPerWord*float64(len(text.WordSpans(s))) }

// distinct keeps the first of equal words, so that sums over them do not depend on an order.
func distinct(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}
