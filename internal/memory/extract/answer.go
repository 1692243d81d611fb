package extract

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Answer is what a model gives that was asked for the memories in a turn's words.
type Answer struct {
	Memories []Proposal `json:"memories"`
}

// Proposal is one memory of a model's answer.
type Proposal struct {
	Kind       schema.MemoryKind `json:"kind" jsonschema:"enum=fact,enum=preference,enum=relation,enum=event,enum=promise"`
	Subject    string            `json:"subject"`
	Predicate  string            `json:"predicate"`
	Object     string            `json:"object"`
	Content    string            `json:"content"` // one statement in the third person
	Confidence float64           `json:"confidence"`
	Spans      []string          `json:"evidence_spans"` // verbatim
}

// MaxProposals bounds what is taken of one answer.
const MaxProposals = 12

// Refused is a proposal that is no candidate, and why.
type Refused struct {
	Proposal Proposal
	Verdict  schema.GroundingVerdict
}

// FromAnswer checks a model's answer against the words it was given. A proposal of
// which a span is not verbatim, or lies in a question, a command, a joke or words
// that address the machine, is NOT_SUPPORTED. A candidate is still to be grounded.
func FromAnswer(a Answer, r *schema.Reply, c Context) (out []Candidate, refused []Refused) {
	c = c.withDefaults()
	f := frame{context: c, world: r.World, npc: r.NPC, player: r.Player, turn: r.TurnID, at: r.AcceptedAt,
		scene: r.SceneID()}
	if r.GameTime != nil && !r.GameTime.IsZero() {
		f.at = *r.GameTime
	}
	words, own := Words(r, c), f.fromNPC(r)
	for i, p := range a.Memories {
		why := "more memories than a turn can hold"
		if i < MaxProposals {
			var made Candidate
			if made, why = f.proposed(p, words, own); why == "" {
				out = append(out, made)
				continue
			}
		}
		refused = append(refused, Refused{Proposal: p,
			Verdict: schema.GroundingVerdict{Label: schema.GroundingNotSupported, Why: why, Tier: "rule"}})
	}
	return distinct(out), refused
}

// proposed makes a candidate of a proposal, or says why it is none. own are the
// candidates of what the NPC said.
func (f *frame) proposed(p Proposal, words []Utterance, own []Candidate) (Candidate, string) {
	switch {
	case strings.TrimSpace(p.Content) == "" || p.Subject == "" || p.Predicate == "" || strings.TrimSpace(p.Object) == "":
		return Candidate{}, "content, subject, predicate and object must be given"
	case len(p.Content) > memory.MaxContent/2:
		return Candidate{}, fmt.Sprintf("content holds %d bytes", len(p.Content))
	case math.IsNaN(p.Confidence) || p.Confidence <= 0 || p.Confidence > 1:
		return Candidate{}, fmt.Sprintf("confidence is %v", p.Confidence)
	case len(p.Spans) == 0 || len(p.Spans) > memory.MaxSpans:
		return Candidate{}, fmt.Sprintf("%d spans", len(p.Spans))
	}
	spans, speaker, why := located(p.Spans, words)
	if why != "" {
		return Candidate{}, why
	}
	pred, _ := f.context.Predicates.Canonical(p.Predicate)
	kind := p.Kind
	if known, ok := f.context.Predicates.Get(pred); ok {
		kind = known.Kind
	}
	subject := f.party(p.Subject)
	if strings.EqualFold(text.WithoutArticle(strings.ToLower(p.Subject)), "player") {
		subject = memory.PlayerPrefix + f.player
	}
	if subject == p.Subject {
		subject = f.idOf(p.Subject)
	}
	out := f.candidate(kind, subject, pred, f.objectOf(p.Object), f.attributed(p.Content, speaker), spans...)
	out.Claim, out.Confidence, out.Source = p.Content, p.Confidence, schema.OriginSystem
	switch speaker {
	case SpeakerPlayer:
		out.Source = schema.OriginUser
	case SpeakerNPC: // remembered as said and in its words, whatever the model makes of them
		said := holding(spans[0].Text, words).Text
		i := slices.IndexFunc(own, func(c Candidate) bool { return strings.TrimSpace(said) == c.Spans[0].Text })
		if i < 0 {
			return Candidate{}, "what the NPC said there is not kept"
		}
		return own[i], ""
	}
	out.ID = memory.ID(&out.Memory, 0)
	err := memory.Check(&out.Memory)
	out.ID = ""
	if err != nil {
		return Candidate{}, err.Error()
	}
	return out, ""
}

// attributed says in a content who said it.
func (f *frame) attributed(content, speaker string) string {
	lead := f.context.PlayerName + " told me that "
	if speaker == SpeakerGame {
		return ended(tidy(content))
	}
	if strings.HasPrefix(content, lead) {
		return ended(tidy(content))
	}
	g := *f // a content in the player's own person is told in the third
	g.said = message{original: content, text: blank(content, quotes)}
	return lead + ended(lowerFirst(g.reported(0, len(content), "", ""), g.beginsWithName(content)))
}

// Worth says whether a message states anything that might be remembered: only then is
// a model asked.
func Worth(message string) bool {
	if jests(message) {
		return false
	}
	m := readMessage(message)
	f := frame{said: m}
	for _, s := range m.sentences {
		if s.kind == corrects || s.kind == asserts && len(strings.Fields(m.text[s.start:s.end])) > 2 {
			return true
		}
		if _, ok := f.beforeQuestion(s); ok && s.kind == asks {
			return true
		}
	}
	return false
}

// located finds each span verbatim in the words of one speaker.
func located(spans []string, words []Utterance) (out []schema.MemorySpan, speaker, why string) {
	for _, s := range spans {
		s = strings.TrimSpace(s)
		u := holding(s, words)
		switch {
		case s == "":
			return nil, "", "a span is empty"
		case u == nil:
			return nil, "", fmt.Sprintf("the span %q stands nowhere in the words", s)
		case speaker != "" && speaker != u.Speaker:
			return nil, "", "its spans are of two speakers"
		case u.Speaker == SpeakerPlayer && !Asserted(u.Text, s):
			return nil, "", fmt.Sprintf("the words %q state nothing", s)
		}
		speaker = u.Speaker
		out = append(out, schema.MemorySpan{TurnID: u.TurnID, EventID: u.EventID, Speaker: u.Speaker, Text: s, At: u.At,
			Scene: u.Scene})
	}
	return out, speaker, ""
}

func holding(span string, words []Utterance) *Utterance {
	for i := range words {
		if span != "" && strings.Contains(words[i].Text, span) {
			return &words[i]
		}
	}
	return nil
}

// Asserted says whether a span of a player's message is stated: it lies in no
// question, command, supposition, joke or aside, is nobody else's words in
// quotation marks, and does not address the machine.
func Asserted(message, span string) bool {
	m := readMessage(message)
	if jests(message) {
		return false
	}
	at := strings.Index(m.text, span)
	if at < 0 {
		return quotedByReport(&m, message, span)
	}
	f := frame{said: m}
	for _, s := range m.sentences {
		if s.start >= at+len(span) || at >= s.end || s.kind == asserts || s.kind == corrects {
			continue
		}
		if before, ok := f.beforeQuestion(s); !ok || s.kind != asks || at+len(span) > before.end {
			return false
		}
	}
	return true
}

// Wholly says whether a span is a whole sentence that states something under a condition,
// or one that asks for an errand: nothing in it stands without the rest.
func Wholly(message, span string) bool {
	if jests(message) {
		return false
	}
	m := readMessage(message)
	for _, s := range m.sentences {
		words := m.text[s.start:s.end]
		if strings.Trim(words, " .,!?;:\n") != strings.Trim(span, " .,!?;:\n") {
			continue
		}
		f := frame{said: m}
		return s.kind == supposes && conditional(words) || s.kind == commands && requests(words) || f.asksFor(s)
	}
	return false
}

// quotedByReport says whether a span holds a quotation together with the words
// that say whose it is: "Tom said 'I am from the coast'" is stated, what Tom said
// is not.
func quotedByReport(m *message, original, span string) bool {
	at := strings.Index(original, span)
	if at < 0 {
		return false
	}
	lead := strings.TrimSpace(m.text[at : at+len(span)])
	return lead != "" && reports.MatchString(lead) && kindOf(lead) == asserts
}

var reports = regexp.MustCompile(`(?i)\b(?:says?|said|claims?|claimed|swears?|swore|tells?|told|reads?|wrote` +
	`|shouted|whispered)\b`)
