package entail

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Rules is tier 0. It supports what stands in the premise word for word. It contradicts what
// differs from one sentence of the premise in one matter alone, and refuses a name that the
// premise lacks. Every other difference is a sign: it lowers the score and decides nothing.
type Rules struct{ leads []string }

// NewRules makes the tier. leads are openers and hedges that say nothing, besides
// those of each pair.
func NewRules(leads ...string) *Rules { return &Rules{leads: leads} }

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
	v := weigh(findings(p, h, pair.Names, b.words(pair.Names.Known)))
	if aside := foreignAside(pair); aside != "" && v.Label != schema.Contradicted {
		return refused("“"+aside+"” is not in the evidence", "")
	}
	return v
}

// verbatimOnly is the part of the rules that supports.
func (r *Rules) verbatimOnly(pair Pair) (schema.Verdict, bool) {
	v := r.guarded(&batch{texts: map[string]*passage{}}, pair)
	return v, v.Label == schema.Supported
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

func refused(why, span string) schema.Verdict {
	return schema.Verdict{Label: schema.Unverifiable, Score: scoreRefused, Tier: TierRule, Why: why, Span: span, Final: true}
}

// finding is a difference between a claim and its evidence.
type finding struct {
	sign  string // what it is about, as signs names it
	why   string
	span  string
	exact bool // the claim and the evidence's sentence differ in nothing else
	veto  bool // it refuses by itself
}

// signs are what each kind of difference takes off the log odds of support, as fitted on
// pairs with labels (make ablation).
var signs = map[string]float64{
	"number": 0.9, "date": 0.4, "negation": 0.8, "opposite": 0.5, "direction": 1.7, "swap": 2.4, "replaced": 1.2,
}

// weigh makes one verdict of what was found. The evidence contradicts a claim only where the
// two differ in one matter.
func weigh(found []finding) schema.Verdict {
	v := schema.Verdict{Label: schema.Unverifiable, Score: scoreUnknown, Tier: TierRule, Why: "not word for word in the evidence, and no rule denies it"}
	if len(found) == 0 {
		return v
	}
	if i := slices.IndexFunc(found, func(f finding) bool { return f.veto }); i >= 0 {
		return refused(found[i].why, found[i].span)
	}
	off, matters := 0.0, map[string]bool{}
	for _, f := range found {
		if !matters[f.sign] {
			off += signs[f.sign]
		}
		matters[f.sign] = true
	}
	v.Why, v.Span, v.Score = found[0].why, found[0].span, sigmoid(logit(scoreUnknown)-off)
	if len(matters) == 1 && found[0].exact {
		v.Label, v.Score = schema.Contradicted, scoreContradicted
	}
	return v
}

func logit(p float64) float64 { return math.Log(p / (1 - p)) }

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// rule looks for a difference between a clause of the claim and the premise.
type rule func(c *comparison) []finding

// rules in the order in which they are named when several speak; rest speak where none of
// them does.
var (
	rules = []rule{nameRule, numberRule, dateRule, negationRule, swapRule}
	rest  = []rule{oppositeRule, directionRule, replacedRule}
)

// comparison is one clause of a claim beside the premise.
type comparison struct {
	p     *passage
	h     *sentence
	a     alignment // with the premise's best sentence
	names Names
	known map[string]bool // words that are names wherever they stand
}

// findings compares each clause of the claim with the premise's sentence that
// holds most of it.
func findings(p, h *passage, n Names, known map[string]bool) []finding {
	var out []finding
	for i := range h.sentences {
		for _, clause := range h.sentences[i].clauses() {
			c := &comparison{p: p, h: &clause, names: n, known: known}
			if c.a = p.best(c.h); c.a.p == nil { // the evidence has questions alone
				continue
			}
			before := len(out)
			for _, rule := range rules {
				out = append(out, rule(c)...)
			}
			for _, rule := range rest {
				if len(out) == before {
					out = append(out, rule(c)...)
				}
			}
		}
	}
	return out
}

// differs is a finding of a rule, exact unless the evidence's sentence holds under a
// condition or at a time that the claim does not name: "two pennies in summer" does not
// deny "three in winter".
func (c *comparison) differs(sign string, exact bool, why string) []finding {
	return []finding{{sign: sign, why: why, span: c.a.p.text, exact: exact && !c.narrower(sign)}}
}

func (c *comparison) narrower(sign string) bool {
	if c.a.p.has(conditions) && !c.h.has(conditions) {
		return true
	}
	have, _ := c.a.p.dates()
	want, _ := c.h.dates()
	for part := range have {
		if len(want[part]) == 0 && sign != "date" {
			return true
		}
	}
	return false
}

// conditions are words under which a sentence says less than it says alone.
var conditions = wordSet(`if unless when whenever while during until except wish wishes hope hopes said says think thinks thought believe believes might may
	could would should must can joke`)

// onlyDiffersAt says whether all that the claim says besides some of its words
// stands in the premise's sentence, and that is at least so many content words:
// only then are both about the same thing.
func (c *comparison) onlyDiffersAt(least int, apart func(i int) bool) bool {
	rest := 0
	for i := range c.h.words {
		if apart(i) || text.IsStop(c.h.at(i)) {
			continue
		}
		rest++
		if c.a.to[i] < 0 {
			return false
		}
	}
	return rest >= least
}

// denies says whether a sentence holds a negation.
func (s *sentence) denies() bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return negations[w.low] || hasNot(w.low) })
}

func (s *sentence) has(set map[string]bool) bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return set[w.low] })
}

func (s *sentence) hasWord(stem string) bool {
	return slices.ContainsFunc(s.words, func(w word) bool { return w.stem == stem })
}

func (p *passage) holds(stem string) bool {
	return slices.ContainsFunc(p.sentences, func(s sentence) bool { return s.hasWord(stem) })
}
