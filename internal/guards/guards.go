// Package guards holds the settings of the three guards of memory: grounding at
// write, the consistency scan at rest, faithfulness at read. It reads and checks
// them, knows the presets and tells two of them apart. It guards nothing itself:
// what a setting does is said where it is used.
package guards

import (
	"regexp"
	"strings"
)

// Settings are the `guards:` section. Memory is judged by it and nothing else:
// no value of it lets an unsupported claim about the world be said.
type Settings struct {
	// A starting point, which what is written beside it overrides. `recall`: floor 0.2.
	// `precision`: floor 0.5. `compliance`: Guard 3 blocks, medium 0.8. `inference`: Guard 3 warns,
	// medium 0.85, high 0.7, for NPCs that draw conclusions. `dev`: floor 0.1, shadow, Guard 3 off.
	Preset string `koanf:"preset"`
	// Guard 1: what may become a memory.
	Grounding Grounding `koanf:"grounding"`
	// Guard 2: the nightly scan of stored memories.
	Consistency Consistency `koanf:"consistency_scan"`
	// Guard 3: scores of replies.
	Faithfulness Faithfulness `koanf:"faithfulness"`
	// The weekly report of the guards.
	Report Report `koanf:"report"`
}

// Grounding is Guard 1: what may become a memory.
type Grounding struct {
	// Guard 1 is on. `false`: no memory is written at all, because none would be grounded.
	Enabled bool `koanf:"enabled"`
	// `async` or `sync`. With `sync` the player's next message waits until the memories of this
	// one are grounded and can be recalled.
	Mode string `koanf:"mode"`
	// What would be dropped is kept flagged. Operators see it, no NPC does.
	Shadow bool `koanf:"shadow"`
	// The floor: a memory of lower confidence is dropped. A lower floor keeps more.
	Floor float64 `koanf:"min_confidence_after_penalty"`
	// What happens without a verdict: `queue` tries again for a day, `block` drops, `allow` keeps
	// flagged.
	OnUnknown string `koanf:"on_verifier_failure"`
	// A memory that is proved in part is cut to that part.
	Rewrite bool `koanf:"rewrite_partial"`
	// Kinds that are not kept: `fact`, `preference`, `event`, `promise`, `relation`, `entity`.
	Skip []string `koanf:"skip_for_types"`
	// Who judges what the rules leave open: `rules` (nobody further), `inprocess`, `sidecar`,
	// `llm`, or the name of a model at `llm.url`. Empty: `inprocess`. `sidecar` needs
	// `grounding.nli.url`. `llm` is asked where the verifier in process is not sure. Without a
	// verdict, `on_verifier_failure` decides.
	VerifierModel string `koanf:"verifier_model"`
}

// Consistency is Guard 2: the scan of what is stored.
type Consistency struct {
	// Guard 2, the nightly scan, is on.
	Enabled bool `koanf:"enabled"`
	// When it runs, as cron's five fields.
	Schedule string `koanf:"schedule"`
	// The time zone of the schedule.
	Zone string `koanf:"schedule_tz"`
	// What makes memories suspect.
	Signals Signals `koanf:"signals"`
	// Which verdicts act by themselves. A contradiction is only marked, never resolved.
	Auto AutoActions `koanf:"auto_actions"`
	// Clusters that one scan judges. The rest waits for the next night.
	MaxClusters int `koanf:"max_clusters_per_scan"`
	// Who judges in the nightly scan what the rules leave unclear: `rules` (nobody), `inprocess`,
	// `llm`, or the name of a model at `llm.url`. A run makes 50 calls at most. Empty: the
	// verifier, and with `grounding.judge` the language model. `forsooth memory scan` asks a
	// language model only with `--judge`; what stays unclear waits for the night.
	JudgeModel string `koanf:"judge_model"`
}

// Signals say what makes memories suspect.
type Signals struct {
	// Memories of one key are compared.
	Structural bool `koanf:"structural"`
	// Memories at least as similar as this are compared. A higher value finds fewer.
	Similarity float64 `koanf:"semantic_similarity_threshold"` // the scan has the floor of its own embedding for it
	// Days of game time after which a new value is a change rather than a contradiction.
	DriftDays int `koanf:"temporal_drift_days"`
}

// AutoActions say which verdicts act by themselves. A contradiction is never
// resolved by itself, only marked.
type AutoActions struct {
	// Merge memories that say the same.
	Merge bool `koanf:"merge_equivalent"`
	// Let a newer value replace an older one, when it is written and in the scan.
	Supersede bool `koanf:"supersede_temporal"`
	// Link memories that contradict each other.
	Flag bool `koanf:"flag_contradiction"`
}

// Faithfulness is Guard 3: the final reply, scored.
type Faithfulness struct {
	// Guard 3 is on: replies are scored.
	Enabled bool `koanf:"enabled"`
	// `warn` marks, `regenerate` tries once more, `block` says that it does not know. The last two
	// hold a reply until it is scored, and turn streaming off.
	Policy string `koanf:"on_hallucination"`
	// After a reply with a released sentence that the second opinion of `scorer_model` does not
	// support, the NPC says one of its `doubt` lines. It acts where the policy marks or repeats; `block` excludes it.
	Correct bool `koanf:"correct"`
	// Scores below which a reply is a risk. A higher value is stricter.
	Risk Risk `koanf:"risk_thresholds"`
	// A second opinion on what the review supports: `rules`, `inprocess`, `sidecar`, `llm` or the
	// name of a model at `llm.url`. A claim counts as supported where both agree. It changes the
	// score, and nothing that is said. A review makes two calls at most, for the least sure
	// claims. Empty: the review's verdicts are counted.
	Model string `koanf:"scorer_model"`
}

// Report is the weekly report, which comes by itself.
type Report struct {
	// Each world has its report once a week, on the subject `forsooth.v1.report.WORLD`. The process
	// of `consistency` that makes it writes it to `reports` in its data folder, too.
	Enabled bool `koanf:"enabled"`
	// When it comes, as cron's five fields. The seven days before are reported.
	Schedule string `koanf:"schedule"`
	// The time zone of the schedule.
	Zone string `koanf:"schedule_tz"`
	// An address that each report is posted to as JSON, such as `https://ops.example/forsooth`. It
	// is tried three times; then the failure is logged and counted. Empty: none.
	Webhook string `koanf:"webhook"`
}

// Risk are scores under which a reply is a risk: a higher one is stricter.
type Risk struct {
	// Below this share of supported claims the risk is medium.
	Medium float64 `koanf:"medium"`
	// At this share of supported claims, or below it, the risk is high.
	High float64 `koanf:"high"`
}

// The values of the settings that are words.
const (
	ModeAsync = "async"
	ModeSync  = "sync"

	UnknownQueue = "queue" // asked again for a day, then dropped
	UnknownBlock = "block" // dropped
	UnknownAllow = "allow" // kept flagged

	PolicyWarn       = "warn"
	PolicyRegenerate = "regenerate"
	PolicyBlock      = "block"
)

// Default are the settings of who writes none.
func Default() Settings {
	return Settings{
		Grounding: Grounding{Enabled: true, Mode: ModeAsync, Floor: 0.3, OnUnknown: UnknownQueue, Rewrite: true,
			Skip: []string{"entity"}},
		Consistency: Consistency{
			Enabled: true, Schedule: "0 3 * * *", Zone: "UTC",
			Signals:     Signals{Structural: true, Similarity: 0.85, DriftDays: 30},
			Auto:        AutoActions{Merge: true, Supersede: true, Flag: true},
			MaxClusters: 200,
		},
		Faithfulness: Faithfulness{Policy: PolicyWarn, Risk: Risk{Medium: 0.7, High: 0.5}},
		Report:       Report{Enabled: true, Schedule: "0 6 * * 1", Zone: "UTC"},
	}
}

// presets change the defaults.
var presets = map[string]func(*Settings){
	"recall":    func(s *Settings) { s.Grounding.Floor = 0.2 },
	"precision": func(s *Settings) { s.Grounding.Floor = 0.5 },
	"compliance": func(s *Settings) {
		s.Faithfulness.Enabled, s.Faithfulness.Policy = true, PolicyBlock
		s.Faithfulness.Risk = Risk{Medium: 0.8, High: 0.5}
	},
	"inference": func(s *Settings) {
		s.Faithfulness.Enabled = true
		s.Faithfulness.Risk = Risk{Medium: 0.85, High: 0.7}
	},
	"dev": func(s *Settings) {
		s.Grounding.Floor, s.Grounding.Shadow = 0.1, true
		s.Faithfulness.Enabled = false
	},
}

// Presets are the names of the presets.
func Presets() []string { return []string{"recall", "precision", "compliance", "inference", "dev"} }

// Preset are the defaults as a preset has them; the empty one has them as they
// are.
func Preset(name string) (Settings, error) {
	s := Default()
	if name == "" {
		return s, nil
	}
	change := presets[name]
	if change == nil {
		return s, oneOf("preset", name, Presets())
	}
	change(&s)
	s.Preset = name
	return s, nil
}

// field is a setting by its key.
type field struct {
	key   string
	value any // a pointer into the settings
}

// fields are all settings in the order in which they are written.
func (s *Settings) fields() []field {
	g, c, f, r := &s.Grounding, &s.Consistency, &s.Faithfulness, &s.Report
	return []field{
		{"preset", &s.Preset},
		{"grounding.enabled", &g.Enabled},
		{"grounding.mode", &g.Mode},
		{"grounding.shadow", &g.Shadow},
		{"grounding.verifier_model", &g.VerifierModel},
		{"grounding.min_confidence_after_penalty", &g.Floor},
		{"grounding.on_verifier_failure", &g.OnUnknown},
		{"grounding.rewrite_partial", &g.Rewrite},
		{"grounding.skip_for_types", &g.Skip},
		{"consistency_scan.enabled", &c.Enabled},
		{"consistency_scan.schedule", &c.Schedule},
		{"consistency_scan.schedule_tz", &c.Zone},
		{"consistency_scan.signals.structural", &c.Signals.Structural},
		{"consistency_scan.signals.semantic_similarity_threshold", &c.Signals.Similarity},
		{"consistency_scan.signals.temporal_drift_days", &c.Signals.DriftDays},
		{"consistency_scan.judge_model", &c.JudgeModel},
		{"consistency_scan.auto_actions.merge_equivalent", &c.Auto.Merge},
		{"consistency_scan.auto_actions.supersede_temporal", &c.Auto.Supersede},
		{"consistency_scan.auto_actions.flag_contradiction", &c.Auto.Flag},
		{"consistency_scan.max_clusters_per_scan", &c.MaxClusters},
		{"faithfulness.enabled", &f.Enabled},
		{"faithfulness.scorer_model", &f.Model},
		{"faithfulness.on_hallucination", &f.Policy},
		{"faithfulness.correct", &f.Correct},
		{"faithfulness.risk_thresholds.medium", &f.Risk.Medium},
		{"faithfulness.risk_thresholds.high", &f.Risk.High},
		{"report.enabled", &r.Enabled},
		{"report.schedule", &r.Schedule},
		{"report.schedule_tz", &r.Zone},
		{"report.webhook", &r.Webhook},
	}
}

// aliases are other names of keys.
var aliases = map[string]string{
	"grounding.on_unknown":          "grounding.on_verifier_failure",
	"consistency_scan.max_clusters": "consistency_scan.max_clusters_per_scan",
}

// Keys are the settings by their dotted names, without the section's own.
func Keys() []string {
	var s Settings
	var out []string
	for _, f := range s.fields() {
		out = append(out, f.key)
	}
	return out
}

// Values are the settings as dotted keys.
func (s Settings) Values() map[string]any {
	out := map[string]any{}
	for _, f := range s.fields() {
		out[f.key] = f.read()
	}
	return out
}

func (f field) read() any {
	switch p := f.value.(type) {
	case *bool:
		return *p
	case *int:
		return *p
	case *float64:
		return *p
	case *[]string:
		return *p
	default:
		return *f.value.(*string)
	}
}

// The tiers that verifier_model, judge_model and scorer_model choose from. Any other
// word is the name of a language model at the provider that is set.
const (
	TierRules     = "rules"     // the deterministic rules, and no model at all
	TierInProcess = "inprocess" // the verifier that the binary carries
	TierSidecar   = "sidecar"   // the larger verifier at grounding.nli.url
	TierLLM       = "llm"       // the language model at llm.url
)

// Chosen is who a *_model setting names.
type Chosen struct {
	Tier string // empty: nobody is named, and the default of the guard holds
	Name string // of the language model; empty: the one that the calls' own settings name
}

// Choose reads a *_model setting.
func Choose(word string) Chosen {
	switch strings.ToLower(word) {
	case "":
		return Chosen{}
	case TierRules, TierSidecar:
		return Chosen{Tier: strings.ToLower(word)}
	case TierInProcess, "in-process", "in_process":
		return Chosen{Tier: TierInProcess}
	case TierLLM, "judge":
		return Chosen{Tier: TierLLM}
	}
	return Chosen{Tier: TierLLM, Name: word}
}

// modelName is how a model may be called.
var modelName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}$`)

// chosen refuses a word that names nobody.
func chosen(key, word string) error {
	if word == "" || modelName.MatchString(word) {
		return nil
	}
	return fault(key, "is %q; write rules, inprocess, sidecar, llm, or the name of a model", word)
}

// CheckReach refuses a setting that names somebody who is not there: the sidecar
// without its URL, a language model without its own.
func (s *Settings) CheckReach(sidecar, llm bool) error {
	for _, x := range []struct{ key, word string }{
		{"grounding.verifier_model", s.Grounding.VerifierModel}, {"consistency_scan.judge_model", s.Consistency.JudgeModel},
		{"faithfulness.scorer_model", s.Faithfulness.Model},
	} {
		switch c := Choose(x.word); {
		case c.Tier == TierSidecar && x.key == "consistency_scan.judge_model":
			return fault(x.key, "is %q, and the sidecar compares no memories; write rules, inprocess, llm, or the name of "+
				"a model", x.word)
		case c.Tier == TierSidecar && !sidecar:
			return fault(x.key, "is %q, and no sidecar is set; set grounding.nli.url, or write inprocess", x.word)
		case c.Tier == TierLLM && !llm && x.key == "consistency_scan.judge_model":
			return fault(x.key, "is %q, which would be a language model, and none is set; set llm.url, or write rules or "+
				"inprocess", x.word)
		case c.Tier == TierLLM && !llm:
			return fault(x.key, "is %q, which would be a language model, and none is set; set llm.url, or write rules, "+
				"inprocess or sidecar", x.word)
		}
	}
	return nil
}
