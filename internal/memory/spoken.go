package memory

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Names are those of the two who talk.
type Names struct{ NPC, Player string }

// Spoken is a memory as the NPC tells it to the player it is of: one sentence,
// which says how the NPC came by it.
func Spoken(m *schema.Memory, n Names) string {
	switch {
	case m.HeardFrom != "":
		return heard(m, n)
	case m.Source == schema.OriginUser:
		return toldByPlayer(m)
	case m.Subject == NPCPrefix+m.NPC && (m.Pred == "said" || m.Pred == "promised"):
		return saidByNPC(m)
	}
	return witnessed(m, n)
}

// Told is a memory's content as it says who told or asked what of whom.
type Told struct {
	By, To string // empty: the NPC itself
	How    string // "told", "asked" or "promised"
	Said   string // with "not to" before what the NPC was asked to leave
}

var (
	toldForm = func() *regexp.Regexp {
		const name = `((?:[^.!?:"]|\.\S|\b(?:\p{Lu}|Mr|Mrs|Ms|Dr|St)\.){1,80}?)`
		return regexp.MustCompile(`(?s)^(?:` + name + ` (told me that|asked me(?: to)?) |I (told|promised) ` + name +
			` that )(.+)$`)
	}()
	others = regexp.MustCompile(`(?i)\b(?:they|them|their|theirs|themsel\w+)\b`)
)

// ReadTold reads "Ansel told me that they come from the coast", "Ansel asked me to wait" and
// "I promised Ansel that the hinges will be done".
func ReadTold(content string) (Told, bool) {
	m := toldForm.FindStringSubmatch(content)
	if m == nil {
		return Told{}, false
	}
	how, _, _ := strings.Cut(m[2]+m[3], " ")
	return Told{By: m[1], To: m[4], How: how, Said: m[5]}, true
}

// Wish is what was asked, behind "asked me": "to wait", "not to wait".
func (t Told) Wish() string {
	if strings.HasPrefix(t.Said, "not to ") {
		return t.Said
	}
	return "to " + t.Said
}

// Said is what a content says, without who told it.
func Said(content string) string {
	if t, ok := ReadTold(content); ok {
		return t.Said
	}
	return content
}

// Overheard is what one NPC heard another say: in the words themselves, since the "I" of
// them is the other's, and the "you" may be anybody's.
func Overheard(speaker, words string) string {
	return speaker + " said: \u201c" + oneLine(words) + "\u201d"
}

// heard is "I remember that Mira told me that you told Mira that you come from the
// coast." What passed through more mouths, or is not surely the player's, is quoted.
func heard(m *schema.Memory, n Names) string {
	t, ok := ReadTold(m.Content)
	words, told := strings.CutPrefix(t.Said, n.Player+" told "+t.By+" that ")
	if ok && told && n.Player != "" && !others.MatchString(wordsOf(m)) {
		return "I remember that " + t.By + " told me that you told " + t.By + " that " + toYou(words)
	}
	return "I remember that I was told this: \u201c" + oneLine(m.Content) + "\u201d"
}

// toldByPlayer is "You told me that you come from the coast." Where the words speak
// of others as "they", it is not known which "they" is the player, and they are
// quoted.
func toldByPlayer(m *schema.Memory) string {
	t, ok := ReadTold(m.Content)
	switch {
	case !ok || t.By == "" || others.MatchString(wordsOf(m)):
	case t.How == "told":
		return hedgedAs(m.Hedge, t.Said)
	default:
		return "You asked me " + toYou(t.Wish())
	}
	return "You told me: \u201c" + oneLine(wordsOf(m)) + "\u201d"
}

// hedgedAs tells what the player said with the doubt it was said with: "You told me that
// you were pretty confident that your boat will be done." A hedge that stands in the words is told with
// them.
func hedgedAs(hedge, said string) string {
	low := strings.ToLower(hedge)
	if hedge == "" || strings.Contains(strings.ToLower(said), low) && !howSure.MatchString(low) {
		return "You told me that " + toYou(said)
	}
	if !howSure.MatchString(low) {
		return "You told me that " + toYou(strings.TrimRight(said, " .")+", and said of it \u201c"+oneLine(hedge)+"\u201d")
	}
	if at := strings.Index(strings.ToLower(said), low); at >= 0 {
		rest := strings.TrimLeft(said[at+len(low):], " ,")
		if lead := aside.FindStringIndex(said[:at]); lead != nil && strings.Trim(rest, " .!") == "" {
			said = said[:lead[0]]
		} else {
			return "You told me that " + toYou(said)
		}
	}
	return "You told me that you were " + low + " that " + toYou(strings.TrimRight(said, " .,"))
}

var (
	howSure = regexp.MustCompile(`^(?:[a-z]+ ){0,3}(?:confident|sure|certain|positive|convinced|hopeful|doubtful` +
		`|unsure|uncertain)$`)
	// aside is what leads a hedge behind a statement: ", they are "
	aside = regexp.MustCompile(`[,;\x{2013}\x{2014}-]\s*(?:(?:and|but|of that|of it) )?(?:(?:they|I) (?:are|am|feel) )?$`)
)

// saidByNPC is "I told you that the ferry is down."
func saidByNPC(m *schema.Memory) string {
	if t, ok := ReadTold(m.Content); ok && t.By == "" && !others.MatchString(wordsOf(m)) {
		return "I " + t.How + " you that " + toYou(t.Said)
	}
	return "I told you: \u201c" + oneLine(wordsOf(m)) + "\u201d"
}

// witnessed is "I remember that you gave me a sword." What is not surely about the
// player is quoted as what was seen.
func witnessed(m *schema.Memory, n Names) string {
	said := strings.TrimSpace(m.Content)
	if m.Player == "" && !strings.HasPrefix(m.Subject, PlayerPrefix) &&
		!strings.HasPrefix(m.Object, PlayerPrefix) {
		n.Player = "" // of nobody's in particular: who is named there may be another of the same name
	}
	if n.Player != "" {
		if rest, ok := strings.CutPrefix(said, n.Player+" "); ok && past(rest) {
			return "I remember that you " + Ended(inNames(rest, n))
		}
	}
	if n.NPC != "" {
		for _, name := range nameForms(n.NPC) {
			if rest, ok := strings.CutPrefix(said, name+" "); ok && past(rest) {
				return "I remember that I " + Ended(inNames(rest, n))
			}
		}
	}
	if strings.HasPrefix(said, "I ") {
		return "I remember that " + Ended(inNames(said, n))
	}
	return "I remember that I saw this: \u201c" + oneLine(said) + "\u201d"
}

// past says whether a predicate begins with a verb in the past, which is the same
// for all persons.
func past(s string) bool {
	verb, _, _ := strings.Cut(s, " ")
	return strings.HasSuffix(verb, "ed") && len(verb) > 3 || text.IrregularPast(verb)
}

var (
	thirdPersons = regexp.MustCompile(`(?i)\b(they|them|their|theirs|themsel(?:f|ves))\b`)
	second       = map[string]string{"they": "you", "them": "you", "their": "your", "theirs": "yours",
		"themself": "yourself", "themselves": "yourselves"}
)

// toYou turns the "they" that stands for the player into "you": their verbs are the
// same.
func toYou(s string) string {
	return Ended(thirdPersons.ReplaceAllStringFunc(s, func(w string) string { return second[strings.ToLower(w)] }))
}

// inNames puts "you" and "me" for the names of the two behind a verb.
func inNames(s string, n Names) string {
	s = strings.TrimRight(s, " ")
	for _, who := range []struct{ name, object, owner string }{{n.Player, "you", "your"}, {n.NPC, "me", "my"}} {
		for _, name := range nameForms(who.name) {
			quoted := regexp.QuoteMeta(name)
			s = regexp.MustCompile(`\b`+quoted+`(?:'|\x{2019})s\b`).ReplaceAllString(s, who.owner)
			s = regexp.MustCompile(`\b`+quoted+`\b`).ReplaceAllString(s, who.object)
		}
	}
	return s
}

// nameForms are a name and its first part.
func nameForms(name string) []string {
	if name == "" {
		return nil
	}
	if first, _, more := strings.Cut(name, " "); more && len(first) > 3 {
		return []string{name, first}
	}
	return []string{name}
}

func wordsOf(m *schema.Memory) string {
	var parts []string
	for _, s := range m.Spans {
		parts = append(parts, s.Text)
	}
	return strings.Join(parts, " ")
}

// Ended is a text with a mark behind that ends it.
func Ended(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") || strings.HasSuffix(s, "\u201d") || strings.HasSuffix(s, `"`) {
		return s
	}
	return s + "."
}

// oneLine keeps a quotation one sentence for whoever reads it on.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.NewReplacer("\u201c", "\u2018", "\u201d", "\u2019", `"`, "'").Replace(s)), " ")
	const most = 240
	if len(s) > most {
		cut := strings.LastIndexByte(s[:most], ' ')
		if cut < 0 {
			cut = most
		}
		s = strings.ToValidUTF8(s[:cut], "") + "\u2026"
	}
	return s
}

// FirstStory and SecondStory word the two sides of a contradiction: the NPC has
// heard both, and does not say which holds.
func FirstStory(said string) string {
	return "I have heard two stories from you: " + lowerYou(said)
}

// SecondStory is the other side.
func SecondStory(said string) string { return "Another time, " + lowerYou(said) }

func lowerYou(said string) string {
	if rest, ok := strings.CutPrefix(said, "You "); ok {
		return "you " + rest
	}
	return said
}

// Telling is one NPC passing on to another what it remembers.
type Telling struct {
	Teller   string    // the name of the NPC that tells
	To       string    // the handle of the one that hears
	GameTime time.Time // when it is told
	At       time.Time // wall time
	Loss     float64   // what a telling takes off the confidence, as a share; 0 means DefaultLoss
	Floor    float64   // under which nobody passes it on; 0 means DefaultHearsayFloor
}

// Defaults of a telling.
const (
	DefaultLoss         = 0.3
	DefaultHearsayFloor = 0.3
)

// Hearsay is the copy of a memory that another NPC keeps when told of it. It says
// from whom and of which memory, keeps the words that prove the first one, and
// belongs to the same player: what is told about a player is retrieved with that
// player only. Its rank is the lowest.
func Hearsay(m *schema.Memory, t Telling) (schema.Memory, error) {
	if m.Status != schema.MemoryActive {
		return schema.Memory{}, fmt.Errorf("memory %s is %s; only an active one is passed on", m.ID,
			cmp.Or(string(m.Status), "of no status"))
	}
	if t.To == "" || t.To == m.NPC {
		return schema.Memory{}, fmt.Errorf("memory %s: %s tells it to nobody else", m.ID, m.NPC)
	}
	if t.Loss == 0 {
		t.Loss = DefaultLoss
	}
	if t.Floor == 0 {
		t.Floor = DefaultHearsayFloor
	}
	confidence := m.Confidence * (1 - t.Loss)
	if confidence < t.Floor {
		return schema.Memory{}, fmt.Errorf("memory %s has been told too often: its confidence would be %.2f, below %.2f",
			m.ID, confidence, t.Floor)
	}
	out := clone(m)
	out.NPC, out.HeardFrom, out.HeardID = t.To, m.NPC, m.ID
	out.Confidence, out.Count = confidence, 1
	out.Content = fmt.Sprintf("%s told me that %s", t.Teller, entail.InThirdPerson(lowerPronoun(m.Content), t.Teller))
	out.CreatedAt, out.EventTime = t.At, t.GameTime
	if out.ValidFrom.IsZero() {
		out.ValidFrom = m.EventTime
	}
	out.Contradicts, out.SupersededBy, out.Witnesses = nil, "", nil
	out.Tags = slices.Clone(m.Tags)
	out.Status = schema.MemoryPending
	out.ID = ID(&out, 0)
	return out, nil
}

// lowerPronoun lets a sentence that begins with a pronoun or an article follow
// another clause.
func lowerPronoun(s string) string {
	for _, w := range []string{"The ", "A ", "An ", "They ", "Their "} {
		if len(s) > len(w) && s[:len(w)] == w {
			return string(s[0]|0x20) + s[1:]
		}
	}
	return s
}
