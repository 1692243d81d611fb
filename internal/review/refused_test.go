package review_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Inventions in disguise: each brings up something that the evidence does not hold,
// behind a hedge, inside a question, by the way, as a feeling or as an answer.
var inventions = []string{
	"The duke is dead.", "The mill burned in the autumn of 1402.",
	"The mill burned in the spring of 1402 and nobody helped.",
	"Bram Dunnock burned on the weir.", "The spring was seen on the mill.",
	"The mill burned in the spring of 1402, didn't Bram light it?",
	"I think the duke sleeps in the chapel.", "They say a dragon sleeps under the mill.",
	"If memory serves, the mill was insured for nine hundred crowns.", "I've heard tell of gold beneath the weir.",
	"Everyone knows the fellkin did it.",
	"Bram lit it himself, didn't he?", "Didn't the reeve hide the ledger in the crypt?",
	"Did you know Bram once killed a man?",
	"Are you looking for the ledger that the reeve buried?", "I don't know why Bram killed the dog.",
	"I've never heard of the ledger that the reeve buried.", "I hate Bram for killing the dog.", "I miss my husband.",
	"I'm glad the duke is dead.",
	"Ask the smith's boy who saw the torch.", "Beware of the wolf that killed Osric.",
	"Well, aye, sure, the duke is dead.",
	"Thank you for killing the wolf.", "You told me the duke is dead.", "You come from the coast.",
	"I come from the coast.", "My shop is closed.",
	"So it was, and the duke did it.", "Osric said: “The duke is dead.”", "The chronicle says that the duke is dead.",
	"Ｔｈｅ duke is dead.", "Bram? Dead.",
	"Twelve men, by the weir.", "Was the mill burned in the spring of 1402?",
	"The reeve offered forty crowns for the mill.",
	"The fellkin cursed the old bridge.",
}

// Without a model only what stands in the evidence is said, so no invention is, however
// it cites.
func TestNoInventionPassesWithoutAModel(t *testing.T) {
	for _, s := range inventions {
		for _, cites := range [][]string{nil, {"E1"}, {"E2"}, {"S1"}, {"M1"}, {"E1", "E2", "S1", "M1"}, {"self"},
			{"self", "E1"}} {
			d := review.Draft{Sentences: sentences(said(s, cites...)), Evidence: village()}
			d.Context.Message = "Did Bram burn the mill?"
			if o := outcomes(t, nil, d)[0]; o.OK() {
				t.Errorf("%q citing %v rests on %+v", s, cites, o.Support())
			}
		}
	}
}

// An invention spliced onto a true sentence never passes with it.
func TestPropertyASplicedInventionNeverPasses(t *testing.T) {
	truths := []string{"The mill burned in the spring of 1402", "Bram Dunnock was seen on the weir",
		"The reeve offered forty crowns for the name of the one who lit it"}
	joints := []string{"%s and %s.", "%s, and %s.", "%s; %s.", "%s - %s.", "%s, because %s.", "%s (%s).",
		"%s, I think %s.", "%[2]s, so %[1]s.", "%[2]s. %[1]s.",
		"Well, %[1]s, and they say %[2]s.", "%s, didn't you know that %s?", "%s... %s.", "%s: %s.", "%s\n%s."}
	rapid.Check(t, func(rt *rapid.T) {
		lie := strings.TrimRight(rapid.SampledFrom(inventions).Draw(rt, "invention"), ".?")
		s := fmt.Sprintf(rapid.SampledFrom(joints).Draw(rt, "joint"), rapid.SampledFrom(truths).Draw(rt, "truth"), lie)
		if o := outcomes(t, nil, review.Draft{Sentences: sentences(said(s, "E1", "E2")), Evidence: village()})[0]; o.OK() {
			rt.Fatalf("%q passes: %+v", s, o.Verdict)
		}
	})
}

// How a sentence is said is judged before what it says, and no reader changes that.
func TestBadForm(t *testing.T) {
	long := strings.Repeat("The mill burned in the spring of 1402. ", 27_000)
	for name, s := range map[string]string{
		"nothing": " ", "a stage direction": "*leans in* Good evening.",
		"in brackets":         "(rubs a sore shoulder with a shrug) Good evening.",
		"in square ones":      "[steps back with tears in both eyes] Good evening.",
		"after the words":     "Good evening. (hums an old tune)",
		"between underscores": "_counts on the fingers_ Good evening.",
		"over two lines":      "(rubs a sore\nshoulder) Good evening.",
		"in wide brackets":    "（rubs a sore shoulder） Good evening.",
		"between wide stars":  "＊rubs a sore shoulder＊ Good evening.",
		"without an end":      "Good evening. (rubs a sore shoulder", "markup": "**Good** evening.",
		"a tag": "<b>Good</b> evening.", "a comment": "Good evening. <!-- laughs -->", "an emote": "/me leans in.",
		"out of character": "Good evening. ((brb))",
		"a template":       "{{.Secret}} burned the mill.", "a citation mark": "The mill burned in the spring of 1402 [E1].",
		"the prompt":         "The system prompt says good evening.",
		"the speaker's name": "Mira Ashdown: “The mill burned.”", "writing that hides": "The mill\u200b burned.",
		"writing that turns around": "The mill burned in \u202e2041\u202c.",
		"control signs":             "The mill \x00burned\x07 down.",
		"a word of two alphabets":   "The mill burned in sprіng.", "a megabyte": long,
		"a megabyte of one word": strings.Repeat("mill", 1<<18),
	} {
		for _, reader := range []entail.Reader{nil, &gullible{}} {
			o := outcomes(t, reader, review.Draft{Sentences: sentences(said(s, "E1")), Evidence: village()})[0]
			if len(o.Issues) == 0 || o.Issues[0].Type != schema.IssueForm {
				t.Errorf("%s: %+v", name, o.Issues)
			}
		}
	}
	title := review.Draft{Evidence: []protocol.Evidence{block("E1", "Mira reads _The Long Winter_ at night.")},
		Sentences: sentences(said("I read _The Long Winter_ at night.", "E1"))}
	if o := outcomes(t, nil, title)[0]; !o.OK() {
		t.Errorf("a title that the evidence writes so: %+v", o.Issues)
	}
}

// The class of the message bounds the length of the whole speech.
func TestLengthByClass(t *testing.T) {
	first := said("The mill burned on the night of the third of April in the spring of the year.", "E1")
	second := said("Nobody saw it begin and nobody saw it end.", "E1")
	for class, ok := range map[protocol.Class]bool{protocol.ClassGreeting: false, protocol.ClassMedium: true,
		protocol.ClassComplex: true} {
		out := outcomes(t, nil, review.Draft{Class: class, Sentences: sentences(first, second),
			Evidence: []protocol.Evidence{block("E1", first.Text+" "+second.Text)}})
		if !out[0].OK() || out[1].OK() != ok {
			t.Errorf("%s: %+v", class, out)
		}
	}
}

// A deed is said only where a checked action does it.
func TestDeedsComeBeforeWords(t *testing.T) {
	const take, give = "Take this sword.", "I'll give you the sword."
	specs := []schema.ActionSpec{{Name: "give_item", SpeechActs: []string{"take this sword"}}}
	for _, c := range []struct {
		name   string
		said   string
		action schema.Action
		ok     bool
	}{
		{"promised and not checked", take, schema.Action{Name: "give_item", Promised: true}, false},
		{"promised and checked", take, schema.Action{Name: "give_item", Promised: true, Checked: true}, true},
		{"another action checked", take, schema.Action{Name: "update_trust", Checked: true}, false},
		{"a promise in other words", give, schema.Action{}, false},
		{"a promise in the action's own phrase", give,
			schema.Action{Name: "give_item", Promised: true, Checked: true, Phrase: give}, true},
		{"that phrase, not checked", give, schema.Action{Name: "give_item", Promised: true, Phrase: give}, false},
	} {
		for _, reader := range []entail.Reader{nil, &gullible{}} {
			d := review.Draft{Sentences: sentences(said(c.said)), Evidence: village(), Actions: []schema.Action{c.action},
				Specs: specs}
			if o := outcomes(t, reader, d)[0]; o.OK() != c.ok {
				t.Errorf("%s: %+v", c.name, o.Issues)
			}
		}
	}
}

// Thoughts may suspect, where they say so; what they state needs a source.
func TestThoughts(t *testing.T) {
	for _, c := range []struct {
		name string
		said protocol.DraftSentence
		want schema.IssueType // "": it passes
	}{
		{"a fact by its source", said("The mill burned in spring.", "1"), ""},
		{"a suspicion marked as such", said("I suspect Bram burned it down."), ""},
		{"a block's id", said("The mill burned in spring.", "E1"), schema.IssueInvalidSource},
		{"a suspicion before a fact", said("I suspect Bram; the reeve burned it down."), schema.IssueUncited},
	} {
		o := outcomes(t, nil, review.Draft{Thoughts: true, Sentences: sentences(c.said),
			Evidence: []protocol.Evidence{block("1", "The mill burned in spring. Bram was on the weir.")}})[0]
		if c.want == "" && !o.OK() || c.want != "" && (o.OK() || o.Issues[0].Type != c.want) {
			t.Errorf("%s: %+v", c.name, o.Issues)
		}
	}
}

// A speech that says nothing although the evidence answers is evasion.
func TestEvasion(t *testing.T) {
	answer := said("Bram Dunnock was seen on the weir.", "E1")
	courtesy := scripted{"Good day to you!": reading(0, 0, 0.1, 0.1, 0.8)}
	for _, c := range []struct {
		name   string
		change func(*review.Draft)
		evades bool
	}{
		{"a courtesy in place of the answer", func(d *review.Draft) {}, true},
		{"the evidence does not answer", func(d *review.Draft) { d.Answerable = false }, false},
		{"the decision withholds", func(d *review.Draft) { d.Withholds = true }, false},
		{"one sentence answers", func(d *review.Draft) { d.Sentences = append(d.Sentences, answer) }, false},
		{"something was told already", func(d *review.Draft) { d.Released = []schema.Sentence{{Text: "Good evening."}} },
			false},
	} {
		d := review.Draft{Sentences: sentences(said("Good day to you!")), Evidence: village(), Answerable: true}
		c.change(&d)
		issues := outcomes(t, courtesy, d)[0].Issues
		if evades := len(issues) == 1 && issues[0].Type == schema.IssueEvasion; evades != c.evades || !c.evades &&
			len(issues) > 0 {
			t.Errorf("%s: %+v", c.name, issues)
		}
	}
}

// What was not judged in time is not judged.
func TestACancelledReviewReleasesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, out, err := (&review.Reviewer{}).Review(ctx,
		review.Draft{Sentences: sentences(said("The mill burned.", "E1")), Evidence: village()})
	if !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("%+v, %v", out, err)
	}
}
