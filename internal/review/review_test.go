package review_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// scripted reads each sentence as its words say: a real reader is measured elsewhere.
type scripted map[string]entail.Reading

func (s scripted) Read(_ context.Context, all []entail.Sentence) ([]entail.Reading, error) {
	out := make([]entail.Reading, len(all))
	for i, x := range all {
		out[i] = s[x.Text]
	}
	return out, nil
}

func reading(entailed, contradicted, world, self, social float64) entail.Reading {
	return entail.Reading{Probability: entail.Probability{Entailed: entailed, Neutral: 1 - entailed - contradicted,
		Contradicted: contradicted},
		World: world, Self: self, Social: social}
}

// fit takes the model at its word: P(supported) is P(entailed).
var fit = review.Fit{Weights: map[string]float64{"entailed": 1}, Claim: 0.5,
	Alone: map[grounding.Level]review.Line{grounding.Strict: {Score: 0.95}, grounding.Balanced: {Score: 0.8},
		grounding.Lively: {Score: 0.6}},
	Judged: map[grounding.Level]review.Line{grounding.Strict: {Score: 0.95}, grounding.Balanced: {Score: 0.7},
		grounding.Lively: {Score: 0.5}}}

func block(id, text string) protocol.Evidence {
	return protocol.Evidence{ID: id, SourceID: id, ChunkID: "lore/" + id + ".txt#1", Path: "lore/" + id + ".txt",
		Text: text, Private: true,
		Provenance: protocol.Provenance{Source: schema.OriginCorpus}}
}

func said(text string, cites ...string) protocol.DraftSentence {
	d := protocol.DraftSentence{Text: text}
	for _, id := range cites {
		d.Citations = append(d.Citations, protocol.Citation{EvidenceID: id})
	}
	return d
}

func draft(sentences ...protocol.DraftSentence) review.Draft {
	return review.Draft{Sentences: sentences, Class: protocol.ClassComplex,
		Evidence: []protocol.Evidence{block("E1", "The mill burned in spring."),
			block("E2", "Teague owns the ferry. A crossing costs two bits.")},
		Context: grounding.Context{NPCName: "Mira", NPCHandle: "mira", Message: "what happened?",
			Names: []string{"Mira", "Teague"}}}
}

// TestASentenceIsJudgedByItsKindAndItsScore walks a sentence through the stages.
func TestASentenceIsJudgedByItsKindAndItsScore(t *testing.T) {
	for _, c := range []struct {
		name     string
		sentence protocol.DraftSentence
		reading  entail.Reading
		level    grounding.Level
		want     schema.IssueType // "": it is released
		kind     entail.Kind
		cites    string
	}{
		{"word for word", said("The mill burned in spring.", "E1"), entail.Reading{}, "", "", entail.KindWorld, "E1"},
		{"word for word, another block cited", said("The mill burned in spring.", "E2"), entail.Reading{}, "", "",
			entail.KindWorld, "E1"},
		{"above the line", said("It went up in flames.", "E1"), reading(0.97, 0, 1, 0, 0), "", "", entail.KindWorld, "E1"},
		{"below the line of strict", said("It went up in flames.", "E1"), reading(0.9, 0, 1, 0, 0), "",
			schema.IssueNotEntailed, entail.KindWorld, "E1"},
		{"above the line of balanced", said("It went up in flames.", "E1"), reading(0.9, 0, 1, 0, 0), grounding.Balanced, "",
			entail.KindWorld, "E1"},
		{"above the line of lively", said("It went up in flames.", "E1"), reading(0.7, 0, 1, 0, 0), grounding.Lively, "",
			entail.KindWorld, "E1"},
		{"a level that was never measured supports nothing", said("It went up in flames.", "E1"), reading(0.99, 0, 1, 0, 0),
			"daring", schema.IssueNotEntailed, entail.KindWorld, "E1"},
		{"denied", said("It still stands.", "E1"), reading(0.01, 0.98, 1, 0, 0), "", schema.IssueContradicted,
			entail.KindWorld, "E1"},
		{"nothing cited, and supported", said("It went up in flames."), reading(0.97, 0, 1, 0, 0), "", "",
			entail.KindWorld, "E1"},
		{"nothing cited, and not supported", said("It went up in flames."), reading(0.1, 0, 1, 0, 0), "", schema.IssueUncited,
			entail.KindWorld, ""},
		{"a claim behind [self]", said("It went up in flames.", "self"), reading(0.1, 0, 1, 0, 0), "", schema.IssueSelfMisuse,
			entail.KindWorld, "self"},
		{"a feeling needs no proof", said("I was sorry to see it go.", "self"), reading(0.1, 0, 0.1, 0.8, 0.1), "", "",
			entail.KindSelf, "self"},
		{"a courtesy needs none", said("Good day to you!"), reading(0.1, 0, 0.1, 0.1, 0.8), "", "", entail.KindSocial, ""},
		{"a feeling that names a stranger is a claim", said("I was sorry to see Aldric go."), reading(0.99, 0, 0.1, 0.8, 0.1),
			"", schema.IssueUncited, entail.KindWorld, ""},
		{"a feeling in which somebody is named says something of them", said("I have a feeling that Teague drinks.", "self"),
			reading(0.1, 0, 0.1, 0.8, 0.1), "",
			schema.IssueSelfMisuse, entail.KindWorld, "self"},
		{"a claim behind a feeling", said("I have a feeling that October wept.", "self"), reading(0.1, 0, 0.1, 0.8, 0.1), "",
			schema.IssueSelfMisuse, entail.KindWorld, "self"},
		{"a claim that is asked", said("Would it surprise you that Teague drinks?"), reading(0.1, 0, 0.1, 0.1, 0.8), "",
			schema.IssueUncited, entail.KindWorld, ""},
		{"no evidence has the id", said("The mill burned in spring.", "E9"), entail.Reading{}, "", schema.IssueInvalidSource,
			"", "E9"},
		{"a stage direction", said("*sighs* The mill burned.", "E1"), entail.Reading{}, "", schema.IssueForm, "", "E1"},
		{"letters of two alphabets", said("The mill burned in sprіng.", "E1"), entail.Reading{}, "", schema.IssueForm,
			"", "E1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := draft(c.sentence)
			d.Level = c.level
			r := &review.Reviewer{Reader: scripted{c.sentence.Text: c.reading}, Fit: fit}
			found, outcomes, err := r.Review(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			o := outcomes[0]
			got := schema.IssueType("")
			if len(o.Issues) > 0 {
				got = o.Issues[0].Type
			}
			if got != c.want || o.Kind != c.kind || (found.Verdict == protocol.Approved) != (c.want == "") {
				t.Errorf("issue %q, kind %q, verdict %s (%+v)", got, o.Kind, found.Verdict, o.Verdict)
			}
			var ids []string
			for _, x := range o.Sentence.Citations {
				ids = append(ids, x.EvidenceID)
			}
			if strings.Join(ids, ",") != c.cites {
				t.Errorf("it cites %v, want %s", ids, c.cites)
			}
		})
	}
}

type broken struct{ how string }

func (b broken) Read(context.Context, []entail.Sentence) ([]entail.Reading, error) {
	switch b.how {
	case "panics":
		panic("no")
	case "answers too little":
		return nil, nil
	}
	return nil, errors.New("out of order")
}

// A reader that fails supports nothing, and what is word for word stands without it.
func TestAReaderThatFailsSupportsNothing(t *testing.T) {
	for _, how := range []string{"panics", "answers too little", "fails"} {
		r := &review.Reviewer{Reader: broken{how}, Fit: fit}
		_, outcomes, err := r.Review(t.Context(),
			draft(said("It went up in flames.", "E1"), said("Teague owns the ferry.", "E2")))
		if err != nil || outcomes[0].OK() || !outcomes[1].OK() {
			t.Errorf("%s: %+v, %v", how, outcomes, err)
		}
	}
}

// oracle is a judge with an opinion of each sentence.
type oracle struct {
	opinions  map[string]review.Opinion
	qualified bool
	asked     [][]review.Question
	err       error
}

func (o *oracle) Qualified() bool { return o.qualified }

func (o *oracle) Ask(_ context.Context, all []review.Question) ([]review.Opinion, error) {
	o.asked = append(o.asked, all)
	out := make([]review.Opinion, len(all))
	for i, q := range all {
		out[i] = o.opinions[q.Text]
	}
	return out, o.err
}

// A judge is asked once about what is open, and its answer weighs what it has shown.
func TestAJudgeWeighsWhatItHasShown(t *testing.T) {
	const open = "It went up in flames."
	yes := review.Opinion{Kind: entail.KindWorld, Label: schema.Supported, Evidence: 2.5}
	no := review.Opinion{Kind: entail.KindWorld, Label: schema.Unverifiable, Evidence: -2.5}
	for _, c := range []struct {
		name     string
		judge    *oracle
		score    float64
		ok       bool
		calls    int
		stranger bool
	}{
		{"supports", &oracle{opinions: map[string]review.Opinion{open: yes}, qualified: true}, 0.5, true, 1, false},
		{"supports what is hardly likely", &oracle{opinions: map[string]review.Opinion{open: yes}, qualified: true}, 0.05,
			false, 1, false},
		{"refuses", &oracle{opinions: map[string]review.Opinion{open: no}, qualified: true}, 0.9, false, 1, false},
		{"has shown no skill", &oracle{opinions: map[string]review.Opinion{open: yes}}, 0.9, false, 0, false},
		{"gives no answer", &oracle{qualified: true}, 0.9, false, 1, false},
		{"fails", &oracle{opinions: map[string]review.Opinion{open: yes}, qualified: true, err: errors.New("gone")}, 0.9,
			false, 1, false},
		{"is asked about what is sure, and gives no answer", &oracle{qualified: true}, 0.99, true, 1, false},
		{"is asked about what is sure, and refuses it",
			&oracle{opinions: map[string]review.Opinion{open: no}, qualified: true}, 0.96, false, 1, false},
		{"is not asked about a veto",
			&oracle{opinions: map[string]review.Opinion{"Aldric set it on fire.": yes}, qualified: true}, 0.9, false, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			sentence := said(open, "E1")
			if c.stranger {
				sentence = said("Old Aldric set it on fire.", "E1")
			}
			d := draft(sentence)
			d.Judge = c.judge
			r := &review.Reviewer{Reader: scripted{sentence.Text: reading(c.score, 0, 1, 0, 0)}, Fit: fit}
			_, outcomes, err := r.Review(t.Context(), d)
			if err != nil || outcomes[0].OK() != c.ok || len(c.judge.asked) != c.calls {
				t.Errorf("ok %v, %d calls, %+v, %v", outcomes[0].OK(), len(c.judge.asked), outcomes[0].Verdict, err)
			}
		})
	}
}

// A judge without skill is nobody: what a liar, a coin and a mute say weighs nothing.
func TestSkill(t *testing.T) {
	show := func(trueYes, falseYes int) *review.Skill {
		s := &review.Skill{}
		for i := range 30 {
			s.Saw(true, label(i < trueYes), 0.95)
			s.Saw(false, label(i < falseYes), 0.95)
		}
		return s
	}
	for _, c := range []struct {
		name      string
		skill     *review.Skill
		qualified bool
	}{
		{"good", show(28, 2), true},
		{"supports everything", show(30, 30), false},
		{"supports nothing", show(0, 0), false},
		{"a coin", show(15, 15), false},
		{"turned about", show(2, 28), false},
		{"never asked", &review.Skill{}, false},
		{"none", nil, false},
	} {
		yes, no := 0.0, 0.0
		if c.skill != nil {
			yes, no = c.skill.Evidence(schema.Supported, 0.95), c.skill.Evidence(schema.Unverifiable, 0.95)
		}
		if c.skill.Qualified() != c.qualified || (yes > 0) != c.qualified || (no < 0) != c.qualified {
			t.Errorf("%s: qualified %v, yes %.2f, no %.2f", c.name, c.skill.Qualified(), yes, no)
		}
	}
}

func label(yes bool) schema.Label {
	if yes {
		return schema.Supported
	}
	return schema.Unverifiable
}

// The shipped pairs are balanced, and no label is given away by length.
func TestTheShippedPairsAreBalanced(t *testing.T) {
	pairs, err := review.Pairs()
	if err != nil {
		t.Fatal(err)
	}
	n, letters := map[string]int{}, map[string]int{}
	for _, p := range pairs {
		n[p.Label]++
		letters[p.Label] += len(p.Sentence)
		if p.Evidence == "" || p.Question == "" || p.Sentence == "" {
			t.Errorf("%+v lacks a part", p)
		}
	}
	if n["supported"] != n["unsupported"] || n["supported"]+n["unsupported"] != len(pairs) || len(pairs) < 60 {
		t.Errorf("%v of %d", n, len(pairs))
	}
	a, b := float64(letters["supported"]), float64(letters["unsupported"])
	if a/b > 1.15 || b/a > 1.15 {
		t.Errorf("letters by label: %v", letters)
	}
}

// A judge may say that a sentence claims nothing, but not of what is surely a claim.
func TestAJudgeTurnsNoSureClaimIntoAFeeling(t *testing.T) {
	const sentence = "I would not have trusted the weir."
	feeling := review.Opinion{Kind: entail.KindSelf, Label: schema.Supported, Evidence: 2.5}
	for _, c := range []struct {
		name  string
		world float64
		want  entail.Kind
		ok    bool
	}{
		{"hardly a claim to the model in process", 0.6, entail.KindSelf, true},
		{"surely a claim to the model in process", 0.95, entail.KindWorld, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := draft(said(sentence, "E1"))
			d.Judge = &oracle{opinions: map[string]review.Opinion{sentence: feeling}, qualified: true}
			r := &review.Reviewer{Reader: scripted{sentence: reading(0.05, 0, c.world, 1-c.world, 0)}, Fit: fit}
			_, outcomes, err := r.Review(t.Context(), d)
			if err != nil || outcomes[0].Kind != c.want || outcomes[0].OK() != c.ok {
				t.Errorf("kind %q, released %v, %v", outcomes[0].Kind, outcomes[0].OK(), err)
			}
		})
	}
}

// What a rule has against a cited block is a feature of the score: it is seen, and no verdict.
func TestADenialByRuleIsAFeature(t *testing.T) {
	d := review.Draft{Class: protocol.ClassComplex,
		Sentences: []protocol.DraftSentence{said("The granary held forty sacks.", "E1")},
		Evidence:  []protocol.Evidence{block("E1", "The granary held thirty sacks.")}}
	r := &review.Reviewer{Reader: scripted{"The granary held forty sacks.": reading(0.5, 0, 1, 0, 0)}, Fit: fit}
	_, outcomes, err := r.Review(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	x, read := outcomes[0].Features()
	at := slices.Index(review.FeatureNames(), "denied")
	if !read || at < 0 || x[at] != 1 {
		t.Errorf("features %v of %v", x, review.FeatureNames())
	}
}

// What a world sets holds in a speech: from which probability a sentence is denied, and how
// many of the blocks that it cites are read beside it.
func TestAWorldsThresholdsHold(t *testing.T) {
	d := draft(said("It still stands.", "E1", "E2"))
	counted := &counting{reading: reading(0.01, 0.6, 1, 0, 0)}
	r := &review.Reviewer{Reader: counted, Fit: fit}
	for _, c := range []struct {
		denial float64
		most   int
		want   schema.Label
		read   int // beside all that is near, beside each cited block, and beside two together
	}{{0, 0, schema.Unverifiable, 4}, {0.5, 0, schema.Contradicted, 4}, {0, 1, schema.Unverifiable, 2}} {
		counted.read, d.Denial, d.MaxCited = 0, c.denial, c.most
		_, outcomes, err := r.Review(t.Context(), d)
		if err != nil || outcomes[0].Verdict.Label != c.want || counted.read != c.read {
			t.Errorf("from %v, %d blocks: %+v, %d read, %v", c.denial, c.most, outcomes[0].Verdict, counted.read, err)
		}
	}
}

type counting struct {
	reading entail.Reading
	read    int
}

func (c *counting) Read(_ context.Context, sentences []entail.Sentence) ([]entail.Reading, error) {
	c.read += len(sentences)
	return slices.Repeat([]entail.Reading{c.reading}, len(sentences)), nil
}
