package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/meshbench"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Cost measures what the models in process add to an extractive turn: the verifier,
// and the search by meaning with the encoding of the question, which is also measured
// by itself. Two meshes at a time answer the same messages in turns of rounds, and a
// rise is the median over rounds of the difference between their medians.
func Cost(ctx context.Context, w *world.World, turns int) ([]Figure, error) {
	// An encoded question is kept, so these are asked in words that no other figure's are.
	load, err := loadIn(w, "What can you tell me about %s?")
	if err != nil {
		return nil, err
	}
	alone, err := loadIn(w, "Have you heard anything of %s?")
	if err != nil {
		return nil, err
	}
	const rounds = 10
	each := max(1, turns/rounds)
	rules, model, meaning := app.Options{Meaning: app.MeaningOff}, app.Options{Meaning: app.MeaningOff},
		app.Options{Meaning: app.MeaningFirst}
	rules.Verifying.NoModel = true
	verification, err := load.rise(ctx, rules, model, rounds, each)
	if err != nil {
		return nil, err
	}
	// The verdicts that the first pair of meshes left in the cache serve both of these.
	search, err := load.rise(ctx, model, meaning, rounds, each)
	if err != nil {
		return nil, err
	}
	encoding, err := alone.encoding(ctx, turns)
	if err != nil {
		return nil, err
	}
	return []Figure{
		Plain("turn_p50_rules_alone", verification.without, "ms"),
		AtMost("verification_p50_rise", verification.by, "ms", 2),
		AtMost("question_encoding_p50", encoding, "ms", 8),
		Plain("meaning_p50_rise", search.by, "ms"),
	}, nil
}

// risen is the median of a turn in one mesh, and how much longer it is in another, in milliseconds.
type risen struct{ without, by float64 }

func (l *Load) rise(ctx context.Context, without, with app.Options, rounds, each int) (out risen, err error) {
	var ask [2]func(phase string) (time.Duration, error)
	for i, o := range []app.Options{without, with} {
		o.Worlds, o.Workers = []*world.World{l.World}, 1
		a, end, err := InProcess(ctx, o)
		if err != nil {
			return out, err
		}
		defer func() { err = errors.Join(err, end()) }()
		n := 0
		ask[i] = func(phase string) (time.Duration, error) {
			from := n
			n += each
			got, err := meshbench.Turns(ctx, a.Client, meshbench.Options{Conversations: 1, Turns: each},
				func(_, i int) *schema.Request { return l.Request(phase, 0, from+i) })
			return got.P50, err
		}
	}
	var base, by []float64
	for round := range rounds {
		var took [2]time.Duration
		for _, i := range [][]int{{0, 1}, {1, 0}}[round%2] {
			if took[i], err = ask[i](fmt.Sprintf("round-%d", round)); err != nil {
				return out, err
			}
		}
		base, by = append(base, Milliseconds(took[0])), append(by, Milliseconds(took[1]-took[0]))
	}
	return risen{without: middle(base), by: middle(by)}, nil
}

// encoding is the median time of one question's encoding, in milliseconds, each asked for the first time.
func (l *Load) encoding(ctx context.Context, n int) (float64, error) {
	encoder, err := app.Encoder()
	if err != nil {
		return 0, err
	}
	var took []float64
	asked := map[string]bool{}
	for _, m := range l.messages {
		if asked[m.text] || len(took) == max(1, n) {
			continue
		}
		asked[m.text] = true
		begun := time.Now()
		if _, err := encoder.Embed(ctx, []string{m.text}); err != nil {
			return 0, err
		}
		took = append(took, Milliseconds(time.Since(begun)))
	}
	return middle(took), nil
}
