package eval

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Step is one thing that happens in a story: exactly one of say, event, ask, scan
// and restart. What it leaves out of who talks is the case's.
type Step struct {
	At      *time.Time `yaml:"at"` // game time; later steps keep it until another is given
	Say     string     `yaml:"say"`
	Ask     string     `yaml:"ask"` // a turn whose reply is looked at
	Event   *Event     `yaml:"event"`
	Scan    bool       `yaml:"scan"`    // the nightly scan of memories runs
	Restart bool       `yaml:"restart"` // the mesh is stopped and started again

	NPC        string `yaml:"npc"`
	Player     string `yaml:"player"`
	PlayerName string `yaml:"player_name"`

	ExpectTopic     string `yaml:"expect_topic"`
	ExpectUncertain *bool  `yaml:"expect_uncertain"`
	Reject          string `yaml:"reject"` // RE2, case-insensitive

	reject []*regexp.Regexp
}

// Event is what the game saw happen.
type Event struct {
	Text      string   `yaml:"text"`
	Subject   string   `yaml:"subject"`
	Predicate string   `yaml:"predicate"`
	Object    string   `yaml:"object"`
	Player    string   `yaml:"player"`
	Witnesses []string `yaml:"witnesses"`
}

// Remembered names memories. What is left out is not looked at.
type Remembered struct {
	Status    schema.MemoryStatus `yaml:"status"`
	NPC       string              `yaml:"npc"` // the case's where it is left out
	Player    string              `yaml:"player"`
	Kind      schema.MemoryKind   `yaml:"kind"`
	Subject   string              `yaml:"subject"`
	Predicate string              `yaml:"predicate"`
	Object    string              `yaml:"object"` // stands in it, case-insensitive
	Source    schema.Origin       `yaml:"source"`
}

// Message is what a step's player says; empty where it is no turn.
func (s *Step) Message() string { return s.Say + s.Ask }

// Turn says whether a step is a turn.
func (s *Step) Turn() bool { return s.Message() != "" }

// Told is what a story's steps say to an NPC, or the message of a single turn.
func (c *Case) Told() []string {
	if len(c.Steps) == 0 {
		return []string{c.PlayerMessage}
	}
	var out []string
	for i := range c.Steps {
		if c.Steps[i].Turn() {
			out = append(out, c.Steps[i].Message())
		}
	}
	return out
}

// Story says whether a case is a story and not a single turn.
func (c *Case) Story() bool { return len(c.Steps) > 0 }

// prepareStory fills what is implied in a story and refuses what cannot be run.
func (c *Case) prepareStory() error {
	if c.PlayerMessage != "" {
		return fmt.Errorf("%q has both player_message and steps; write one of them", c.Name)
	}
	if c.ExpectTopic != "" || c.ExpectUncertain != nil || c.ExpectCitations != nil ||
		len(c.RejectPatterns)+len(c.ExpectEvidence)+len(c.ForbidEvidence)+len(c.ExpectActions)+len(c.History) > 0 {
		return fmt.Errorf("%q expects something of a turn, or has a history, beside its steps; write the one beside an "+
			"ask and the other as steps", c.Name)
	}
	if c.Player == "" {
		return fmt.Errorf("player is missing in %q; a story needs its player's id", c.Name)
	}
	if c.Kind == "" {
		c.Kind, _, _ = strings.Cut(c.Name, "/")
	}
	for i := range c.Steps {
		if err := c.prepareStep(&c.Steps[i]); err != nil {
			return fmt.Errorf("%q, step %d: %w", c.Name, i+1, err)
		}
	}
	if c.Count == nil && len(c.Memories)+len(c.Absent) == 0 &&
		!slices.ContainsFunc(c.Steps, func(s Step) bool { return s.Ask != "" }) {
		return fmt.Errorf("%q expects nothing; give it an ask, memories, absent or count", c.Name)
	}
	return nil
}

func (c *Case) prepareStep(s *Step) error {
	kinds := 0
	for _, given := range []bool{s.Say != "", s.Ask != "", s.Event != nil, s.Scan, s.Restart} {
		if given {
			kinds++
		}
	}
	if kinds != 1 {
		return fmt.Errorf("has %d of say, ask, event, scan and restart; write exactly one", kinds)
	}
	if s.Ask == "" && (s.ExpectTopic != "" || s.ExpectUncertain != nil || s.Reject != "") {
		return fmt.Errorf("expects something and asks nothing; expectations stand beside ask")
	}
	if s.Reject != "" {
		re, err := regexp.Compile("(?i)" + s.Reject)
		if err != nil {
			return fmt.Errorf("reject: %q is no RE2 pattern: %w", s.Reject, err)
		}
		s.reject = []*regexp.Regexp{re}
	}
	if s.Player = cmp.Or(s.Player, c.Player); s.Player == c.Player { // another's name is not this one's
		s.PlayerName = cmp.Or(s.PlayerName, c.PlayerName)
	}
	return c.checkStep(s)
}

// checkStep holds a step against what the mesh takes.
func (c *Case) checkStep(s *Step) error {
	switch {
	case s.Event != nil:
		e := s.Event.Occurrence("world", "event")
		if len(e.Witnesses) == 0 { // the mesh refuses it, and a story may see that nobody remembers it
			e.Witnesses = []string{"npc"}
		}
		e.GameTime = time.Unix(1, 0)
		return e.Validate()
	case s.Turn():
		req := schema.Request{TurnID: "case", World: "world", NPC: "npc", Player: s.Player, Message: s.Message()}
		return req.Validate()
	}
	return nil
}

// Occurrence is an event as a backend publishes it; its time is the caller's.
func (e *Event) Occurrence(world, id string) *schema.Occurrence {
	return &schema.Occurrence{ID: id, World: world, Subject: e.Subject, Predicate: e.Predicate, Object: e.Object,
		Text: e.Text, Player: e.Player,
		Witnesses: slices.Clone(e.Witnesses)}
}

// bindStory fills in the NPC of each step and refuses one that the world lacks.
func (c *Case) bindStory(w *world.World) error {
	for i := range c.Steps {
		s := &c.Steps[i]
		if s.NPC == "" {
			s.NPC = c.NPC
		}
		if w.NPCs[s.NPC] == nil {
			return fmt.Errorf("case %q, step %d: %s has no NPC %q", c.Name, i+1, w.Name, s.NPC)
		}
	}
	for _, list := range [][]Remembered{c.Memories, c.Absent} {
		for i := range list {
			if list[i].NPC == "" {
				list[i].NPC = c.NPC
			}
		}
	}
	return nil
}

// Lived is what was seen of a story: the replies of its turns by step, and what
// the NPCs remember at its end, of the players of the story and of no player.
type Lived struct {
	Seen    []Seen // one a step; the zero one where the step is no turn
	Records []schema.Memory
}

// JudgeStory holds a story against its case. The reply of the outcome is that of
// the first answer that failed, else of the last turn; all that failed is listed.
func JudgeStory(c *Case, l Lived) Outcome {
	o := Outcome{Case: c}
	var want, got []string
	failed := func(w, g string) { want, got = append(want, w), append(got, g) }
	answered := true
	for i := range c.Steps {
		s := &c.Steps[i]
		if !s.Turn() {
			continue
		}
		seen := l.Seen[i]
		one := Judge(&Case{ExpectTopic: s.ExpectTopic, ExpectUncertain: s.ExpectUncertain, RejectPatterns: []string{s.Reject},
			reject: s.reject}, seen)
		if answered {
			o.Seen, o.said = seen, s.Message()
		}
		if !one.Passed() {
			answered = false
			failed(fmt.Sprintf("%q: %s", s.Message(), one.Want), one.Got)
		}
	}
	for i := range c.Memories {
		if !slices.ContainsFunc(l.Records, c.Memories[i].names) {
			failed("a memory "+c.Memories[i].String(), remembered(l.Records, c.Memories[i].NPC))
		}
	}
	for i := range c.Absent {
		if n := slices.IndexFunc(l.Records, c.Absent[i].names); n >= 0 {
			failed("no memory "+c.Absent[i].String(), brief(&l.Records[n]))
		}
	}
	if n := c.active(l.Records); c.Count != nil && n != *c.Count {
		failed(fmt.Sprintf("%d active memories", *c.Count), fmt.Sprintf("%d: %s", n, remembered(l.Records, c.NPC)))
	}
	o.Want, o.Got = strings.Join(want, "; "), strings.Join(got, "; ")
	return o
}

// names says whether a memory is one of those that are named.
func (r *Remembered) names(m schema.Memory) bool {
	same := func(want, have string) bool { return want == "" || want == have }
	return same(string(r.Status), string(m.Status)) && same(r.NPC, m.NPC) && same(r.Player, m.Player) &&
		same(string(r.Kind), string(m.Kind)) &&
		same(r.Subject, m.Subject) && same(r.Predicate, m.Pred) && same(string(r.Source), string(m.Source)) &&
		strings.Contains(strings.ToLower(m.Object), strings.ToLower(r.Object))
}

// active counts what the case's NPC holds true of the case's player.
func (c *Case) active(records []schema.Memory) int {
	n := 0
	for i := range records {
		if m := &records[i]; m.NPC == c.NPC && m.Player == c.Player && m.Status == schema.MemoryActive {
			n++
		}
	}
	return n
}

func (r *Remembered) String() string {
	var parts []string
	for _, p := range [][2]string{{"status", string(r.Status)}, {"player", r.Player}, {"kind", string(r.Kind)},
		{"subject", r.Subject},
		{"predicate", r.Predicate}, {"object", r.Object}, {"source", string(r.Source)}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	return strings.Join(parts, ", ")
}

// remembered lists what an NPC remembers, for a reader.
func remembered(records []schema.Memory, npc string) string {
	var out []string
	for i := range records {
		if records[i].NPC == npc {
			out = append(out, brief(&records[i]))
		}
	}
	return orNone(strings.Join(out, " | "))
}

func brief(m *schema.Memory) string {
	return fmt.Sprintf("%s %s %q (%s, %s)", m.Status, m.Pred, m.Object, m.Source, m.Content)
}
