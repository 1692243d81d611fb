package app

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/limits"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/weights"
)

// Verifying says which tiers of the cascade stand behind the rules.
type Verifying struct {
	Sidecar string        // URL of the sidecar; empty: none
	Timeout time.Duration // of a request to it
	Hosts   limits.Hosts  // that it may be at
	NoModel bool          // leave the model in process out: for benches and tests of what remains
}

// NLI is the model in process. One copy of the weights serves every part of a
// process.
var NLI = sync.OnceValues(func() (*nli.Model, error) {
	vocab, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		return nil, err
	}
	return nli.Open(vocab, weights.Verifier)
})

// Encoder is the sentence encoder in process; it shares the verifier's word
// embeddings.
var Encoder = sync.OnceValues(func() (embed.Embedder, error) {
	model, err := NLI()
	if err != nil {
		return nil, err
	}
	return embed.NewSentence(model.Vocab(), weights.Encoder, model.Encoder())
})

// Tiers is the cascade of a process with what is wrong with it: a model that does
// not load is left out, and the tiers that are left decide.
type Tiers struct {
	entail.Verifier
	Missing error        // why the model in process is not among them
	Sidecar *nli.Sidecar // by itself; nil where none is set
	close   func()
}

// Close ends connections.
func (t *Tiers) Close() {
	if t != nil && t.close != nil {
		t.close()
	}
}

// NewVerifier composes the cascade: rules, the model in process, the sidecar. The
// judge is a turn's own and stands behind these.
func NewVerifier(o Verifying) (*Tiers, error) {
	t := &Tiers{}
	tiers := []entail.Verifier{entail.NewRules()}
	var model *nli.Model
	if !o.NoModel {
		if model, t.Missing = NLI(); t.Missing == nil {
			tiers = append(tiers, model)
		}
	}
	if o.Sidecar != "" {
		client, err := nli.NewSidecar(nli.SidecarOptions{URL: o.Sidecar, Timeout: o.Timeout, Own: measured(), Hosts: o.Hosts})
		if err != nil {
			return nil, fmt.Errorf("grounding.nli.url: %w", err)
		}
		t.Sidecar, t.close = client, client.Close
		tiers = append(tiers, client)
	}
	t.Verifier = entail.NewCascade(tiers...)
	return t, nil
}

// measured is what the weights in this binary are worth, for a sidecar that runs them
// too. Where they do not load nothing is known of them, and so of the sidecar's.
func measured() nli.Measured {
	model, err := NLI()
	if err != nil {
		return nli.Measured{}
	}
	c := model.Calibration()
	return nli.Measured{Weights: c.Weights, Scale: c.Scale, Thresholds: c.Thresholds}
}

// Checker holds texts against sources that callers bring, by these tiers. It has no judge.
func (t *Tiers) Checker(o Verifying) *grounding.Checker {
	by, _ := Judgement(o, t.Sidecar) // without a reader words say what claims nothing
	return &grounding.Checker{Verifier: t, Reader: by.Reader}
}

// entailed is the score from which a pair is supported.
func entailed() float64 {
	const unknown = 0.9 // without the model in process, a strict line
	return cmp.Or(measured().Thresholds.Entailment, unknown)
}

// Verifier is the cascade of rules alone, which a process without any model has.
func Verifier() entail.Verifier { return entail.NewCascade(entail.NewRules()) }

// openVerifier makes the cascade, and tells the operator of a model that is missing.
func (a *App) openVerifier(o Options) (err error) {
	if a.tiers, err = NewVerifier(o.Verifying); err != nil {
		return err
	}
	if a.tiers.Missing != nil && o.Alert != nil {
		o.Alert(reviewer.AlertNoModel, "",
			fmt.Sprintf("the verifier in process does not load, so %s: %v", Released, a.tiers.Missing))
	}
	return nil
}

// Released says what is released where the model in process is missing.
const Released = "what a sidecar with its weights supports is released, else what a judge that has shown skill " +
	"does, else what is word for word in the evidence"

// groundingOf are the process's grounding settings. No threshold of a world or an NPC lowers
// the line of a speech below that of the loosest policy, whose price is measured.
func groundingOf(o Options) *grounding.Settings {
	s := grounding.DefaultSettings()
	if o.Grounding != nil {
		s = *o.Grounding
	}
	if held := o.guarded(); held.Holds() { // nothing is said before all of it is scored
		s.Streaming = false
	}
	if fit, err := review.ShippedFit(); err == nil {
		s.Floor = fit.Line(grounding.Lively, false)
	}
	return &s
}
