package main

import (
	"context"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/transformer"
)

// verifiers looks at the tiers of the cascade and at the embeddings.
func (d *diagnosis) verifiers() {
	model, err := app.NLI()
	if err != nil {
		d.add("verifier", statusBad, "take a binary that was built whole; "+app.Released,
			"the model in process does not load: %v", err)
	} else {
		c := model.Calibration()
		d.add("verifier", statusFine, "", "rules and %s in process, kernel %s; supported from %.3f, for %.1f %% false "+
			"accepts on %d pairs",
			model.Name(), transformer.Kernels()[0], c.Thresholds.Entailment, 100*c.FalseRate, c.Pairs)
	}
	d.sidecar(model)
	if encoder, err := app.Encoder(); err != nil {
		d.add("embedder", statusNote, "", "%s, in process; the sentence encoder does not load: %v", app.EmbeddingModel(), err)
	} else {
		d.add("embedder", statusFine, "", "%s until the worlds are embedded with %s, both in process", app.EmbeddingModel(),
			encoder.ID())
	}
}

// sidecarWait is how long doctor waits for a sidecar.
const sidecarWait = 3 * time.Second

// sidecar looks at the larger verifier, where one is named. Without it the model in
// process has the last word, so where there is one, the sidecar's absence is bad only
// because it was asked for.
func (d *diagnosis) sidecar(model *nli.Model) {
	n := d.settings.Grounding.NLI
	if n.URL == "" {
		return
	}
	client, err := nli.NewSidecar(nli.SidecarOptions{URL: n.URL, Hosts: d.settings.Outbound.Hosts(), Timeout: sidecarWait})
	if err != nil {
		d.add("nli", statusBad, "write grounding.nli.url as http://HOST:PORT", "%v", err)
		return
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(d.ctx, sidecarWait)
	defer cancel()
	health, err := client.Health(ctx)
	if err != nil {
		mend := "start it, or leave grounding.nli.url out: the model in process decides"
		if model == nil {
			mend = "start it: the model in process is missing too"
		}
		d.add("nli", statusBad, mend, "%v", err)
		return
	}
	if model != nil && family(health.Model) == family(model.Name()) && health.SHA256 != model.Calibration().Weights {
		d.add("nli", statusBad, "restart it with the weights of this version",
			"%s at %s has the weights of another version, whose scores nobody measured", health.Model, n.URL)
		return
	}
	d.add("nli", statusFine, "", "%s at %s", health.Model, n.URL)
}

// family is the name of weights without the number that tells their versions apart.
func family(model string) string { return strings.TrimRight(model, "0123456789") }
