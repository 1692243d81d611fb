package memory

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Asker is a language model that says what is worth remembering of a message.
// model.Model is one.
type Asker interface {
	Memories(ctx context.Context, r *schema.Reply) (extract.Answer, error)
}

// Asked counts what came of asking: at most one call a released turn, and that after
// its reply.
type Asked struct {
	Calls    int64 `json:"calls"`
	Failed   int64 `json:"failed"`   // the rules' candidates were taken
	Proposed int64 `json:"proposed"` // memories in the answers
	Refused  int64 `json:"refused"`  // of them, those whose words the message does not hold
}

type asking struct{ calls, failed, proposed, refused atomic.Int64 }

// Asked are the counts since the process began.
func (s *Service) Asked() Asked {
	a := &s.asking
	return Asked{a.calls.Load(), a.failed.Load(), a.proposed.Load(), a.refused.Load()}
}

// candidates are what a reply leaves to be judged: by rules, or of the player's words
// by the model where there is one. What the NPC said and did, and what the player
// dictates, is for the rules in any case. Where the model fails, the rules' candidates
// are taken. A turn of which the log holds something already is not asked about again:
// a model that answers otherwise the second time would add to it.
func (s *Service) candidates(ctx context.Context, r *schema.Reply, x extract.Context) ([]extract.Candidate, error) {
	byRule := s.o.Extract(r, x)
	if s.o.Ask == nil || r.Status == schema.StatusAborted || !extract.Worth(r.Message) {
		return byRule, nil
	}
	var kept []extract.Candidate
	for _, c := range byRule {
		if c.Spans[0].Speaker != extract.SpeakerPlayer || c.Pred == "asked_to_remember" {
			kept = append(kept, c)
		}
	}
	var waiting []schema.Memory
	known := false
	if err := s.books.use(ctx, owner{r.World, r.NPC}, func(n *notebook) error {
		waiting, known = write.Heard(n.book, r.TurnID)
		return nil
	}); err != nil {
		return nil, err
	}
	if known {
		for _, m := range waiting {
			kept = append(kept, extract.Candidate{Memory: m, Claim: extract.Claimed(&m)})
		}
		return kept, nil
	}
	s.asking.calls.Add(1)
	answer, err := s.o.Ask.Memories(ctx, r)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		s.asking.failed.Add(1)
		s.o.Notice(fmt.Sprintf("turn %s: the model does not say what to remember, and the rules do: %v", r.TurnID, err))
		return byRule, nil
	}
	made, refused := extract.FromAnswer(answer, r, x)
	s.asking.proposed.Add(int64(len(answer.Memories)))
	s.asking.refused.Add(int64(len(refused)))
	for _, c := range made {
		if c.Spans[0].Speaker == extract.SpeakerPlayer && c.Spans[0].TurnID == r.TurnID {
			kept = append(kept, c)
		}
	}
	return kept, nil
}
