// Package lore holds the worlds that a process serves, each with its index, and
// finds the world and the NPC that a turn is about. It loads nothing itself:
// composition puts the worlds in.
package lore

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/language"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/secrecy"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Lore is a world in service.
type Lore struct {
	World *world.World
	Index *retrieval.Index
	// Grounding is how the process grounds where neither world nor NPC says otherwise.
	// Nil: as DefaultSettings say.
	Grounding *grounding.Settings
	// Echo is what the NPCs of this world have said in a model's words. Nil: only the
	// conversation at hand tells.
	Echo *Echoes

	once   sync.Once
	names  []string
	policy grounding.Policy
	said   map[string]voice.Pronoun   // by handle: how each backstory speaks of its NPC
	lines  []string                   // fixed lines of its prompts, folded
	leads  map[string]map[string]bool // by handle: what its NPC says where it does not answer

	guarding sync.Mutex
	guards   map[string]*secrecy.Guard // by handle, made when first asked for
}

// Guard knows what an NPC may have to keep to itself.
func (x *Lore) Guard(npc *world.NPC) *secrecy.Guard {
	x.guarding.Lock()
	defer x.guarding.Unlock()
	g := x.guards[npc.Handle]
	if g == nil {
		g = secrecy.New(x.World, npc)
		if x.guards == nil {
			x.guards = map[string]*secrecy.Guard{}
		}
		x.guards[npc.Handle] = g
	}
	return g
}

// Names are the names of the world's NPCs, which are names wherever they stand.
func (x *Lore) Names() []string {
	x.once.Do(x.derive)
	return x.names
}

// SettingsFor are the grounding settings of an NPC: its own, else its world's,
// else the process's.
func (x *Lore) SettingsFor(npc *world.NPC) grounding.Settings {
	s := grounding.DefaultSettings()
	if x.Grounding != nil {
		s = *x.Grounding
	}
	s = s.With(usable(x.World.Thresholds))
	if npc != nil {
		s = s.With(usable(npc.Thresholds))
	}
	if s.Thresholds.Entailment > 0 { // 0: the line of the policy
		s.Thresholds.Entailment = max(s.Thresholds.Entailment, s.Floor)
	}
	if policy := x.World.PolicyFor(npc); policy != "" {
		s.Level = grounding.Level(policy)
	}
	s.Strict = x.World.StrictFor(npc) || s.Strict && (npc == nil || npc.Strict == nil)
	if x.World.Streaming != nil || npc != nil && npc.Streaming != nil {
		s.Streaming = x.World.StreamingFor(npc)
	}
	return s
}

// usable leaves out the numbers that no threshold can be: one below 0 would support
// whatever is said.
func usable(numbers map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for name, v := range numbers {
		if v >= 0 && v <= 1 || name == "max_sources_per_claim" && v >= 1 && v <= 32 {
			out[name] = v
		}
	}
	return out
}

// Policy is which origins may ground which claims in this world.
func (x *Lore) Policy() grounding.Policy {
	x.once.Do(x.derive)
	return x.policy
}

func (x *Lore) derive() {
	x.said = map[string]voice.Pronoun{}
	for h, npc := range x.World.NPCs {
		x.said[h] = voice.PronounOf(npc.Backstory)
	}
	for _, h := range x.World.Handles() {
		x.names = append(x.names, x.World.NPCs[h].Name)
	}
	x.lines, x.leads = prompt.Lines(x.World.Prompts), map[string]map[string]bool{}
	for h, npc := range x.World.NPCs {
		x.leads[h] = grounding.Leads(leadsOf(npc)...)
	}
	settings := map[string][]string{}
	for kind, origins := range x.World.SourcePolicy {
		if kind == world.PolicyRecap { // a policy of its own, not a kind of claim
			continue
		}
		for _, o := range origins {
			settings[kind] = append(settings[kind], string(o))
		}
	}
	policy, err := grounding.Narrow(settings)
	if err != nil { // the loader refuses such a world; here the widest that is safe is kept
		policy = grounding.DefaultPolicy
	}
	x.policy = policy
}

// leading are the kinds of authored lines that stand where an answer would. Lines of
// the other kinds may say what a document says too.
var leading = []string{world.LineUnknown, world.LineUnsure, world.LineRefuse, world.LineWait, world.LineError,
	world.LineHeard, world.LineDoubt}

func leadsOf(npc *world.NPC) []string {
	var out []string
	for _, kind := range leading {
		out = append(out, npc.Line(kind, "")...)
		for locale := range npc.LocaleLines {
			out = append(out, npc.Line(kind, locale)...)
		}
	}
	return out
}

// Contract is the part of the provenance contract that depends on the world and the NPC
// alone: what stands in prompts and is no evidence.
func (x *Lore) Contract(npc *world.NPC) grounding.Check {
	x.once.Do(x.derive)
	return grounding.Check{World: x.World.Name, PromptLines: x.lines, Leads: x.leads[npc.Handle]}
}

// kept is how many versions of a world stay readable, for turns that began with
// an earlier one.
const kept = 3

// Library is the worlds in service, by the name that subjects carry, each with its
// last versions. A world may be replaced while turns are under way.
type Library struct {
	mu     sync.RWMutex
	byName map[string][]*Lore // the newest first
}

// NewLibrary refuses two worlds of one name.
func NewLibrary(all ...*Lore) (*Library, error) {
	l := &Library{byName: map[string][]*Lore{}}
	for _, x := range all {
		if other, ok := l.byName[x.World.Name]; ok {
			return nil, fmt.Errorf("%s and %s are both named %s; change the name in one world.yaml", other[0].World.Dir,
				x.World.Dir, x.World.Name)
		}
		l.byName[x.World.Name] = []*Lore{x}
	}
	return l, nil
}

// Take puts a newer version of a world in service. Turns that began keep theirs.
func (l *Library) Take(x *Lore) {
	l.mu.Lock()
	defer l.mu.Unlock()
	versions := []*Lore{x}
	for _, old := range l.byName[x.World.Name] {
		if old.World.Version != x.World.Version && len(versions) < kept {
			versions = append(versions, old)
		}
	}
	l.byName[x.World.Name] = versions
}

// Versions are the versions of a world that can be read, the newest first.
func (l *Library) Versions(name string) []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []string
	for _, x := range l.byName[name] {
		out = append(out, x.World.Version)
	}
	return out
}

// Names are the worlds' names in order.
func (l *Library) Names() []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	var out []string
	for name := range l.byName {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Get is a world by name in its newest version, or nil; a nil library has none.
func (l *Library) Get(name string) *Lore {
	if l == nil {
		return nil
	}
	return l.version(name, "")
}

// Predicates are those of a world's memories; the shipped ones where it is not served.
func (l *Library) Predicates(name string) *memory.PredicateTable {
	if x := l.Get(name); x != nil && x.World.Predicates != nil {
		return x.World.Predicates
	}
	return memory.DefaultPredicates()
}

// version is a world in a version; in its newest where that one is not known here,
// as after a restart.
func (l *Library) version(name, version string) *Lore {
	l.mu.RLock()
	defer l.mu.RUnlock()
	versions := l.byName[name]
	if len(versions) == 0 {
		return nil
	}
	for _, x := range versions {
		if x.World.Version == version {
			return x
		}
	}
	return versions[0]
}

// FindTurn is Find in the version with which the turn began.
func (l *Library) FindTurn(t *protocol.Turn) (*Lore, *world.NPC, error) {
	if t.Retrieval == nil {
		return l.Find(&t.Request)
	}
	return l.find(&t.Request, t.Retrieval.LoreHash)
}

// Find is the world and the NPC that a request is about.
func (l *Library) Find(r *schema.Request) (*Lore, *world.NPC, error) { return l.find(r, "") }

func (l *Library) find(r *schema.Request, version string) (*Lore, *world.NPC, error) {
	x := l.version(r.World, version)
	if x == nil {
		return nil, nil, &schema.FieldError{Field: "world",
			Reason: fmt.Sprintf("%q is not served here; these are: %s", r.World, strings.Join(l.Names(), ", "))}
	}
	npc := x.World.NPCs[r.NPC]
	if npc == nil {
		return nil, nil, &schema.FieldError{Field: "npc",
			Reason: fmt.Sprintf("%q is not an NPC of %s%s", r.NPC, r.World, nearest(x.World, r.NPC))}
	}
	return x, npc, nil
}

// Check refuses a request about a world or an NPC that is not served, and one whose
// state cannot be.
func (l *Library) Check(r *schema.Request) error {
	if r.Scene != nil {
		return l.checkScene(r)
	}
	x, npc, err := l.Find(r)
	if err != nil {
		return err
	}
	return relation.Check(x.World, npc, r)
}

func nearest(w *world.World, handle string) string {
	handles := w.Handles()
	if len(handles) <= 12 {
		return "; its NPCs are " + strings.Join(handles, ", ")
	}
	for _, h := range handles {
		if strings.Contains(h, handle) || strings.Contains(handle, h) {
			return "; did you mean " + h + "?"
		}
	}
	return "; `forsooth doctor` lists its NPCs"
}

// GameTime is when the turn happens in its world: the request's time, else the
// world's now, else the wall clock.
func (x *Lore) GameTime(r *schema.Request, wall time.Time) time.Time {
	switch {
	case r.GameTime != nil:
		return *r.GameTime
	case !x.World.Now.IsZero():
		return x.World.Now
	}
	return wall
}

// Facts are what conditions are judged by in this turn.
func Facts(t *protocol.Turn) world.Facts {
	return world.Facts{Trust: Trust(t), Flags: t.Flags, State: relation.State(t.State, t.Relation)}
}

// Holds judges a condition as written; one that cannot be read never holds.
func Holds(requires string, facts world.Facts) bool {
	if requires == "" {
		return true
	}
	c, err := world.ParseCondition(requires)
	return err == nil && c.Holds(facts)
}

// Trust is the game's word where it sends one, else what the conversation holds.
func Trust(t *protocol.Turn) int {
	switch {
	case t.Trust != nil:
		return *t.Trust
	case t.Relation != nil:
		return t.Relation.Trust
	case t.Convo != nil:
		return t.Convo.Trust
	}
	return 0
}

// ProvenanceCheck is the provenance contract for one turn: who asks, when, and what was
// said by this NPC before.
func (x *Lore) ProvenanceCheck(t *protocol.Turn, npc *world.NPC) grounding.Check {
	facts := Facts(t)
	inScope := func(c protocol.Chunk) bool { return world.ScopeOf(c, npc) }
	if rule := language.Policy(&t.Request, x.World, npc); !rule.Verified { // only what can be quoted is evidence
		inScope = func(c protocol.Chunk) bool { return world.ScopeOf(c, npc) && rule.Admits(c) }
	}
	check := x.Contract(npc)
	check.InScope, check.Holds = inScope, func(requires string) bool { return Holds(requires, facts) }
	check.TurnStart, check.GameTime = t.AcceptedAt, x.GameTime(&t.Request, t.AcceptedAt)
	check.ModelSaid = x.saidBefore(t.Convo, npc)
	return check
}

// saidBefore finds sentences this NPC said earlier that were not quoted word for
// word from evidence: to anybody, by the hashes of the world, and to this player by the
// conversation, which has the last turn at once.
func (x *Lore) saidBefore(c *schema.Conversation, npc *world.NPC) func(string) (time.Time, bool) {
	said := map[string]time.Time{}
	if c != nil {
		for _, line := range c.Memory {
			if line.Speaker == "npc" && !line.Verbatim {
				said[text.Fold(line.Text)] = line.At
			}
		}
	}
	if len(said) == 0 && x.Echo == nil {
		return nil
	}
	return func(folded string) (time.Time, bool) {
		first, ok := x.Echo.Said(x.World.Name, npc.Handle, folded)
		if at, here := said[folded]; here && (!ok || at.Before(first)) {
			return at, true
		}
		return first, ok
	}
}

// Person is an NPC as far as wording goes.
func (x *Lore) Person(npc *world.NPC) voice.Person {
	x.once.Do(x.derive)
	return voice.Person{
		Handle:    npc.Handle,
		Name:      npc.Name,
		Pronoun:   x.said[npc.Handle],
		Backstory: npc.Backstory,
		Replace:   npc.Voice.Replacements,
		Lowercase: npc.Voice.Lowercase,
		NameOf: func(handle string) string {
			if n := x.World.NPCs[handle]; n != nil {
				return n.Name
			}
			return ""
		},
	}
}
