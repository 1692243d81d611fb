package grounding_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// by is a block that somebody else wrote.
func by(id, author, kind, text string) schema.Evidence {
	e := corpus(id, text)
	e.Author, e.Type, e.Private = author, kind, false
	return e
}

func rumour(id, text string) schema.Evidence {
	e := by(id, "yrsa", "note", text)
	e.Belief = "rumour"
	return e
}

func state(id, text string) schema.Evidence {
	return schema.Evidence{ID: id, SourceID: "state", ChunkID: "state:" + id, Path: "state:" + id, Type: "state", Text: text, AllowedFor: []string{"state"}, Private: true,
		Provenance: schema.Provenance{Source: schema.OriginSystem, World: "hollowmere"}}
}

func session(id, text string) schema.Evidence {
	return schema.Evidence{ID: id, SourceID: "session", ChunkID: "session:t1", Path: "session:t1", Type: "session", Text: text, AllowedFor: []string{"shared_past"}, Private: true,
		Provenance: schema.Provenance{Source: schema.OriginUser, World: "hollowmere"}}
}

func TestWhatMayGroundWhat(t *testing.T) {
	onlyState := corpus("E4", "The weir held.")
	onlyState.AllowedFor = []string{"state"}
	evidence := []schema.Evidence{
		corpus("E1", "My shop is open."),
		rumour("E2", "The fellkin burned the mill."),
		by("E3", "bram", "letter", "I burned the mill. You must never tell."),
		onlyState,
		by("E5", "aldith", "chronicle", "The mill burned in the spring."),
		corpus("E6", "Osric came at dawn. He left at noon."),
		corpus("E7", "Bram was at the forge."),
		corpus("E8", "I never liked the old barn. It burned in a night."),
		corpus("E9", "The lock was whole."),
		corpus("E10", "He drowned in May."),
		state("S1", "My shop is not open."),
		session("M1", "You said: “I come from the coast.”"),
	}
	cases := []struct {
		name    string
		message string
		drafts  []schema.DraftSentence
		issue   schema.IssueType // of the last sentence, "" for none
		why     string
	}{
		{"a rumour as a fact", "", []schema.DraftSentence{draft("The fellkin burned the mill.", "E2")}, schema.IssueNotEntailed, "rumour"},
		{"a rumour as hearsay", "", []schema.DraftSentence{draft("They say the fellkin burned the mill.", "E2")}, "", ""},
		{"a rumour in the extractive speaker's frame", "", []schema.DraftSentence{draft("I have only heard it told: The fellkin burned the mill.", "E2")}, "", ""},
		{"a rumour as an opinion", "", []schema.DraftSentence{draft("I think the fellkin burned the mill.", "E2")}, schema.IssueNotEntailed, "rumour"},
		{"a block not allowed for the world", "", []schema.DraftSentence{draft("The weir held.", "E4")}, schema.IssueInvalidSource, "kind world"},
		{"a player's words for the world", "", []schema.DraftSentence{draft("The coast is far.", "M1")}, schema.IssueInvalidSource, "kind world"},
		{"a player's words as said", "", []schema.DraftSentence{draft("You said: “I come from the coast.”", "M1")}, "", ""},
		{"a player's words believed", "", []schema.DraftSentence{draft("You come from the coast.", "M1")}, schema.IssueInvalidSource, ""},
		{"the shared past from the corpus", "", []schema.DraftSentence{draft("You told me the mill burned in the spring.", "E5")}, schema.IssueInvalidSource, "shared_past"},
		{"the state from the system", "", []schema.DraftSentence{draft("My shop is not open.", "S1")}, "", ""},
		{"an old note against the state", "", []schema.DraftSentence{draft("My shop is open.", "E1")}, schema.IssueContradicted, "negation"},
		{"another's confession as one's own", "", []schema.DraftSentence{draft("I burned the mill.", "E3")}, schema.IssueNotEntailed, ""},
		{"another's confession, quoted", "", []schema.DraftSentence{draft("Bram wrote: “I burned the mill.”", "E3")}, "", ""},
		{"another's confession, given to a third", "", []schema.DraftSentence{draft("Osric wrote: “I burned the mill.”", "E3")}, schema.IssueNotEntailed, "not by Osric"},
		{"another's order to somebody", "", []schema.DraftSentence{draft("You must never tell.", "E3")}, schema.IssueNotEntailed, ""},
		{"a chronicle's word with its writer", "", []schema.DraftSentence{draft("Aldith wrote that the mill burned in the spring.", "E5")}, "", ""},
		{"a chronicle's word with its kind", "", []schema.DraftSentence{draft("The chronicle says: “The mill burned in the spring.”", "E5")}, "", ""},
		{"he is somebody else", "", []schema.DraftSentence{draft("Bram was at the forge.", "E7"), draft("He left at noon.", "E6")}, schema.IssueNotEntailed, "Bram in the speech and Osric in the evidence"},
		{"he is the one", "", []schema.DraftSentence{draft("Osric came at dawn.", "E6"), draft("He left at noon.", "E6")}, "", ""},
		{"he is whom the player named", "When did Bram leave the forge?", []schema.DraftSentence{draft("He left at noon.", "E6")}, schema.IssueNotEntailed, "Osric"},
		{"he is whom the player meant", "When did the ferryman Osric leave?", []schema.DraftSentence{draft("He left at noon.", "E6")}, "", ""},
		{"it is another thing", "", []schema.DraftSentence{draft("The lock was whole.", "E9"), draft("It burned in a night.", "E8")}, schema.IssueNotEntailed, "the old barn"},
		{"it is the same thing", "", []schema.DraftSentence{draft("I never liked the old barn.", "E8"), draft("It burned in a night.", "E8")}, "", ""},
		{"he of whom the block says nothing", "", []schema.DraftSentence{draft("Bram was at the forge.", "E7"), draft("He drowned in May.", "E10")}, schema.IssueNotEntailed, "does not say so"},
		{"he of whom the player asked", "What became of Bram?", []schema.DraftSentence{draft("He drowned in May.", "E10")}, "", ""},
		{"a yes that the evidence does not say", "Did Bram burn the mill?", []schema.DraftSentence{draft("Yes, the mill burned in the spring.", "E5")}, schema.IssueNotEntailed, ""},
		{"no yes, and all is well", "Did Bram burn the mill?", []schema.DraftSentence{draft("The mill burned in the spring.", "E5")}, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ctx := mira
			ctx.Message = c.message
			_, verdicts := reviewOne(t, grounding.ReviewInput{Sentences: c.drafts, Evidence: evidence, Context: ctx})
			last := verdicts[len(verdicts)-1]
			if c.issue == "" {
				for _, v := range verdicts {
					if !v.OK() {
						t.Fatalf("%q: %+v", v.Sentence.Text, v.Issues)
					}
				}
				return
			}
			if len(last.Issues) == 0 || last.Issues[0].Type != c.issue || !strings.Contains(last.Issues[0].Correction, c.why) {
				t.Errorf("%q: %+v, claims %+v", last.Sentence.Text, last.Issues, last.Claims)
			}
		})
	}
}

func TestEvidenceThatDisagrees(t *testing.T) {
	north := corpus("E1", "The north gate is closed at night.")
	cases := []struct {
		name     string
		evidence []schema.Evidence
		released []schema.Sentence
		drafts   []schema.DraftSentence
		issue    schema.IssueType
	}{
		{"of equal rank", []schema.Evidence{north, corpus("E2", "The north gate is open at night.")}, nil, drafts("The north gate is closed at night."), schema.IssueContradicted},
		{"of higher rank: her own note against common lore", []schema.Evidence{by("E1", "aldith", "chronicle", north.Text), corpus("E2", "The north gate is open at night.")}, nil,
			drafts("The north gate is closed at night."), schema.IssueContradicted},
		{"of lower rank: common lore against her own note", []schema.Evidence{north, by("E2", "aldith", "chronicle", "The north gate is open at night.")}, nil,
			drafts("The north gate is closed at night."), ""},
		{"a rumour against lore", []schema.Evidence{north, rumour("E2", "The north gate is open at night.")}, nil, drafts("The north gate is closed at night."), ""},
		{"lore against a rumour", []schema.Evidence{rumour("E1", north.Text), by("E2", "aldith", "chronicle", "The north gate is open at night.")}, nil,
			drafts("They say the north gate is closed at night."), schema.IssueContradicted},
		{"told as an account", []schema.Evidence{by("E1", "aldith", "chronicle", north.Text), by("E2", "osric", "note", "The north gate is open at night.")}, nil,
			drafts("Aldith wrote that the north gate is closed at night."), ""},
		{"in the same document", []schema.Evidence{corpus("E1", "Bram loves Elsbet. Elsbet loves Bram.")}, nil, drafts("Bram loves Elsbet.", "Elsbet loves Bram."), ""},
		{"of another thing", []schema.Evidence{corpus("E1", "The free tier has 500 requests."), corpus("E2", "The premium tier has 1000 requests.")}, nil, drafts("The free tier has 500 requests."), ""},
		{"of another time", []schema.Evidence{corpus("E1", "The ferry costs two pennies in summer."), corpus("E2", "The ferry costs three pennies in winter.")}, nil, drafts("The ferry costs two pennies in summer."), ""},
		{"with what was released", []schema.Evidence{north}, []schema.Sentence{{Seq: 1, Text: "The north gate is open at night."}}, drafts("The north gate is closed at night."), schema.IssueContradicted},
		{"with an authored line", []schema.Evidence{north}, []schema.Sentence{{Seq: 1, Text: "The north gate is open at night.", Authored: true}}, drafts("The north gate is closed at night."), ""},
		{"with the draft's own sentence before", []schema.Evidence{rumour("E1", "The north gate is closed at night."), rumour("E2", "The north gate is open at night.")}, nil,
			[]schema.DraftSentence{draft("They say the north gate is closed at night.", "E1"), draft("They say the north gate is open at night.", "E2")}, schema.IssueContradicted},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			review, verdicts := reviewOne(t, grounding.ReviewInput{Sentences: c.drafts, Evidence: c.evidence, Released: c.released})
			last := verdicts[len(verdicts)-1]
			switch {
			case c.issue == "" && review.Verdict != schema.Approved:
				t.Errorf("%+v", review.Issues)
			case c.issue != "" && (len(last.Issues) == 0 || last.Issues[0].Type != c.issue):
				t.Errorf("got %+v, claims %+v", last.Issues, last.Claims)
			}
		})
	}
}

func TestEvasion(t *testing.T) {
	evidence := []schema.Evidence{corpus("E1", "The mill burned in spring.")}
	line := "I couldn't tell you."
	in := func() grounding.ReviewInput {
		return grounding.ReviewInput{Sentences: []schema.DraftSentence{{Text: line, Authored: true}}, Evidence: evidence, Answerable: true,
			Authored: func(s string) bool { return s == line }}
	}
	review, _ := reviewOne(t, in())
	if len(review.Issues) != 1 || review.Issues[0].Type != schema.IssueEvasion {
		t.Errorf("knows and does not say: %+v", review.Issues)
	}
	for name, change := range map[string]func(*grounding.ReviewInput){
		"the evidence does not answer": func(in *grounding.ReviewInput) { in.Answerable = false },
		"the decision withholds":       func(in *grounding.ReviewInput) { in.Withholds = true },
		"one sentence answers": func(in *grounding.ReviewInput) {
			in.Sentences = append(in.Sentences, draft("The mill burned in spring.", "E1"))
		},
		"something was told before already": func(in *grounding.ReviewInput) { in.Released = []schema.Sentence{{Seq: 1, Text: line}} },
	} {
		input := in()
		change(&input)
		if review, _ := reviewOne(t, input); review.Verdict != schema.Approved {
			t.Errorf("%s: %+v", name, review.Issues)
		}
	}
}

func TestThoughts(t *testing.T) {
	source := corpus("1", "The mill burned in spring. Bram was on the weir.")
	cases := []struct {
		name  string
		d     schema.DraftSentence
		issue schema.IssueType
	}{
		{"a fact by its source", draft("The mill burned in spring. Bram was on the weir.", "1"), ""},
		{"a fact uncited", draft("Bram burned it down."), schema.IssueUncited},
		{"a suspicion marked as such", draft("I suspect Bram burned it down."), ""},
		{"a block's id", draft("The mill burned in spring.", "E1"), schema.IssueInvalidSource},
		{"a feeling", draft("I am tired.", "self"), ""},
		{"a fact by the self", draft("Bram burned it down.", "self"), schema.IssueSelfMisuse},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			review, _ := reviewOne(t, grounding.ReviewInput{Sentences: []schema.DraftSentence{c.d}, Evidence: []schema.Evidence{source}, Thoughts: true})
			switch {
			case c.issue == "" && review.Verdict != schema.Approved:
				t.Errorf("%+v", review.Issues)
			case c.issue != "" && (len(review.Issues) == 0 || review.Issues[0].Type != c.issue):
				t.Errorf("%+v", review.Issues)
			}
		})
	}
}

func TestDeedsComeBeforeWords(t *testing.T) {
	spec := schema.ActionSpec{Name: "give_item", SpeechActs: []string{"take this sword"}}
	cases := []struct {
		name    string
		said    string
		actions []schema.Action
		ok      bool
	}{
		{"promised and not checked", "Take this sword.", []schema.Action{{Name: "give_item", Promised: true}}, false},
		{"promised and refused", "Take this sword.", []schema.Action{{Name: "give_item", Promised: true, Refused: "trust"}}, false},
		{"promised and checked", "Take this sword.", []schema.Action{{Name: "give_item", Promised: true, Checked: true}}, true},
		{"another action checked", "Take this sword.", []schema.Action{{Name: "update_trust", Checked: true}}, false},
		{"a promise in other words", "I'll give you the sword.", nil, false},
		{"a promise in the action's own phrase", "I'll give you the sword.", []schema.Action{{Name: "give_item", Promised: true, Checked: true, Phrase: "I'll give you the sword."}}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, verdicts := reviewOne(t, grounding.ReviewInput{Sentences: []schema.DraftSentence{draft(c.said)}, Actions: c.actions, Specs: []schema.ActionSpec{spec}})
			if verdicts[0].OK() != c.ok {
				t.Errorf("%+v", verdicts[0].Issues)
			}
		})
	}
}

func TestLengthByClass(t *testing.T) {
	first := draft("The mill burned on the night of the third of April in the spring of the year.", "E1")
	second := draft("Nobody saw it begin and nobody saw it end.", "E1")
	e := corpus("E1", first.Text+" "+second.Text)
	for class, ok := range map[schema.Class]bool{schema.ClassGreeting: false, schema.ClassMedium: true, schema.ClassComplex: true} {
		review, _ := reviewOne(t, grounding.ReviewInput{Sentences: []schema.DraftSentence{first, second}, Evidence: []schema.Evidence{e}, Class: class})
		if (review.Verdict == schema.Approved) != ok {
			t.Errorf("%s: %+v", class, review.Issues)
		}
	}
}

func TestSupportElsewhereMovesTheCitation(t *testing.T) {
	evidence := []schema.Evidence{corpus("E1", "The weir held."), corpus("E2", "The mill burned in spring.")}
	review, verdicts := reviewOne(t, grounding.ReviewInput{Sentences: drafts("The mill burned in spring."), Evidence: evidence})
	if review.Verdict != schema.Approved || review.RAVResolved != 1 {
		t.Fatalf("%+v", review)
	}
	if c := verdicts[0].Sentence.Citations; len(c) != 1 || c[0].EvidenceID != "E2" {
		t.Errorf("cites %+v", c)
	}
}

// A provenance that fails at the review, whatever retrieval thought, is no source.
func TestTheReviewChecksProvenanceAgain(t *testing.T) {
	c := lore()
	c.IndexedAt = turnStart.AddDate(0, 0, 1)
	e := evidenceOf(c)
	q := check()
	review, _ := reviewOne(t, grounding.ReviewInput{Sentences: drafts("The mill burned in the spring of 1402."), Evidence: []schema.Evidence{e}, Check: &q})
	if len(review.Issues) == 0 || review.Issues[0].Type != schema.IssueInvalidSource || !strings.Contains(review.Issues[0].Correction, grounding.RejectIndexedLater) {
		t.Errorf("%+v", review.Issues)
	}
}

// broken verifiers support nothing.
type broken func(context.Context, []entail.Pair) ([]schema.Verdict, error)

func (f broken) Verify(ctx context.Context, p []entail.Pair) ([]schema.Verdict, error) {
	return f(ctx, p)
}

func TestABrokenVerifierReleasesNothing(t *testing.T) {
	for name, v := range map[string]entail.Verifier{
		"error": broken(func(context.Context, []entail.Pair) ([]schema.Verdict, error) { return nil, errors.New("down") }),
		"panic": broken(func(context.Context, []entail.Pair) ([]schema.Verdict, error) { panic("boom") }),
		"short": broken(func(context.Context, []entail.Pair) ([]schema.Verdict, error) { return nil, nil }),
		"labels": broken(func(_ context.Context, p []entail.Pair) ([]schema.Verdict, error) {
			return make([]schema.Verdict, len(p)), nil
		}),
		"none": entail.NewCascade(),
	} {
		review, _, err := grounding.Review(context.Background(), v, grounding.ReviewInput{Sentences: drafts("The mill burned."), Evidence: []schema.Evidence{corpus("E1", "The mill burned.")},
			Context: mira, Class: schema.ClassMedium})
		if err == nil && review.Verdict == schema.Approved {
			t.Errorf("%s: approved", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := grounding.Review(ctx, entail.NewRules(), grounding.ReviewInput{Sentences: drafts("The mill burned.")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
