package review

import (
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
