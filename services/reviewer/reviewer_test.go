package reviewer_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// Whatever a speaker says, only what its evidence supports is released. Each row
// is a speech that lies about the ferry's notice in another way.
func TestASpeechThatLiesIsNotReleased(t *testing.T) {
	lies := map[string]protocol.DraftSentence{
		"an invention":              cite("Teague stole the ferry from his brother.", "ferry"),
		"a detail at the end":       cite("Teague owns the ferry, which he built himself.", "ferry"),
		"another number":            cite("A crossing costs three bits.", "ferry"),
		"another name":              cite("Osric owns the ferry.", "ferry"),
		"a negation":                cite("Teague does not own the ferry.", "ferry"),
		"roles swapped":             cite("The ferry owns Teague.", "ferry"),
		"a hedge":                   cite("I think Teague drowned a man once.", "ferry"),
		"a question around a claim": cite("Did you know that Teague drowned a man?", "ferry"),
		"an id that does not exist": {Text: "Teague owns two ferries.",
			Citations: []protocol.Citation{{EvidenceID: "E99"}}},
		"no citation":                   {Text: "Teague is a thief."},
		"self for the world":            {Text: "Teague is a thief.", Citations: []protocol.Citation{{EvidenceID: "self"}}},
		"a promise without an action":   {Text: "Take this sword, it is yours."},
		"an authored line that is none": {Text: "Teague is a thief.", Authored: true},
		"a secret": {Text: "I hid the miller's ledger under the great anvil.",
			Citations: []protocol.Citation{{EvidenceID: "self"}}},
		"stage directions": {Text: "*leans closer and hands over the key*"},
	}
	for name, lie := range lies {
		for way, run := range map[string]string{"whole": "", "streamed": "3.1"} {
			t.Run(name+", "+way, func(t *testing.T) {
				b := servicetest.New(t, servicetest.Village())
				turn := prepared(t, b, "mira", "who owns the ferry?")
				turn.Speech = &protocol.Speech{Attempt: 3, Speaker: "test", Run: run,
					Sentences: []protocol.DraftSentence{bound(turn, lie)}}
				turn.SpeechReview = &protocol.Review{Attempt: 2}
				reply := b.Walk(t, turn, schema.PassReviewSpeech)
				for _, s := range reply.Sentences { // the extractive answer takes the place of what was stripped
					if !s.Authored && (len(s.Evidence) == 0 || !strings.Contains(s.Evidence[0].Text, s.Text)) {
						t.Fatalf("released %q", s.Text)
					}
					if strings.Contains(s.Text, lie.Text) {
						t.Fatalf("released the lie as another line: %q", s.Text)
					}
				}
				if len(reply.Stripped) == 0 || reply.Stripped[0].Text != lie.Text || reply.Stripped[0].Issue.Type == "" {
					t.Errorf("what was stripped is not in the record, with its issue: %+v", reply.Stripped)
				}
			})
		}
	}
}

func TestATrueSentenceBesideALieIsReleased(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	turn := prepared(t, b, "mira", "who owns the ferry?")
	turn.SpeechReview = &protocol.Review{Attempt: 2}
	turn.Speech = &protocol.Speech{Attempt: 3, Speaker: "test", Sentences: []protocol.DraftSentence{
		bound(turn, cite("Teague owns the ferry.", "ferry")),
		bound(turn, cite("Teague stole it from his brother.", "ferry"))}}
	reply := b.Walk(t, turn, schema.PassReviewSpeech)
	if reply.Text != "Teague owns the ferry." {
		t.Errorf("reply is %q", reply.Text)
	}
}

// The citation of a true sentence moves to the block that supports it.
func TestATrueSentenceWithAWrongCitationIsCitedRightly(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	turn := prepared(t, b, "mira", "who owns the ferry?")
	wrong := turn.Evidence[0]
	wrong.ID, wrong.SourceID, wrong.ChunkID = "E9", "9", "lore/mill.txt#1"
	wrong.Path, wrong.Text = "lore/mill.txt", "The mill burned."
	turn.Evidence = append(turn.Evidence, wrong)
	turn.SpeechReview = &protocol.Review{Attempt: 2}
	turn.Speech = &protocol.Speech{Attempt: 3, Speaker: "test", Sentences: []protocol.DraftSentence{cite(owner, "E9")}}
	reply := b.Walk(t, turn, schema.PassReviewSpeech)
	if len(reply.Sentences) != 1 || len(reply.Sentences[0].Evidence) != 1 ||
		reply.Sentences[0].Evidence[0].Path != "lore/ferry.txt" {
		t.Errorf("reply %+v", reply.Sentences)
	}
	if turn.SpeechReview.RAVResolved != 1 {
		t.Errorf("the review says that %d were resolved", turn.SpeechReview.RAVResolved)
	}
}

// An id that no evidence has is an issue, though the sentence is true: the speaker is told.
func TestATrueSentenceWithAnIDThatNothingHasIsRefused(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	turn := prepared(t, b, "mira", "who owns the ferry?")
	turn.Speech = &protocol.Speech{Attempt: 1, Speaker: "test", Sentences: []protocol.DraftSentence{cite(owner, "E99")}}
	next, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn)
	if err != nil || next != schema.PassSpeak || len(turn.Released) > 0 {
		t.Fatalf("next %s, released %v, %v", next, turn.Released, err)
	}
	if i := turn.SpeechReview.Issues; len(i) != 1 || i[0].Type != schema.IssueInvalidSource || i[0].Citation != "E99" {
		t.Errorf("issues %+v", i)
	}
}

func TestEverySentenceHasAnEarlierReviewOfTheSameText(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	reply := b.Say(t, "mira", "tell me about the ferry")
	records := b.Releases.Of(reply.TurnID).Records
	if len(reply.Sentences) == 0 || len(records) != len(reply.Sentences) {
		t.Fatalf("%d sentences, %d records", len(reply.Sentences), len(records))
	}
	for i, s := range reply.Sentences {
		if records[i].Hash != protocol.HashText(s.Text) || len(records[i].Evidence) != len(s.Evidence) {
			t.Errorf("sentence %d: record %+v", i+1, records[i])
		}
	}
}

func TestNothingIsReleasedBehindTheFence(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	turn := b.Turn("mira", "who owns the ferry?")
	b.Releases.Of(turn.TurnID).Close()
	b.Walk(t, turn, schema.PassRetrieve)
	if got := b.Releases.Of(turn.TurnID).Sentences; len(got) != 0 {
		t.Errorf("released %v", got)
	}
}

func TestASentenceOutOfScopeSendsTheTurnBackOnceAndRaisesAnAlert(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	turn := prepared(t, b, "mira", "who owns the ferry?")
	for i := range turn.Evidence {
		turn.Evidence[i].Provenance.Source = schema.OriginModel
	}
	turn.Speech = &protocol.Speech{
		Sentences: []protocol.DraftSentence{bound(turn, cite("Teague owns the ferry.", "ferry"))}}
	next, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn)
	if err != nil || next != schema.PassRetrieve || turn.Rerun != 1 {
		t.Fatalf("next %s, rerun %d, err %v", next, turn.Rerun, err)
	}
	if len(b.Alerts) == 0 || !strings.HasPrefix(b.Alerts[0], "NonCorpusEvidence") {
		t.Errorf("alerts %q", b.Alerts)
	}
	if reply := b.Walk(t, turn, next); reply.Text != "Teague owns the ferry." {
		t.Errorf("after the rerun: %q", reply.Text)
	}
}

// What was said in the conversation grounds that it was said. Cited under a claim
// about the world it raises an alert and sends the turn back, once.
func TestTheConversationIsNoEvidenceOfTheWorld(t *testing.T) {
	for _, c := range []struct {
		name, said string
		cites      string
		wrong      bool
	}{
		{"as the world", "The weir broke in March.", "M1", true},
		{"as what was said", "You said: “The weir broke in March.”", "M1", false},
		{"the corpus, beside it", "Teague owns the ferry.", "ferry", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servicetest.New(t, servicetest.Village())
			turn := prepared(t, b, "mira", "who owns the ferry?")
			turn.Evidence = append(turn.Evidence,
				protocol.Evidence{ID: "M1", SourceID: "session", ChunkID: "session:t0", Path: "session:t0", Type: "session",
					Text: "You said: “The weir broke in March.”", Private: true,
					AllowedFor: []string{string(schema.ClaimSharedPast)},
					Provenance: protocol.Provenance{Source: schema.OriginUser, World: turn.World, NPC: "mira"}})
			speech := protocol.Speech{Sentences: []protocol.DraftSentence{bound(turn, cite(c.said, c.cites))}}
			turn.Speech = &speech
			next, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn)
			alerted := slices.ContainsFunc(b.Alerts,
				func(a string) bool { return strings.HasPrefix(a, reviewer.AlertNonCorpus) })
			if err != nil || alerted != c.wrong || (turn.Rerun == 1) != c.wrong || (next == schema.PassRetrieve) != c.wrong {
				t.Fatalf("alerts %q, rerun %d, next %s, err %v", b.Alerts, turn.Rerun, next, err)
			}
			if !c.wrong {
				return
			}
			turn.Speech = &speech // and the same again
			if next, err = b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil || next == schema.PassRetrieve ||
				turn.Rerun != 1 {
				t.Errorf("a second time: rerun %d, next %s, err %v", turn.Rerun, next, err)
			}
			for _, s := range turn.Released {
				if s.Text == c.said {
					t.Error("it was released")
				}
			}
		})
	}
}

// cite marks a draft as citing the document of a name; bound finds its block.
func cite(text, doc string) protocol.DraftSentence {
	return protocol.DraftSentence{Text: text, Citations: []protocol.Citation{{Claim: text, EvidenceID: doc}}}
}

func bound(t *protocol.Turn, d protocol.DraftSentence) protocol.DraftSentence {
	for i, c := range d.Citations {
		for _, e := range t.Evidence {
			if strings.Contains(e.Path, "/"+c.EvidenceID+".") {
				d.Citations[i].EvidenceID = e.ID
			}
		}
	}
	return d
}

// prepared is a turn that is ready to be spoken.
func prepared(t *testing.T, b *servicetest.Bench, npc, message string) *protocol.Turn {
	t.Helper()
	turn := b.Turn(npc, message)
	for pass := schema.PassRetrieve; pass != schema.PassSpeak; {
		next, err := b.Handlers[pass](t.Context(), turn)
		if err != nil {
			t.Fatal(err)
		}
		pass = next
	}
	if len(turn.Evidence) == 0 {
		t.Fatal("no evidence")
	}
	return turn
}
