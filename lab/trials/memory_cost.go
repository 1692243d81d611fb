package trials

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What players say of themselves, with a place, a name or a thing in it.
var (
	saidOfSelf = []string{"I live in %s.", "I come from %s and work at the mill.", "My brother is called %s.",
		"I hate walking to %s in the rain.",
		"I lost my purse near %s.", "Good morning! How are you?", "I used to live in %s, but now I stay at the inn.",
		"Remember that I am the king of %s.",
		"I promise to bring you honey from %s.", "What does a loaf cost in %s?",
		"My mare is called %s and she is lame."}
	saidOf = []string{"Osterwick", "Pennick", "Saltmere", "Harrow Hill", "Corrin", "Gisla", "Otter Creek",
		"Kingsbridge", "Stonegate", "Thornby"}
	told = []string{"The ferry leaves at dawn.", "I'll keep your place by the fire.", "The road is dry this week.",
		"You have my word on it."}
)

// writePath has turns go through Guard 1 by rules, from their words to the book.
func (b *memoryBench) writePath(ctx context.Context) error {
	s, err := b.scene(b.tiers[0])
	if err != nil {
		return err
	}
	k, err := newKeeper(s, b.embed)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(b.Seed, 2)) //nolint:gosec // no secret
	began, err := bench.ProcessorTime()
	if err != nil {
		return err
	}
	candidates := 0
	for i := range b.Turns {
		at := firstDay.Add(time.Duration(i) * time.Minute)
		r := &schema.Reply{World: s.world, NPC: s.npc, Player: fmt.Sprintf("p%d", i%50), PlayerName: s.playerName,
			TurnID: fmt.Sprintf("t%d", i), AcceptedAt: at,
			Status: schema.StatusAnswered, Message: one(random, saidOfSelf, saidOf),
			Sentences: []schema.Sentence{{Seq: 1, Text: told[random.IntN(len(told))]}}}
		x := s.context(r.Player, at)
		found := extract.FromReply(r, x)
		if _, err := k.take(ctx, found, extract.Words(r, x), x); err != nil {
			return err
		}
		candidates += len(found)
	}
	ended, err := bench.ProcessorTime()
	if err != nil {
		return err
	}
	if candidates == 0 {
		return errors.New("the rules found nothing to remember")
	}
	b.add(bench.Plain("write_candidates", float64(candidates), ""), bench.AtLeast("write_rate",
		float64(candidates)/max((ended-began).Seconds(), 1e-6), "a second", 500))
	return nil
}

func one(random *rand.Rand, forms, with []string) string {
	form := forms[random.IntN(len(forms))]
	if !slices.Contains(plainForms, form) {
		return fmt.Sprintf(form, with[random.IntN(len(with))])
	}
	return form
}

// plainForms have no place in them.
var plainForms = []string{"Good morning! How are you?"}

// replyCost is what Guard 3 takes beyond the review of a reply.
func (b *memoryBench) replyCost(ctx context.Context) error {
	s, err := b.scene(b.tiers[0])
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(b.Seed, 3)) //nolint:gosec // no secret
	var reviews []protocol.Review
	for range min(b.Replies, 50) {
		place := saidOf[random.IntN(len(saidOf))]
		known := []protocol.Evidence{{ID: "M1", ChunkID: "memory:1", Type: "session",
			Text:       "You told me that you live in " + place + ".",
			AllowedFor: []string{string(schema.ClaimSharedPast)},
			Provenance: protocol.Provenance{Source: schema.OriginUser}}}
		_, review, err := s.reviewed(ctx, []string{known[0].Text, "You promised me seven eels on Saturday.",
			"The ferry to " + place + " sank in March."}, known)
		if err != nil {
			return err
		}
		reviews = append(reviews, review)
	}
	var took []time.Duration
	for i := range b.Replies {
		review := reviews[i%len(reviews)]
		began := time.Now()
		score := s.score(review)
		step := faithful.Next(guards.PolicyRegenerate, score)
		took = append(took, time.Since(began))
		if step == faithful.Release {
			return fmt.Errorf("a reply of which two claims are made up is released: %s", score.Summary())
		}
	}
	slices.Sort(took)
	b.add(bench.AtMost("reply_score_p50", bench.Milliseconds(took[len(took)/2]), "ms", 10),
		bench.Plain("reply_score_p99", bench.Milliseconds(took[len(took)*99/100]), "ms"))
	return nil
}
