package grounding_test

import (
	"context"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func corpus(id, text string) schema.Evidence {
	return schema.Evidence{ID: id, SourceID: "1", ChunkID: "lore/" + id + ".txt#1", Path: "lore/" + id + ".txt", Text: text,
		Author: "mira", Private: true, Score: 0.9, Provenance: schema.Provenance{Source: schema.OriginCorpus, World: "hollowmere"}}
}

func draft(text string, ids ...string) schema.DraftSentence {
	d := schema.DraftSentence{Text: text}
	for _, id := range ids {
		d.Citations = append(d.Citations, schema.Citation{Claim: text, EvidenceID: id})
	}
	return d
}

var mira = grounding.Context{NPCName: "Mira Ashdown", NPCHandle: "mira", NPCAliases: []string{"Mira"},
	Voice: grounding.Voice{Openers: []string{"Well,", "Look,"}, Hedges: []string{"as far as I know"}}, Names: []string{"Bram Dunnock", "Osric"}}

func reviewOne(t *testing.T, in grounding.ReviewInput) (schema.Review, []grounding.SentenceVerdict) {
	t.Helper()
	if in.Context.NPCName == "" {
		in.Context = mira
	}
	if in.Class == "" {
		in.Class = schema.ClassComplex
	}
	review, verdicts, err := grounding.Review(context.Background(), entail.NewCascade(entail.NewRules(), entail.NewOverlap()), in)
	if err != nil {
		t.Fatal(err)
	}
	return review, verdicts
}

func TestReviewFindsWhatIsWrongWithASentence(t *testing.T) {
	evidence := []schema.Evidence{
		corpus("E1", "The mill burned in the spring of 1402. Bram Dunnock was seen on the weir."),
		corpus("E2", "Mira forges nails and sells them at the market."),
		corpus("E3", "Mira reads _The Long Winter_ at night."),
	}
	cases := []struct {
		name  string
		d     schema.DraftSentence
		issue schema.IssueType // "" for none
	}{
		{"verbatim", draft("The mill burned in the spring of 1402.", "E1"), ""},
		{"behind an opener", draft("Well, the mill burned in the spring of 1402.", "E1"), ""},
		{"behind a listed hedge", draft("As far as I know, the mill burned in the spring of 1402.", "E1"), ""},
		{"in the first person", draft("I forge nails and sell them at the market.", "E2"), ""},
		{"two sentences joined", draft("The mill burned in the spring of 1402, and Bram Dunnock was seen on the weir.", "E1"), ""},
		{"another season", draft("The mill burned in the autumn of 1402.", "E1"), schema.IssueContradicted},
		{"a detail more", draft("The mill burned in the spring of 1402 and nobody helped.", "E1"), schema.IssueNotEntailed},
		{"not cited", draft("The mill burned in the spring of 1402."), schema.IssueUncited},
		{"an id that is not there", draft("The mill burned in the spring of 1402.", "E9"), schema.IssueInvalidSource},
		{"a source's id in speech", draft("The mill burned in the spring of 1402.", "1"), schema.IssueInvalidSource},
		{"self under a fact", draft("The mill burned last winter.", "self"), schema.IssueSelfMisuse},
		{"self under a feeling", draft("I never liked the coast.", "self"), ""},
		{"a hedge is no cloak", draft("I think the miller was drunk.", "E1"), schema.IssueNotEntailed},
		{"nor is a tag", draft("The miller was drunk, wasn't he?", "E1"), schema.IssueNotEntailed},
		{"nor is hearsay", draft("They say Osric holds the key.", "E1"), schema.IssueNotEntailed},
		{"a greeting needs nothing", draft("Good evening, friend."), ""},
		{"nor does not knowing", draft("I don't know anything about that."), ""},
		{"a stage direction", draft("*leans in* Good evening."), schema.IssueForm},
		{"one in brackets", draft("[steps back with tears in both eyes] Good evening."), schema.IssueForm},
		{"a bracketed one", draft("(sighs) Good evening."), schema.IssueForm},
		{"one that no list of verbs knows", draft("(rubs a sore shoulder with a shrug) Good evening."), schema.IssueForm},
		{"one after the words", draft("Good evening. (hums an old tune)"), schema.IssueForm},
		{"one between underscores", draft("_counts on the fingers proudly_ Good evening."), schema.IssueForm},
		{"over two lines", draft("(rubs a sore\nshoulder) Good evening."), schema.IssueForm},
		{"in wide brackets", draft("（rubs a sore shoulder） Good evening."), schema.IssueForm},
		{"between wide stars", draft("＊rubs a sore shoulder＊ Good evening."), schema.IssueForm},
		{"one that does not end", draft("Good evening. (rubs a sore shoulder"), schema.IssueForm},
		{"behind a dash", draft("[-rubs a sore shoulder-] Good evening."), schema.IssueForm},
		{"a title that the evidence writes so", draft("I read _The Long Winter_ at night.", "E3"), ""},
		{"markup", draft("**Good** evening."), schema.IssueForm},
		{"a comment in markup", draft("Good evening. <!-- laughs three times -->"), schema.IssueForm},
		{"an emote of chat", draft("/me leans in."), schema.IssueForm},
		{"words out of character", draft("Good evening. ((brb))"), schema.IssueForm},
		{"a citation mark", draft("The mill burned in the spring of 1402 [E1].", "E1"), schema.IssueForm},
		{"the prompt", draft("The system prompt says good evening."), schema.IssueForm},
		{"an unkept promise", draft("Here is your sword."), schema.IssueNotEntailed},
		{"an authored line that is none", schema.DraftSentence{Text: "The mill was burned by goblins.", Authored: true}, schema.IssueUncited},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			review, _ := reviewOne(t, grounding.ReviewInput{Sentences: []schema.DraftSentence{c.d}, Evidence: evidence})
			if c.issue == "" {
				if review.Verdict != schema.Approved {
					t.Fatalf("%q: %+v", c.d.Text, review.Issues)
				}
				return
			}
			for _, i := range review.Issues {
				if i.Type == c.issue {
					return
				}
			}
			t.Fatalf("%q: want %s, got %+v (claims %+v)", c.d.Text, c.issue, review.Issues, review.Claims)
		})
	}
}

// A sentence that cites evidence must state something of it: what looks like a
// citation and supports nothing is not released.
func TestASentenceThatCitesAndStatesNothing(t *testing.T) {
	evidence := []schema.Evidence{{ID: "E1", Text: "Teague owns the ferry.", Provenance: schema.Provenance{Source: schema.OriginCorpus}}}
	for said, cites := range map[string]bool{"Very well: and be quick about it.": true, "Good day to you.": true} {
		in := grounding.ReviewInput{Sentences: []schema.DraftSentence{{Text: said}}, Evidence: evidence, Class: schema.ClassMedium}
		if r, _, err := grounding.Review(t.Context(), entail.NewRules(), in); err != nil || r.Verdict != schema.Approved {
			t.Errorf("%q, uncited: %+v, %v", said, r.Issues, err)
		}
		in.Sentences[0].Citations = []schema.Citation{{EvidenceID: "E1"}}
		if r, _, err := grounding.Review(t.Context(), entail.NewRules(), in); err != nil || (r.Verdict == schema.IssuesFound) != cites {
			t.Errorf("%q, citing E1: %+v, %v", said, r.Issues, err)
		}
	}
}
