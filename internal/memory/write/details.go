package write

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// details is what a candidate says that its spans do not.
type details struct {
	missing   []string // content words, in the order said
	critical  []string // of them, names and numbers
	said      int      // content words in all
	expressed bool     // the spans can express the predicate
	object    float64  // the share of the object that stands in the spans
	subject   bool     // the subject is the speaker, or stands in the spans
	pred      string
}

// details compares the candidate with its spans, word by word.
func (q *question) details() details {
	c := q.candidate
	words := q.spanned()
	d := details{pred: c.Pred,
		expressed: q.guard.predicates(c.World).Expressed(c.Pred, spelt.Replace(words)) || said(c.Pred),
		subject:   q.named(c.Subject, words), object: 1}
	free := q.freeWords()
	have := stemsOf(words)
	seen := map[string]bool{}
	for _, w := range statedWords(c.Claim + "\n" + memory.Said(c.Content)) {
		if free[w.low] || seen[w.low] || text.IsStop(w.low) && !w.number {
			continue
		}
		seen[w.low] = true
		d.said++
		if have.holds(w.low) {
			continue
		}
		d.missing = append(d.missing, w.raw)
		if w.name || w.number {
			d.critical = append(d.critical, w.raw)
		}
	}
	d.object = q.objectShare(have, words)
	return d
}

// spelt are verbs that a contraction hides.
var spelt = strings.NewReplacer("'ve ", " have ", "\u2019ve ", " have ", "'m ", " am ",
	"\u2019m ", " am ", "'ll ", " will ", "\u2019ll ", " will ")

// said are predicates that any words express, since they only tell that something
// was said or done.
func said(pred string) bool {
	return pred == "said" || pred == "asked" || pred == "did" || pred == "offered" || pred == "happened"
}

// freeWords need not stand in the spans: the names of the two who speak, and words
// by which a report is made.
func (q *question) freeWords() map[string]bool {
	out := map[string]bool{}
	for _, s := range []string{q.context.PlayerName, q.context.NPCName,
		"the traveller told asked remember something name called themself promised offered did with known done"} {
		for _, w := range text.Words(s) {
			out[w] = true
		}
	}
	return out
}

// word is a word that a candidate states.
type word struct {
	raw, low     string
	name, number bool
}

// statedWords are the words of a text, names and numbers marked. A capital at the
// beginning of a sentence says nothing by itself.
func statedWords(s string) []word {
	var out []word
	for _, sentence := range strings.Split(s, "\n") {
		for i, sp := range text.WordSpans(sentence) {
			raw := sentence[sp.Start:sp.End]
			r, _ := utf8.DecodeRuneInString(raw)
			low := strings.TrimSuffix(strings.ToLower(text.Plain(raw)), "'s")
			out = append(out, word{raw: raw, low: low, name: i > 0 && unicode.IsUpper(r) && low != "i" &&
				!strings.HasPrefix(low, "i'"), number: text.Digits(low) != ""})
		}
	}
	return out
}

// stems are the words of the spans, in the forms by which they are compared.
type stems map[string]bool

func stemsOf(s string) stems {
	out := stems{}
	for _, w := range text.Words(s) {
		w = strings.TrimSuffix(w, "'s")
		out[w], out[text.Stem(w)] = true, true
		if n := text.Digits(w); n != "" {
			out[n] = true
		}
	}
	return out
}

func (s stems) holds(w string) bool {
	number := text.Digits(w)
	return s[w] || s[text.Stem(w)] || number != "" && s[number]
}

// named says whether the spans speak of an id: it is who speaks or listens, one of
// its names stands there, or its words do.
func (q *question) named(id, words string) bool {
	c := q.candidate
	lower := " " + strings.Join(text.Words(words), " ") + " "
	switch {
	case id == memory.PlayerPrefix+c.Player && q.speaker() == extract.SpeakerPlayer:
		return anyOf(lower, "i", "i'm", "i've", "i'll", "im", "me", "my", "mine", "we", "we're", "we've", "we'll", "our",
			"us", "call") || said(c.Pred) || c.Pred == "heard" || c.Pred == "asked_to_remember"
	case id == memory.NPCPrefix+c.NPC && q.speaker() == extract.SpeakerNPC, q.speaker() == extract.SpeakerGame:
		return true
	case id == memory.NPCPrefix+c.NPC && anyOf(lower, "you", "your", "you're", "u", "ye"):
		return true
	}
	if q.context.Names.Named(id, words) {
		return true
	}
	if kin, of, ok := strings.Cut(id, " of "+memory.PlayerPrefix); ok && of == c.Player {
		return anyOf(lower, kin, kin+"'s")
	}
	if strings.Contains(id, ":") {
		return false
	}
	have := stemsOf(words)
	for _, w := range text.Words(id) {
		if !text.IsStop(w) && !have.holds(w) {
			return false
		}
	}
	return true
}

func anyOf(words string, list ...string) bool {
	for _, w := range list {
		if strings.Contains(words, " "+w+" ") {
			return true
		}
	}
	return false
}

// objectShare is how much of the object stands in the spans.
func (q *question) objectShare(have stems, words string) float64 {
	object, _ := memory.Denied(q.candidate.Object)
	if strings.HasPrefix(object, memory.PlayerPrefix) || strings.HasPrefix(object, memory.NPCPrefix) ||
		q.context.Names.Known(object) {
		if q.named(object, words) || object == memory.PlayerPrefix+q.candidate.Player {
			return 1
		}
		return 0
	}
	if said(q.candidate.Pred) || q.candidate.Pred == "asked_to_remember" || q.candidate.Pred == "heard" {
		return 1 // the content's words are compared already
	}
	all, held := 0, 0
	for _, w := range text.Words(object) {
		if text.IsStop(w) {
			continue
		}
		all++
		if have.holds(strings.TrimSuffix(w, "'s")) {
			held++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(held) / float64(all)
}

// Shares of the words that decide.
const (
	leastObject = 0.5 // of the object, for a candidate to be held at all
	leastClaim  = 0.4 // of the claim
	leastObjAny = 0.25
)

// invented says why a candidate is made up, or is empty.
func (d details) invented() string {
	share := 1.0
	if d.said > 0 {
		share = 1 - float64(len(d.missing))/float64(d.said)
	}
	switch {
	case !d.expressed:
		return fmt.Sprintf("nothing in the words says %s", d.pred)
	case !d.subject:
		return "the words speak of somebody else"
	case d.object < leastObjAny, d.object < leastObject && share < leastClaim:
		return "the words do not speak of what it says"
	case share < leastClaim:
		return "the words say little of it: " + strings.Join(d.missing, ", ")
	}
	return ""
}

// Bounds of the penalty (paper 004).
const (
	leastPenalty = 0.10
	mostPenalty  = 0.30
	penaltyStep  = 0.05
)

// penalty is what a partial verdict takes off the confidence: from 0.10 to 0.30, by
// the share of names, numbers and other words that the spans lack.
func (d details) penalty() float64 {
	if len(d.missing) == 0 {
		return mostPenalty // all of its words are there, and yet they do not say it
	}
	lack := float64(len(d.missing)) / float64(max(d.said, 1))
	p := leastPenalty + (mostPenalty-leastPenalty)*lack
	p = math.Round(p/penaltyStep) * penaltyStep
	return min(max(p, leastPenalty), mostPenalty)
}

// why says what the spans lack.
func (d details) why() string {
	if len(d.missing) == 0 {
		return "its words are all there, and do not say it"
	}
	s := "not in the words: " + strings.Join(d.missing, ", ")
	if len(d.critical) > 0 {
		s += " (names and numbers: " + strings.Join(d.critical, ", ") + ")"
	}
	return s
}

// partly is the verdict on a candidate of which the spans say a part. It is
// rewritten to what they say; where that may not be, only one that the verifier
// supports is kept.
func (q *question) partly(v schema.GroundingVerdict, d details, supported bool) Outcome {
	m := q.candidate.Memory
	content := extract.Reported(m.Spans, m.NPC, m.Player, q.context)
	if corrects(q.candidate) || !q.guard.settings.RewritePartial {
		content = "" // what was taken back stands in the spans
	}
	if content == "" && !supported {
		return q.guard.settle(m, schema.GroundingVerdict{Label: schema.GroundingNotSupported, Why: d.why(), Score: v.Score,
			Tier: v.Tier})
	}
	v.Label, v.Penalty, v.Why = schema.GroundingPartial, d.penalty(), d.why()
	if content == "" {
		return q.guard.settle(m, v)
	}
	m.Content = content
	if !supported || d.object < 1 {
		m = asSaid(m, q.speaker())
	}
	return q.guard.settle(m, v)
}

// asSaid keeps of a memory no more than that it was said: its predicate and object
// are not proved.
func asSaid(m schema.Memory, speaker string) schema.Memory {
	m.Kind, m.Pred = schema.MemoryOccurrence, "said"
	m.Object = memory.Said(m.Content)
	m.Subject = memory.PlayerPrefix + m.Player
	if speaker == extract.SpeakerNPC {
		m.Subject = memory.NPCPrefix + m.NPC
	}
	if speaker == extract.SpeakerGame {
		m.Subject, m.Pred = "the world", "happened"
	}
	return m
}
