package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
)

// judgement is how the trained judgement is asked, and the suite that says where
// the zones' first border lies once it was: one of another world than those fitted on.
type judgement struct {
	suite   string // WORLD=SUITE; empty: the judgement is not asked at all
	asking  retrieval.Asking
	forward float64 // what it adds to a candidate's score, at most
}

// beside are the features that count beside the judgement. Most of the gate's would
// be told by the question's words, and who asks for what another knows has the words
// of what this NPC knows: these few told known from private in every world looked at, what
// stands nearer outside the NPC's scope above all.
var beside = []string{"answers", "outside", "meaning_known", "relation_like"}

// fit fits f.Sure, the gate that has the judgement's word. Left out are the judged
// blocks that the judgement was trained on, for it is surer of them than of what is new, and
// questions that have an answer which another passage came before, or from whom it was kept: that passage may
// be one too.
func (j judgement) fit(ctx context.Context, sets []*set, f *retrieval.Fitted) error {
	f.Answers, f.Asking = j.forward, j.asking // until here the judgement was not asked
	var rows []row
	for _, s := range sets {
		if s.trained {
			continue
		}
		if err := s.index.Use(*f); err != nil {
			return err
		}
		for _, a := range s.asks {
			if !fittedKinds[a.kind] || a.kind == "bereft" {
				continue
			}
			e, err := s.explain(ctx, a)
			if err != nil {
				return err
			}
			if len(e.Answers) == 0 {
				continue
			}
			r := row{x: sure(e), right: a.answersRight(e.Candidates[0].Path), weight: 1, group: a.group, set: s.name}
			if r.right || len(a.right) == 0 {
				rows = append(rows, r)
			}
		}
	}
	f.Sure = modelOf(rows, beside, penalty, nil)
	return nil
}

// sure are the features named in beside.
func sure(e retrieval.Explanation) []float64 {
	all := append(slices.Clone(e.Message), e.Answers[0])
	var out []float64
	for _, name := range beside {
		out = append(out, all[slices.Index(retrieval.SureNames(), name)])
	}
	return out
}

// refused is the share of the suite's private questions that fall below the first
// border of the zones.
const refused = 0.93

// calibrate turns and shifts f.Sure by a suite of a world that nothing was fitted on: how
// much a step is worth is what tells its known questions from the rest, and the border lies above
// what its private ones score. The questions fitted on are harder than those in play, half of
// them being made to be mistaken for others.
func (j judgement) calibrate(ctx context.Context, temp string, opts options, f *retrieval.Fitted) error {
	dir, path, ok := strings.Cut(j.suite, "=")
	if !ok {
		return fmt.Errorf("-border %s: write WORLD=SUITE", j.suite)
	}
	s, err := openSet(ctx, "border", dir, temp, opts)
	if err != nil {
		return err
	}
	if s.asks, err = readSuite(path); err != nil {
		return err
	}
	if err := s.index.Use(*f); err != nil {
		return err
	}
	var rows []row
	var private []float64
	for _, a := range s.asks {
		if a.kind != "known" && a.kind != "private" && a.kind != "fake" && a.kind != "unknown" {
			continue
		}
		e, err := s.explain(ctx, a)
		if err != nil {
			return err
		}
		score := math.Inf(1) // it passes without the judgement's word
		if e.Confidence < f.Asking.From {
			score = math.Inf(-1)
		}
		if len(e.Answers) > 0 {
			score = f.Sure.Logit(beside, sure(e))
			rows = append(rows, row{x: []float64{score}, right: a.kind == "known", weight: 1})
		}
		if a.kind == "private" {
			private = append(private, score)
		}
	}
	low, err := border(private, refused)
	if err != nil {
		return fmt.Errorf("-border %s: %w", j.suite, err)
	}
	slope := modelOf(rows, []string{"score"}, penalty, nil).Weights["score"]
	f.Sure.Bias = logit(retrieval.UnknownBelow) + slope*(f.Sure.Bias-low)
	for name := range f.Sure.Weights {
		f.Sure.Weights[name] *= slope
	}
	fmt.Printf("with the judgement, %.2f as steep in play, the border by %d private questions at %.3f: %+v\n", slope,
		len(private), low, f.Sure)
	return nil
}

// margin is how far above a private question's score the border lies: it is of one
// suite, and the next one's will not be the same to the last digit.
const margin = 0.01

// border is the least score, and the margin, below which a share of the questions lie.
func border(scores []float64, share float64) (float64, error) {
	sorted := slices.Sorted(slices.Values(scores))
	n := int(math.Ceil(share * float64(len(sorted))))
	if n < 1 || math.IsInf(sorted[n-1], 0) {
		return 0, fmt.Errorf("of %d private questions too few are put to the judgement to find what %.1f %% of them score",
			len(scores), 100*share)
	}
	return sorted[n-1] + margin, nil
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }
