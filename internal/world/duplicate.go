package world

import (
	"hash/maphash"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

const (
	// nearDuplicate is the share of runs of words that two documents have in
	// common from which lint speaks of it.
	nearDuplicate = 0.9
	// commonRun is how many documents a run of words may stand in before it says
	// nothing about two of them; it bounds the pairs compared.
	commonRun = 24
	runLength = 3
)

// lintDuplicates names documents that say nearly the same. Two NPCs may well
// hold the same note: documents of different owners are not compared.
func (w *World) lintDuplicates() []Problem {
	var out []Problem
	runs := make([]map[uint64]bool, len(w.Documents))
	holders := map[uint64][]int{}
	seed := maphash.MakeSeed()
	for i, d := range w.Documents {
		if d.Fragment != "" {
			continue
		}
		runs[i] = runsOf(seed, d.Text())
		shared := map[int]bool{}
		for run := range runs[i] {
			if at := holders[run]; len(at) < commonRun {
				for _, j := range at {
					shared[j] = true
				}
				holders[run] = append(at, i)
			}
		}
		for j := range i {
			other := w.Documents[j]
			if shared[j] && other.NPC == d.NPC && similarity(runs[i], runs[j]) >= nearDuplicate {
				out = append(out, warning(d.Path, 0, "says nearly the same as %s; keep one of them", other.Path))
				break
			}
		}
	}
	return out
}

// runsOf are the runs of words of a text; a text shorter than a run is one.
func runsOf(seed maphash.Seed, s string) map[uint64]bool {
	words := text.Words(s)
	out := map[uint64]bool{}
	if len(words) > 0 && len(words) < runLength {
		out[maphash.String(seed, strings.Join(words, " "))] = true
	}
	for i := 0; i+runLength <= len(words); i++ {
		out[maphash.String(seed, strings.Join(words[i:i+runLength], " "))] = true
	}
	return out
}

// similarity is the Jaccard index.
func similarity(a, b map[uint64]bool) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for run := range a {
		if b[run] {
			common++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}
