package memory_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// heldModel is a model that answers when the test lets it, and keeps who was asked about.
type heldModel struct {
	mu      sync.Mutex
	asked   map[schema.ConversationID][]string // what was asked and answered of a conversation, in order
	waiting chan string                        // a turn that is asked about
	answer  chan struct{}                      // closed: all are answered
}

func newHeldModel() *heldModel {
	asked := map[schema.ConversationID][]string{}
	return &heldModel{asked: asked, waiting: make(chan string, 1024), answer: make(chan struct{})}
}

func (s *heldModel) note(r *schema.Reply, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[r.Conversation()] = append(s.asked[r.Conversation()], what+" "+r.TurnID)
}

func (s *heldModel) Memories(ctx context.Context, r *schema.Reply) (extract.Answer, error) {
	s.note(r, "asked")
	s.waiting <- r.TurnID
	select {
	case <-s.answer:
	case <-ctx.Done():
		return extract.Answer{}, ctx.Err()
	}
	s.note(r, "answered")
	return extract.Answer{}, nil
}

// Replies are read at the same time where the model is waited for, and those of one
// conversation in their order, in whichever order their workers begin.
func TestRepliesOfOneConversationAreReadInOrder(t *testing.T) {
	const conversations = 12
	d := newDesk(t)
	model := newHeldModel()
	d.options.Ask = model
	d.service = d.another()
	var workers sync.WaitGroup
	var convos []schema.ConversationID
	for c := range conversations {
		r := func(turn int) (*schema.Reply, uint64) {
			r := d.reply(fmt.Sprintf("c%d-t%d", c, turn), coast)
			r.Player = fmt.Sprintf("p%d", c)
			if turn > 0 {
				r.Previous = &schema.Line{TurnID: fmt.Sprintf("c%d-t%d", c, turn-1), Text: coast, At: d.At}
			}
			return r, uint64(turn*conversations + c + 1)
		}
		first, _ := r(0)
		convos = append(convos, first.Conversation())
		begin := func(turn, queued int) {
			reply, sequence := r(turn)
			workers.Go(func() {
				if err := d.service.Reply(t.Context(), reply, sequence); err != nil {
					t.Errorf("turn %d: %v", turn, err)
				}
			})
			for d.service.Queued(convos[c]) != queued {
				runtime.Gosched()
			}
		}
		isEarly := func(turn int) {
			t.Helper()
			reply, sequence := r(turn)
			err := d.service.Reply(t.Context(), reply, sequence)
			if err == nil || !strings.HasPrefix(err.Error(), "later") {
				t.Errorf("turn %d of conversation %d is not put back: %v", turn, c, err)
			}
		}
		isEarly(2)
		isEarly(1)
		begin(0, 1)
		isEarly(2)
		begin(1, 2)
		begin(2, 3)
	}
	for range conversations {
		<-model.waiting // one of each is asked about at the same time
	}
	close(model.answer)
	workers.Wait()
	for c, convo := range convos {
		var want []string
		for turn := range 3 {
			want = append(want, fmt.Sprintf("asked c%d-t%d", c, turn), fmt.Sprintf("answered c%d-t%d", c, turn))
		}
		if got := model.asked[convo]; !slices.Equal(got, want) {
			t.Errorf("conversation %d: %v", c, got)
		}
	}
}

// A reply is put back once for a turn that never comes here, as after a start.
func TestAReplyDoesNotWaitForATurnThatWasReadElsewhere(t *testing.T) {
	d := newDesk(t)
	r := d.reply("t2", coast)
	r.Previous = &schema.Line{TurnID: "t1", Text: "Good morning!", At: d.At}
	if err := d.service.Reply(t.Context(), r, 7); err == nil {
		t.Error("it is read at once")
	}
	must(t, d.service.Reply(t.Context(), r, 7))
	d.want("the second time", "active: Ansel told me that they come from the coast.")
}
