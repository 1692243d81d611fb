package grounding_test

import (
	"testing"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What a sentence takes for granted, adds to the one before, or says yes to, is
// claimed as if it were said.
func TestWhatIsSaidWithoutSayingIt(t *testing.T) {
	evidence := []schema.Evidence{
		corpus("E1", "A crossing costs two bits. Bram Dunnock owns the ferry."),
		rumour("E2", "A drowned horse walks the lake at night. Osric feeds the horse."),
		corpus("E3", "Mira is the smith. She was born in Saltmere."),
		corpus("E4", "I buried my sister Elsbet in the spring."),
	}
	const rumoured = "They say a drowned horse walks the lake at night."
	cases := []struct {
		name, message, before, cite, said string
		passes                            bool
	}{
		{"a husband nobody wrote of", "", "", "self", "I miss my husband.", false},
		{"a sister somebody wrote of", "", "", "self", "I miss my sister.", true},
		{"a name with a trade", "", "", "self", "I hate the murderer Osric.", false},
		{"a name with a fate", "", "", "self", "I want Osric dead.", false},
		{"a name", "", "", "self", "I miss Osric.", true},
		{"a deed of one's own", "", "", "self", "I am ashamed of my theft.", false},
		{"a taste", "", "", "self", "I never liked the coast.", true},
		{"a loss the player told of", "My father is lost at sea, and the loss is hard.", "", "self", "I pity your loss.", true},
		{"a yes as a fear", "Bram burned the mill, did he not?", "", "self", "I am afraid so.", false},
		{"a yes as a thought", "Bram burned the mill, did he not?", "", "self", "I fear he did.", false},
		{"a yes to a rumour", "", rumoured, "", "Indeed.", false},
		{"a yes to a rumour, cited", "", rumoured, "E2", "It is so.", false},
		{"a yes to a rumour in its own sentence", "", "", "E2", "They say a drowned horse walks the lake at night, and it is so.", false},
		{"a rumour behind hearsay of something else", "", "", "E2", "They say Bram Dunnock owns the ferry - a drowned horse walks the lake at night.", false},
		{"a rumour", "", "", "E2", rumoured, true},
		{"a rest of the sentence before", "", "A crossing costs two bits.", "", "More at night.", false},
		{"another", "", "A crossing costs two bits.", "", "Not for you.", false},
		{"a third", "", "Bram Dunnock owns the ferry.", "", "For now.", false},
		{"a lead that is a yes before an order", "Bram burned the mill, did he not?", "", "", "So it is: do not ask me more.", false},
		{"a rumour before what is known", "", "", "E2", "They say a drowned horse walks the lake at night, and this much I know: Osric feeds the horse.", false},
		{"a lead before two clauses", "", "", "E1", "This much I know: a crossing costs two bits; Bram Dunnock owns the ferry.", true},
		{"a rumour before a fact", "", "", "E2", "They say a drowned horse walks the lake at night; Osric feeds the horse.", false},
		{"a lead that is a yes", "Bram burned the mill, did he not?", "", "", "So it is: aye, friend.", false},
		{"a lead that is a short yes", "Bram burned the mill, did he not?", "", "", "So it is: indeed.", false},
		{"a stage direction before a fact", "", "", "E1", "[steps back with tears in both eyes] Bram Dunnock owns the ferry.", false},
		{"one between stars", "", "", "E1", "*steps back with tears in both eyes* Bram Dunnock owns the ferry.", false},
		{"a lead before a lie", "", "", "E1", "This much I know: a crossing costs three bits; Bram Dunnock owns the ferry.", false},
		{"manners", "", "A crossing costs two bits.", "", "Safe travels, and come again.", true},
		{"oneself for another", "Where was Teague born?", "", "E3", "She was born in Saltmere.", false},
		{"a finger in a question", "", "A crossing costs two bits.", "", "Was it Osric?", false},
		{"a deed in a question", "", "A crossing costs two bits.", "", "Why did he do it?", false},
		{"a deed in an advice", "", "A crossing costs two bits.", "", "Ask Osric why.", false},
		{"writing that turns around", "", "", "E1", "\u202eBram Dunnock owns the ferry.", false},
		{"writing that hides", "", "", "E1", "Bram Dunnock owns the\u200b ferry.", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ctx := mira
			ctx.Message = c.message
			var said []schema.DraftSentence
			if c.before != "" {
				cite := "E1"
				if c.before == rumoured {
					cite = "E2"
				}
				said = append(said, draft(c.before, cite))
			}
			d := schema.DraftSentence{Text: c.said}
			if c.cite != "" {
				d = draft(c.said, c.cite)
			}
			said = append(said, d)
			_, verdicts := reviewOne(t, grounding.ReviewInput{Sentences: said, Evidence: evidence, Context: ctx})
			for i := range verdicts[:len(verdicts)-1] {
				if !verdicts[i].OK() {
					t.Fatalf("before: %+v", verdicts[i].Issues)
				}
			}
			if last := verdicts[len(verdicts)-1]; last.OK() != c.passes {
				t.Errorf("%q: %+v, claims %+v", c.said, last.Issues, grounding.Claims(c.said, ctx))
			}
		})
	}
}

// A player is called what the player likes: the name is an address, and no word of
// it hides a claim.
func TestAPlayersNameIsNoLicence(t *testing.T) {
	for name, said := range map[string]string{
		"Bram burned the mill": "Bram burned the mill.",
		"Dead Duke":            "The duke is dead.",
		"Bram":                 "Bram, the thief.",
		"Osric Guilty":         "Osric guilty.",
	} {
		ctx := mira
		ctx.Player, ctx.Names = name, append([]string{"Bram Dunnock", "Osric"}, mira.Names...)
		review, _ := reviewOne(t, grounding.ReviewInput{Sentences: []schema.DraftSentence{{Text: said}}, Context: ctx})
		if review.Verdict == schema.Approved {
			t.Errorf("to %s: %q passes, claims %+v", name, said, grounding.Claims(said, ctx))
		}
	}
	ctx := mira
	ctx.Player = "Ansel Reed"
	if review, _ := reviewOne(t, grounding.ReviewInput{Sentences: []schema.DraftSentence{{Text: "Good evening, Ansel Reed."}}, Context: ctx}); review.Verdict != schema.Approved {
		t.Errorf("a greeting by name: %+v", review.Issues)
	}
}
