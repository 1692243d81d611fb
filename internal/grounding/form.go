package grounding

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// SpeechWords is how long a speech of a class may be, in words.
func SpeechWords(c schema.Class) int {
	switch c {
	case schema.ClassGreeting:
		return 15
	case schema.ClassMedium:
		return 40
	}
	return 90
}

// ThoughtWords is how long the thoughts of a class may be, in words.
func ThoughtWords(c schema.Class) int {
	switch c {
	case schema.ClassGreeting:
		return 20
	case schema.ClassMedium:
		return 50
	}
	return 150
}

var (
	starred     = regexp.MustCompile(`(\*[^*]{1,200}\*)|(?:^|[^\p{L}\p{N}_])(_[^_]{1,200}_)`)
	bracketed   = regexp.MustCompile(`(\[[\s\p{P}]*\p{L}[^\]]{2,200}\]|[({][^(){}]{0,200}\p{L}[^(){}]{0,200}[)}\]])|([(\[{][^)\]}]{0,200}\p{L}[^)\]}]{0,200}$)`)
	markupMark  = regexp.MustCompile("(?i)</?[a-z][a-z0-9]*(?:\\s[^>]*)?>|<!--|-->|^\\s*/(?:me|emote|e)\\b|\\(\\(|~[a-z ]{3,40}~|\\*\\*|__|```|^#{1,6}\\s|^\\s*[-*]\\s|\\[[^\\]]+\\]\\([^)]+\\)|&[a-z]+;|\\{\\{|\\}\\}|https?://")
	speakerMark = regexp.MustCompile(`^\s*[A-Z][\w'’ -]{0,30}:\s*["“]`)
)

// formIssues are what is wrong with how a sentence is said: length, stage
// directions, markup, citation marks and prompt text in it.
func (r *review) formIssues(d schema.DraftSentence, before, i int) []schema.Issue {
	why := ""
	limit, allowed := SpeechWords(r.in.Class), r.citedText(d)
	if r.in.Thoughts {
		limit = ThoughtWords(r.in.Class)
	}
	plain, cited := text.Plain(d.Text), text.Plain(allowed)
	switch n := before + r.spokenWords(d.Text); {
	case strings.TrimSpace(d.Text) == "":
		why = "an empty sentence"
	case strings.ContainsFunc(d.Text, func(c rune) bool { return unicode.In(c, unicode.Cf, unicode.Co) || c < ' ' && c != '\n' && c != '\t' }):
		why = "characters that show nothing; say plain words"
	case n > limit && (i > 0 || len(text.Sentences(d.Text)) > 1):
		why = fmt.Sprintf("%d words; a message of this kind is answered in %d", n, limit)
	case strings.ContainsAny(plain, "*_") && outside(starred, plain, cited),
		strings.ContainsAny(plain, "[({") && outside(bracketed, strings.ToLower(plain), strings.ToLower(cited)):
		why = "a stage direction; say only what is spoken"
	case strings.ContainsAny(d.Text, "<*_`#[&{/-(~") && outside(markupMark, d.Text, allowed):
		why = "markup; say plain words"
	case holdsAny(strings.ToLower(d.Text), "[", "citation", "evidence_id") && citationMark.MatchString(d.Text):
		why = "a citation mark inside the words; cite beside them"
	case holdsPrompt(text.Plain(d.Text), r.promptLines()) || assistantMark.MatchString(d.Text):
		why = "words of the instructions; stay in character"
	case !r.in.Thoughts && speakerMark.MatchString(d.Text) && strings.EqualFold(nameBefore(d.Text), r.in.Context.NPCName):
		why = "the speaker's own name before the words"
	}
	if why == "" {
		return nil
	}
	return []schema.Issue{{Claim: d.Text, Type: schema.IssueForm, Correction: why}}
}

// spokenWords are the words of a sentence that count towards its length: an opener
// of the NPC's own is manner, not matter.
func (r *review) spokenWords(s string) int {
	cl := clause{s: s, end: len(s), c: &r.in.Context}
	cl.refresh()
	return len(cl.words) - cl.phraseAt(0, r.in.Context.Openers)
}

// outside says whether a pattern matches in a text something that the evidence it
// quotes does not hold: what its groups hold, where it has any.
func outside(re *regexp.Regexp, s, allowed string) bool {
	return slices.ContainsFunc(re.FindAllStringSubmatch(s, -1), func(m []string) bool {
		held := m[0]
		if len(m) > 1 {
			held = strings.Join(m[1:], "") // one of them matched
		}
		return !strings.Contains(allowed, held)
	})
}

func (r *review) citedText(d schema.DraftSentence) string {
	var b strings.Builder
	for _, c := range d.Citations {
		if e := r.byID[c.EvidenceID]; e != nil {
			b.WriteString(e.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func (r *review) promptLines() []string {
	if r.in.Check == nil {
		return nil
	}
	return r.in.Check.PromptLines
}

func nameBefore(s string) string {
	name, _, _ := strings.Cut(s, ":")
	return strings.TrimSpace(name)
}

var commitment = regexp.MustCompile(`(?i)(?:\b(?:(?:i(?:'ll| will| shall|'m going to| am going to)|let me) (?:(?:gladly|happily|now|just) )?(?:give|send|lend|hand|pay|sell|grant|bring|fetch|deliver|teach|unlock|mark|reward|take|lead|escort|show|open|make|forge) (?:you|it|the|this|your|them)\b|it(?:'s| is| are|'re) (?:all )?yours\b|i (?:hereby )?(?:give|grant|promise|swear|vow|lend|hand|owe) you\b|consider it done\b|you have my word\b)|(?:^|[.!?;:,-]\s*)(?:(?:well|right|then|there|very well|so|and|now),? )*(?:here(?:'s| is| are) (?:your|the|a|an|my|some)\b|here you (?:go|are)\b|(?:here,? )?(?:take|have|keep|accept) (?:this|these|my|it|them)\b))`)

// commitment finds a sentence that promises a deed without the checked action
// that does it. Words of the evidence itself promise nothing by themselves, unless
// a declared phrase of an action is among them.
func (r *review) commitment(i int) *schema.Issue {
	d := r.in.Sentences[i]
	if r.in.Thoughts || r.authored(d) || r.out[i].Released {
		return nil
	}
	need, promised := r.promisedBy(d.Text)
	if !promised || need == "" && r.wordForWord(i) {
		return nil
	}
	if r.done(need, d.Text) {
		return nil
	}
	return &schema.Issue{Claim: d.Text, Type: schema.IssueNotEntailed, Correction: "it promises a deed that no checked action does"}
}

// done says whether a checked action does what a sentence promises.
func (r *review) done(need, said string) bool {
	return slices.ContainsFunc(r.in.Actions, func(a schema.Action) bool {
		if !a.Checked || need != "" && a.Name != need {
			return false
		}
		return need != "" || a.Promised && text.Fold(a.Phrase) == text.Fold(said)
	})
}

// deed says whether a claim is nothing but the promise of a checked action: the
// action itself makes it true.
func (r *review) deed(claim *Claim, sentence string) bool {
	for _, a := range r.in.Actions {
		if a.Checked && a.Promised && a.Phrase != "" && text.Fold(a.Phrase) == text.Fold(sentence) {
			return true
		}
	}
	need, promised := r.promisedBy(claim.Core)
	return promised && need != "" && r.done(need, claim.Core) && r.sayNoMore(claim.Core, need)
}

// sayNoMore says whether a claim holds hardly more than a declared phrase of the
// action.
func (r *review) sayNoMore(core, action string) bool {
	for _, spec := range r.in.Specs {
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

// wordForWord says whether all claims of a sentence stand in the evidence verbatim.
func (r *review) wordForWord(i int) bool {
	return r.supported(i) && !slices.ContainsFunc(r.claims, func(j *judged) bool { return j.sentence == i && j.verdict.Tier != entail.TierRule })
}

// promisedBy says whether a sentence promises a deed, and which action where a
// declared phrase says so.
func (r *review) promisedBy(s string) (action string, promised bool) {
	folded := " " + text.Fold(s) + " "
	for _, spec := range r.in.Specs {
		for _, phrase := range spec.SpeechActs {
			if f := text.Fold(phrase); f != "" && strings.Contains(folded, f) {
				return spec.Name, true
			}
		}
	}
	return "", commitment.MatchString(text.Plain(s))
}
