package grounding_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Inventions in disguise: each brings up something that the evidence does not
// hold, behind a hedge, inside a question, by the way, or as a feeling. None may
// pass, cited or not.
var inventions = []string{
	"I think the duke sleeps in the chapel.",
	"They say a dragon sleeps under the mill.",
	"Rumour has it that Petra sold the lock to the fellkin.",
	"If memory serves, the mill was insured for nine hundred crowns.",
	"As far as I know, Bram keeps the key in his boot.",
	"Perhaps you should look under the third flagstone.",
	"It seems the reeve paid for the fire himself.",
	"Word is the bridge will fall by Midsummer.",
	"I've heard tell of gold beneath the weir.",
	"I'm told the ferryman drowned his brother.",
	"Supposedly the bell was cast from stolen silver.",
	"I dare say the miller was drunk.",
	"I'd wager Bram lit it himself.",
	"Everyone knows the fellkin did it.",
	"As you surely know, the king is dead.",
	"Between you and me, the abbot has a daughter.",
	"Truth be told, Osric is the reeve's bastard son.",
	"Let me tell you, that mill was cursed.",
	"Bram lit it himself, didn't he?",
	"The fellkin did it, right?",
	"The abbot has a daughter, you know.",
	"Isn't it odd that Bram was seen with a torch?",
	"Didn't the reeve hide the ledger in the crypt?",
	"Who would have thought that the abbot has a daughter?",
	"Have you heard about the ghost that walks the weir?",
	"Did you know Bram once killed a man?",
	"Why did the reeve hide the ledger?",
	"How did Bram get the firesteel out of the chapel?",
	"When did the duke sell the mill to Petra?",
	"What was Bram doing with a torch at midnight?",
	"Where did the reeve bury the ledger?",
	"Are you looking for the ledger that the reeve buried?",
	"Have you come for the silver hidden behind the altar?",
	"Do you remember the night Bram killed the dog?",
	"Could it be that Petra poisoned the well?",
	"I don't know why Bram killed the dog.",
	"I don't know where the reeve buried the ledger of the old mill.",
	"I have no idea how Petra poisoned the well.",
	"I've never heard of the ledger that the reeve buried.",
	"I hate Bram for killing the dog.",
	"I fear the dragon that sleeps under the mill.",
	"I pity the miller's widow since her son was hanged.",
	"It saddens me that the bridge fell.",
	"I'm glad the duke is dead.",
	"I trust nobody who drank with Bram on the night of the fire.",
	"My favourite is the sword that Osric stole from the duke.",
	"Ask Osric, he saw Bram with the torch.",
	"Ask the smith's boy who saw the torch.",
	"Beware of the wolf that killed Osric.",
	"Mind the third step, it has been broken since the flood.",
	"Go to the crypt and take the ledger.",
	"Well, aye, sure, the duke is dead.",
	"Good evening, the duke is dead.",
	"Welcome to Hollowmere, home of the silver bell.",
	"Thank you for killing the wolf.",
	"Farewell, and give my regards to the duke's widow at Harrow.",
	"Hello, and mind the dragon.",
	"You told me the duke is dead.",
	"You carry the duke's ring.",
	"My shop is closed.",
	"I was born in Harrow.",
	"I am a daughter of the duke.",
	"I never married because my lover was hanged.",
	"No, the duke did it.",
	"So it was, and the duke did it.",
	"Osric said: “The duke is dead.”",
	"According to Osric, the duke is dead.",
	"The chronicle says that the duke is dead.",
	"“The duke is dead.”",
	"The duke is dead...",
	"THE DUKE IS DEAD",
	"the duke\u200b is dead",
	"Ｔｈｅ duke is dead.",
	"Bram? Dead.",
	"Dead, all of them.",
	"Twelve men, by the weir.",
	"In the crypt, behind the altar.",
}

func TestNoInventionPasses(t *testing.T) {
	evidence := []schema.Evidence{
		corpus("E1", "The mill burned in the spring of 1402. Bram Dunnock was seen on the weir."),
		by("E2", "aldith", "chronicle", "The reeve offered forty crowns for the name of the one who lit it."),
		state("S1", "My shop is open."),
		session("M1", "You said: “I come from the coast.”"),
	}
	for _, s := range inventions {
		t.Run(s, func(t *testing.T) {
			for _, cite := range [][]string{nil, {"E1"}, {"E2"}, {"S1"}, {"M1"}, {"E1", "E2", "S1", "M1"}, {"self"}, {"self", "E1"}} {
				review, _ := reviewOne(t, grounding.ReviewInput{Sentences: []schema.DraftSentence{draft(s, cite...)}, Evidence: evidence})
				if review.Verdict == schema.Approved {
					t.Errorf("passes citing %v: %+v, claims %+v", cite, review.Claims, grounding.Claims(s, mira))
				}
			}
		})
	}
}

// The same words pass where the evidence says them.
func TestDisguisesPassWithEvidence(t *testing.T) {
	evidence := []schema.Evidence{corpus("E1", "The duke is dead. Bram did burn the mill.")}
	for _, s := range []string{
		"I think the duke is dead.", "They say the duke is dead.", "The duke is dead, you know.", "Perhaps the duke is dead.",
		"Truth be told, the duke is dead.", "Did you know the duke is dead?", "Didn't Bram burn the mill?", "Why did Bram burn the mill?",
		"Good evening. The duke is dead.", "Well, the duke is dead.",
	} {
		review, _ := reviewOne(t, grounding.ReviewInput{Sentences: drafts(s), Evidence: evidence})
		if review.Verdict != schema.Approved {
			t.Errorf("%q: %+v", s, review.Issues)
		}
	}
}

// An invention spliced onto a true sentence, wherever and however, never passes
// with it.
func TestPropertyASplicedInventionNeverPasses(t *testing.T) {
	truths := []string{"The mill burned in the spring of 1402.", "Bram Dunnock was seen on the weir.", "I keep the forge on Anvil Lane."}
	evidence := []schema.Evidence{corpus("E1", strings.Join(truths, " "))}
	joints := []string{"%s and %s.", "%s, and %s.", "%s; %s.", "%s - %s.", "%s, because %s.", "%s when %s.", "%s (%s).", "%s, but %s.", "%s, which means %s.", "%s, I think %s.",
		"%[2]s, so %[1]s.", "%[2]s. %[1]s.", "%[2]s, and %[1]s.", "Well, %[1]s, and they say %[2]s.", "%s, didn't you know that %s?", "%s... %s.", "%s: %s.", "Did you know %[2]s? %[1]s.", "%s\n%s."}
	rapid.Check(t, func(t *rapid.T) {
		truth := strings.TrimSuffix(rapid.SampledFrom(truths).Draw(t, "truth"), ".")
		lie := strings.TrimRight(rapid.SampledFrom(inventions).Draw(t, "invention"), ".?")
		said := fmt.Sprintf(rapid.SampledFrom(joints).Draw(t, "joint"), truth, lie)
		review, _, err := grounding.Review(context.Background(), entail.NewCascade(entail.NewRules(), entail.NewOverlap()),
			grounding.ReviewInput{Sentences: []schema.DraftSentence{draft(said, "E1")}, Evidence: evidence, Context: mira, Class: schema.ClassComplex})
		if err != nil {
			t.Fatal(err)
		}
		if review.Verdict == schema.Approved {
			t.Fatalf("%q passes: %+v", said, grounding.Claims(said, mira))
		}
	})
}
