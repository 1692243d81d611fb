package write

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Plain says at sight that a stored memory is proved: its spans say it in its own
// words, and its key stands in them. That it does not says nothing yet.
func (g *Guard) Plain(m *schema.Memory) bool {
	if slices.Contains(m.Tags, protocol.TagVouched) {
		return true
	}
	said, preds := strings.TrimRight(text.Fold(memory.Said(m.Content)), ".!? "), g.predicates(m.World)
	object, _ := memory.Denied(text.Fold(m.Object))
	for _, s := range m.Spans {
		words := text.Fold(s.Text)
		if said == "" || !strings.Contains(words, said) || !speaks(m, s.Speaker) {
			continue
		}
		// A predicate of one value at a time takes another memory's place, so the words
		// must speak of it; of any other, what is told is what was said.
		if s.Speaker == extract.SpeakerGame || strings.Contains(words, object) &&
			(!preds.Stateful(m.Pred) || preds.Expressed(m.Pred, s.Text)) {
			return true
		}
	}
	return false
}

// speaks says whether a memory's source is that of who said its spans.
func speaks(m *schema.Memory, speaker string) bool {
	if speaker == extract.SpeakerPlayer {
		return m.Source == schema.OriginUser
	}
	return m.Source == schema.OriginSystem
}

// Reprove holds a stored memory against its own spans once more, by the judgement of
// Judge: SUPPORTED, NOT_SUPPORTED, or UNKNOWN where neither the rules nor a verifier
// can tell. Of spans of several speakers or occasions, as a merged memory has them,
// those of one are enough.
func (g *Guard) Reprove(ctx context.Context, m *schema.Memory, x extract.Context) schema.GroundingVerdict {
	told, _ := memory.ReadTold(m.Content)
	x.PlayerName = cmp.Or(x.PlayerName, told.By, told.To)
	verdict := refused("nothing in the words speaks of it")
	for _, spans := range occasions(m.Spans) {
		c := *m
		c.Spans = spans
		v := g.reprove(ctx, &c, x)
		if v.Label == schema.GroundingSupported {
			return v
		}
		if verdict.Label != schema.GroundingUnknown {
			verdict = v
		}
	}
	return verdict
}

// occasions are spans by who said them and when, and first those that lie side by
// side: a correction has one of the words before it.
func occasions(spans []schema.MemorySpan) [][]schema.MemorySpan {
	if len(spans) <= 1 {
		return [][]schema.MemorySpan{spans}
	}
	var out [][]schema.MemorySpan
	if !slices.ContainsFunc(spans, func(s schema.MemorySpan) bool { return s.Speaker != spans[0].Speaker }) &&
		len(spans) <= maxTogether {
		out = append(out, spans)
	}
	for i, s := range spans {
		if i > 0 && spans[i-1].Speaker == s.Speaker {
			out = append(out, spans[i-1:i+1])
		}
		out = append(out, spans[i:i+1])
	}
	return out
}

// maxTogether is how many spans are read as one text.
const maxTogether = 4

func (g *Guard) reprove(ctx context.Context, m *schema.Memory, x extract.Context) schema.GroundingVerdict {
	if len(m.Spans) == 0 {
		return refused("no words prove it")
	}
	q := question{guard: g, candidate: &extract.Candidate{Memory: *m, Claim: memory.Said(m.Content)},
		words: utterances(m.Spans), context: x}
	if m.HeardFrom != "" {
		q.candidate.Claim = memory.Said(q.candidate.Claim) // who told it stands before who said it
	}
	if !corrects(q.candidate) {
		if why := q.misfit(); why != "" {
			return refused(why)
		}
	}
	if extract.Reported(m.Spans, m.NPC, m.Player, x) == m.Content || q.found() {
		return supportedAs("the rules find it in the words", entail.TierRule)
	}
	if m.HeardFrom != "" {
		return q.hearsay()
	}
	d := q.details()
	if why := d.invented(); why != "" {
		return refused(why)
	}
	if slices.Contains(m.Tags, protocol.TagPartial) {
		return supportedAs("kept as what the words say in part", entail.TierRule)
	}
	if q.verbatim() && len(d.missing) == 0 {
		return supportedAs("said in these words", entail.TierRule)
	}
	if len(d.critical) > 0 {
		return refused(d.why())
	}
	return q.asked(ctx, d)
}

func supportedAs(why, tier string) schema.GroundingVerdict {
	return schema.GroundingVerdict{Label: schema.GroundingSupported, Why: why, Tier: tier, Score: 0.99}
}

// asked has the verifier decide.
func (q *question) asked(ctx context.Context, d details) schema.GroundingVerdict {
	unknown := schema.GroundingVerdict{Label: schema.GroundingUnknown, Why: d.why(), Tier: entail.TierNone}
	if q.guard.verifier == nil {
		return unknown
	}
	score, label, err := q.entails(ctx)
	switch {
	case err != nil:
		unknown.Why = "the verifier failed: " + firstLine(err)
		return unknown
	case label == schema.Supported && d.object >= leastObject:
		return schema.GroundingVerdict{Label: schema.GroundingSupported, Why: "the words say so", Score: score,
			Tier: q.guard.tier()}
	case label == schema.Contradicted:
		return schema.GroundingVerdict{Label: schema.GroundingNotSupported, Why: "the words say otherwise", Score: score,
			Tier: q.guard.tier()}
	case q.guard.judge != nil:
		return unknown // the judge had the last word of it, and is not asked every night
	}
	return schema.GroundingVerdict{Label: schema.GroundingNotSupported, Why: d.why(), Score: score, Tier: q.guard.tier()}
}

// hearsay is what rules say of a copy: its words went through another's mouth, and
// whoever told it was asked for the proof of his own.
func (q *question) hearsay() schema.GroundingVerdict {
	d := q.details()
	if why := d.invented(); why != "" && len(d.critical) > 0 {
		return refused(why)
	}
	return schema.GroundingVerdict{Label: schema.GroundingUnknown, Why: "hearsay", Tier: entail.TierNone}
}

// utterances are spans as words that were said.
func utterances(spans []schema.MemorySpan) []extract.Utterance {
	out := make([]extract.Utterance, len(spans))
	for i, s := range spans {
		out[i] = extract.Utterance{TurnID: s.TurnID, EventID: s.EventID, Speaker: s.Speaker, Text: s.Text, At: s.At}
	}
	return out
}

// found says whether the rules take this very memory from the spans.
func (q *question) found() bool {
	m := &q.candidate.Memory
	r := &schema.Reply{World: m.World, NPC: m.NPC, Player: m.Player, TurnID: m.Spans[len(m.Spans)-1].TurnID,
		PlayerName: q.context.PlayerName, Status: schema.StatusAnswered}
	x := q.context
	x.Previous = nil
	last := len(q.words) - 1
	switch q.speaker() {
	case extract.SpeakerPlayer:
		if last > 0 && q.words[last-1].TurnID != q.words[last].TurnID {
			x.Previous = &q.words[last-1]
			r.Message = q.words[last].Text
			break
		}
		for _, u := range q.words {
			r.Message = strings.TrimSpace(r.Message + " " + memory.Ended(u.Text))
		}
	case extract.SpeakerNPC:
		for i, u := range q.words {
			r.Sentences = append(r.Sentences, schema.Sentence{Seq: i + 1, Text: u.Text})
		}
	default:
		return false
	}
	read := extract.FromReply(r, x)
	for _, s := range m.Spans {
		if c, ok := extract.Introduced(s, m.NPC, m.Player, q.context); ok {
			read = append(read, c)
		}
	}
	for _, c := range read {
		if c.Subject == m.Subject && c.Pred == m.Pred && text.Fold(c.Object) == text.Fold(m.Object) &&
			sameWords(c.Content, m.Content) {
			return true
		}
	}
	return false
}

func sameWords(a, b string) bool {
	said := func(content string) string { return strings.TrimRight(text.Fold(memory.Said(content)), ".!? ") }
	return a == b || said(a) == said(b)
}
