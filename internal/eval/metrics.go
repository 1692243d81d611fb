package eval

import (
	"slices"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// baseMetrics are the metrics of every run; each kind adds two of its own.
var baseMetrics = []string{"citation_verification_first_attempt", "self_correction", "retries_per_turn", "faithfulness",
	"hallucination_rate",
	"evidence_verbatim", "citation_accuracy", "fallback_rate", "refusal_rate", "false_denials", "non_corpus_citation_rate",
	"non_corpus_rate", "approved_first_attempt",
	"thoughts_verified_first_attempt", "thought_retries_per_turn", "stripped_per_turn",
	"llm_calls_per_turn", "llm_calls_worst", "tokens_per_turn", "cost_per_turn"}

// deedMetrics are those of a suite that expects deeds.
var deedMetrics = []string{"deeds_right", "wrong_deeds"}

// Figure is a metric with its value.
type Figure struct {
	Name  string
	Value float64
}

// Figures are the metrics that every run has, in the order in which they are read.
func (r *Report) Figures() []Figure {
	var out []Figure
	for _, name := range baseMetrics {
		out = append(out, Figure{name, r.Metrics[name]})
	}
	for _, name := range deedMetrics {
		if v, there := r.Metrics[name]; there {
			out = append(out, Figure{name, v})
		}
	}
	return out
}

// The metrics of a kind: refused, and clean of all that the case forbids or
// rejects, whatever else it expects.
const (
	refusedPrefix = "refused_"
	cleanPrefix   = "clean_"
)

// knownKind are cases whose answer the NPC has.
const knownKind = "known"

// metricNames are the metrics of a run over these kinds.
func metricNames(kinds []string) []string {
	out := append(slices.Clone(baseMetrics), deedMetrics...)
	for _, k := range kinds {
		out = append(out, refusedPrefix+k, cleanPrefix+k)
	}
	return out
}

// counts are what the metrics are shares of.
type counts struct {
	turns, refused, fallback      int
	known, denied                 int // questions whose answer the NPC has, and those answered by "I don't know"
	drafted, firstApproved        int // speeches that cite, and those approved as first written
	firstVerified                 int // those in which every claim was, whatever else was wrong
	corrected, wrong              int // speeches with issues, and those approved later with nothing stripped
	retries, thoughtRetries       int
	thoughts, thoughtsFirst       int // turns with reviewed thoughts, and those approved as first thought
	stripped                      int
	sentences, unsupported        int // released and not authored; those without a record of support
	claims, supported             int // in the records
	citations, nonCorpus, foreign int
	ungrounded                    int // of nonCorpus, those that may not ground the claim that they carry
	expected, accurate            int
	deeds, deedsRight, deedsWrong int // requests whose deed is judged, and the actions taken that nobody wanted
	byKind                        map[string]*kindCounts
	issues                        map[string]int     // why drafts were sent back or sentences stripped
	causes                        map[string]Retries // why drafts were written again
	again                         []Retries          // turns, by how often their drafts were written again
}

// wrote counts a turn whose thoughts, or whose speech, was written again so often.
func (n *counts) wrote(again int) *Retries {
	for len(n.again) <= again {
		n.again = append(n.again, Retries{})
	}
	return &n.again[again]
}

// Retries counts drafts that were written again for one cause. A draft with two
// causes counts under both.
type Retries struct {
	Thoughts int `json:"thoughts"`
	Speech   int `json:"speech"`
}

type kindCounts struct{ cases, refused, clean int }

// measure counts over all outcomes.
func measure(outcomes []Outcome) counts {
	n := counts{byKind: map[string]*kindCounts{}, issues: map[string]int{}, causes: map[string]Retries{}}
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
		n.thought(o)
		n.draft(o)
		n.released(o)
	}
	return n
}

func (n *counts) turn(o *Outcome, k *kindCounts) {
	n.turns++
	if o.Case.ExpectDeed != nil {
		n.deeds++
		if want, _ := o.deed(); want == "" {
			n.deedsRight++
		}
		if o.wrongDeed() {
			n.deedsWrong++
		}
	}
	n.stripped += len(o.Reply.Stripped)
	if o.Case.Kind == knownKind {
		n.known++
		if o.Reply.Status == schema.StatusUnknown {
			n.denied++
		}
	}
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
	case schema.StatusExtractive:
		if o.Reply.Reason != "" { // a model was to speak and did not
			n.fallback++
		}
	}
}

// thought looks at what the reviews said of the thoughts.
func (n *counts) thought(o *Outcome) {
	if len(o.ThoughtReviews) == 0 {
		return
	}
	n.thoughts++
	n.wrote(len(o.ThoughtReviews)-1).Thoughts++
	n.thoughtRetries += len(o.ThoughtReviews) - 1
	if o.ThoughtReviews[0].Verdict == protocol.Approved {
		n.thoughtsFirst++
	}
	for _, cause := range causesOf(o.ThoughtReviews) {
		c := n.causes[cause]
		c.Thoughts++
		n.causes[cause] = c
	}
}

// causesOf are the kinds of issue that sent drafts back, each once a draft. The
// last review sends nothing back: its draft goes on, or is stripped.
func causesOf(reviews []protocol.Review) []string {
	var out []string
	for _, r := range reviews[:max(0, len(reviews)-1)] {
		var seen []string
		for _, i := range r.Issues {
			if !slices.Contains(seen, string(i.Type)) {
				seen = append(seen, string(i.Type))
			}
		}
		out = append(out, seen...)
	}
	return out
}

// draft looks at what the reviews said of the speech as it was written.
func (n *counts) draft(o *Outcome) {
	for _, r := range o.Reviews {
		for _, i := range r.Issues {
			n.issues[string(i.Type)]++
		}
	}
	if len(o.Reviews) > 0 {
		n.wrote(len(o.Reviews)-1).Speech++
	}
	if len(o.Reviews) == 0 || len(cited(o.Reply)) == 0 && len(o.Reply.Stripped) == 0 {
		return
	}
	n.drafted++
	n.retries += len(o.Reviews) - 1
	for _, cause := range causesOf(o.Reviews) {
		c := n.causes[cause]
		c.Speech++
		n.causes[cause] = c
	}
	first, last := o.firstIssues(), o.Reviews[len(o.Reviews)-1]
	if !slices.ContainsFunc(first, isOfClaim) {
		n.firstVerified++
	}
	switch {
	case len(first) == 0:
		n.firstApproved++
	case last.Verdict == protocol.Approved && !o.lost():
		n.wrong++
		n.corrected++
	default:
		n.wrong++
	}
}

// firstIssues are what was wrong with the speech as first written: in its review,
// and in the records of the sentences that were refused while it streamed.
func (o *Outcome) firstIssues() []schema.Issue {
	out := slices.Clone(o.Reviews[0].Issues)
	run := ""
	for _, r := range o.Records {
		if run == "" {
			run = r.Run
		}
		if r.Run == run {
			out = append(out, r.Refused...)
		}
	}
	return out
}

// isOfClaim says whether an issue is about what is said, not how: a sentence too
// many has its citations verified.
func isOfClaim(i schema.Issue) bool { return i.Type != schema.IssueForm }

// lost says whether a sentence was taken out for good. One that was refused while
// the speech streamed was written again.
func (o *Outcome) lost() bool {
	refused := map[string]bool{}
	for _, r := range o.Records {
		if isRefusal(r) && r.Draft != nil {
			refused[r.Draft.Text] = true
		}
	}
	return slices.ContainsFunc(o.Reply.Stripped, func(s schema.Stripped) bool { return !refused[s.Text] })
}

// released looks at what the player read: each sentence that is no authored line
// needs a record of its very text, in which every claim is supported.
func (n *counts) released(o *Outcome) {
	records := map[string]protocol.ReviewRecord{}
	for _, r := range o.Records {
		if !isRefusal(r) {
			records[r.Hash] = r
		}
	}
	for _, s := range o.Reply.Sentences {
		if s.Authored {
			continue
		}
		n.sentences++
		r, ok := records[protocol.HashText(s.Text)]
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
				if !mayCarry(e, r.Claims) {
					n.ungrounded++
				}
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

// mayCarry says whether evidence that is not corpus stands under a claim that its source
// may ground: state under the state, what was said under the shared past.
func mayCarry(e schema.EvidenceRef, claims []schema.ClaimVerdict) bool {
	return slices.ContainsFunc(claims, func(c schema.ClaimVerdict) bool {
		return c.Citation == e.ID && c.Verdict.Label == schema.Supported && grounding.DefaultPolicy.Grounds(c.Kind, e.Source)
	})
}

// isRefusal says whether a record tells why a sentence of a streamed speech was
// not released.
func isRefusal(r protocol.ReviewRecord) bool { return len(r.Refused) > 0 }

// metrics are the shares. One with nothing to count is whole where whole is good
// and zero where zero is.
func (n *counts) metrics() map[string]float64 {
	out := map[string]float64{
		"citation_verification_first_attempt": orOne(n.firstVerified, n.drafted),
		"approved_first_attempt":              orOne(n.firstApproved, n.drafted),
		"self_correction":                     orOne(n.corrected, n.wrong),
		"retries_per_turn":                    share(n.retries, n.turns),
		"faithfulness":                        orOne(n.supported, n.claims),
		"hallucination_rate":                  share(n.unsupported, n.sentences),
		"evidence_verbatim":                   orOne(n.citations-n.foreign, n.citations),
		"citation_accuracy":                   orOne(n.accurate, n.expected),
		"fallback_rate":                       share(n.fallback, n.turns),
		"refusal_rate":                        share(n.refused, n.turns),
		"false_denials":                       share(n.denied, n.known),
		"non_corpus_citation_rate":            share(n.nonCorpus, n.citations),
		"non_corpus_rate":                     share(n.ungrounded, n.citations),
		"thoughts_verified_first_attempt":     orOne(n.thoughtsFirst, n.thoughts),
		"thought_retries_per_turn":            share(n.thoughtRetries, n.turns),
		"stripped_per_turn":                   share(n.stripped, n.turns),
	}
	if n.deeds > 0 {
		out["deeds_right"], out["wrong_deeds"] = share(n.deedsRight, n.deeds), share(n.deedsWrong, n.deeds)
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
