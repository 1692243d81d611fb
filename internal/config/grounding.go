package config

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/guards"
)

// Grounding says how strictly replies are held to their evidence. No value of it
// releases an unsupported claim.
type Grounding struct {
	// `compliance` means the same as `grounding.strict`. Empty: no preset.
	Preset string `koanf:"preset"`
	// From this confidence that the evidence answers, a model speaks. Below it the NPC quotes.
	ConfidenceThreshold float64 `koanf:"confidence_threshold"`
	// Below this confidence the NPC says that it does not know.
	UnknownThreshold float64 `koanf:"unknown_threshold"`
	// How sure the review must be of a sentence: `strict`, `balanced` or `lively`. Empty:
	// `balanced` where a judge has shown skill, else `strict`. A world and an NPC may override it.
	Policy string `koanf:"policy"`
	// With one unsupported claim, the whole reply is quoted.
	Strict bool `koanf:"strict"`
	// What a model may not say is quoted instead. `false`: an authored line is said instead.
	ExtractiveFallback bool `koanf:"extractive_fallback"`
	// Sentences are released one by one as they are verified. `false`: they are released once all
	// are verified.
	Streaming bool `koanf:"streaming"`
	// Sentences are checked while the model speaks. `false`: they are held, as with `streaming:
	// false`.
	StreamingChecks bool `koanf:"streaming_checks"`
	// The score from which a claim is supported. 0: as calibrated.
	EntailmentThreshold float64 `koanf:"entailment_threshold"`
	// The probability from which a claim is contradicted. 0: as calibrated.
	ContradictionThresh float64 `koanf:"contradiction_threshold"`
	// The share of unverifiable claims above which a model's whole speech is replaced.
	MaxUnverifiableRatio float64 `koanf:"max_unverifiable_ratio"`
	// `flag` strips what is contradicted. `block` replaces the whole speech.
	ContradictionAction string `koanf:"contradiction_action"`
	// `flag` strips what is unverifiable. `block` replaces the whole speech.
	UnverifiableAction string `koanf:"unverifiable_action"`
	// Blocks of evidence that a claim is compared with.
	MaxSourcesPerClaim int `koanf:"max_sources_per_claim"`
	// The sidecar with a larger verifier; see [operations](operations.md#verifier).
	NLI NLI `koanf:"nli"`
	// A language model that judges sentences which the verifier in process leaves open.
	// Without a `url` of its own, the model that speaks judges. The key of that `url` falls
	// back to `FORSOOTH_GROUNDING_JUDGE_KEY`.
	Judge Judge `koanf:"judge"`
}

// Judge is who is asked about what the model in process leaves open.
type Judge struct {
	// Ask a judge, once it has shown skill on the shipped pairs; see [grounding](grounding.md).
	On bool `koanf:"on"`
	// How the judge is asked: `chat` by a prompt, `minicheck` and `granite` with one claim a call,
	// at `grounding.judge.url`. See [models](models.md).
	Kind string `koanf:"kind"`
	// Take long sentences apart and ask the judge about each claim too; at most 4 more calls a turn.
	// A lie in a long sentence is found more often, and a true one is kept back more often.
	// See [grounding](grounding.md#claim-by-claim).
	Claims   bool              `koanf:"claims"`
	Provider `koanf:",squash"` // empty: the speaking model, at llm.url
}

// judgeKey is the key that a plain `judge: false` sets; FORSOOTH_GROUNDING_JUDGE sets it too.
const judgeKey = "grounding.judge.on"

// keyVariableJudge is read where no key of the judge is named.
const keyVariableJudge = "FORSOOTH_GROUNDING_JUDGE_KEY"

// Key reads the key of the judge's endpoint: from its file, else from the variable that is
// named, else from FORSOOTH_GROUNDING_JUDGE_KEY.
func (j Judge) Key() (Secret, error) { return j.key("grounding.judge", keyVariableJudge) }

// judgeKinds are how a judge may be asked.
var judgeKinds = []string{"chat", "minicheck", "granite"}

func (j *Judge) check(section string) error {
	if !slices.Contains(judgeKinds, j.Kind) {
		return &Error{section + "kind", fmt.Sprintf("is %q; write chat, minicheck or granite; %s is the nearest",
			j.Kind, nearest(j.Kind, judgeKinds))}
	}
	switch {
	case j.URL != "":
		return j.checkURL(section + "url")
	case j.On && j.Kind != "chat":
		return &Error{section + "url", fmt.Sprintf("is missing; a judge of kind %s does not speak, so name the "+
			"server that runs it", j.Kind)}
	}
	return nil
}

// NLI is the sidecar with a larger verifier.
type NLI struct {
	// The address of the sidecar. Empty: none.
	URL string `koanf:"url"`
	// How long it may take, in milliseconds. After that the verifier in process decides.
	TimeoutMS int `koanf:"timeout_ms"`
}

// addGroundingDefaults adds the section's keys, with their defaults.
func addGroundingDefaults(defaults map[string]any) map[string]any {
	for key, v := range map[string]any{
		"preset": "", "policy": "", "confidence_threshold": 0.60, "unknown_threshold": 0.25, "strict": false,
		"extractive_fallback": true,
		"streaming":           true, "streaming_checks": true, "entailment_threshold": 0.0,
		"contradiction_threshold": 0.0,
		"max_unverifiable_ratio":  0.5, "contradiction_action": "flag", "unverifiable_action": "flag",
		"max_sources_per_claim": 5,
		"nli.url":               "", "nli.timeout_ms": 800, "judge.on": true, "judge.kind": "chat",
		"judge.claims": false, "judge.url": "",
		"judge.model": "", "judge.key_file": "",
		"judge.key_env": "", "judge.ca_file": "", "judge.price_in": 0.0, "judge.price_out": 0.0,
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
	case g.Policy != "" && g.Policy != "strict" && g.Policy != "balanced" && g.Policy != "lively":
		return &Error{section + "policy", fmt.Sprintf("is %q; write strict, balanced or lively, or leave it out",
			g.Policy)}
	case g.NLI.TimeoutMS < 1 || g.NLI.TimeoutMS > 60_000:
		return &Error{section + "nli.timeout_ms", fmt.Sprintf("is %d; it must lie between 1 and 60000",
			g.NLI.TimeoutMS)}
	}
	if err := g.checkNumbers(section); err != nil {
		return err
	}
	for _, x := range []struct{ key, v string }{{"contradiction_action", g.ContradictionAction},
		{"unverifiable_action", g.UnverifiableAction}} {
		if x.v != "flag" && x.v != "block" {
			return &Error{section + x.key, fmt.Sprintf("is %q; write flag or block", x.v)}
		}
	}
	if g.Preset == "compliance" {
		g.Strict = true
	}
	if err := g.Judge.check(section + "judge."); err != nil {
		return err
	}
	if g.NLI.URL == "" {
		return nil
	}
	return (&Provider{URL: g.NLI.URL}).checkURL(section + "nli.url")
}

// checkNumbers refuses thresholds that are none: one below 0 would support
// everything.
func (g *Grounding) checkNumbers(section string) error {
	for _, x := range []struct {
		key string
		v   float64
	}{
		{"confidence_threshold", g.ConfidenceThreshold}, {"unknown_threshold", g.UnknownThreshold},
		{"entailment_threshold", g.EntailmentThreshold},
		{"contradiction_threshold", g.ContradictionThresh}, {"max_unverifiable_ratio", g.MaxUnverifiableRatio},
	} {
		if !(x.v >= 0 && x.v <= 1) { // so that what is no number is refused too
			return &Error{section + x.key, fmt.Sprintf("is %v; it must lie between 0 and 1", x.v)}
		}
	}
	switch {
	case g.UnknownThreshold > g.ConfidenceThreshold:
		return &Error{section + "unknown_threshold", fmt.Sprintf("is %v and confidence_threshold %v; it must not be "+
			"the larger", g.UnknownThreshold, g.ConfidenceThreshold)}
	case g.MaxSourcesPerClaim < 1 || g.MaxSourcesPerClaim > 32:
		return &Error{section + "max_sources_per_claim", fmt.Sprintf("is %d; it must lie between 1 and 32",
			g.MaxSourcesPerClaim)}
	}
	return nil
}

// Review are the settings as the review takes them.
func (g *Grounding) Review() *grounding.Settings {
	return &grounding.Settings{
		Confidence: g.ConfidenceThreshold, Unknown: g.UnknownThreshold, Strict: g.Strict,
		ExtractiveFallback: g.ExtractiveFallback,
		Streaming:          g.Streaming && g.StreamingChecks, Level: grounding.Level(g.Policy),
		Thresholds:      entail.Thresholds{Entailment: g.EntailmentThreshold, Contradiction: g.ContradictionThresh},
		MaxUnverifiable: g.MaxUnverifiableRatio, OnContradiction: grounding.Action(g.ContradictionAction),
		OnUnverifiable: grounding.Action(g.UnverifiableAction), MaxSources: g.MaxSourcesPerClaim,
	}
}

// The section of the guards of memory. Its settings, their defaults and presets
// are internal/guards' own; here they only find their way from file, environment
// and flags.
const (
	guardsSection = "guards."

	// A file with a `guards:` section, or the name of a preset. What is written beside it
	// overrides it. Flag `--guards`.
	guardsFile = guardsSection + "file"
)

// addGuardsDefaults makes the section's keys known. What is written of it counts;
// the defaults themselves come with the preset.
func addGuardsDefaults(defaults map[string]any) map[string]any {
	d := guards.Default()
	for key, v := range d.Values() {
		defaults[guardsSection+key] = v
	}
	defaults[guardsFile] = ""
	return defaults
}

// canonical is the key of a setting by another of its names: paper 004 calls the
// section hallucination_guards.
func canonical(key string) string {
	if rest, ok := strings.CutPrefix(key, "hallucination_guards"); ok && (rest == "" || rest[0] == '.') {
		key = "guards" + rest
	}
	if inner, ok := strings.CutPrefix(key, guardsSection); ok {
		return guardsSection + guards.Canonical(inner)
	}
	return key
}

// readGuards are the guards' settings as the layers say, later ones over earlier:
// the file that is named, then what is written beside it.
func readGuards(layers ...map[string]any) (guards.Settings, error) {
	written := map[string]any{}
	for _, layer := range layers {
		for key, v := range layer {
			if inner, ok := strings.CutPrefix(key, guardsSection); ok {
				written[inner] = v
			}
		}
	}
	name, _ := written["file"].(string)
	delete(written, "file")
	if name == "" {
		return guards.Of(written)
	}
	if slices.Contains(guards.Presets(), name) {
		if _, set := written["preset"]; set {
			return guards.Settings{}, &Error{guardsFile, fmt.Sprintf("is the preset %s, and guards.preset is set as well; "+
				"keep one", name)}
		}
		written["preset"] = name
		return guards.Of(written)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return guards.Settings{}, &Error{guardsFile,
			fmt.Sprintf("%s; name a file with a guards: section, or %s", oneLine(err), strings.Join(guards.Presets(), ", "))}
	}
	return guards.Over(name, data, written)
}
