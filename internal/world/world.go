// Package world reads worlds as authors write them on disk: the world's frame,
// its NPCs, their virtual filesystems, and the companions that make a file
// citable. It says who may know what, cuts documents into passages, judges
// conditions, lints a world and promotes a text to lore. It neither searches nor
// speaks, and it keeps nothing: an index of a world belongs to the stores.
package world

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// World is a world as loaded: everything valid in it. What was not valid is in
// the problems that came with it.
type World struct {
	Name         string // the <world> of subjects
	Title        string
	Language     string
	License      string
	Source       string
	DefaultNPC   string
	Now          time.Time // game time; zero means the world has none
	Strict       bool
	Smalltalk    string // SmalltalkAuthored, or "": a model answers small talk where there is one
	Policy       string // how much is said of what is not word for word in the evidence; "": the process says
	Depth        string
	Streaming    *bool
	Thresholds   map[string]float64
	SourcePolicy map[string][]schema.Origin // what may ground each policy; never wider than the default
	Moderation   json.RawMessage
	Budget       Budget
	Factions     []string // those that a standing may be with
	Relating     Relating
	NPCs         map[string]*NPC
	Documents    []*Document            // in the order of their paths; backstories among them
	Prompts      map[string]string      // a world's own prompts, by the name of their call
	Predicates   *memory.PredicateTable // of its memories: the shipped ones, under those of its own
	Version      string                 // hash of every file read: the lore_version of a turn
	Dir          string                 // where it was loaded from, for messages

	forgotten bool
}

// NPC is one character.
type NPC struct {
	Handle      string // the <npc> of subjects, and the name of its folder
	Name        string
	Backstory   string
	Personality string
	Style       string
	Region      string
	Factions    []string
	Goals       []string
	Greeting    string
	Farewell    string
	Lines       Lines
	LocaleLines map[string]Lines
	Voice       Voice
	Secrets     []Secret
	Actions     []schema.ActionSpec
	Relating    Relating        // its own rules; nil parts are the world's
	Bonds       map[string]Bond // to other NPCs, by handle
	Schedule    *Schedule       // nil: it has none
	SpeaksOn    []SpeaksOn      // when it speaks first
	Model       map[string]Call // by the name of the call's schema
	Strict      *bool
	Policy      string
	Depth       string
	Streaming   *bool
	Thresholds  map[string]float64
	Path        string // of npc.yaml, relative to the world's root

	language         string // of the world: the language of Lines
	handleLine       int
	lineOf           map[string]int // of backstory, personality and goals
	replacementLines map[string]int
}

// Lines are authored lines by kind.
type Lines map[string][]string

// Voice is how an NPC's plain sentences are coloured.
type Voice struct {
	Openers      []string
	Hedges       []string
	Lowercase    bool
	Replacements map[string]string
}

// Secret is what an NPC tells only when a condition holds. A secret without one
// is never told.
type Secret struct {
	Text      string
	Requires  string
	Condition Condition
	Line      int
}

// Open says whether the secret may be told.
func (s Secret) Open(f Facts) bool { return s.Requires != "" && s.Condition.Holds(f) }

// Handles are the NPCs' handles in order.
func (w *World) Handles() []string {
	out := make([]string, 0, len(w.NPCs))
	for h := range w.NPCs {
		out = append(out, h)
	}
	slices.Sort(out)
	return out
}

// StrictFor is the NPC's setting, else the world's.
func (w *World) StrictFor(npc *NPC) bool {
	if npc != nil && npc.Strict != nil {
		return *npc.Strict
	}
	return w.Strict
}

// StreamingFor is the NPC's setting, else the world's, else true.
func (w *World) StreamingFor(npc *NPC) bool {
	if npc != nil && npc.Streaming != nil {
		return *npc.Streaming
	}
	return w.Streaming == nil || *w.Streaming
}

// DepthFor is the NPC's setting, else the world's, else full.
func (w *World) DepthFor(npc *NPC) string {
	if npc != nil && npc.Depth != "" {
		return npc.Depth
	}
	if w.Depth != "" {
		return w.Depth
	}
	return DepthFull
}

// Threshold is the NPC's threshold of a name, else the world's, else fallback.
func (w *World) Threshold(npc *NPC, name string, fallback float64) float64 {
	if npc != nil {
		if v, ok := npc.Thresholds[name]; ok {
			return v
		}
	}
	if v, ok := w.Thresholds[name]; ok {
		return v
	}
	return fallback
}

// Grounds says whether the world's policy lets texts of an origin ground a claim
// under a policy: world, state, shared_past or recap.
func (w *World) Grounds(policy string, origin schema.Origin) bool {
	return slices.Contains(w.SourcePolicy[policy], origin)
}

// PolicyRecap is the policy of quoting a talk: user are the player's lines, system the
// NPC's. A world that lists neither has its NPCs refuse a summary.
const PolicyRecap = "recap"

// DefaultSourcePolicy is the widest policy there is; a world may only narrow it.
func DefaultSourcePolicy() map[string][]schema.Origin {
	return map[string][]schema.Origin{
		"world":       {schema.OriginCorpus},
		"state":       {schema.OriginSystem},
		"shared_past": {schema.OriginUser, schema.OriginSystem},
		PolicyRecap:   {schema.OriginUser, schema.OriginSystem},
	}
}
