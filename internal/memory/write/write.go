// Package write is Guard 1: it grounds a candidate memory in the words it is said
// to come from, before it is stored. Its question is not whether a memory is worth
// keeping but whether the words say it. It is pure but for its Verifier, and what
// it decides it gives as events of the memory log.
//
// By rules alone only a candidate whose claim stands verbatim in its spans passes;
// whatever is said otherwise needs the verifier, and a name, a number or a
// predicate that the spans do not hold passes with neither.
package write

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Verifier says whether a premise entails a hypothesis: P(supported) and the label
// that the verifier's own thresholds give it.
type Verifier interface {
	Entails(ctx context.Context, premise, hypothesis string) (score float64, label schema.Label, err error)
}

// Judge is a language model that is asked of a memory what the verifier leaves open.
// Its verdict is supported, contradicted or unverifiable; that it cannot be asked is an
// error.
type Judge interface {
	Says(ctx context.Context, of *schema.Memory, premise, claim string) (schema.Verdict, error)
}

// Guard grounds candidates. It is safe to share.
type Guard struct {
	settings Settings
	verifier Verifier // nil: rules alone
	judge    Judge    // nil: nobody
	// predicates are those of each world, as they are when they are asked for
	predicates func(world string) *memory.PredicateTable
}

// New makes a guard. Without a verifier, what is not verbatim is at most partial. Without
// the predicates of the worlds, the shipped ones are those of every world.
func New(s Settings, v Verifier, predicates func(world string) *memory.PredicateTable) (*Guard, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("guard 1: %w", err)
	}
	if predicates == nil {
		predicates = func(string) *memory.PredicateTable { return memory.DefaultPredicates() }
	}
	return &Guard{settings: s, verifier: v, predicates: predicates}, nil
}

// With is the guard with a judge behind its verifier.
func (g *Guard) With(j Judge) *Guard {
	out := *g
	out.judge = j
	return &out
}

// tier is the verifier's, as it names itself.
func (g *Guard) tier() string {
	if named, ok := g.verifier.(interface{ Tier() string }); ok {
		return named.Tier()
	}
	return entail.TierModel
}

// Fate is what becomes of a candidate.
type Fate string

// The fates of a candidate.
const (
	Store Fate = "store"
	Flag  Fate = "flag" // kept where only operators see it
	Drop  Fate = "drop"
	Wait  Fate = "wait" // pending, to be tried again
)

// Outcome is Guard 1's decision.
type Outcome struct {
	Fate    Fate
	Verdict schema.GroundingVerdict
	Memory  schema.Memory // as it is to be stored: confidence, tags and content as the verdict leaves them
	Again   string        // the memory that it proves anew in other words: see Guard.Again
	Skipped bool          // of a kind that is not kept: nothing was held against the words
}

// Judge grounds one candidate in the words. It never fails: a verifier that does is
// the verdict UNKNOWN.
func (g *Guard) Judge(ctx context.Context, c extract.Candidate, words []extract.Utterance, x extract.Context) Outcome {
	if slices.Contains(g.settings.SkipForTypes, c.Kind) {
		o := g.settle(c.Memory, schema.GroundingVerdict{Label: schema.GroundingNotSupported,
			Why: notKept + string(c.Kind) + " are not kept", Tier: entail.TierRule})
		o.Skipped = true
		return o
	}
	if len(c.Spans) == 0 {
		c.Spans = likelySpans(&c, words)
	}
	q := question{guard: g, candidate: &c, words: words, context: x}
	if why := q.misfit(); why != "" {
		return g.settle(c.Memory, refused(why))
	}
	if !g.settings.Enabled {
		return g.settle(c.Memory, schema.GroundingVerdict{Label: schema.GroundingSupported, Spans: c.Spans,
			Why: "Guard 1 is off", Tier: entail.TierNone})
	}
	return q.ground(ctx)
}

func refused(why string) schema.GroundingVerdict {
	return schema.GroundingVerdict{Label: schema.GroundingNotSupported, Why: why, Tier: entail.TierRule}
}

// likelySpans are the player's sentence that is nearest to a candidate that names
// none, if there is one.
func likelySpans(c *extract.Candidate, words []extract.Utterance) []schema.MemorySpan {
	var best schema.MemorySpan
	share := 0.0
	for _, u := range words {
		if u.Speaker == extract.SpeakerNPC {
			continue
		}
		s := entail.Nearest(u.Text, c.Content)
		if v := entail.Closeness(s, c.Content); v > share && strings.Contains(u.Text, s) {
			share, best = v, schema.MemorySpan{TurnID: u.TurnID, EventID: u.EventID, Speaker: u.Speaker, Text: s, At: u.At,
				Scene: u.Scene}
		}
	}
	if share == 0 {
		return nil
	}
	return []schema.MemorySpan{best}
}

// question is one candidate with what it is held against.
type question struct {
	guard     *Guard
	candidate *extract.Candidate
	words     []extract.Utterance
	context   extract.Context
}

// spanned are the words of the spans.
func (q *question) spanned() string {
	var parts []string
	for _, s := range q.candidate.Spans {
		parts = append(parts, s.Text)
	}
	return strings.Join(parts, "\n")
}

// speaker is who said the spans, who all have one speaker.
func (q *question) speaker() string { return q.candidate.Spans[0].Speaker }

// misfit says why a candidate cannot rest on its spans, whatever they say.
func (q *question) misfit() string {
	c := q.candidate
	if len(c.Spans) == 0 {
		return "nothing in the words speaks of it"
	}
	for _, s := range c.Spans {
		u := q.holding(s)
		switch {
		case u == nil:
			return fmt.Sprintf("the span %q stands nowhere in the words of %s", s.Text, s.Speaker)
		case s.Speaker != q.speaker():
			return "its spans are of two speakers"
		case s.Speaker == extract.SpeakerPlayer && c.Pred != "asked_to_remember" && !corrects(c) &&
			!extract.Asserted(u.Text, s.Text) && !(c.Claim == s.Text && extract.Wholly(u.Text, s.Text)):
			return fmt.Sprintf("the words %q state nothing", s.Text)
		}
	}
	switch q.speaker() {
	case extract.SpeakerPlayer:
		if c.Source != schema.OriginUser {
			return "what a player says is kept as said by the player only"
		}
	case extract.SpeakerNPC:
		if c.Subject != memory.NPCPrefix+c.NPC || c.Pred != "said" && c.Pred != "promised" {
			return "what the NPC said grounds only that it said so"
		}
	case extract.SpeakerGame:
		if c.Source != schema.OriginSystem {
			return "what the game saw is of source system"
		}
	default:
		return fmt.Sprintf("nobody is called %q here", q.speaker())
	}
	return ""
}

func corrects(c *extract.Candidate) bool { return slices.Contains(c.Tags, extract.TagCorrection) }

func (q *question) holding(s schema.MemorySpan) *extract.Utterance {
	for i := range q.words {
		u := &q.words[i]
		if u.TurnID == s.TurnID && u.EventID == s.EventID && u.Speaker == s.Speaker && s.Text != "" &&
			strings.Contains(u.Text, s.Text) {
			return u
		}
	}
	return nil
}

// ground gives the verdict: rules where they are enough, the verifier where they
// are not.
func (q *question) ground(ctx context.Context) Outcome {
	c := q.candidate
	if q.speaker() == extract.SpeakerGame && q.verbatim() { // the game is the authority on what it says happened
		return q.guard.settle(c.Memory,
			schema.GroundingVerdict{Label: schema.GroundingSupported, Spans: c.Spans, Why: "the game says so", Score: 0.99,
				Tier: entail.TierRule})
	}
	d := q.details()
	if why := d.invented(); why != "" {
		return q.guard.settle(c.Memory, refused(why))
	}
	if len(d.missing) == 0 && q.verbatim() {
		return q.guard.settle(c.Memory,
			schema.GroundingVerdict{Label: schema.GroundingSupported, Spans: c.Spans, Why: "said in these words", Score: 0.99,
				Tier: entail.TierRule})
	}
	score, label := 0.3, schema.Unverifiable
	tier := entail.TierRule
	if q.guard.verifier != nil {
		var err error
		tier = q.guard.tier()
		if score, label, err = q.entails(ctx); err != nil {
			return q.failed("the verifier", err)
		}
	}
	if label == schema.Unverifiable && q.guard.judge != nil {
		said, err := q.judged(ctx)
		if err != nil {
			return q.failed("the judge", err)
		}
		score, label, tier = said.Score, said.Label, entail.TierJudge
	}
	v := schema.GroundingVerdict{Label: schema.GroundingSupported, Spans: c.Spans, Score: score, Tier: tier,
		Why: "the words say so"}
	switch {
	case label == schema.Contradicted:
		v.Label, v.Spans, v.Why = schema.GroundingNotSupported, nil, "the words say otherwise"
	case label == schema.Supported && len(d.critical) == 0 && d.object >= leastObject:
	default:
		return q.partly(v, d, label == schema.Supported)
	}
	return q.guard.settle(c.Memory, v)
}

// failed is the verdict where somebody who was asked gave none.
func (q *question) failed(who string, err error) Outcome {
	return q.guard.settle(q.candidate.Memory,
		schema.GroundingVerdict{Label: schema.GroundingUnknown, Spans: q.candidate.Spans,
			Why: who + " failed: " + firstLine(err), Tier: entail.TierNone})
}

// spoken are the words and the claim, both in the third person.
func (q *question) spoken() (premise, hypothesis string) {
	names := entail.Names{Self: q.context.NPCName, Reader: q.context.NPCName, Writer: q.context.PlayerName}
	if q.speaker() != extract.SpeakerPlayer {
		names.Writer, names.Reader = "", ""
	}
	return entail.Pair{Premise: q.spanned(), Hypothesis: q.candidate.Claim, Names: names}.Spoken()
}

// judged asks the judge.
func (q *question) judged(ctx context.Context) (schema.Verdict, error) {
	premise, claim := q.spoken()
	return q.guard.judge.Says(ctx, &q.candidate.Memory, premise, claim)
}

// entails asks the verifier.
func (q *question) entails(ctx context.Context) (float64, schema.Label, error) {
	premise, hypothesis := q.spoken()
	score, label, err := q.guard.verifier.Entails(ctx, premise, hypothesis)
	switch {
	case err != nil:
		return 0, "", err
	case math.IsNaN(score) || score < 0 || score > 1:
		return 0, "", fmt.Errorf("its score is %v", score)
	case label != schema.Supported && label != schema.Contradicted && label != schema.Unverifiable:
		return 0, "", fmt.Errorf("its label is %q", label)
	}
	return score, label, nil
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// verbatim says whether the claim stands word for word in a span, or is one that
// was put together of several by rule.
func (q *question) verbatim() bool {
	claim := text.Fold(q.candidate.Claim)
	if claim == "" {
		return false
	}
	for _, s := range q.candidate.Spans {
		if strings.Contains(text.Fold(s.Text), claim) {
			return true
		}
	}
	if corrects(q.candidate) {
		return corrected(claim, q.candidate.Spans)
	}
	return joined(claim, text.Fold(q.spanned()))
}

// corrected says whether a claim begins in the words that were corrected and ends
// in those that correct: "I live in" and "Ferrytown".
func corrected(claim string, spans []schema.MemorySpan) bool {
	first, last := text.Fold(spans[0].Text), text.Fold(spans[len(spans)-1].Text)
	for cut := strings.LastIndexByte(claim, ' '); cut > 0; cut = strings.LastIndexByte(claim[:cut], ' ') {
		if strings.Contains(first, claim[:cut]) {
			if strings.Contains(last, claim[cut+1:]) {
				return true
			}
			return replaced(first, last, claim)
		}
	}
	return false
}

// replaced says whether a claim is the words that were corrected, but for one stretch that
// the words which correct them hold.
func replaced(first, last, claim string) bool {
	was, is := strings.Fields(first), strings.Fields(claim)
	i, j := 0, 0
	for i < len(was) && i < len(is) && was[i] == is[i] {
		i++
	}
	for j < len(was)-i && j < len(is)-i && was[len(was)-1-j] == is[len(is)-1-j] {
		j++
	}
	if slices.ContainsFunc(was[i:len(was)-j], text.Denies) && !slices.ContainsFunc(is[i:len(is)-j], text.Denies) {
		return false // what was denied would be affirmed
	}
	put := strings.Join(is[i:len(is)-j], " ")
	return i > 0 && put != "" && strings.Contains(" "+strings.Join(strings.Fields(last), " ")+" ", " "+put+" ")
}

// joined says whether a claim is the beginning of the words with a later stretch
// of them: "I work at the mill" of "I live in Oakham and work at the mill". The
// words in between must end before an "and" or a "but".
func joined(claim, words string) bool {
	words = strings.Join(strings.Fields(words), " ")
	for _, link := range []string{" and ", " but "} {
		for i := strings.Index(words, link); i >= 0; {
			rest := words[i+len(link):]
			for cut := strings.IndexByte(claim, ' '); cut > 0; {
				head, tail := claim[:cut], claim[cut+1:]
				if strings.HasPrefix(words, head+" ") && strings.HasPrefix(rest, tail) && strings.Count(head, " ") < 4 {
					return true
				}
				next := strings.IndexByte(claim[cut+1:], ' ')
				if next < 0 {
					break
				}
				cut += 1 + next
			}
			next := strings.Index(words[i+1:], link)
			if next < 0 {
				break
			}
			i += 1 + next
		}
	}
	return false
}
