// Package ablation names the stages of the pipeline that an experiment may leave out, to
// measure what each is worth. Composition takes a set of them from an evaluation alone: no
// setting, no environment and no command that serves players has one. No stage that is left
// out lets a sentence pass: what is not judged is not said.
package ablation

import (
	"fmt"
	"slices"
	"strings"
)

// Stage is a part of the pipeline.
type Stage string

// The stages.
const (
	RAV            Stage = "rav"             // look for support of a disputed sentence beyond what was shown
	EvidenceFirst  Stage = "evidence-first"  // cite blocks by id; without it the model quotes, by document id
	SelfRAG        Stage = "self-rag"        // the gate on the search's confidence, and the second search
	NLI            Stage = "nli"             // the trained verifier
	ClaimRetrieval Stage = "claim-retrieval" // Pass 2.4: a search for each claim of the thoughts
	ReviewThought  Stage = "review-thought"  // Pass 2.5: the review of the thoughts
	Feedback       Stage = "feedback"        // send a draft back with what was wrong
)

// Stages are all of them.
var Stages = []Stage{RAV, EvidenceFirst, SelfRAG, NLI, ClaimRetrieval, ReviewThought, Feedback}

// Set is what is left out. The zero value leaves out nothing.
type Set []Stage

// Has says whether a stage is left out.
func (s Set) Has(stage Stage) bool { return slices.Contains(s, stage) }

// Names are the stages as words.
func (s Set) Names() []string {
	var out []string
	for _, stage := range s {
		out = append(out, string(stage))
	}
	return out
}

// Parse reads names, each of which may come once.
func Parse(names []string) (Set, error) {
	var out Set
	for _, name := range names {
		stage := Stage(name)
		switch {
		case !slices.Contains(Stages, stage):
			return nil, fmt.Errorf("--without %s: there is no such stage; write %s", name,
				strings.Join(Set(Stages).Names(), ", "))
		case out.Has(stage):
			return nil, fmt.Errorf("--without %s: is named twice; take one out", name)
		}
		out = append(out, stage)
	}
	return out, nil
}
