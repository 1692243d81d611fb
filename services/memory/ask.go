package memory

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/forsooth-npc/forsooth/internal/memory"
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

// asking is what was asked. A turn is read more than once: for the game's answer to its
// actions, and beside a conversation that waits for it.
type asking struct {
	calls, failed, proposed, refused atomic.Int64
	calling                          sync.WaitGroup
	turns                            *lru.Cache[string, *asked]
}

// asked is a turn that a model is asked about. Its readers wait for the one answer;
// the call is none of theirs, so that a reader who waits no longer does not end it.
type asked struct {
	once   sync.Once
	asked  atomic.Bool
	done   chan struct{} // closed when there is an answer, or none
	answer extract.Answer
	err    error
}

// askLimit is how long the model may take, whoever waits for it and however long. The
// provider's own timeout is shorter where it is set.
const askLimit = time.Minute

// answersKept is how many turns' answers are kept, in case they are read again.
const answersKept = 512

func (a *asking) of(r *schema.Reply) *asked {
	key, fresh := turnKey(r.Conversation(), r.TurnID), &asked{done: make(chan struct{})}
	if known, ok, _ := a.turns.PeekOrAdd(key, fresh); ok {
		return known
	}
	return fresh
}

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
	turn := s.asking.of(r)
	if !turn.asked.Load() {
		var waiting []schema.Memory // of what the log holds of the turn already
		known := false
		own := schema.ConversationID{World: r.World, NPC: r.NPC, Player: r.Player}
		if err := s.books.Read(ctx, own, func(b *memory.Book) error {
			waiting, known = write.Heard(b, r.TurnID)
			return nil
		}); err != nil {
			return nil, err
		}
		if known {
			for _, m := range waiting {
				kept = append(kept, extract.Candidate{Memory: m, Claim: memory.Said(m.Content)})
			}
			return kept, nil
		}
	}
	switch err := s.ask(ctx, turn, r); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case s.living.Err() != nil:
		return nil, s.living.Err()
	case err != nil:
		return byRule, nil
	}
	return append(kept, taken(turn.answer, r, x)...), nil
}

// ask waits for the model's answer, and has it asked where nobody has yet.
func (s *Service) ask(ctx context.Context, turn *asked, r *schema.Reply) error {
	turn.once.Do(func() {
		turn.asked.Store(true)
		s.asking.calling.Go(func() { s.put(turn, r) })
	})
	select {
	case <-turn.done:
		return turn.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// put asks the model, in time of its own.
func (s *Service) put(turn *asked, r *schema.Reply) {
	defer close(turn.done)
	ctx, stop := context.WithTimeout(s.living, askLimit)
	defer stop()
	s.asking.calls.Add(1)
	if turn.answer, turn.err = s.o.Ask.Memories(ctx, r); turn.err != nil {
		s.asking.failed.Add(1)
		if s.living.Err() == nil {
			s.o.Notice(fmt.Sprintf("turn %s: the model does not say what to remember, and the rules do: %v", r.TurnID, turn.err))
		}
		return
	}
	x := s.contextOf(r.World, r.NPC, r.Player, r.PlayerName)
	x.Previous = previous(r)
	_, refused := extract.FromAnswer(turn.answer, r, x)
	s.asking.proposed.Add(int64(len(turn.answer.Memories)))
	s.asking.refused.Add(int64(len(refused)))
}

// taken are the candidates of an answer that the player's words of this turn bear.
func taken(answer extract.Answer, r *schema.Reply, x extract.Context) []extract.Candidate {
	made, _ := extract.FromAnswer(answer, r, x)
	return slices.DeleteFunc(made, func(c extract.Candidate) bool {
		return c.Spans[0].Speaker != extract.SpeakerPlayer || c.Spans[0].TurnID != r.TurnID
	})
}
