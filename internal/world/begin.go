package world

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// SpeaksOn is a rule by which an NPC speaks first: on an event of a kind that it has
// witnessed, to a player who witnessed it too. It says a line of its author, or what it
// knows about a topic.
type SpeaksOn struct {
	Event     string // the kind: the event's predicate
	Requires  string
	Condition Condition
	Cooldown  time.Duration // between two such turns with one player
	PerHour   int           // how often it speaks first to one player in an hour, by all rules that say so
	Topic     string        // a question that it answers by itself
	Lines     []string
	Line      int
}

// Limits of these rules.
const (
	minCooldown    = time.Second
	maxCooldown    = 30 * 24 * time.Hour
	defaultPerHour = 4
	maxPerHour     = 12
	maxTopicBytes  = 400
)

// Beginning is the rule of an NPC for a kind of event; nil where it has none.
func (n *NPC) Beginning(kind string) *SpeaksOn {
	if i := slices.IndexFunc(n.SpeaksOn, func(s SpeaksOn) bool { return s.Event == kind }); i >= 0 {
		return &n.SpeaksOn[i]
	}
	return nil
}

func readSpeaksOn(f *fields) []SpeaksOn {
	var out []SpeaksOn
	for _, sub := range f.mappings("speaks_on") {
		s := SpeaksOn{Event: strings.TrimPrefix(sub.need("event", "brought"), prefixEvent), PerHour: defaultPerHour,
			Topic: sub.text("topic"), Lines: sub.list("lines"), Line: sub.line}
		s.Requires, s.Condition = sub.condition("requires")
		s.Cooldown = readCooldown(sub)
		if sub.has("per_hour") {
			if s.PerHour = sub.bounded("per_hour", maxPerHour); s.PerHour == 0 {
				s.PerHour = defaultPerHour
			}
		}
		switch {
		case s.Event != "" && schema.CheckToken("event", s.Event) != nil:
			sub.wrong("event", "is %q; write the predicate of an event, such as brought", s.Event)
		case slices.ContainsFunc(out, func(o SpeaksOn) bool { return o.Event == s.Event }):
			sub.wrong("event", "is %q, and so it is in an earlier entry; keep one", s.Event)
		case (s.Topic == "") == (len(s.Lines) == 0):
			f.log.errorf(sub.line, "`%s` needs one of topic and lines; write `topic: \"What do you know about wolves?\"` or "+
				"`lines: [\"There you are.\"]`", strings.TrimSuffix(sub.where, "."))
		case len(s.Topic) > maxTopicBytes:
			sub.wrong("topic", "is %d bytes; at most %d are taken", len(s.Topic), maxTopicBytes)
		case s.Cooldown > 0 && s.Event != "":
			out = append(out, s)
		}
		sub.warnUnknown()
	}
	return out
}

func readCooldown(f *fields) time.Duration {
	s := f.text("cooldown")
	if s == "" {
		f.log.errorf(f.line, "`%scooldown` is missing; write how long the NPC waits before it speaks on the like again to "+
			"the same player, such as 10m", f.where)
		return 0
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < minCooldown || d > maxCooldown {
		f.wrong("cooldown", "is %q; write a duration from 1s to 720h, such as 10m", s)
		return 0
	}
	return d
}

// lintBeginnings names kinds of events that nobody has heard of, and lines that state
// something: an NPC says them to anybody, and nothing verifies them.
func (w *World) lintBeginnings(n *NPC) []Problem {
	var out []Problem
	if len(n.SpeaksOn) == 0 {
		return nil
	}
	known := w.eventKinds()
	for i := range n.SpeaksOn {
		s := &n.SpeaksOn[i]
		if !known(s.Event) {
			hint := ""
			if near := nearest(s.Event, w.namedEvents()); near != "" {
				hint = "; did you mean " + near + "?"
			}
			out = append(out, Problem{Severity: SeverityError, File: n.Path, Line: s.Line, Message: fmt.Sprintf(
				"`speaks_on` names the event %q, which is no predicate and which no rule of this world names%s", s.Event, hint)})
		}
		for _, name := range notInEvents(s.Condition) {
			out = append(out, warning(n.Path, s.Line, "`requires: %s` asks for %s, which an event does not bring; ask for "+
				"trust, standing or mood", s.Requires, name))
		}
		for _, line := range s.Lines {
			if at := strings.IndexFunc(line, unicode.IsDigit); at >= 0 {
				out = append(out, warning(n.Path, s.Line, "`speaks_on` has a line with a number, and nothing verifies it; put "+
					"the fact into a document and name a topic: %q", line))
			}
		}
	}
	return out
}

// eventKinds says which kinds of events a world knows: its predicates, and what its
// rules of trust, favours and standing name.
func (w *World) eventKinds() func(string) bool {
	named, table := w.namedEvents(), w.Predicates
	if table == nil {
		table = memory.DefaultPredicates()
	}
	return func(kind string) bool {
		_, known := table.Canonical(kind)
		return known || kind == schema.KindHappened || slices.Contains(named, kind)
	}
}

func (w *World) namedEvents() []string {
	seen := map[string]bool{}
	note := func(r Relating) {
		causes := slices.Collect(maps.Keys(r.Trust))
		for _, f := range r.Favours {
			causes = append(causes, f.On)
		}
		for _, s := range r.Standing {
			causes = append(causes, s.On)
		}
		for _, c := range causes {
			if kind, ok := strings.CutPrefix(c, prefixEvent); ok {
				seen[kind] = true
			}
		}
	}
	note(w.Relating)
	for _, n := range w.NPCs {
		note(n.Relating)
	}
	return slices.Sorted(maps.Keys(seen))
}

// notInEvents are the flags and the keys of state in a condition, but for those that the
// mesh itself knows.
func notInEvents(c Condition) []string {
	var out []string
	key := func(k string) {
		if known := []string{"standing.", "favour.", "npc."}; !slices.ContainsFunc(known, func(p string) bool {
			return strings.HasPrefix(k, p)
		}) {
			out = append(out, "the state "+k)
		}
	}
	var walk func(node)
	walk = func(n node) {
		switch n := n.(type) {
		case andNode:
			walk(n.left)
			walk(n.right)
		case orNode:
			walk(n.left)
			walk(n.right)
		case notNode:
			walk(n.of)
		case flagNode:
			out = append(out, "the flag "+n.name)
		case truthNode:
			key(n.key)
		case compareNode:
			for _, o := range []operand{n.left, n.right} {
				switch o.kind {
				case isState:
					key(o.name)
				case isFlag:
					out = append(out, "the flag "+o.name)
				}
			}
		}
	}
	walk(c.root)
	return out
}
