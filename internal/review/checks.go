package review

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// check looks at one sentence that has its verdict. It gives what is wrong with it, or nil.
type check func(l *line, o *Outcome) *schema.Issue

// list is every check, in the order in which they speak. The first issue is told.
var list = []check{unsupported, pastElsewhere, misattributed, rumour, anotherMeant, denied, (*line).commitment}

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
	if o.Verdict.Label == schema.Supported && (o.Kind != entail.KindWorld || o.support != nil) {
		return nil
	}
	issue := &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueNotEntailed, Citation: o.Verdict.Evidence,
		Correction: l.advice(o)}
	switch cites := o.Sentence.Citations; {
	case o.Verdict.Label == schema.Contradicted:
		issue.Type = schema.IssueContradicted
	case len(cites) == 0:
		issue.Type = schema.IssueUncited
	case !slices.ContainsFunc(cites, func(c protocol.Citation) bool { return c.EvidenceID != selfID }):
		issue.Type, issue.Citation = schema.IssueSelfMisuse, selfID
	}
	return issue
}

// maxFar is how many words feedback names.
const maxFar = 6

// advice is the feedback for a sentence that is not supported: which of its words were
// not shown, and the words of the evidence to say instead, as the NPC would say them.
func (l *line) advice(o *Outcome) string {
	if o.Verdict.Final || o.support == nil || len(o.parts) > 0 {
		return cmp.Or(o.Verdict.Why, "say only what the evidence says")
	}
	own := l.worded(o.support)
	far := entail.Unaligned(o.support.Text, o.Sentence.Text)
	if len(far) == 0 {
		return fmt.Sprintf("not sure that the evidence says so; say it in its own words: “%s”", own)
	}
	return fmt.Sprintf("the evidence has nothing for “%s”; say it in its own words: “%s”",
		strings.Join(far[:min(len(far), maxFar)], "”, “"), own)
}

// rumour finds a rumour that is told as a fact. Every claim of the sentence must be told
// as hearsay, also where another block is cited and the rumour holds more of its words.
func rumour(l *line, o *Outcome) *schema.Issue {
	if o.Kind != entail.KindWorld || o.support == nil {
		return nil
	}
	source := o.support
	want := text.ContentSet(o.Sentence.Text)
	most := entail.ShareOf(text.ContentSet(source.Text), want)
	for _, e := range l.usable {
		share := entail.ShareOf(text.ContentSet(e.Text), want)
		if !o.exact && grounding.IsRumour(e) && share > most {
			source, most = e, share
		}
	}
	if !grounding.IsRumour(source) {
		return nil
	}
	claims := 0
	for _, c := range l.claims(o) {
		if c.Frame != grounding.FrameHearsay && c.Frame != grounding.FrameAttribution {
			claims = -1
			break
		}
		claims++
	}
	if claims > 0 {
		return nil
	}
	return &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueNotEntailed, Citation: source.ID,
		Correction: "the evidence is a rumour; say it as hearsay"}
}

// claims are what a sentence asserts, as its words say.
func (l *line) claims(o *Outcome) []grounding.Claim {
	c := l.Context
	c.Previous = l.previous(o)
	none := func(x grounding.Claim) bool { return x.Kind == schema.ClaimNone }
	return slices.DeleteFunc(grounding.Claims(o.Sentence.Text, c), none)
}

// previous are the sentences that the player hears before this one.
func (l *line) previous(o *Outcome) []string {
	var out []string
	for _, s := range l.Released {
		out = append(out, s.Text)
	}
	for i := range l.out {
		if &l.out[i] == o {
			break
		}
		if l.out[i].OK() && !l.out[i].Released {
			out = append(out, l.out[i].Sentence.Text)
		}
	}
	return out
}

// pastElsewhere finds a report of what was said or done between the NPC and the player
// that rests on something else than their conversation.
func pastElsewhere(l *line, o *Outcome) *schema.Issue {
	if o.Kind != entail.KindWorld || o.support == nil || l.Policy.Serves(o.support, schema.ClaimSharedPast) {
		return nil
	}
	for _, c := range l.claims(o) {
		if c.Kind == schema.ClaimSharedPast && c.Frame != grounding.FrameAttribution {
			return &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueInvalidSource, Citation: o.support.ID,
				Correction: "only the conversation may ground what you and the player have said or done"}
		}
	}
	return nil
}

// misattributed finds quoted words that are given to another than who wrote them.
func misattributed(l *line, o *Outcome) *schema.Issue {
	if o.Kind != entail.KindWorld || o.exact || o.support == nil || said(o.support) {
		return nil
	}
	for _, c := range l.claims(o) {
		quotes := strings.ContainsAny(c.Raw, "\"“«")
		if c.Frame == grounding.FrameAttribution && quotes && !grounding.GivenTo(c, o.support, &l.Context) {
			return &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueNotEntailed, Citation: o.support.ID,
				Correction: "attribution: the evidence is not by " + c.By}
		}
	}
	return nil
}

// anotherMeant finds a pronoun of a quoted sentence that means somebody else here than it
// does in its block. Where the sentence before it in the speech stands before it in the
// block too, it means the same.
func anotherMeant(l *line, o *Outcome) *schema.Issue {
	if !o.exact || o.support == nil {
		return nil
	}
	before := l.previous(o)
	if n := len(before); n > 0 {
		stands, _, _ := strings.Cut(o.support.Text, o.Verdict.Span)
		if last := text.Fold(before[n-1]); last != "" && strings.HasSuffix(text.Fold(stands), last) {
			return nil
		}
	}
	for _, c := range l.claims(o) {
		if c.Start > 0 { // further on in a sentence that is taken whole it means what it meant
			continue
		}
		if why := grounding.MeansAnother(c, o.support.Text, o.Verdict.Span, l.Context); why != "" {
			return &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueNotEntailed, Citation: o.support.ID, Correction: why}
		}
	}
	return nil
}

// sameMatter is the share of a sentence's words that another text must hold before it
// can be about the same thing.
const sameMatter = 0.6

// stateMatter is that share for what the game says, which comes in few words.
const stateMatter = 0.5

// denied finds a block of equal or higher rank in another document, or a sentence that
// the player hears before, that says otherwise, by rule. Thoughts are spared: what two
// sources disagree on is for the speech to tell.
func denied(l *line, o *Outcome) *schema.Issue {
	if l.Thoughts || o.Kind != entail.KindWorld || o.support == nil || said(o.support) {
		return nil
	}
	for _, c := range l.claims(o) {
		if c.Kind == schema.ClaimSharedPast || c.Frame == grounding.FrameAttribution {
			continue
		}
		want := text.ContentSet(c.Core)
		for _, e := range l.usable {
			weaker := grounding.Rank(e) < grounding.Rank(o.support)
			if e.Path == o.support.Path || weaker || said(e) || text.Fold(e.Text) == text.Fold(o.support.Text) {
				continue
			}
			if why := l.denies(e, e.Text, c.Core, want); why != "" {
				return contradiction(o, e.ID, why)
			}
		}
		for _, earlier := range l.heard(o) {
			if why := l.denies(&protocol.Evidence{Private: true}, earlier, c.Core, want); why != "" {
				return contradiction(o, o.Verdict.Evidence, why)
			}
		}
	}
	return nil
}

// heard are the claims that the player hears before a sentence and that rest on another
// document: a document that says both does not deny itself.
func (l *line) heard(o *Outcome) []string {
	var out []string
	for _, s := range l.Released {
		same := slices.ContainsFunc(s.Evidence, func(e schema.EvidenceRef) bool { return e.Path == o.support.Path })
		if !s.Authored && !same {
			out = append(out, s.Text)
		}
	}
	for i := range l.out {
		b := &l.out[i]
		if b == o {
			break
		}
		if b.OK() && !b.Exempt && b.Kind == entail.KindWorld && b.support != nil && b.support.Path != o.support.Path {
			for _, c := range l.claims(b) {
				out = append(out, c.Core)
			}
		}
	}
	return out
}

func (l *line) denies(e *protocol.Evidence, premise, core string, want map[string]bool) string {
	least := sameMatter
	if e.Provenance.Source == schema.OriginSystem {
		least = stateMatter
	}
	if entail.ShareOf(text.ContentSet(premise), want) < least {
		return ""
	}
	pair := grounding.PairOf(e, core, l.Context)
	pair.Premise = premise
	return entail.Denies(pair)
}

func contradiction(o *Outcome, id, why string) *schema.Issue {
	o.Verdict.Label, o.Verdict.Why = schema.Contradicted, why
	return &schema.Issue{Claim: o.Sentence.Text, Type: schema.IssueContradicted, Citation: id, Correction: why}
}

var commitment = regexp.MustCompile(`(?i)(?:\b(?:(?:i(?:'ll| will| shall|'m going to| am going to)` +
	`|let me) (?:(?:gladly|happily|now|just) )?(?:give|send|lend|hand|pay|sell|grant|bring|fetch|deliver|teach|unlock` +
	`|mark|reward|take|lead|escort|show|open|make|forge) (?:you|it|the|this|your|them)\b|it(?:'s| is| are` +
	`|'re) (?:all )?yours\b|i (?:hereby )?(?:give|grant|promise|swear|vow|lend|hand|owe) you\b|consider it done\b` +
	`|you have my word\b)|(?:^|[.!?;:,-]\s*)(?:(?:well|right|then|there|very well|so|and|now),? )*(?:here(?:'s| is` +
	`| are) (?:your|the|a|an|my|some)\b|here you (?:go|are)\b|(?:here,? )?(?:take|have|keep|accept) (?:this|these|my` +
	`|it|them)\b))`)

// commitment finds a sentence that promises a deed without the checked action that
// does it. Words of the evidence itself promise nothing by themselves, unless a
// declared phrase of an action is among them.
func (l *line) commitment(o *Outcome) *schema.Issue {
	said := o.Sentence.Text
	if l.Thoughts {
		return nil
	}
	need, promised := l.promisedBy(said)
	if !promised || need == "" && o.exact || l.done(need, said) {
		return nil
	}
	return &schema.Issue{Claim: said, Type: schema.IssueNotEntailed,
		Correction: "it promises a deed that no checked action does"}
}

// done says whether a checked action does what a sentence promises.
func (l *line) done(need, said string) bool {
	return slices.ContainsFunc(l.Actions, func(a schema.Action) bool {
		if !a.Checked || need != "" && a.Name != need {
			return false
		}
		return need != "" || a.Promised && text.Fold(a.Phrase) == text.Fold(said)
	})
}

// deed says whether a sentence is nothing but the promise of a checked action: the
// action itself makes it true.
func (l *line) deed(said string) bool {
	for _, a := range l.Actions {
		if a.Checked && a.Promised && a.Phrase != "" && text.Fold(a.Phrase) == text.Fold(said) {
			return true
		}
	}
	need, promised := l.promisedBy(said)
	return promised && need != "" && l.done(need, said) && l.sayNoMore(said, need)
}

// sayNoMore says whether a claim holds hardly more than a declared phrase of the
// action.
func (l *line) sayNoMore(core, action string) bool {
	for _, spec := range l.Specs {
		for _, phrase := range spec.SpeechActs {
			if spec.Name != action || !strings.Contains(text.Fold(core), text.Fold(phrase)) {
				continue
			}
			rest := text.ContentSet(core)
			for w := range text.ContentSet(phrase) {
				delete(rest, w)
			}
			if len(rest) == 0 {
				return true
			}
		}
	}
	return false
}

// promisedBy says whether a sentence promises a deed, and which action where a
// declared phrase says so.
func (l *line) promisedBy(s string) (action string, promised bool) {
	folded := " " + text.Fold(s) + " "
	for _, spec := range l.Specs {
		for _, phrase := range spec.SpeechActs {
			if f := text.Fold(phrase); f != "" && strings.Contains(folded, f) {
				return spec.Name, true
			}
		}
	}
	return "", commitment.MatchString(text.Plain(s))
}
