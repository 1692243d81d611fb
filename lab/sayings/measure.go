package sayings

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Figures are what was kept of sayings.
type Figures struct {
	Sayings int `json:"sayings"`

	Keep     int `json:"keep"`     // facts that a person would keep
	Recalled int `json:"recalled"` // of Keep: a stored memory supports it
	Hedged   int `json:"hedged"`   // facts with a hedge
	Hedges   int `json:"hedges"`   // of Hedged: the memory has the hedge in its field or in its words
	Dated    int `json:"dated"`    // facts with a time
	Times    int `json:"times"`    // of Dated: the memory has the time
	Asked    int `json:"asked"`    // sayings with a question
	Answered int `json:"answered"` // of Asked: a memory answers it that supports a fact

	Not      int `json:"not"`      // texts that must not come of it
	Invented int `json:"invented"` // memories that say one of these, or that their words do not support

	Candidates int                           `json:"candidates"`
	Stored     int                           `json:"stored"`
	Verdicts   map[schema.GroundingLabel]int `json:"verdicts"`
	Why        map[string]int                `json:"why"` // reasons of the verdicts, without their particulars

	Missed     []string `json:"missed,omitempty"`
	Inventions []string `json:"inventions,omitempty"`
}

// Recall is the share of facts that are kept.
func (f *Figures) Recall() float64 { return share(f.Recalled, f.Keep) }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// Guard is what judges candidates, and what is asked again of what was stored.
type Guard struct {
	*write.Guard
	Verifier Verifier
}

// Measure plays sayings, each to an NPC of its own.
func Measure(ctx context.Context, g Guard, list []Saying) (Figures, error) {
	f := Figures{Sayings: len(list), Verdicts: map[schema.GroundingLabel]int{}, Why: map[string]int{}}
	for i := range list {
		if err := f.play(ctx, g, &list[i]); err != nil {
			return f, fmt.Errorf("%s: %w", list[i].ID, err)
		}
	}
	return f, nil
}

const (
	worldName = "sayings"
	npcHandle = "npc"
	playerID  = "p1"
)

// day is when the sayings are said, of the game and of the wall alike.
var day = time.Date(1402, 3, 1, 10, 0, 0, 0, time.UTC)

// play lets one saying be said, and looks at what is kept.
func (f *Figures) play(ctx context.Context, g Guard, s *Saying) error {
	book := memory.NewBook(worldName, npcHandle)
	var previous *schema.Line
	for i, said := range s.Said {
		at := day.Add(time.Duration(i) * time.Minute)
		r := &schema.Reply{TurnID: fmt.Sprintf("t%d", i), World: worldName, NPC: npcHandle, Player: playerID, Message: said,
			Status: schema.StatusAnswered, AcceptedAt: at, GameTime: &at}
		x := extract.Context{NPCName: "the NPC", PlayerName: "The player", Wall: at}
		if previous != nil {
			x.Previous = &extract.Utterance{TurnID: previous.TurnID, Speaker: extract.SpeakerPlayer, Text: previous.Text,
				At: previous.At}
		}
		words := extract.Words(r, x)
		for _, c := range extract.FromReply(r, x) {
			o := g.Judge(ctx, c, words, x)
			f.Candidates++
			f.Verdicts[o.Verdict.Label]++
			why, _, _ := strings.Cut(o.Verdict.Why, ":")
			f.Why[string(o.Verdict.Label)+" "+quoted.ReplaceAllString(why, "…")]++
			for _, e := range g.Events(book, o, "", at) {
				if err := book.Apply(e, time.Time{}); err != nil {
					return err
				}
			}
		}
		previous = &schema.Line{TurnID: r.TurnID, Text: said, At: at}
	}
	return f.compare(ctx, g, s, book)
}

var quoted = regexp.MustCompile(`"[^"]*"`)

// compare holds what is kept against what a person would keep.
func (f *Figures) compare(ctx context.Context, g Guard, s *Saying, book *memory.Book) error {
	var kept []told
	for _, m := range book.Memories() {
		if m.Status == schema.MemoryActive {
			kept = append(kept, tellingOf(m))
		}
	}
	f.Stored += len(kept)
	match := Matcher{Verifier: g.Verifier}
	supporting := map[string]bool{}
	for _, k := range s.Keep {
		best, err := f.supporting(ctx, match, k, kept)
		if err != nil {
			return err
		}
		f.Keep++
		if best == nil {
			f.Missed = append(f.Missed, s.ID+": "+k.Text+" <- "+strings.Join(textsOf(kept), " | "))
		} else {
			f.Recalled++
			supporting[best.ID] = true
		}
		f.qualities(k, best)
	}
	f.ask(s, kept, supporting)
	f.Not += len(s.Not)
	for i := range kept {
		why, err := invented(ctx, match, &kept[i], s)
		if err != nil {
			return err
		}
		if why != "" {
			f.Invented++
			f.Inventions = append(f.Inventions, s.ID+": "+kept[i].text+" ("+why+")")
		}
	}
	return nil
}

func textsOf(kept []told) []string {
	var out []string
	for i := range kept {
		out = append(out, kept[i].text)
	}
	return out
}

// supporting is the first memory that supports a fact; one with the fact's hedge and time
// comes before others.
func (f *Figures) supporting(ctx context.Context, match Matcher, k Kept, kept []told) (*told, error) {
	var best *told
	for i := range kept {
		ok, err := match.Supports(ctx, kept[i].text, kept[i].words, k.Text)
		if err != nil {
			return nil, err
		}
		if ok && (best == nil || k.Hedge != "" && !best.has(k.Hedge, best.Hedge) && kept[i].has(k.Hedge, kept[i].Hedge)) {
			best = &kept[i]
		}
	}
	return best, nil
}

func (f *Figures) qualities(k Kept, m *told) {
	if k.Hedge != "" {
		f.Hedged++
		if m != nil && m.has(k.Hedge, m.Hedge) {
			f.Hedges++
		} else if m != nil {
			f.Missed = append(f.Missed, "hedge "+k.Hedge+": "+m.Hedge+" of "+m.words)
		}
	}
	if k.When != "" {
		f.Dated++
		if m != nil && m.has(k.When, m.When) {
			f.Times++
		} else if m != nil {
			f.Missed = append(f.Missed, "time "+k.When+": "+m.When+" of "+m.words)
		}
	}
}

// ask puts the later question.
func (f *Figures) ask(s *Saying, kept []told, supporting map[string]bool) {
	if s.Ask == "" {
		return
	}
	f.Asked++
	asked := memory.ReadAsked(s.Ask, day.AddDate(0, 0, 7))
	if !asked.About {
		return
	}
	for i := range kept {
		if supporting[kept[i].ID] && asked.Relevance(&kept[i].Memory, playerID, memory.DefaultPredicates(), 0) >=
			memory.Enough {
			f.Answered++
			return
		}
	}
}

// told is a memory as it is compared.
type told struct {
	schema.Memory
	text  string // what it says, about "the player" and "the NPC"
	words string // what proves it, likewise
}

func tellingOf(m schema.Memory) told {
	var parts []string
	for _, s := range m.Spans {
		parts = append(parts, s.Text)
	}
	names := entail.Names{Self: "the NPC", Reader: "the NPC", Writer: "the player"}
	words, _ := entail.Pair{Premise: ofOne(strings.Join(parts, ". ")), Names: names}.Spoken()
	t, _ := memory.ReadTold(m.Content)
	said := memory.Said(m.Content)
	if t.How == "asked" {
		said, words = "they asked me "+t.Wish(), "the player asked the NPC: "+words
	}
	if others.MatchString(strings.Join(parts, " ")) { // "they" may be others: the words themselves tell whom it is about
		last := m.Spans[len(m.Spans)-1].Text
		said, _ = entail.Pair{Premise: ofOne(last), Names: names}.Spoken()
		return told{Memory: m, text: said, words: implied(words)}
	}
	said = persons.ReplaceAllStringFunc(said, func(w string) string { return thirds[strings.ToLower(w)] })
	return told{Memory: m, text: said, words: implied(words)}
}

// ofOne lets a speaker who says "we" say "I".
func ofOne(s string) string {
	return plural.ReplaceAllStringFunc(s, func(w string) string {
		return singular[strings.ReplaceAll(strings.ToLower(w), "\u2019", "'")]
	})
}

// implied names the player where words have nobody of their own who acts: "Three casks in
// the cellar."
func implied(words string) string {
	for _, w := range wordForm.FindAllString(strings.ToLower(words), -1) {
		if presents[w] || w == "was" || w == "were" || w == "had" || w == "player" {
			return words
		}
	}
	return "the player: " + words
}

var (
	plural   = regexp.MustCompile(`(?i)\b(?:we['\x{2019}](?:ve|re|ll|d)|we|us|ours|our|ourselves|ive|im)\b`)
	singular = map[string]string{"we": "I", "us": "me", "our": "my", "ours": "mine", "ourselves": "myself",
		"we've": "I've",
		"we're": "I'm", "we'll": "I'll", "we'd": "I'd", "ive": "I've", "im": "I'm"}
	others  = regexp.MustCompile(`(?i)\b(?:they|them|their|theirs)\b`)
	persons = regexp.MustCompile(`(?i)\b(?:they|them|their|theirs|themself|I|me|my|mine|myself)\b`)
	thirds  = map[string]string{"they": "the player", "them": "the player", "their": "the player's",
		"theirs": "the player's", "themself": "the player", "i": "the NPC", "me": "the NPC", "my": "the NPC's",
		"mine": "the NPC's", "myself": "the NPC"}
)

// has says whether a quality stands in a memory's field, or in what it says.
func (t *told) has(want, field string) bool {
	want = strings.ToLower(want)
	if field != "" && (strings.Contains(strings.ToLower(field), want) || strings.Contains(want, strings.ToLower(field))) {
		return true
	}
	return false
}

// asClaim says whether a memory is one that may be kept as what the player claims: every
// memory of the player's words is told as that.
func asClaim(ctx context.Context, match Matcher, m *told, s *Saying) (bool, error) {
	for _, k := range s.Keep {
		if !strings.HasPrefix(k.Text, "The player claims ") {
			continue
		}
		if ok, err := match.Supports(ctx, m.text, m.words+". The player told it", k.Text); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

// invented says why a stored memory is an invention, or is empty.
func invented(ctx context.Context, match Matcher, m *told, s *Saying) (string, error) {
	for _, n := range s.Not {
		if !match.Says(m.text, n) {
			continue
		}
		if claimed, err := asClaim(ctx, match, m, s); err != nil || claimed {
			return "", err
		}
		return "says: " + n, nil
	}
	proved, err := match.Proves(ctx, m.text, m.words, slices.Contains(m.Tags, extract.TagCorrection))
	if err != nil || proved {
		return "", err
	}
	return "its words do not say it", nil
}
