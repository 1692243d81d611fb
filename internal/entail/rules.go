package entail

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Rules is tier 0: exact and explained. It supports what stands in the premise
// word for word; it refuses, for good, what differs from the premise in a name,
// a number, a date, a negation, an opposite, a role, a modality or a quantifier;
// of everything else it says that it does not know.
type Rules struct {
	leads   []string
	without map[string]bool
}

// NewRules makes the tier. leads are openers and hedges that say nothing, besides
// those of each pair.
func NewRules(leads ...string) *Rules { return &Rules{leads: leads} }

// Without is the tier with some rules silent, for those who weigh one against the others.
func (r *Rules) Without(names ...string) *Rules {
	out := &Rules{leads: r.leads, without: map[string]bool{}}
	for _, name := range names {
		out.without[name] = true
	}
	return out
}

// Found names the rules that speak against a pair, each once.
func (r *Rules) Found(pair Pair) []string {
	b := batch{texts: map[string]*passage{}}
	p, h := b.read(pair.Premise, maxPremise), b.read(unstressed(pair.Hypothesis), maxHypothesis)
	var out []string
	for _, f := range findings(p, h, pair.Names, b.words(pair.Names.Known), r.without) {
		out = append(out, f.rule)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Verify judges pairs by rule. The pairs of one review share their texts, so each
// is read once.
func (r *Rules) Verify(ctx context.Context, pairs []Pair) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	b := batch{texts: map[string]*passage{}}
	for i, p := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = r.guarded(&b, p)
	}
	return out, nil
}

// guarded refuses a pair on which a rule panics, for good: no model is asked about what no
// rule has looked at, and the other pairs of the call keep their rules.
func (r *Rules) guarded(b *batch, p Pair) (v schema.Verdict) {
	defer func() {
		if cause := recover(); cause != nil {
			v = refused(fmt.Sprintf("a rule failed on it: %v", cause), "")
		}
	}()
	return r.judge(b, p)
}

// batch holds what the pairs of one call share.
type batch struct {
	texts   map[string]*passage
	known   map[string]bool // words of the known names
	knownOf []string
}

func (b *batch) read(s string, bound int) *passage {
	if p := b.texts[s]; p != nil {
		return p
	}
	p := read(s, bound)
	if len(s) <= bound {
		b.texts[s] = p
	}
	return p
}

// words are the words of names, which come with each pair and are mostly the same.
func (b *batch) words(names []string) map[string]bool {
	if len(names) == 0 {
		return nil
	}
	if len(b.knownOf) == len(names) && &b.knownOf[0] == &names[0] {
		return b.known
	}
	b.known, b.knownOf = map[string]bool{}, names
	for _, n := range names {
		for _, w := range text.Words(n) {
			if !text.IsStop(w) {
				b.known[strings.TrimSuffix(w, "'s")] = true
			}
		}
	}
	return b.known
}

// judge is the verdict of one pair.
func (r *Rules) judge(b *batch, pair Pair) schema.Verdict {
	if v, ok := unreadable(pair.Hypothesis); ok {
		return v
	}
	h := b.read(unstressed(pair.Hypothesis), maxHypothesis)
	if len(h.sentences) == 0 {
		return refused("the claim has no words", "")
	}
	for i := range h.sentences {
		if w := mixedScript(&h.sentences[i]); w != "" {
			return refused("“"+w+"” mixes letters of two alphabets", "")
		}
	}
	p := b.read(pair.Premise, maxPremise)
	if span, why, ok := verbatim(p, h, r.named(pair.Names)); ok {
		return schema.Verdict{Label: schema.Supported, Score: scoreVerbatim, Tier: TierRule, Span: span, Why: why}
	}
	v := compare(p, h, pair.Names, b.words(pair.Names.Known), r.without)
	if aside := foreignAside(pair); aside != "" && v.Label != schema.Contradicted {
		return refused("“"+aside+"” is not in the evidence", "")
	}
	return v
}

func (r *Rules) named(n Names) Names {
	if len(r.leads) > 0 {
		n.Leads = append(append([]string(nil), n.Leads...), r.leads...)
	}
	return n
}

// unreadable refuses texts that show something other than they hold.
func unreadable(hypothesis string) (schema.Verdict, bool) {
	switch {
	case len(hypothesis) > maxHypothesis:
		return refused("the claim is longer than a sentence can be", ""), true
	case turnsDirection(hypothesis):
		return refused("the claim holds marks that turn the direction of reading", ""), true
	}
	return schema.Verdict{}, false
}

func unknown(why string) schema.Verdict {
	return schema.Verdict{Label: schema.Unverifiable, Score: scoreUnknown, Tier: TierRule, Why: why}
}

func refused(why, span string) schema.Verdict {
	return schema.Verdict{Label: schema.Unverifiable, Score: scoreRefused, Tier: TierRule, Why: why, Span: span,
		Final: true}
}

func contradicted(why, span string) schema.Verdict {
	return schema.Verdict{Label: schema.Contradicted, Score: scoreContradicted, Tier: TierRule, Why: why, Span: span}
}

// finding is what one rule has against a claim.
type finding struct {
	rule  string
	label schema.Label
	why   string
	span  string
	doubt bool // not exact enough to end a cascade
	// narrow says that the premise speaks of a time or under a condition that the
	// claim does not share.
	narrow bool
	blurs  bool // the claim says less exactly what the premise says exactly
}

// rule looks for a difference between a sentence of the claim and the premise.
type rule func(c *comparison) []finding

// comparison is one sentence of a claim beside the premise.
type comparison struct {
	p     *passage
	h     *sentence
	whole *sentence // of which h is a clause
	a     alignment // with the premise's best sentence
	names Names
	known map[string]bool // words that are names wherever they stand
}

// rules in the order in which they are named when several speak; substituteRule speaks
// where none of them does.
var rules = []rule{numberRule, dateRule, nameRule, negationRule, antonymRule, swapRule, roleRule, crossedRule,
	directionRule, modalityRule, reportRule, quantifierRule, rankedRule, turnedRule}

// late rules look at what a claim leaves out or puts together, and speak where none of rules is sure.
var late = []rule{droppedRule, pairedRule, boundedRule, whoseRule, placedRule, titleRule, hedgedRule, askedRule}

// compare runs the rules. A contradiction outweighs a refusal, a refusal a doubt,
// and the first of each is told. The premise contradicts a claim only where the
// two differ in one matter and are about the same person and time: "two pennies in
// summer" does not deny "three in winter".
func compare(p, h *passage, n Names, known, without map[string]bool) schema.Verdict {
	var firm, doubts []finding
	matters := map[string]bool{}
	for _, f := range findings(p, h, n, known, without) {
		if f.doubt {
			doubts = append(doubts, f)
			continue
		}
		firm = append(firm, f)
		matters[f.rule] = true
		if f.rule == "name" {
			return refused(f.why, f.span)
		}
	}
	for _, f := range firm {
		if f.label == schema.Contradicted && len(matters) == 1 && !f.narrow {
			return contradicted(f.why, f.span)
		}
	}
	switch {
	case len(firm) > 0:
		return refused(firm[0].why, firm[0].span)
	case len(doubts) > 0:
		v := unknown(doubts[0].why)
		v.Score, v.Span = scoreDoubted, doubts[0].span
		return v
	case len(p.sentences) == 0:
		return unknown("the evidence has no words")
	}
	return unknown("not word for word in the evidence, and no rule denies it")
}

// findings compares each clause of the claim with the premise's sentence that
// holds most of it. A rule of without is silent.
func findings(p, h *passage, n Names, known, without map[string]bool) []finding {
	var out []finding
	add := func(fs []finding) {
		for _, f := range fs {
			if !without[f.rule] {
				out = append(out, f)
			}
		}
	}
	for i := range h.sentences {
		for _, clause := range h.sentences[i].clauses() {
			c := &comparison{p: p, h: &clause, whole: &h.sentences[i], names: n, known: known}
			c.a, _ = p.best(c.h)
			if c.a.p == nil { // the evidence has questions alone
				add(askedRule(c))
				continue
			}
			before := len(out)
			for _, rule := range rules {
				add(rule(c))
			}
			for _, rule := range late {
				if !firm(out[before:]) {
					add(rule(c))
				}
			}
			if len(out) == before {
				add(substituteRule(c))
			}
		}
	}
	return out
}

// firm says whether a finding is more than a doubt.
func firm(fs []finding) bool {
	return slices.ContainsFunc(fs, func(f finding) bool { return !f.doubt })
}

func (c *comparison) contradicts(rule, why string) []finding {
	return []finding{{rule: rule, label: schema.Contradicted, why: why, span: c.a.p.text, narrow: c.conditional() ||
		c.narrower(rule)}}
}

// conditional says whether the premise's sentence holds under a condition only.
func (c *comparison) conditional() bool {
	for i := range c.a.p.words {
		switch c.a.p.words[i].low {
		case "if", "unless", "when", "whenever", "while", "during", "until", "except":
			return true
		}
	}
	return false
}

// narrower says whether the premise's sentence is bound to a time of which the
// claim says nothing.
func (c *comparison) narrower(rule string) bool {
	if rule == "date" {
		return false
	}
	have, _ := c.a.p.dates()
	want, _ := c.h.dates()
	for part := range have {
		if len(want[part]) == 0 {
			return true
		}
	}
	return false
}

func (c *comparison) doubts(rule, why string) []finding {
	return []finding{{rule: rule, label: schema.Unverifiable, why: why, span: c.a.p.text, doubt: true}}
}

func (c *comparison) refuses(rule, why string) []finding {
	return []finding{{rule: rule, label: schema.Unverifiable, why: why, span: c.a.p.text}}
}
