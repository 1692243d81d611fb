package review

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Draft is a speech, or thoughts, with everything that it is judged by.
type Draft struct {
	Sentences []protocol.DraftSentence
	Released  []schema.Sentence   // what the player was already told in this turn
	Evidence  []protocol.Evidence // speech: E1 …; thoughts: the sources under their own ids
	Thoughts  bool                // plans and suspicions that are marked as such pass
	Part      bool                // a speech under way, of which more comes: it evades nothing yet

	Context grounding.Context   // the names, the message and the sentences before
	Person  voice.Person        // how this NPC says a sentence of the evidence
	Self    []protocol.Evidence // what the NPC is: one block a sentence of its npc.yaml
	Class   protocol.Class      // of the message: it bounds the length

	// Authored says whether a text is an authored line, exactly. Such a line asserts
	// nothing, whoever says it. Without it no sentence counts as authored.
	Authored func(text string) bool
	// Check is the provenance contract, judged once more here; nil: it is not.
	Check  *grounding.Check
	Policy grounding.Policy // which origins may ground which claims

	Actions []schema.Action     // the decision's, with the outcome of their check
	Specs   []schema.ActionSpec // they declare the phrases that promise one

	Answerable bool // the evidence answers the message
	Withholds  bool // the decision keeps something back

	Judge Judge // nil: nobody is asked about what the model in process leaves open
	// Split takes apart compound sentences that the judge supports while the model in process is
	// not sure of them; nil: each is judged whole alone.
	Split grounding.Splitter
	// Support is the score from which a sentence is supported; 0: the line of the
	// calibration for Level.
	Support float64
	// Denial is P(contradiction) from which a sentence that is not supported is called
	// contradicted, and MaxCited how many of the blocks that it cites are read beside it;
	// 0: the usual.
	Denial   float64
	MaxCited int
	Level    grounding.Level // "": balanced where a judge has shown skill, else strict
}

// Judge answers about sentences that the model in process leaves open.
type Judge interface {
	// Ask gives one opinion a question, in order. A question without an answer has the
	// zero Opinion. An error means that none was answered.
	Ask(ctx context.Context, questions []Question) ([]Opinion, error)
	// Qualified says whether this judge has shown skill.
	Qualified() bool
}

// Question is a sentence of a draft for a judge.
type Question struct {
	Sentence int // its index in the draft
	Text     string
	Score    float64 // P(supported) as the model in process has it
	Claim    bool    // it is a claim of a compound sentence
	Along    bool    // and is asked about only where its sentence is, in the same call
}

// Opinion is what a judge says of a sentence.
type Opinion struct {
	Kind  entail.Kind
	Label schema.Label // "" where the judge gave no answer
	// Evidence is the log of the likelihood ratio of the answer, as the judge's
	// qualification measured it: what the answer adds to the log odds of support.
	Evidence float64
	Why      string
}

// Outcome is what the review found of one sentence.
type Outcome struct {
	Sentence protocol.DraftSentence // with its citations moved to the evidence that supports it
	Kind     entail.Kind
	Verdict  schema.Verdict
	Issues   []schema.Issue
	Released bool // it stood in the released prefix
	Exempt   bool // authored or released: it was judged before

	support  *protocol.Evidence // the block that bears the sentence
	exact    bool               // supported word for word
	reading  entail.Reading
	features Features
	known    bool // the model gave the reading
	heard    bool // a judge gave an answer about it
	judged   bool // a judge spoke for it
	denied   bool // and it was that the evidence says otherwise
	moved    bool // the support was found in a block that it did not cite
	split    schema.SplitBy
	parts    []schema.Part
}

// Features are what the sentence was judged by; read is false where no model read it.
func (o *Outcome) Features() (x Features, read bool) { return o.features, o.known }

// OK says whether nothing was found against the sentence.
func (o *Outcome) OK() bool { return len(o.Issues) == 0 }

// open says whether the sentence still needs a verdict.
func (o *Outcome) open() bool { return !o.Exempt && o.Verdict.Label == "" }

// unread says whether no model has read the sentence, so that a judge decides alone.
func (o *Outcome) unread() bool { return !o.known && o.Verdict.Score == scoreUnread }

// line is one review on its way: the draft and what the stages found so far.
type line struct {
	Draft
	out      []Outcome
	usable   []*protocol.Evidence // what the provenance contract lets in
	byID     map[string]*protocol.Evidence
	ofClaims bool // its sentences are claims of others: see parts
}

func newLine(d Draft) *line {
	l := &line{Draft: d, out: make([]Outcome, len(d.Sentences)), byID: map[string]*protocol.Evidence{}}
	for i := range d.Evidence {
		e := &d.Evidence[i]
		if l.byID[e.ID] != nil {
			continue
		}
		l.byID[e.ID] = e
		if d.Check == nil || eligible(e, *d.Check) {
			l.usable = append(l.usable, e)
		}
	}
	for i, s := range d.Sentences {
		o := &l.out[i]
		o.Sentence = s
		o.Sentence.Citations = slices.Clone(s.Citations)
		o.Released = l.released(s.Text)
		o.Sentence.Authored = l.authored(s)
		o.Exempt = o.Released || o.Sentence.Authored
	}
	return l
}

func eligible(e *protocol.Evidence, c grounding.Check) bool {
	_, ok := grounding.EligibleEvidence(*e, c)
	return ok
}

func (l *line) authored(s protocol.DraftSentence) bool {
	return l.Draft.Authored != nil && l.Draft.Authored(s.Text)
}

func (l *line) released(text string) bool {
	return slices.ContainsFunc(l.Released, func(s schema.Sentence) bool { return s.Text == text })
}

// before is what stands before a sentence of the draft, for the reader of it.
func (l *line) before(i int) []string {
	var out []string
	if l.Context.Message != "" {
		out = append(out, l.Context.Message)
	}
	if i > 0 {
		out = append(out, l.Sentences[i-1].Text)
	} else if n := len(l.Released); n > 0 {
		out = append(out, l.Released[n-1].Text)
	}
	return out
}
