package review

import (
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// scoreExact is P(supported) of what stands in the evidence word for word.
const scoreExact = 0.99

// exact settles what needs no judgement: a sentence that a checked action makes
// true, and a sentence of the evidence, word for word or as this NPC words it.
func (l *line) exact() {
	for i := range l.out {
		o := &l.out[i]
		if o.Exempt || len(o.Issues) > 0 {
			continue
		}
		if l.deed(o.Sentence.Text) {
			o.Kind, o.exact = entail.KindSocial, true
			o.Verdict = schema.Verdict{Label: schema.Supported, Score: 1, Tier: entail.TierRule, Why: "a checked action does it"}
			continue
		}
		if l.Thoughts && l.suspects(o.Sentence.Text) {
			o.Kind, o.exact = entail.KindSelf, true
			o.Verdict = schema.Verdict{Label: schema.Supported, Score: 1, Tier: entail.TierRule,
				Why: "a suspicion that is marked as one"}
			continue
		}
		l.quoted(o)
	}
}

// suspects says whether everything that a thought claims is marked as an opinion.
func (l *line) suspects(s string) bool {
	marked := false
	for _, c := range grounding.Claims(s, l.Context) {
		if c.Kind != schema.ClaimNone {
			if !c.Hedged || c.Frame != grounding.FrameOpinion {
				return false
			}
			marked = true
		}
	}
	return marked
}

// quoted looks for the block that holds the sentence, first among those it cites.
func (l *line) quoted(o *Outcome) {
	report := l.reports(o.Sentence.Text)
	ways := []string{o.Sentence.Text}
	if core := l.core(o.Sentence.Text); core != "" {
		ways = append(ways, core)
	}
	for _, cited := range []bool{true, false} {
		for _, e := range l.usable {
			if cites(&o.Sentence, e.ID) != cited || said(e) && !report || !l.serves(e, report) {
				continue
			}
			for _, words := range ways {
				if span, how, ok := l.same(words, e); ok {
					o.Kind, o.exact, o.support = entail.KindWorld, true, e
					o.Verdict = schema.Verdict{Label: schema.Supported, Score: scoreExact, Tier: entail.TierRule,
						Evidence: e.ID, Span: span, Why: how}
					return
				}
			}
		}
	}
}

// core is what a sentence asserts behind a hedge, or inside a question whether the player
// knows it, where it makes one claim; else "". Less certain than the evidence is true.
func (l *line) core(said string) string {
	var core string
	for _, c := range grounding.Claims(said, l.Context) {
		switch {
		case c.Kind == schema.ClaimNone:
		case core != "" || c.Frame == grounding.FrameAttribution:
			return ""
		default:
			core = strings.TrimSpace(strings.TrimRight(strings.TrimSpace(c.Core), "?")) + "."
		}
	}
	if text.Fold(core) == text.Fold(said) { // nothing stands around it
		return ""
	}
	return core
}

// same says whether a sentence stands in a block: as the NPC words it, or word for word.
func (l *line) same(said string, e *protocol.Evidence) (span, how string, ok bool) {
	if span, how, ok = voice.Same(said, *e, l.Person, l.Context.Openers); ok {
		return span, how + " wording of the sentence", true
	}
	pair := grounding.PairOf(e, said, l.Context)
	if span, how, ok = entail.Verbatim(pair); ok && strings.Contains(said, "?") == strings.Contains(span, "?") {
		return span, how, true
	}
	return "", "", false
}

// serves says whether a block may ground what a sentence says.
func (l *line) serves(e *protocol.Evidence, report bool) bool {
	if report && l.Policy.Serves(e, schema.ClaimSharedPast) {
		return true
	}
	return l.Policy.Serves(e, schema.ClaimWorld) || l.Policy.Serves(e, schema.ClaimState) ||
		l.Policy.Serves(e, schema.ClaimSelf)
}

// reports says whether a sentence tells of what was said or done between the NPC and
// the player, which alone may rest on the conversation.
func (l *line) reports(s string) bool {
	for _, c := range grounding.Claims(s, l.Context) {
		if c.Kind == schema.ClaimSharedPast || c.Frame == grounding.FrameAttribution {
			return true
		}
	}
	return false
}

func cites(d *protocol.DraftSentence, id string) bool {
	for _, c := range d.Citations {
		if c.EvidenceID == id {
			return true
		}
	}
	return false
}
