package world

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Relating is how an NPC's relation to a player changes. Each part is the NPC's own
// where its file has that part, else the world's.
type Relating struct {
	Trust    map[string]int // by cause: how far trust moves
	Favours  []FavourRule
	Standing []StandingRule
}

// FavourRule says what makes a favour owed or settled.
type FavourRule struct {
	On      string // "action.NAME", or "event.PREDICATE"
	By      string // whose deed the event is
	Owes    string
	Settles bool
	What    string // "": the object of the event, or the name of the action
}

// StandingRule says which event of a player moves its standing with a faction.
type StandingRule struct {
	On      string
	Faction string
	By      int
}

// Causes of a change of trust that are no event and no action.
const (
	CauseThanks  = "thanks"
	CauseApology = "apology"
	CauseInsult  = "insult"
	CauseThreat  = "threat"
)

const (
	prefixAction = "action."
	prefixEvent  = "event."
)

// RelatingFor gives the rules of an NPC.
func (w *World) RelatingFor(npc *NPC) Relating {
	r := w.Relating
	if npc == nil {
		return r
	}
	if npc.Relating.Trust != nil {
		r.Trust = npc.Relating.Trust
	}
	if npc.Relating.Favours != nil {
		r.Favours = npc.Relating.Favours
	}
	if npc.Relating.Standing != nil {
		r.Standing = npc.Relating.Standing
	}
	return r
}

func readRelating(f *fields) Relating {
	return Relating{Trust: readTrust(f), Favours: readFavours(f), Standing: readStanding(f)}
}

func readTrust(f *fields) map[string]int {
	sub, ok := f.mapping("trust")
	if !ok {
		return nil
	}
	out := map[string]int{}
	for key, sign := range map[string]int{"rises_on": 1, "falls_on": -1} {
		steps, ok := sub.mapping(key)
		if !ok {
			continue
		}
		for _, cause := range steps.keys {
			n, ok := steps.number(cause, true)
			switch {
			case !isCause(cause):
				steps.wrong(cause, "is no cause; write thanks, apology, insult, threat, action.NAME or event.PREDICATE")
			case !ok || n < 1 || n > schema.MaxTrustStep:
				steps.wrong(cause, "must be a whole number from 1 to %d", schema.MaxTrustStep)
			case out[cause] != 0:
				steps.wrong(cause, "stands under rises_on and under falls_on; keep one")
			default:
				out[cause] = sign * int(n)
			}
		}
	}
	sub.warnUnknown()
	return out
}

func isCause(s string) bool {
	switch s {
	case CauseThanks, CauseApology, CauseInsult, CauseThreat:
		return true
	}
	return isDeed(s)
}

// isDeed says whether a text names an action or an event.
func isDeed(s string) bool {
	for _, prefix := range []string{prefixAction, prefixEvent} {
		if name, ok := strings.CutPrefix(s, prefix); ok {
			return schema.CheckToken("name", name) == nil
		}
	}
	return false
}

func readFavours(f *fields) []FavourRule {
	var out []FavourRule
	for _, sub := range f.mappings("favours") {
		r := FavourRule{On: sub.need("on", "event.brought"), By: schema.SidePlayer, What: sub.text("what")}
		owes, settles := sub.text("owes"), sub.text("settles")
		if by := sub.text("by"); by != "" {
			r.By = by
		}
		switch {
		case !isDeed(r.On):
			sub.wrong("on", "is %q; write action.NAME or event.PREDICATE", r.On)
		case r.By != schema.SidePlayer && r.By != schema.SideNPC:
			sub.wrong("by", "is %q; write player or npc", r.By)
		case (owes == "") == (settles == ""):
			f.log.errorf(sub.line, "`%s` needs one of owes and settles; write `owes: npc` or `settles: player`",
				strings.TrimSuffix(sub.where, "."))
		case owes+settles != schema.SidePlayer && owes+settles != schema.SideNPC:
			f.log.errorf(sub.line, "`%s` names %q; write player or npc", strings.TrimSuffix(sub.where, "."), owes+settles)
		default:
			r.Owes, r.Settles = owes+settles, settles != ""
			out = append(out, r)
		}
		sub.warnUnknown()
	}
	return out
}

func readStanding(f *fields) []StandingRule {
	var out []StandingRule
	for _, sub := range f.mappings("standing") {
		r := StandingRule{On: sub.need("on", "event.helped"), Faction: sub.need("faction", "guild")}
		n, err := strconv.Atoi(sub.need("by", "1"))
		switch {
		case !strings.HasPrefix(r.On, prefixEvent) || !isDeed(r.On):
			sub.wrong("on", "is %q; write event.PREDICATE", r.On)
		case err != nil || n == 0 || n < schema.MinTrust || n > schema.MaxTrust:
			sub.wrong("by", "must be a whole number from %d to %d, and not 0", schema.MinTrust, schema.MaxTrust)
		default:
			r.By = n
			out = append(out, r)
		}
		sub.warnUnknown()
	}
	return out
}

// Bond is how an NPC stands to another one.
type Bond struct {
	Kind  string // what the other one is to this NPC: daughter, rival
	Trust int
	Says  string // what this NPC thinks of the other one: said as it stands, as an opinion
	Line  int
}

func readBonds(f *fields) map[string]Bond {
	sub, ok := f.mapping("relations")
	if !ok {
		return nil
	}
	out := map[string]Bond{}
	for _, handle := range sub.keys {
		one, ok := sub.mapping(handle)
		if !ok {
			continue
		}
		b := Bond{Kind: one.text("kind"), Says: one.text("says"), Line: one.line}
		if s := one.text("trust"); s != "" {
			n, err := strconv.Atoi(s)
			if err != nil || n < schema.MinTrust || n > schema.MaxTrust {
				one.wrong("trust", "is %s; write a whole number from %d to %d", s, schema.MinTrust, schema.MaxTrust)
			}
			b.Trust = n
		}
		if strings.ContainsAny(b.Says, "0123456789") {
			one.wrong("says", "holds a number; an opinion states no fact: put the fact into a document")
		}
		one.warnUnknown()
		out[handle] = b
	}
	return out
}

// opposite is what the other side of a kind must be, where it names this NPC.
var opposite = map[string]string{}

func init() {
	for _, pair := range [][2]string{{"daughter son child", "mother father parent"}, {"sister brother sibling",
		"sister brother sibling"}, {"wife husband spouse", "wife husband spouse"}, {"niece nephew", "aunt uncle"},
		{"enemy", "enemy rival"}, {"apprentice", "master"}} {
		for _, k := range strings.Fields(pair[0]) {
			opposite[k] = pair[1]
		}
		for _, k := range strings.Fields(pair[1]) {
			if opposite[k] == "" {
				opposite[k] = pair[0]
			}
		}
	}
}

// excludes says whether one kind cannot stand against another.
func excludes(kind, back string) bool {
	want := opposite[kind]
	return want != "" && back != "" && !slices.Contains(strings.Fields(want), back)
}

// relationsOf names what is wrong with the relations, the factions and the conditions
// of an NPC in its world.
func (w *World) relationsOf(n *NPC) []Problem {
	var out []Problem
	wrong := func(line int, format string, args ...any) {
		out = append(out, Problem{Severity: SeverityError, File: n.Path, Line: line, Message: fmt.Sprintf(format, args...)})
	}
	for _, handle := range slices.Sorted(maps.Keys(n.Bonds)) {
		b, other := n.Bonds[handle], w.NPCs[handle]
		switch {
		case other == nil:
			wrong(b.Line, "`relations.%s` names no NPC of this world%s", handle, w.hint(handle))
		case handle == n.Handle:
			wrong(b.Line, "`relations.%s` is the NPC itself; take it out", handle)
		default:
			back := other.Bonds[n.Handle]
			if n.Handle < handle && (excludes(b.Kind, back.Kind) || excludes(back.Kind, b.Kind)) { // told once, not twice
				wrong(b.Line, "`relations.%s.kind` is %s, and %s calls %s %s; one of them is wrong", handle, b.Kind, other.Path,
					n.Handle, back.Kind)
			}
		}
	}
	for _, r := range n.Relating.Standing {
		if msg := w.CheckFaction(r.Faction); msg != "" {
			wrong(1, "`standing` %s", msg)
		}
	}
	for _, requires := range n.conditions() {
		for _, m := range standingName.FindAllStringSubmatch(requires, -1) {
			if msg := w.CheckFaction(m[1]); msg != "" {
				wrong(1, "`requires: %s` %s", requires, msg)
			}
		}
	}
	return out
}

var standingName = regexp.MustCompile(`\bstanding\.([A-Za-z0-9_-]+)`)

func (n *NPC) conditions() []string {
	var out []string
	for _, s := range n.Secrets {
		out = append(out, s.Requires)
	}
	for _, a := range n.Actions {
		out = append(out, a.Requires)
	}
	for i := range n.SpeaksOn {
		out = append(out, n.SpeaksOn[i].Requires)
	}
	return out
}

// CheckFaction says in one line what is wrong with a faction's name; "" where the world has it.
func (w *World) CheckFaction(name string) string {
	switch {
	case slices.Contains(w.Factions, name):
		return ""
	case len(w.Factions) == 0:
		return fmt.Sprintf("names the faction %q, and world.yaml lists none; add `factions: [%s]`", name, name)
	}
	return fmt.Sprintf("names the faction %q, which world.yaml does not list; there are %s", name,
		strings.Join(w.Factions, ", "))
}

// Schedule is what an NPC does by the time of day.
type Schedule struct {
	Zone  *time.Location
	Slots []Slot
}

// Slot is a part of the day; one that ends before it begins goes over midnight.
type Slot struct {
	From, To             time.Duration // since midnight
	Activity, Mood, Says string
}

// At is the slot of a moment, and when it began; false between slots.
func (s *Schedule) At(now time.Time) (slot Slot, since time.Time, ok bool) {
	if s == nil || now.IsZero() {
		return Slot{}, time.Time{}, false
	}
	local := now.In(s.Zone)
	midnight := time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, s.Zone)
	of := local.Sub(midnight)
	for _, slot := range s.Slots {
		switch {
		case slot.From < slot.To && of >= slot.From && of < slot.To, slot.From > slot.To && of >= slot.From:
			return slot, midnight.Add(slot.From), true
		case slot.From > slot.To && of < slot.To:
			return slot, midnight.AddDate(0, 0, -1).Add(slot.From), true
		}
	}
	return Slot{}, time.Time{}, false
}

var (
	dayTime  = regexp.MustCompile(`^([01]\d|2[0-3]):([0-5]\d)$`)
	zoneForm = regexp.MustCompile(`^([+-])([01]\d):([0-5]\d)$`)
)

func readSchedule(f *fields) *Schedule {
	sub, ok := f.mapping("schedule")
	if !ok {
		return nil
	}
	s := &Schedule{Zone: time.UTC}
	zone := sub.need("zone", `UTC, or an offset such as "+01:00"`)
	if m := zoneForm.FindStringSubmatch(zone); m != nil {
		h, _ := strconv.Atoi(m[2])
		min, _ := strconv.Atoi(m[3])
		seconds := (h*60 + min) * 60
		if m[1] == "-" {
			seconds = -seconds
		}
		s.Zone = time.FixedZone(zone, seconds)
	} else if zone != "UTC" && zone != "" {
		sub.wrong("zone", `is %q; write UTC, or an offset such as "+01:00"`, zone)
	}
	for _, day := range sub.mappings("day") {
		slot := Slot{From: readDayTime(day, "from"), To: readDayTime(day, "to"),
			Activity: day.text("activity"), Mood: day.text("mood"), Says: day.text("says")}
		day.warnUnknown()
		for _, other := range s.Slots {
			if overlap(slot, other) {
				f.log.errorf(day.line, "`%s` overlaps another part of the day; let one end where the next begins",
					strings.TrimSuffix(day.where, "."))
				break
			}
		}
		s.Slots = append(s.Slots, slot)
	}
	sub.warnUnknown()
	return s
}

func readDayTime(f *fields, key string) time.Duration {
	s := f.need(key, `"08:00"`)
	m := dayTime.FindStringSubmatch(s)
	if m == nil {
		if s != "" {
			f.wrong(key, `is %q; write a time of day such as "08:00"`, s)
		}
		return 0
	}
	h, _ := strconv.Atoi(m[1])
	min, _ := strconv.Atoi(m[2])
	return time.Duration(h)*time.Hour + time.Duration(min)*time.Minute
}

func overlap(a, b Slot) bool {
	return a.holds(b.From) || b.holds(a.From)
}

// holds says whether a time of day lies in the slot; one without length is the whole day.
func (s Slot) holds(at time.Duration) bool {
	if s.From < s.To {
		return at >= s.From && at < s.To
	}
	return at >= s.From || at < s.To
}
