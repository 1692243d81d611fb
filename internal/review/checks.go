package review

import (
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// check looks at one sentence that has its verdict. It gives what is wrong with it, or nil.
type check func(l *line, o *Outcome) *schema.Issue

// list is every check, in the order in which they speak. The first issue is told.
var list = []check{unsupported, told, rumour, denied, (*line).commitment}

// checks hold each sentence against the list.
func (l *line) checks() {
	for i := range l.out {
		o := &l.out[i]
		if o.Exempt || len(o.Issues) > 0 {
			continue
		}
		for _, c := range list {
			if issue := c(l, o); issue != nil {
				o.Issues = append(o.Issues, *issue)
				break
			}
		}
		if o.OK() && o.Kind == entail.KindWorld {
			l.cite(o)
		}
	}
}

// unsupported is a claim that no stage supports.
func unsupported(l *line, o *Outcome) *schema.Issue {
	if o.Verdict.Label == schema.Supported {
		return nil
	}
	issue := &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueNotEntailed, Citation: o.Verdict.Evidence, Correction: l.advice(o)}
	switch cites := o.Sentence.Citations; {
	case o.Verdict.Label == schema.Contradicted:
		issue.Type = schema.IssueContradicted
	case len(cites) == 0:
		issue.Type = schema.IssueUncited
	case !slices.ContainsFunc(cites, func(c schema.Citation) bool { return c.EvidenceID != selfID }):
		issue.Type, issue.Citation = schema.IssueSelfMisuse, selfID
	}
	return issue
}

// maxFar is how many words feedback names.
const maxFar = 6

// advice is the feedback for a sentence that is not supported: which of its words were
// not shown, and the words of the evidence to say instead, as the NPC would say them.
func (l *line) advice(o *Outcome) string {
	if o.Verdict.Final || o.support == nil {
		return orElse(o.Verdict.Why, "say only what the evidence says")
	}
	own := l.worded(o.support)
	far := entail.Unaligned(o.support.Text, o.Sentence.Text)
	if len(far) == 0 {
		return fmt.Sprintf("not sure that the evidence says so; say it in its own words: “%s”", own)
	}
	return fmt.Sprintf("the evidence has nothing for “%s”; say it in its own words: “%s”", joined(far[:min(len(far), maxFar)], "”, “"), own)
}

// rumour finds a rumour that is told as a fact.
func rumour(l *line, o *Outcome) *schema.Issue {
	if o.Kind != entail.KindWorld || !grounding.IsRumour(o.support) {
		return nil
	}
	for _, c := range grounding.Claims(o.Sentence.Text, l.Context) {
		if c.Frame == grounding.FrameHearsay || c.Frame == grounding.FrameAttribution {
			return nil
		}
	}
	return &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueNotEntailed, Citation: o.support.ID,
		Correction: "the evidence is a rumour; say it as hearsay"}
}

// told finds a sentence of the conversation that is cited for the world.
func told(l *line, o *Outcome) *schema.Issue {
	if o.Kind != entail.KindWorld || o.support == nil || !said(o.support) || l.reports(o.Sentence.Text) {
		return nil
	}
	return &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueInvalidSource, Citation: o.support.ID,
		Correction: "what was said in the conversation may not ground a claim about the world"}
}

// sameMatter is the share of a sentence's words that another text must hold before it
// can be about the same thing.
const sameMatter = 0.6

// denied finds a block of equal or higher rank in another document, or a sentence that
// the player was told, that says otherwise, by rule. Thoughts are spared: what two
// sources disagree on is for the speech to tell.
func denied(l *line, o *Outcome) *schema.Issue {
	if l.Thoughts || o.Kind != entail.KindWorld || o.support == nil || l.reports(o.Sentence.Text) {
		return nil
	}
	want := text.ContentSet(o.Sentence.Text)
	for _, e := range l.usable {
		if e.Path == o.support.Path || grounding.Rank(e) < grounding.Rank(o.support) || said(e) || text.Fold(e.Text) == text.Fold(o.support.Text) {
			continue
		}
		if why := l.denies(e, e.Text, o, want); why != "" {
			return contradiction(o, e.ID, why)
		}
	}
	for _, s := range l.Released {
		same := slices.ContainsFunc(s.Evidence, func(e schema.EvidenceRef) bool { return e.Path == o.support.Path })
		if s.Authored || same {
			continue
		}
		if why := l.denies(&schema.Evidence{Private: true}, s.Text, o, want); why != "" {
			return contradiction(o, o.Verdict.Evidence, why)
		}
	}
	return nil
}

func (l *line) denies(e *schema.Evidence, premise string, o *Outcome, want map[string]bool) string {
	if entail.ShareOf(text.ContentSet(premise), want) < sameMatter {
		return ""
	}
	pair := grounding.PairOf(e, o.Sentence.Text, l.Context)
	pair.Premise = premise
	return entail.Denies(pair)
}

func contradiction(o *Outcome, id, why string) *schema.Issue {
	o.Verdict.Label, o.Verdict.Why = schema.Contradicted, why
	return &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueContradicted, Citation: id, Correction: why}
}
