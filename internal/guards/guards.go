// Package guards holds the settings of the three guards of memory: grounding at
// write, the consistency scan at rest, faithfulness at read. It reads and checks
// them, knows the presets and tells two of them apart. It guards nothing itself:
// what a setting does is said where it is used.
package guards

// Settings are the `guards:` section. Memory is judged by it and nothing else:
// no value of it lets an unsupported claim about the world be said.
type Settings struct {
	Preset       string       `koanf:"preset"` // a starting point; what is written beside it wins
	Grounding    Grounding    `koanf:"grounding"`
	Consistency  Consistency  `koanf:"consistency_scan"`
	Faithfulness Faithfulness `koanf:"faithfulness"`
}

// Grounding is Guard 1: what may become a memory.
type Grounding struct {
	Enabled       bool     `koanf:"enabled"`
	Mode          string   `koanf:"mode"`                         // async, sync
	Shadow        bool     `koanf:"shadow"`                       // what would be dropped is kept flagged: seen by operators, never evidence
	Floor         float64  `koanf:"min_confidence_after_penalty"` // a partial one below it is dropped; lower keeps more
	OnUnknown     string   `koanf:"on_verifier_failure"`          // queue, block, allow
	Rewrite       bool     `koanf:"rewrite_partial"`
	Skip          []string `koanf:"skip_for_types"` // kinds that are not grounded, for they claim nothing
	VerifierModel string   `koanf:"verifier_model"` // who grounds: see Choose; empty: inprocess
}

// Consistency is Guard 2: the scan of what is stored.
type Consistency struct {
	Enabled     bool        `koanf:"enabled"`
	Schedule    string      `koanf:"schedule"` // five fields of cron
	Zone        string      `koanf:"schedule_tz"`
	Signals     Signals     `koanf:"signals"`
	Auto        AutoActions `koanf:"auto_actions"`
	MaxClusters int         `koanf:"max_clusters_per_scan"`
	JudgeModel  string      `koanf:"judge_model"` // who is asked what rules leave unclear: see Choose; empty: as grounding.judge says
}

// Signals say what makes memories suspect.
type Signals struct {
	Structural bool    `koanf:"structural"`
	Similarity float64 `koanf:"semantic_similarity_threshold"` // on the scale of a sentence model; the scan has the floor of its own embedding for it
	DriftDays  int     `koanf:"temporal_drift_days"`
}

// AutoActions say which verdicts act by themselves. A contradiction is never
// resolved by itself, only marked.
type AutoActions struct {
	Merge     bool `koanf:"merge_equivalent"`
	Supersede bool `koanf:"supersede_temporal"`
	Flag      bool `koanf:"flag_contradiction"`
}

// Faithfulness is Guard 3: the final reply, scored.
type Faithfulness struct {
	Enabled bool   `koanf:"enabled"`
	Policy  string `koanf:"on_hallucination"` // warn, regenerate, block
	Risk    Risk   `koanf:"risk_thresholds"`
	Model   string `koanf:"scorer_model"` // a second opinion on what the review supports: see Choose; empty: none
}

// Risk are scores under which a reply is a risk: a higher one is stricter.
type Risk struct {
	Medium float64 `koanf:"medium"` // below it
	High   float64 `koanf:"high"`   // at it or below
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
		Grounding: Grounding{Enabled: true, Mode: ModeAsync, Floor: 0.3, OnUnknown: UnknownQueue, Rewrite: true, Skip: []string{"entity"}},
		Consistency: Consistency{
			Enabled: true, Schedule: "0 3 * * *", Zone: "UTC",
			Signals:     Signals{Structural: true, Similarity: 0.85, DriftDays: 30},
			Auto:        AutoActions{Merge: true, Supersede: true, Flag: true},
			MaxClusters: 200,
		},
		Faithfulness: Faithfulness{Policy: PolicyWarn, Risk: Risk{Medium: 0.7, High: 0.5}},
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
	"dev": func(s *Settings) {
		s.Grounding.Floor, s.Grounding.Shadow = 0.1, true
		s.Faithfulness.Enabled = false
	},
}

// Presets are the names of the presets.
func Presets() []string { return []string{"recall", "precision", "compliance", "dev"} }

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
	g, c, f := &s.Grounding, &s.Consistency, &s.Faithfulness
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
		{"faithfulness.risk_thresholds.medium", &f.Risk.Medium},
		{"faithfulness.risk_thresholds.high", &f.Risk.High},
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
