package eval

import (
	"fmt"
	"io"
	"sort"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// measure computes the metrics over all replies, and counts retries by cause.
func measure(outcomes []Outcome, retries map[string]int) map[string]float64 {
	var turns, firstDrafts, firstVerified, corrected, needed, retried, cites, nonCorpus, claims, supported, accurate, expected, fallback, refused int
	for i := range outcomes {
		r := outcomes[i].Reply
		if r == nil {
			continue
		}
		turns++
		if r.Status == schema.StatusUnknown && r.Reason == schema.ReasonNotEntailed || r.Status == schema.StatusAuthored {
			fallback++
		}
		if r.Status == schema.StatusUnknown || r.Status == schema.StatusWithheld {
			refused++
		}
		attempts := attemptsOf(r)
		retried += attempts - 1
		if paths, _ := cited(r); len(paths) > 0 || attempts > 1 {
			firstDrafts++
			if attempts == 1 && len(r.Stripped) == 0 {
				firstVerified++
			}
			if attempts > 1 {
				needed++
				if len(r.Stripped) == 0 {
					corrected++
				}
			}
		}
		for _, s := range r.Stripped {
			retries[string(s.Issue.Type)]++
		}
		for _, s := range r.Sentences {
			if s.Authored {
				continue
			}
			claims++
			if len(s.Evidence) > 0 {
				supported++
			}
			for _, e := range s.Evidence {
				cites++
				if e.Source != schema.OriginCorpus {
					nonCorpus++
				}
			}
		}
		if c := outcomes[i].Case; len(c.expect) > 0 && !softKinds[c.Kind] {
			if paths, _ := cited(r); len(paths) > 0 {
				expected++
				if anyMatches(c.expect, paths) {
					accurate++
				}
			}
		}
	}
	return map[string]float64{
		"citation_verification_first_attempt": orOne(firstVerified, firstDrafts),
		"self_correction":                     orOne(corrected, needed),
		"retries_per_turn":                    share(retried, turns),
		"faithfulness":                        orOne(supported, claims),
		"hallucination_rate":                  share(claims-supported, claims),
		"citation_accuracy":                   orOne(accurate, expected),
		"fallback_rate":                       share(fallback, turns),
		"refusal_rate":                        share(refused, turns),
		"non_corpus_citation_rate":            share(nonCorpus, cites),
	}
}

// orOne is a share that is whole where there is nothing to count.
func orOne(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return share(n, of)
}

// attemptsOf is how often the speech was written.
func attemptsOf(r *schema.Reply) int {
	n := 0
	for _, p := range r.Passes {
		if p.Pass == schema.PassSpeak {
			n++
		}
	}
	return max(n, 1)
}

// Curve is what a threshold on the confidence would do: how many known questions
// are answered rightly, and how many fakes and private ones refused.
type Curve struct {
	AUROC  float64 `json:"auroc"` // of the confidence: known against fake, private and unknown
	Points []Point `json:"points"`
}

// Point is one threshold.
type Point struct {
	Threshold  float64 `json:"threshold"`
	KnownRight float64 `json:"known_right"`
	Refused    float64 `json:"refused"`
}

var refuseKinds = map[string]bool{"fake": true, "private": true, "unknown": true}

// curveOf needs known cases and ones to refuse; a case that was refused at the
// shipped threshold counts as not answered at a lower one.
func curveOf(outcomes []Outcome) *Curve {
	type sample struct {
		confidence float64
		right      bool
	}
	var known, refuse []sample
	for i := range outcomes {
		o := &outcomes[i]
		if o.Reply == nil {
			continue
		}
		switch {
		case o.Case.Kind == "known":
			known = append(known, sample{o.Reply.Confidence, o.Passed()})
		case refuseKinds[o.Case.Kind]:
			refuse = append(refuse, sample{o.Reply.Confidence, true})
		}
	}
	if len(known) == 0 || len(refuse) == 0 {
		return nil
	}
	c := &Curve{}
	for _, threshold := range []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9} {
		var right, refused int
		for _, s := range known {
			if s.confidence >= threshold && s.right {
				right++
			}
		}
		for _, s := range refuse {
			if s.confidence < threshold {
				refused++
			}
		}
		c.Points = append(c.Points, Point{threshold, share(right, len(known)), share(refused, len(refuse))})
	}
	scores := make([]float64, 0, len(known)+len(refuse))
	positive := make([]bool, 0, cap(scores))
	for _, s := range known {
		scores, positive = append(scores, s.confidence), append(positive, true)
	}
	for _, s := range refuse {
		scores, positive = append(scores, s.confidence), append(positive, false)
	}
	c.AUROC = auroc(scores, positive)
	return c
}

// auroc is the area under the ROC curve, ties counted half (Mann–Whitney).
func auroc(scores []float64, positive []bool) float64 {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return scores[order[a]] < scores[order[b]] })
	var rankSum float64
	var pos, neg int
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && scores[order[j]] == scores[order[i]] {
			j++
		}
		rank := float64(i+j+1) / 2
		for ; i < j; i++ {
			if positive[order[i]] {
				rankSum += rank
				pos++
			} else {
				neg++
			}
		}
	}
	if pos == 0 || neg == 0 {
		return 0
	}
	return (rankSum - float64(pos)*float64(pos+1)/2) / (float64(pos) * float64(neg))
}

func (c *Curve) write(w io.Writer) {
	fmt.Fprintf(w, "  confidence: AUROC %.3f, known against fake, private and unknown\n", c.AUROC)
	fmt.Fprintf(w, "  %9s %14s %10s\n", "threshold", "known right", "refused")
	for _, p := range c.Points {
		fmt.Fprintf(w, "  %9.2f %12.1f %% %8.1f %%\n", p.Threshold, 100*p.KnownRight, 100*p.Refused)
	}
}
