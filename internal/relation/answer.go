package relation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Line is one sentence of an answer, with what it rests on. A line without a source is
// authored: the world's author wrote it, or it says that there is nothing.
type Line struct {
	Text   string
	Source string // "event:ID", "turn:ID", "state", "schedule", or ""
	Proof  string // what the source says
}

// mostLines is how many favours one answer tells.
const mostLines = 3

var (
	owePattern = regexp.MustCompile(`^(?:tell me |remind me )*(?:what |how much |which favou?rs? )?` +
		`(?:else )?(do i|do you|i|you) (?:still |even )?owe (?:you|me)(?: (?:anything|something|a favou?r|any favou?rs?` +
		`|a thing|one|now|exactly|for anything|for (?:it|that|this)|nothing|still))*$`)
	evenPattern = regexp.MustCompile(`^(?:are we|we are) (?:even|quits|square)$`)
	mePattern   = regexp.MustCompile(`^(?:what do you (?:really )?think (?:of|about) me` +
		`|what is your opinion (?:of|on) me|how do you feel about me|do you (?:still |really )?(?:trust|like` +
		`|hate) me(?: (?:now|again|at all|anymore))?` +
		`|are we (?:still )?friends(?: again)?|are you (?:still )?(?:angry|mad|cross) (?:with|at) me)$`)
	moodPattern = regexp.MustCompile(`^(?:hello |hi |hey |well )*(?:how are you(?: (?:today|now|doing|feeling|tonight` +
		`|this \w+))*|how do you (?:feel|fare)(?: (?:today|now))?|how is your mood|what mood are you in)$`)
	doingPattern = regexp.MustCompile(`^(?:what are you (?:doing|up to|busy with|at|working on)(?: (?:now|today` +
		`|here|there|tonight|just now|right now|at the moment|this \w+))*|are you busy(?: now)?)$`)
	plansPattern = regexp.MustCompile(`^what (?:are your plans|do you (?:plan|mean|intend) to do|will you do)` +
		`(?: (?:now|next|today|tonight|tomorrow|later|then))*$`)
	ofPattern = regexp.MustCompile(`^(?:what do you (?:really )?think (?:of|about)|what is your opinion (?:of|on|about)` +
		`|how do you (?:feel about|like|get on with|get along with)|do you (?:trust|like|hate|get on with|get along with)` +
		`) (.{2,40})$`)
	standPattern = regexp.MustCompile(`^(?:how do i stand with|what is my standing with|what does|what do` +
		`|am i in (?:good )?favou?r with) (?:the )?(.{2,40}?)(?: think (?:of|about) me)?$`)
)

// Answer is what an NPC says of itself, of how it stands with the player and of other NPCs.
// It is empty where the message asks for something else, or nothing is known of it.
func Answer(message string, w *world.World, npc *world.NPC, r *schema.Relation) []Line {
	if r == nil {
		return nil
	}
	asked := plainly(message, npc)
	switch {
	case owePattern.MatchString(asked):
		side := schema.SidePlayer
		if who := owePattern.FindStringSubmatch(asked)[1]; who == "do you" || who == "you" {
			side = schema.SideNPC
		}
		return debts(r, side)
	case evenPattern.MatchString(asked):
		if len(r.Owed) > 0 {
			return append(some(r, schema.SideNPC), some(r, schema.SidePlayer)...)
		}
		return []Line{{Text: "We are even, by my count."}}
	case mePattern.MatchString(asked):
		return ofPlayer(r, !strings.HasPrefix(asked, "what"))
	case moodPattern.MatchString(asked) && r.NPC.Mood != "":
		return []Line{{Text: "I am " + r.NPC.Mood + ".", Source: stateSource(r.NPC), Proof: r.NPC.Mood}}
	case doingPattern.MatchString(asked) && r.NPC.Says != "":
		return []Line{{Text: ended(r.NPC.Says)}}
	case doingPattern.MatchString(asked) && r.NPC.Activity != "":
		return []Line{{Text: "I am " + r.NPC.Activity + ".", Source: stateSource(r.NPC), Proof: r.NPC.Activity}}
	case plansPattern.MatchString(asked) && r.NPC.Plans != "":
		return []Line{{Text: "I mean to " + r.NPC.Plans + ".", Source: stateSource(r.NPC), Proof: r.NPC.Plans}}
	}
	if m := ofPattern.FindStringSubmatch(asked); m != nil {
		return ofOther(m[1], w, npc)
	}
	if m := standPattern.FindStringSubmatch(asked); m != nil {
		return ofFaction(m[1], w, r)
	}
	return nil
}

// Recorded says whether a message asks for what the record alone can answer: what is owed,
// and how the NPC stands with the player or a faction. A model words the rest better.
func Recorded(message string, npc *world.NPC) bool {
	asked := plainly(message, npc)
	return owePattern.MatchString(asked) || evenPattern.MatchString(asked) || mePattern.MatchString(asked) ||
		standPattern.MatchString(asked)
}

// leads are words that join a question to what was said before, and ask nothing.
var leads = map[string]bool{"please": true, "so": true, "and": true, "but": true, "well": true, "then": true}

// mostAddress is how many words before the first comma are an address, where more follow: "Good
// madam, are we even?"
const mostAddress = 2

// plainly is a message in small letters, without marks, contractions and the NPC's name.
func plainly(message string, npc *world.NPC) string {
	s := strings.ToLower(strings.ReplaceAll(message, "’", "'"))
	s = strings.NewReplacer("what's", "what is", "how's", "how is", "we're", "we are", "don't", "do not",
		"what're", "what are", "how're", "how are").Replace(s)
	if address, rest, ok := strings.Cut(s, ","); ok && len(strings.Fields(address)) <= mostAddress &&
		len(strings.Fields(rest)) > mostAddress {
		s = rest
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n,.?!;:\"“”", r) })
	for i, w := range words {
		if w == "u" {
			words[i] = "you"
		}
	}
	first, _, _ := strings.Cut(strings.ToLower(npc.Name), " ")
	named := func(w string) bool { return w == first || w == npc.Handle }
	for len(words) > 1 && named(words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	for len(words) > 1 && (named(words[0]) || leads[words[0]]) {
		words = words[1:]
	}
	if n := len(words); n > 1 && words[n-1] == "now" { // it asks the same: the record is of now
		words = words[:n-1]
	}
	return strings.Join(words, " ")
}

func debts(r *schema.Relation, side string) []Line {
	if out := some(r, side); len(out) > 0 {
		return out
	}
	if side == schema.SideNPC {
		return []Line{{Text: "I owe you nothing that I know of."}}
	}
	return []Line{{Text: "You owe me nothing that I know of."}}
}

func some(r *schema.Relation, side string) []Line {
	words := "You owe me for %s."
	if side == schema.SideNPC {
		words = "I owe you for %s."
	}
	var out []Line
	for _, f := range Owes(r, side) {
		if len(out) < mostLines {
			out = append(out, Line{Text: fmt.Sprintf(words, strings.TrimRight(f.What, ". ")),
				Source: sourceOf(f.TurnID, f.EventID), Proof: f.What})
		}
	}
	return out
}

func sourceOf(turn, event string) string {
	if event != "" {
		return "event:" + event
	}
	return "turn:" + turn
}

func stateSource(s schema.NPCState) string {
	switch s.Source {
	case "state", "schedule", "":
		return s.Source
	}
	return "event:" + s.Source
}

var opinionLines = map[string]string{
	"hostile": "I do not trust you.", "wary": "I am wary of you.", "neutral": "I do not know you well enough to say.",
	"friendly": "I like you well enough.", "devoted": "I trust you.",
}

var causeLines = map[string]string{
	world.CauseInsult: "You insulted me, and I remember it.", world.CauseThreat: "You threatened me, and I remember it.",
	world.CauseApology: "You said you were sorry, and I heard it.",
	world.CauseThanks:  "You thanked me, and I remember it.",
}

// ofPlayer is the opinion with the last thing that speaks for it. A question that other
// lines answer better gets none where there is nothing to tell.
func ofPlayer(r *schema.Relation, only bool) []Line {
	if only && r.Opinion == "neutral" && len(r.Why) == 0 {
		return nil
	}
	out := []Line{{Text: opinionLines[r.Opinion]}}
	for _, w := range slices.Backward(r.Why) {
		if r.Trust != 0 && (w.By > 0) != (r.Trust > 0) {
			continue
		}
		if line := causeLines[w.Why]; line != "" {
			return append(out, Line{Text: line, Source: sourceOf(w.TurnID, w.EventID), Proof: w.Text})
		}
		if w.EventID != "" && w.Text != "" {
			return append(out, Line{Text: "I have not forgotten what you did.", Source: "event:" + w.EventID, Proof: w.Text})
		}
	}
	return out
}

var otherLines = map[string]string{
	"hostile": "I do not trust %s.", "wary": "I am wary of %s.", "neutral": "I have no strong feeling about %s.",
	"friendly": "I like %s well enough.", "devoted": "I trust %s.",
}

// ofOther is what the NPC thinks of another one, in its author's words; else by its trust.
func ofOther(name string, w *world.World, npc *world.NPC) []Line {
	for _, handle := range slices.Sorted(maps.Keys(npc.Bonds)) {
		other := w.NPCs[handle]
		if other == nil || !isName(name, other) {
			continue
		}
		b := npc.Bonds[handle]
		if b.Says != "" {
			return []Line{{Text: ended(b.Says)}}
		}
		return []Line{{Text: fmt.Sprintf(otherLines[Opinion(b.Trust)], other.Name)}}
	}
	return nil
}

func isName(said string, npc *world.NPC) bool {
	said = strings.TrimPrefix(said, "the ")
	first, _, _ := strings.Cut(npc.Name, " ")
	return said == strings.ToLower(npc.Name) || said == strings.ToLower(first) || said == npc.Handle
}

func ofFaction(name string, w *world.World, r *schema.Relation) []Line {
	for _, faction := range w.Factions {
		n, known := r.Standing[faction]
		if said := strings.NewReplacer("-", " ", "_", " ").Replace(faction); !known || name != said && name != faction {
			continue
		}
		how := "neither well nor badly"
		switch {
		case n > 0:
			how = "well"
		case n < 0:
			how = "badly"
		}
		return []Line{{Text: fmt.Sprintf("You stand %s with the %s.", how, strings.ReplaceAll(name, "_", " ")),
			Source: "standing:" + faction, Proof: fmt.Sprint(n)}}
	}
	return nil
}

func ended(s string) string {
	s = strings.TrimSpace(s)
	if text.Sentences(s) == nil || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}
