package extract

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var (
	ownPromise = regexp.MustCompile(`(?i)^(?:(?:very well|all right|then|aye|yes|so|well|good|fine` +
		`|done)[\s,.]+)*(?:i (?:promise|swear|vow|give you my word)\b|you have my word\b|i(?: wi|\x{2019}` +
		`|')ll (?:\w+ly )?(?:keep|bring|give|mend|make|forge|have|see|tell|ask|speak|talk|meet|wait|hold|send|find|fetch` +
		`|pay|help|show|guard|look|put|repair|teach|write|take|finish|save|lend)\b|i shall\b)`)
	sayingFirst = regexp.MustCompile(`^(?:I|I'm|I've|I'll|I'd|I\x{2019}\w+)\b`)
)

// fromNPC keeps what the NPC said: that it was said, and never that it is so. What
// the world's authors wrote for greetings and refusals is no memory.
func (f *frame) fromNPC(r *schema.Reply) []Candidate {
	if r.Status == schema.StatusUnknown || r.Status == schema.StatusWithheld || r.Status == schema.StatusAborted ||
		r.Reason == schema.ReasonSocial {
		return nil
	}
	var out []Candidate
	for _, s := range r.Sentences {
		words := strings.TrimSpace(s.Text)
		if s.Authored || text.IsQuestion(words) || len(text.ContentWords(words)) < 2 || len(words) > memory.MaxSpan {
			continue
		}
		kind, pred, lead := schema.MemoryOccurrence, "said", "I told "
		if ownPromise.MatchString(words) {
			kind, pred, lead = schema.MemoryPromise, "promised", "I promised "
		}
		said := f.ownWords(words)
		c := f.candidate(kind, memory.NPCPrefix+f.npc, pred, said, lead+f.context.whom()+" that "+said+".",
			f.span(SpeakerNPC, words))
		if len(c.Content) > memory.MaxContent {
			continue
		}
		c.Source, c.Confidence, c.Claim = schema.OriginSystem, 1, words
		out = append(out, c)
	}
	return out
}

// ownWords are the NPC's words as it tells of them itself: its "I" stays, the
// player's "you" becomes "they".
func (f *frame) ownWords(words string) string {
	var b strings.Builder
	at := 0
	ts := tokens(words, 0, len(words))
	for i, t := range ts {
		if t.start < at {
			continue
		}
		form := map[string]string{"you": "them", "your": "their", "yours": "theirs", "yourself": "themself"}[t.low]
		switch {
		case form == "":
			continue
		case t.low == "you" && i+1 < len(ts) && ts[i+1].start == t.start: // "you'll"
			form = "they " + ts[i+1].low
		case t.low == "you" && f.isSubject(ts, i):
			form = "they"
		}
		b.WriteString(words[at:t.start] + form)
		at = t.end
	}
	b.WriteString(words[at:])
	said := tidy(b.String())
	keeps := sayingFirst.MatchString(said)
	if first, _, _ := strings.Cut(said, " "); !keeps && len(ts) > 0 {
		_, known := f.context.Names.Resolve(first)
		// "Eleven boats" is no name
		named := len(ts) > 1 && (ts[1].upper || strings.HasSuffix(ts[0].low, "'s") || verbish(ts, 1))
		keeps = known || named && ts[0].upper && !notNames[ts[0].low] && !text.IsStop(ts[0].low)
	}
	return lowerFirst(said, keeps)
}

// outcome is what became of an action.
type outcome int

const (
	notOffered outcome = iota // refused by rule before the game was asked
	offered                   // the game has not answered
	refused
	done
)

// outcome says what the game made of an action: only its ok makes a deed.
func (c Context) outcome(i int, a schema.Action) outcome {
	if result, ok := c.Results[i]; ok {
		if result.Accepted {
			return done
		}
		return refused
	}
	switch {
	case a.Confirmed:
		return done
	case !a.Checked:
		return notOffered
	case a.Refused != "":
		return refused
	}
	return offered
}

// fromActions keeps what the NPC did: as done where the game said so, else as
// offered.
func (f *frame) fromActions(r *schema.Reply) []Candidate {
	var out []Candidate
	for i, a := range r.Actions {
		o := f.context.outcome(i, a)
		if o == notOffered || slices.Contains(f.context.Unremembered, a.Name) {
			continue
		}
		what := actionName(a)
		content := fmt.Sprintf("I did this with %s: %s.", f.context.whom(), what)
		pred := "did"
		switch o {
		case offered:
			pred, content = "offered", fmt.Sprintf("I offered this to %s, and it is not known to be done: %s.",
				f.context.whom(), what)
		case refused:
			pred, content = "offered", fmt.Sprintf("I offered this to %s, and it was not done: %s.", f.context.whom(), what)
		case notOffered, done:
		}
		c := f.candidate(schema.MemoryOccurrence, memory.NPCPrefix+f.npc, pred, what, content,
			f.span(SpeakerGame, actionWords(a, o)))
		c.Source, c.Confidence, c.Claim = schema.OriginSystem, 1, actionWords(a, o)
		if o != done {
			c.Tags = []string{TagOffered}
		}
		if len(c.Content) <= memory.MaxContent {
			out = append(out, c)
		}
	}
	return out
}

// actionName is an action in words: "give item, item: sword".
func actionName(a schema.Action) string {
	var b strings.Builder
	b.WriteString(strings.NewReplacer("_", " ", "-", " ").Replace(a.Name))
	for _, k := range slices.Sorted(maps.Keys(a.Parameters)) {
		fmt.Fprintf(&b, ", %s: %v", k, a.Parameters[k])
	}
	return b.String()
}

// actionWords are the words by which the game's answer to an action is kept.
func actionWords(a schema.Action, o outcome) string {
	return actionName(a) + ": " + map[outcome]string{notOffered: "not allowed", offered: "offered",
		refused: "refused by the game", done: "done"}[o]
}
