// Package grounding holds the rules by which a text may become evidence, a
// sentence is read as claims, a claim is held against evidence, and what fails is
// taken out. They are pure functions: no clock, no store, no network, no model;
// whether a premise supports a claim is asked of an entail.Verifier that the
// caller passes in. The package writes no sentence of its own.
package grounding

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Check is what the provenance contract is judged by: who asks, when, and what
// models said before. A nil InScope lets nothing in; a nil Holds lets no
// condition hold; a nil ModelSaid means that nothing was said.
type Check struct {
	World       string
	InScope     func(protocol.Chunk) bool
	Holds       func(requires string) bool
	TurnStart   time.Time // wall time
	GameTime    time.Time
	ModelSaid   func(folded string) (firstSaid time.Time, ok bool)
	PromptLines []string // folded fixed lines of the prompts in use; no text that holds one is evidence
	// Leads are the folded lines that an NPC says where it does not answer. It may speak
	// them, and a text of nothing else is no evidence.
	Leads map[string]bool
}

// The reasons for which a text is no evidence, in the order in which they are
// looked for.
const (
	RejectSource       = "source_not_corpus"
	RejectReservedID   = "reserved_id"
	RejectNoIndexedAt  = "no_indexed_at"
	RejectNoCreatedAt  = "no_created_at"
	RejectIndexedLater = "indexed_after_turn"
	RejectFuture       = "created_in_future"
	RejectNotYetValid  = "not_yet_valid"
	RejectNoLonger     = "no_longer_valid"
	RejectWorld        = "other_world"
	RejectEmpty        = "empty_text"
	RejectCitation     = "citation_marker"
	RejectAssistant    = "assistant_marker"
	RejectGenerated    = "generated_marker"
	RejectPrompt       = "prompt_text"
	RejectModelCopy    = "copy_of_model_text"
	RejectScope        = "out_of_scope"
	RejectRequires     = "requires_not_met"
	RejectPolicy       = "policy" // not corpus, and not for the claims it is offered for
)

// Reasons are all reasons in their order.
var Reasons = []string{RejectSource, RejectReservedID, RejectNoIndexedAt, RejectNoCreatedAt, RejectIndexedLater,
	RejectFuture,
	RejectNotYetValid, RejectNoLonger, RejectWorld, RejectEmpty, RejectCitation, RejectAssistant, RejectGenerated,
	RejectPrompt,
	RejectModelCopy, RejectScope, RejectRequires, RejectPolicy}

// reservedPrefixes are ids of texts that a conversation or a model made.
var reservedPrefixes = []string{"chat:", "draft:", "tmp:", "gen:", "assistant:", "notes:", "assistant_summary:"}

// Eligible says whether a chunk may ground a claim about the world, and the first
// reason why not.
func Eligible(c protocol.Chunk, q Check) (reason string, ok bool) {
	for _, look := range []func(protocol.Chunk, Check) string{originOf, timesOf, worldOf, signatureOf, copyOf, scopeOf} {
		if reason := look(c, q); reason != "" {
			return reason, false
		}
	}
	return "", true
}

func originOf(c protocol.Chunk, _ Check) string {
	switch {
	case c.Source != schema.OriginCorpus:
		return RejectSource
	case reserved(c.ID) || reserved(c.Path):
		return RejectReservedID
	}
	return ""
}

func reserved(id string) bool {
	id = strings.ToLower(strings.TrimSpace(text.Plain(id)))
	for _, p := range reservedPrefixes {
		if strings.HasPrefix(id, p) {
			return true
		}
	}
	return false
}

func timesOf(c protocol.Chunk, q Check) string {
	switch {
	case c.IndexedAt.IsZero():
		return RejectNoIndexedAt
	case c.CreatedAt.IsZero():
		return RejectNoCreatedAt
	case c.IndexedAt.After(q.TurnStart):
		return RejectIndexedLater
	case c.CreatedAt.After(q.GameTime):
		return RejectFuture
	case !c.ValidFrom.IsZero() && c.ValidFrom.After(q.GameTime):
		return RejectNotYetValid
	case !c.ValidTo.IsZero() && c.ValidTo.Before(q.GameTime):
		return RejectNoLonger
	}
	return ""
}

func worldOf(c protocol.Chunk, q Check) string {
	switch {
	case c.World != q.World:
		return RejectWorld
	case strings.TrimSpace(c.Text) == "":
		return RejectEmpty
	}
	return ""
}

func signatureOf(c protocol.Chunk, q Check) string {
	if reason := Signature(c.Text, q.PromptLines...); reason != "" {
		return reason
	}
	if len(q.Leads) == 0 {
		return ""
	}
	for _, s := range text.Sentences(c.Text) {
		if !q.Leads[text.Fold(s)] {
			return ""
		}
	}
	return RejectPrompt
}

// Leads are the sentences of authored lines as Check has them.
func Leads(lines ...string) map[string]bool {
	out := map[string]bool{}
	for _, l := range lines {
		for _, s := range text.Sentences(l) {
			out[text.Fold(s)] = true
		}
	}
	return out
}

// minCopied is how many words a sentence has at least before its likeness to an
// earlier one is no chance.
const minCopied = 4

// copyOf finds text that a model wrote and said before it was first indexed.
func copyOf(c protocol.Chunk, q Check) string {
	if q.ModelSaid == nil {
		return ""
	}
	if said(q, text.Fold(c.Text), c.IndexedAt) {
		return RejectModelCopy
	}
	for _, s := range text.Sentences(c.Text) {
		if len(text.WordSpans(s)) >= minCopied && said(q, text.Fold(s), c.IndexedAt) {
			return RejectModelCopy
		}
	}
	return ""
}

// repeats says whether a player told what a model had said before: the words themselves,
// or behind words that only introduce them ("I heard that …").
func repeats(e protocol.Evidence, q Check) bool {
	if q.ModelSaid == nil {
		return false
	}
	for _, heard := range e.Heard {
		for _, s := range text.Sentences(heard) {
			for _, part := range introduced(s) {
				if len(text.WordSpans(part)) >= minCopied && said(q, text.Fold(part), e.Provenance.IndexedAt) {
					return true
				}
			}
		}
	}
	return false
}

// introduced are a sentence and what stands in it behind the words that may introduce
// something said.
func introduced(s string) []string {
	out := []string{s}
	for _, mark := range []string{" that ", ": ", ", ", " \"", " “"} {
		for rest := s; ; {
			_, behind, ok := strings.Cut(rest, mark)
			if !ok {
				break
			}
			out, rest = append(out, behind), behind
		}
	}
	return out
}

func said(q Check, folded string, indexed time.Time) bool {
	first, ok := q.ModelSaid(folded)
	return ok && indexed.After(first)
}

func scopeOf(c protocol.Chunk, q Check) string {
	switch {
	case q.InScope == nil || !q.InScope(c):
		return RejectScope
	case c.Requires != "" && (q.Holds == nil || !q.Holds(c.Requires)):
		return RejectRequires
	}
	return ""
}

var (
	citationMark = regexp.MustCompile(`(?i)\[\s*(?:E\d{1,3}|\d{1,3}|self)\s*(?:,\s*(?:E?\d{1,3}|self)\s*)*\]` +
		`|\bcitations?\s*:|"evidence_id"|\bevidence_id\b`)
	assistantMark = regexp.MustCompile(`(?i)\(\s*assistant\s*\)|<\|?\s*(?:assistant|im_start|im_end|system)\s*\|?>` +
		`|^\s*assistant\s*:|[\n.!?"”]\s*assistant\s*:`)
	generatedMark = regexp.MustCompile(`\bGenerated (?:by|with)\b|(?i:\bgenerated by (?:an? )?(?:ai|llm|language model` +
		`|assistant|model|bot|forsooth)\b)|(?i:\bas an ai\b|\blanguage model\b)`)
)

// promptMarks are turns of phrase of prompts to a model, whichever prompt it is.
var promptMarks = []string{
	"you are a helpful", "you are an npc", "you are the npc", "system prompt", "ignore previous instructions",
	"ignore all previous",
	"cite by id", "cite evidence", "evidence blocks:", "respond only with json", "answer only from the evidence",
	"response_format",
	"no evidence found", "supported by [",
}

// Signature finds in a text what shows that a model or a prompt made it; lint
// tells authors of it too. promptLines are folded.
func Signature(s string, promptLines ...string) (reason string) {
	s = text.Plain(s)
	// The patterns cost more than all the rest; most texts hold none of the words
	// that each of them needs.
	lower := strings.ToLower(s)
	switch {
	case holdsAny(lower, "[", "citation", "evidence_id") && citationMark.MatchString(s):
		return RejectCitation
	case holdsAny(lower, "assistant", "im_start", "im_end", "system") && assistantMark.MatchString(s):
		return RejectAssistant
	case holdsAny(lower, "generated", "as an ai", "language model") && generatedMark.MatchString(s):
		return RejectGenerated
	case holdsPrompt(s, promptLines):
		return RejectPrompt
	}
	return ""
}

func holdsAny(s string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(s, w) })
}

// HoldsCitationMark says whether a text holds the mark of a citation among its words.
func HoldsCitationMark(s string) bool {
	return holdsAny(strings.ToLower(s), "[", "citation", "evidence_id") && citationMark.MatchString(s)
}

// HoldsInstructions says whether a text holds words of our prompts, or the mark of an
// assistant's turn.
func HoldsInstructions(s string, promptLines []string) bool {
	return holdsPrompt(text.Plain(s), promptLines) || assistantMark.MatchString(s)
}

func holdsPrompt(s string, lines []string) bool {
	folded := strings.Join(strings.Fields(strings.ToLower(s)), " ")
	for _, m := range promptMarks {
		if strings.Contains(folded, m) {
			return true
		}
	}
	for _, l := range lines {
		if strings.Contains(folded, l) {
			return true
		}
	}
	return false
}

// EligibleEvidence judges a block once more by the provenance that it carries.
// What is not corpus passes only as what it is: state and session of this world,
// from the system or a player, offered for claims that those may ground.
func EligibleEvidence(e protocol.Evidence, q Check) (reason string, ok bool) {
	c := protocol.Chunk{
		ID: e.ChunkID, Source: e.Provenance.Source, IndexedAt: e.Provenance.IndexedAt, CreatedAt: e.Provenance.CreatedAt,
		ValidFrom: e.Provenance.ValidFrom, ValidTo: e.Provenance.ValidTo, World: e.Provenance.World, NPC: e.Provenance.NPC,
		Path: e.Path, Type: e.Type, Text: e.Text, KnownBy: e.Provenance.KnownBy, Requires: e.Provenance.Requires,
	}
	switch e.Provenance.Source {
	case schema.OriginSystem, schema.OriginUser:
		return eligibleAside(e, c, q)
	}
	return Eligible(c, q)
}

func eligibleAside(e protocol.Evidence, c protocol.Chunk, q Check) (string, bool) {
	if reserved(c.ID) || reserved(c.Path) {
		return RejectReservedID, false
	}
	if reason := worldOf(c, q); reason != "" {
		return reason, false
	}
	if e.Provenance.Source == schema.OriginUser && repeats(e, q) {
		return RejectModelCopy, false
	}
	if len(e.AllowedFor) == 0 {
		return RejectPolicy, false
	}
	for _, kind := range e.AllowedFor {
		if !DefaultPolicy.Grounds(schema.ClaimKind(kind), e.Provenance.Source) {
			return RejectPolicy, false
		}
	}
	return "", true
}
