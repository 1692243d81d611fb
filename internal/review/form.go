package review

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var (
	starred   = regexp.MustCompile(`(\*[^*]{1,200}\*)|(?:^|[^\p{L}\p{N}_])(_[^_]{1,200}_)`)
	bracketed = regexp.MustCompile(`(\[[\s\p{P}]*\p{L}[^\]]{2,200}\]|[({][^(){}]{0,200}\p{L}[^(){}]{0,200}[)}\]])` +
		`|([(\[{][^)\]}]{0,200}\p{L}[^)\]}]{0,200}$)`)
	markupMark = regexp.MustCompile(
		"(?i)</?[a-z][a-z0-9]*(?:\\s[^>]*)?>|<!--|-->|^\\s*/(?:me|emote|e)\\b|\\(\\(|~[a-z " +
			"]{3,40}~|\\*\\*|__|```|^#{1,6}\\s|^\\s*[-*]\\s|\\[[^\\]]+\\]\\([^)]+\\)|&[a-z]+;|\\{\\{|\\}\\}|https?://")
	foreignDigits = regexp.MustCompile(`\d[\p{Greek}\p{Cyrillic}]|[\p{Greek}\p{Cyrillic}]\d`)
	speakerMark   = regexp.MustCompile(`^\s*[A-Z][\w'’ -]{0,30}:\s*["“]`)
)

// form finds what is wrong with how a sentence is said and with the ids that it
// cites. It asks nobody.
func (l *line) form() {
	words := 0
	for i := range l.out {
		o := &l.out[i]
		d := l.Sentences[i]
		n := l.spokenWords(d.Text)
		switch {
		case o.Exempt:
		case len(d.Text) > maxSentence:
			o.Issues = []schema.Issue{formIssue(d, "longer than a sentence can be")}
		default:
			if why := l.formFault(d, words, i); why != "" {
				o.Issues = append(o.Issues, formIssue(d, why))
			}
			o.Issues = append(o.Issues, l.idIssues(d)...)
		}
		words += n
	}
}

// maxSentence bounds a sentence of a draft: what is longer is not read at all.
const maxSentence = 4 << 10

func formIssue(d protocol.DraftSentence, why string) schema.Issue {
	return schema.Issue{Claim: d.Text, Type: schema.IssueForm, Correction: why}
}

// formFault is what is wrong with how a sentence is said: length, stage directions,
// markup, citation marks and prompt text in it; "" where nothing is.
func (l *line) formFault(d protocol.DraftSentence, before, i int) string {
	limit, allowed := grounding.SpeechWords(l.Class), l.citedText(d)
	if l.Thoughts {
		limit = grounding.ThoughtWords(l.Class)
	}
	plain, cited := text.Plain(d.Text), text.Plain(allowed)
	switch n := before + l.spokenWords(d.Text); {
	case strings.TrimSpace(d.Text) == "":
		return "an empty sentence"
	case strings.ContainsFunc(d.Text, hidden):
		return "characters that show nothing; say plain words"
	case n > limit && (i > 0 || len(text.Sentences(d.Text)) > 1):
		return fmt.Sprintf("%d words; a message of this kind is answered in %d", n, limit)
	case strings.ContainsAny(plain, "*_") && outside(starred, plain, cited),
		strings.ContainsAny(plain, "[({") && outside(bracketed, strings.ToLower(plain), strings.ToLower(cited)):
		return "a stage direction; say only what is spoken"
	case strings.ContainsAny(d.Text, "<*_`#[&{/-(~") && outside(markupMark, d.Text, allowed):
		return "markup; say plain words"
	case grounding.HoldsCitationMark(d.Text):
		return "a citation mark inside the words; cite beside them"
	case grounding.HoldsInstructions(d.Text, l.promptLines()):
		return "words of the instructions; stay in character"
	case !l.Thoughts && speakerMark.MatchString(d.Text) && strings.EqualFold(nameBefore(d.Text), l.Context.NPCName):
		return "the speaker's own name before the words"
	case foreignDigits.MatchString(d.Text):
		return "a number with a letter of another alphabet in it"
	case entail.MixedScript(d.Text) != "":
		return fmt.Sprintf("“%s” mixes letters of two alphabets", entail.MixedScript(d.Text))
	}
	return ""
}

func hidden(c rune) bool {
	return unicode.In(c, unicode.Cf, unicode.Co) || c < ' ' && c != '\n' && c != '\t'
}

// spokenWords are the words of a sentence that count towards its length: an opener
// of the NPC's own is manner, not matter.
func (l *line) spokenWords(s string) int {
	return len(text.WordSpans(voice.WithoutLead(s, l.Context.Openers)))
}

const selfID = "self"

// idIssues are the citations that name no evidence, or evidence that may not be
// cited at all.
func (l *line) idIssues(d protocol.DraftSentence) []schema.Issue {
	var out []schema.Issue
	for _, cite := range d.Citations {
		if cite.EvidenceID == selfID {
			continue
		}
		if why := l.wrongID(cite.EvidenceID); why != "" {
			out = append(out, schema.Issue{Claim: d.Text, Type: schema.IssueInvalidSource,
				Citation: cite.EvidenceID, Correction: why})
		}
	}
	return out
}

func (l *line) wrongID(id string) string {
	e := l.byID[id]
	switch {
	case e == nil && l.Thoughts && isBlockID(id):
		return "thoughts cite sources by number, not evidence blocks"
	case e == nil && !l.Thoughts && allDigits(id):
		return "speech cites evidence blocks such as [E1], not sources"
	case e == nil:
		return "no evidence has this id"
	case l.Check != nil:
		if reason, ok := grounding.EligibleEvidence(*e, *l.Check); !ok {
			return "provenance: " + reason
		}
	}
	return ""
}

func isBlockID(id string) bool { return len(id) > 1 && id[0] == 'E' && allDigits(id[1:]) }

func allDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

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

func (l *line) citedText(d protocol.DraftSentence) string {
	var b strings.Builder
	for _, c := range d.Citations {
		if e := l.byID[c.EvidenceID]; e != nil {
			b.WriteString(e.Text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func (l *line) promptLines() []string {
	if l.Check == nil {
		return nil
	}
	return l.Check.PromptLines
}

func nameBefore(s string) string {
	name, _, _ := strings.Cut(s, ":")
	return strings.TrimSpace(name)
}

// kind says what a sentence needs before it may be said. It needs no proof only where a
// trained head and its words agree that it claims nothing: a lie about a neighbour is
// often told as a feeling, or asked, and a model is led astray by the wrapping. A judge may
// find later that it is none. Who names somebody that nothing shown names makes a claim.
func (l *line) kind(o *Outcome, claim float64, stranger bool) entail.Kind {
	r, words := o.reading, l.kindByWords(o.Sentence.Text)
	switch {
	case stranger || words == entail.KindWorld:
		return entail.KindWorld
	case r.World+r.Self+r.Social == 0: // without a head, what words make a feeling may presume anything
		if words == entail.KindSocial {
			return entail.KindSocial
		}
		return entail.KindWorld
	case r.World >= claim:
		return entail.KindWorld
	case r.Self >= r.Social:
		return entail.KindSelf
	}
	return entail.KindSocial
}

// kindByWords is the kind where no model says: by the claims that its words make.
func (l *line) kindByWords(said string) entail.Kind {
	kind := entail.KindSocial
	for _, c := range grounding.Claims(said, l.Context) {
		switch c.Kind {
		case schema.ClaimNone:
		case schema.ClaimSelf:
			kind = entail.KindSelf
		default:
			return entail.KindWorld
		}
	}
	return kind
}
