package config

import "fmt"

// Grounding says how strictly replies are held to their evidence. No value of it
// releases an unsupported claim.
type Grounding struct {
	Preset               string  `koanf:"preset"`                  // empty, or compliance: strict, and no model near a doubt
	ConfidenceThreshold  float64 `koanf:"confidence_threshold"`    // from which a model speaks
	UnknownThreshold     float64 `koanf:"unknown_threshold"`       // below which the NPC does not know
	Strict               bool    `koanf:"strict"`                  // one unsupported claim makes the whole reply extractive
	ExtractiveFallback   bool    `koanf:"extractive_fallback"`     // false: an authored line instead
	Streaming            bool    `koanf:"streaming"`               // false: a speech is held until all of it is reviewed
	StreamingChecks      bool    `koanf:"streaming_checks"`        // false: as streaming false, for nothing is released unchecked
	EntailmentThreshold  float64 `koanf:"entailment_threshold"`    // 0: as calibrated
	ContradictionThresh  float64 `koanf:"contradiction_threshold"` // 0: as calibrated
	MaxUnverifiableRatio float64 `koanf:"max_unverifiable_ratio"`
	ContradictionAction  string  `koanf:"contradiction_action"` // flag or block
	UnverifiableAction   string  `koanf:"unverifiable_action"`  // flag or block
	MaxSourcesPerClaim   int     `koanf:"max_sources_per_claim"`
	NLI                  NLI     `koanf:"nli"`
	Judge                bool    `koanf:"judge"` // ask the language model where the verifier is not sure
}

// NLI is the sidecar with a larger verifier.
type NLI struct {
	URL       string `koanf:"url"` // empty: none
	TimeoutMS int    `koanf:"timeout_ms"`
}

// addGroundingDefaults adds the section's keys, with their defaults.
func addGroundingDefaults(defaults map[string]any) map[string]any {
	for key, v := range map[string]any{
		"preset": "", "confidence_threshold": 0.60, "unknown_threshold": 0.25, "strict": false, "extractive_fallback": true,
		"streaming": true, "streaming_checks": true, "entailment_threshold": 0.0, "contradiction_threshold": 0.0,
		"max_unverifiable_ratio": 0.5, "contradiction_action": "flag", "unverifiable_action": "flag", "max_sources_per_claim": 5,
		"nli.url": "", "nli.timeout_ms": 800, "judge": false,
	} {
		defaults["grounding."+key] = v
	}
	return defaults
}

func (g *Grounding) check() error {
	const section = "grounding."
	switch {
	case g.Preset != "" && g.Preset != "compliance":
		return &Error{section + "preset", fmt.Sprintf("is %q; write compliance, or leave it out", g.Preset)}
	case g.NLI.TimeoutMS < 1 || g.NLI.TimeoutMS > 60_000:
		return &Error{section + "nli.timeout_ms", fmt.Sprintf("is %d; it must lie between 1 and 60000", g.NLI.TimeoutMS)}
	}
	if g.Preset == "compliance" {
		g.Strict = true
	}
	if g.NLI.URL == "" {
		return nil
	}
	return (&Provider{URL: g.NLI.URL}).checkURL(section + "nli.url")
}
