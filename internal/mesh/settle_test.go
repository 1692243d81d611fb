package mesh

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The next turn of a conversation begins when the last one's memories are settled,
// and however the settling fails it does begin.
func TestAConversationWaitsForItsMemories(t *testing.T) {
	cases := map[string]struct {
		settle Settle
		late   string // what is reported; "": nothing
		waits  bool
	}{
		"in time": {func(context.Context, *schema.Reply) error { time.Sleep(200 * time.Millisecond); return nil },
			"", true},
		"an error": {func(context.Context, *schema.Reply) error { return errors.New("no store") }, "no store", false},
		"a panic":  {func(context.Context, *schema.Reply) error { panic("broken") }, "panic: broken", false},
		"too slow": {func(ctx context.Context, _ *schema.Reply) error { <-ctx.Done(); return ctx.Err() },
			"deadline exceeded", true},
		"elsewhere": {nil, "no responders", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			var mu sync.Mutex
			var ended, began time.Time
			var late []string
			r.start(Options{Report: func(x Report) {
				if x.Where == "settle" {
					mu.Lock()
					defer mu.Unlock()
					late = append(late, x.Err.Error())
				}
			}}, func(m *Mesh) {
				for _, p := range protocol.Passes {
					next := plainPass(m, p)
					m.Handle(p, func(ctx context.Context, turn *protocol.Turn) (schema.Pass, error) {
						mu.Lock()
						if turn.TurnID == "second" && began.IsZero() {
							began = time.Now()
						}
						mu.Unlock()
						return next(ctx, turn)
					})
				}
				settle := c.settle
				if settle == nil {
					settle = m.AskSettle
				}
				m.Intake(Intake{})
				m.Ends(Ends{Settle: func(ctx context.Context, reply *schema.Reply) error {
					if reply.TurnID == "first" {
						defer func() {
							mu.Lock()
							ended = time.Now()
							mu.Unlock()
						}()
						return settle(ctx, reply)
					}
					return nil
				}})
			})
			begin := time.Now()
			r.publish(within(30*time.Second, convoA, "first"))
			r.publish(within(30*time.Second, convoA, "second"))
			for _, turn := range []string{"first", "second"} {
				if _, reply := r.watch(convoA, turn); reply.Status != schema.StatusAnswered {
					t.Errorf("%s: %+v", turn, reply)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if began.Before(ended) {
				t.Errorf("the second turn began %s before the first was settled", ended.Sub(began))
			}
			if took := began.Sub(begin); took > settleLimit+5*time.Second || c.waits && took < 150*time.Millisecond {
				t.Errorf("the second turn began after %s", took)
			}
			if c.late == "" && len(late) > 0 || c.late != "" && (len(late) == 0 || !strings.Contains(late[0], c.late)) {
				t.Errorf("reported %q", late)
			}
		})
	}
}
