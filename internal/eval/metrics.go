package eval

import (
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// baseMetrics are the metrics of every run; each kind adds two of its own.
var baseMetrics = []string{"citation_verification_first_attempt", "self_correction", "retries_per_turn", "faithfulness", "hallucination_rate",
	"evidence_verbatim", "citation_accuracy", "fallback_rate", "refusal_rate", "non_corpus_citation_rate"}

// The metrics of a kind: refused, and clean of all that the case forbids or
// rejects, whatever else it expects.
const (
	refusedPrefix = "refused_"
	cleanPrefix   = "clean_"
)

// metricNames are the metrics of a run over these kinds.
func metricNames(kinds []string) []string {
	out := slices.Clone(baseMetrics)
	for _, k := range kinds {
		out = append(out, refusedPrefix+k, cleanPrefix+k)
	}
	return out
}

// counts are what the metrics are shares of.
type counts struct {
	turns, refused, fallback      int
	drafted, firstApproved        int // speeches that cite, and those approved as first written
	corrected, wrong              int // speeches with issues, and those approved later with nothing stripped
	retries                       int
	sentences, unsupported        int // released and not authored; those without a record of support
	claims, supported             int // in the records
	citations, nonCorpus, foreign int
	expected, accurate            int
	byKind                        map[string]*kindCounts
	issues                        map[string]int // why drafts were sent back or sentences stripped
}

type kindCounts struct{ cases, refused, clean int }

// measure counts over all outcomes.
func measure(outcomes []Outcome) counts {
	n := counts{byKind: map[string]*kindCounts{}, issues: map[string]int{}}
	for i := range outcomes {
		o := &outcomes[i]
		k := n.byKind[o.Case.Kind]
		if k == nil {
			k = &kindCounts{}
			n.byKind[o.Case.Kind] = k
		}
		k.cases++
		if o.Reply == nil {
			continue
		}
		n.turn(o, k)
		n.draft(o)
		n.released(o)
	}
	return n
}

func (n *counts) turn(o *Outcome, k *kindCounts) {
	n.turns++
	if refused(o.Reply) {
		n.refused++
		k.refused++
	}
	if forbidden, _ := o.forbidden(); forbidden == "" {
		if rejected, _ := o.rejected(); rejected == "" {
			k.clean++
		}
	}
	switch o.Reply.Status {
	case schema.StatusAuthored, schema.StatusPartial, schema.StatusAborted:
		n.fallback++
	case schema.StatusUnknown:
		if o.Reply.Reason == schema.ReasonNotEntailed {
			n.fallback++
		}
	}
}

// draft looks at what the reviews said of the speech as it was written.
func (n *counts) draft(o *Outcome) {
	for _, r := range o.Reviews {
		for _, i := range r.Issues {
			n.issues[string(i.Type)]++
		}
	}
	if len(o.Reviews) == 0 || len(cited(o.Reply)) == 0 && len(o.Reply.Stripped) == 0 {
		return
	}
	n.drafted++
	n.retries += len(o.Reviews) - 1
	last := o.Reviews[len(o.Reviews)-1]
	switch {
	case o.Reviews[0].Verdict == schema.Approved:
		n.firstApproved++
	case last.Verdict == schema.Approved && len(o.Reply.Stripped) == 0:
		n.wrong++
		n.corrected++
	default:
		n.wrong++
	}
}

// released looks at what the player read: each sentence that is no authored line
// needs a record of its very text, in which every claim is supported.
func (n *counts) released(o *Outcome) {
	records := map[string]schema.ReviewRecord{}
	for _, r := range o.Records {
		records[r.Hash] = r
	}
	for _, s := range o.Reply.Sentences {
		if s.Authored {
			continue
		}
		n.sentences++
		r, ok := records[schema.HashText(s.Text)]
		held := ok && len(s.Evidence) > 0
		for _, c := range r.Claims {
			if c.Kind == schema.ClaimNone {
				continue
			}
			n.claims++
			if c.Verdict.Label == schema.Supported {
				n.supported++
			} else {
				held = false
			}
		}
		if !held {
			n.unsupported++
		}
		for _, e := range s.Evidence {
			n.citations++
			if e.Source != schema.OriginCorpus {
				n.nonCorpus++
			}
		}
	}
	n.foreign += len(o.Foreign)
	if paths := cited(o.Reply); len(o.Case.expect) > 0 && !softKinds[o.Case.Kind] && len(paths) > 0 {
		n.expected++
		if anyMatches(o.Case.expect, paths) {
			n.accurate++
		}
	}
}

// metrics are the shares. One with nothing to count is whole where whole is good
// and zero where zero is.
func (n *counts) metrics() map[string]float64 {
	out := map[string]float64{
		"citation_verification_first_attempt": orOne(n.firstApproved, n.drafted),
		"self_correction":                     orOne(n.corrected, n.wrong),
		"retries_per_turn":                    share(n.retries, n.turns),
		"faithfulness":                        orOne(n.supported, n.claims),
		"hallucination_rate":                  share(n.unsupported, n.sentences),
		"evidence_verbatim":                   orOne(n.citations-n.foreign, n.citations),
		"citation_accuracy":                   orOne(n.accurate, n.expected),
		"fallback_rate":                       share(n.fallback, n.turns),
		"refusal_rate":                        share(n.refused, n.turns),
		"non_corpus_citation_rate":            share(n.nonCorpus, n.citations),
	}
	for kind, k := range n.byKind {
		out[refusedPrefix+kind] = share(k.refused, k.cases)
		out[cleanPrefix+kind] = share(k.clean, k.cases)
	}
	return out
}

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// orOne is a share that is whole where there is nothing to count.
func orOne(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return share(n, of)
}
