package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// judged measures lean turns whose judge is the speaking model, where that one qualifies.
func (l *Load) judged(ctx context.Context, o ModelOptions) (_ []Figure, err error) {
	w := *l.World
	w.Depth = model.DepthLean
	var shown *review.Skill
	a, end, err := InProcess(ctx, app.Options{Worlds: []*world.World{&w}, Workers: o.Conversations, LLM: o.LLM,
		Judge: true, JudgeFirst: true, Judged: func(s *review.Skill) { shown = s }})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	if !shown.Qualified() {
		return []Figure{Plain("judge_believed", 0, "")}, nil
	}
	turns, err := l.one(ctx, a, o, "judged")
	if err != nil {
		return nil, err
	}
	out := append([]Figure{Plain("judge_believed", 1, "")}, firstOf(turns, "judged", 2.3)...)
	calls := mean(turns, func(s spoken) float64 { n, _ := s.calls(); return float64(n - 1) })
	// The record of a turn has no time of the judge's call about its first sentence, so the ratio comes out too high.
	return append(out, Plain("judged_calls_of_the_judge", calls, "a turn"), turnToItsCalls(turns, "judged", 1.1)), nil
}

// firstOf is when the first verified sentence is there beside the first of the same model
// asked directly, in the median of the turns.
func firstOf(turns []spoken, phase string, bar float64) []Figure {
	heard := slices.DeleteFunc(slices.Clone(turns), func(s spoken) bool { return s.direct == 0 || s.first == 0 })
	if len(heard) == 0 {
		return nil
	}
	return []Figure{
		Plain(phase+"_direct_first_sentence", median(heard, func(s spoken) float64 { return Milliseconds(s.direct) }),
			"ms"),
		AtMost(phase+"_first_to_direct_first",
			median(heard, func(s spoken) float64 { return float64(s.first) / float64(s.direct) }), "", bar),
	}
}

// turnToItsCalls is a turn over the sum of its own calls, in the median of the turns.
func turnToItsCalls(turns []spoken, phase string, bar float64) Figure {
	return AtMost(phase+"_turn_to_its_calls", median(turns, func(s spoken) float64 {
		_, ms := s.calls()
		return Milliseconds(s.took) / ms
	}), "", bar)
}

// direct asks the same model with the evidence of a reply and nothing else, and measures
// when its first sentence is there; 0 where it says none.
func (l *Load) direct(ctx context.Context, models *llm.Models, reply *schema.Reply) (first time.Duration, err error) {
	var lines []string
	for _, said := range reply.Sentences {
		for _, e := range said.Evidence {
			lines = append(lines, "["+e.ID+"] "+e.Text)
		}
	}
	data := new(prompt.Data).Section("evidence", lines...).Message("the player", reply.Message)
	p, err := prompt.Default().Build(prompt.Speech, prompt.Persona{Name: reply.NPCName, Words: 40, Sentence: 3}, data)
	if err != nil {
		return 0, err
	}
	t := &protocol.Turn{Passes: []schema.PassRecord{{Pass: schema.PassSpeak, Attempt: 1}}}
	var reader prompt.Stream
	begin := time.Now()
	_, err = models.Stream(ctx, llm.Request{Name: p.Name, Schema: p.Schema, System: p.System, User: p.User,
		World: l.World.Name, Player: "bench", Meter: llm.NewMeter(t)}, func(text string) error {
		if first == 0 && len(reader.Feed(text)) > 0 {
			first = time.Since(begin)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("ask the model directly: %w", err)
	}
	return first, nil
}

// reviewed is how many speeches reviewTime takes its median from.
const reviewed = 40

// reviewTime is how long the review of a speech of three sentences takes in process. No
// two speeches are alike, so that no reading is known before.
func reviewTime(ctx context.Context) (Figure, error) {
	r, err := app.Judgement(app.Verifying{}, nil)
	if err != nil {
		return Figure{}, err
	}
	var took []float64
	for n := range reviewed {
		d := threeSentences(n)
		begin := time.Now()
		if _, _, err := r.Review(ctx, d); err != nil {
			return Figure{}, err
		}
		took = append(took, Milliseconds(time.Since(begin)))
	}
	slices.Sort(took)
	return AtMost("review_of_three_sentences_p50", took[len(took)/2], "ms", 60), nil
}

// threeSentences is a speech that says in other words what three blocks say.
func threeSentences(n int) review.Draft {
	block := func(id, text string) protocol.Evidence {
		return protocol.Evidence{ID: id, Path: id, Text: fmt.Sprintf("%s So it stands on page %d of the book.", text, n)}
	}
	said := func(text string, ids ...string) protocol.DraftSentence {
		s := protocol.DraftSentence{Text: text}
		for _, id := range ids {
			s.Citations = append(s.Citations, protocol.Citation{EvidenceID: id})
		}
		return s
	}
	return review.Draft{Level: grounding.Balanced,
		Evidence: []protocol.Evidence{
			block("E1", "Teague owns the ferry below the weir. He had it from his aunt, who built it the winter "+
				"after the flood."),
			block("E2", "A crossing costs two bits, and three with a cart. Children and the priest go over free."),
			block("E3", "The ferry goes at dawn and again when the bell is rung at noon. After dark nobody crosses, "+
				"for the chain cannot be seen.")},
		Sentences: []protocol.DraftSentence{
			said("The ferry is Teague's, friend, and his aunt's before him.", "E1"),
			said("Two bits gets you over, or three if you bring a cart along.", "E2"),
			said("Come at first light or for the noon bell, since nobody goes over once it is dark.", "E3")}}
}
