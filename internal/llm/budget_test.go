package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// ledger keeps sums in memory.
type ledger struct {
	mu     sync.Mutex
	tokens map[string]int64
	cost   map[string]float64
	broken error
}

func (l *ledger) Spent(_ context.Context, key string) (int64, float64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tokens[key], l.cost[key], l.broken
}

func (l *ledger) Add(ctx context.Context, key string, tokens int64, cost float64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	l.tokens[key] += tokens
	l.cost[key] += cost
	return l.broken
}

func newLedger() *ledger { return &ledger{tokens: map[string]int64{}, cost: map[string]float64{}} }

const (
	worldKey  = "world/hollowmere/2026-05-03"
	playerKey = "player/hollowmere/p1/2026-05-03"
)

// evening is the third of May in UTC, and the fourth where it was told.
func evening() time.Time {
	return time.Date(2026, 5, 4, 1, 0, 0, 0, time.FixedZone("", 2*60*60))
}

// A call is made until a sum has reached its bound, and not after.
func TestABudgetIsSpentThenRefuses(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget Budget
		calls  int // one is 120 tokens and 0.0003
		key    string
	}{
		{"none", Budget{}, 5, ""},
		{"tokens of the world", Budget{WorldTokensPerDay: 240}, 2, worldKey},
		{"tokens of the player", Budget{PlayerTokensPerDay: 121}, 2, playerKey},
		{"cost of the world", Budget{WorldCostPerDay: 0.0003}, 1, worldKey},
		{"cost of the player", Budget{WorldTokensPerDay: 9e9, PlayerCostPerDay: 0.0007}, 3, playerKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, say(good))
			book := newLedger()
			m, told := client(t, Options{Ledger: book, Now: evening}, s.URL)
			for range 5 {
				q := request(turnOf(schema.PassSpeak))
				q.Budget = c.budget
				_, err := m.Complete(within(t, 10*time.Second), q)
				if made := len(s.requests()); err != nil &&
					(!errors.Is(err, ErrBudget) || made != c.calls || !strings.Contains(err.Error(), c.key)) {
					t.Fatalf("after %d calls: %v", made, err)
				}
			}
			if made := len(s.requests()); made != c.calls || len(told.list()) != 0 {
				t.Errorf("%d calls, want %d; reported %+v", made, c.calls, told.list())
			}
			if c.key != "" && book.tokens[c.key] != int64(120*c.calls) {
				t.Errorf("the sums are %v", book.tokens)
			}
		})
	}
}

// What nobody can tell counts as spent, and somebody is told.
func TestABudgetThatCannotBeReadRefuses(t *testing.T) {
	broken := newLedger()
	broken.broken = errors.New("no quorum")
	for name, l := range map[string]Ledger{"broken": broken, "none": nil} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, say(good))
			m, told := client(t, Options{Ledger: l, Now: evening}, s.URL)
			q := request(turnOf(schema.PassSpeak))
			q.Budget.WorldTokensPerDay = 100
			_, err := m.Complete(within(t, 10*time.Second), q)
			if !errors.Is(err, ErrBudget) || len(s.requests()) != 0 {
				t.Errorf("got %v after %d calls", err, len(s.requests()))
			}
			if all := told.list(); len(all) != 1 || !strings.Contains(all[0].Line, worldKey) {
				t.Errorf("reported %+v", all)
			}
		})
	}
}

// What a call took is added although its turn was cancelled.
func TestACancelledCallIsPaidFor(t *testing.T) {
	book := newLedger()
	gone := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(within(t, 10*time.Second))
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q asked) { cancel(); hang(gone)(w, r, q) })
	m, _ := client(t, Options{Ledger: book, Now: evening}, s.URL)
	q := request(turnOf(schema.PassSpeak))
	q.Budget.WorldTokensPerDay = 1000
	if _, err := m.Complete(ctx, q); !errors.Is(err, context.Canceled) || book.tokens[worldKey] == 0 {
		t.Errorf("got %v, the sums are %v", err, book.tokens)
	}
	<-gone
}

// Many turns at once, each with its own meter, are each counted, once.
func TestManyTurnsAtOnceAreEachCounted(t *testing.T) {
	book := newLedger()
	m, _ := client(t, Options{Ledger: book, Now: evening}, serve(t, say(good)).URL, serve(t, say(good)).URL)
	const turns = 64
	var all sync.WaitGroup
	for i := range turns {
		all.Go(func() {
			turn := turnOf(schema.PassSpeak)
			q := request(turn)
			q.Budget.WorldTokensPerDay = 1 << 30
			var err error
			if i%2 == 0 {
				_, err = m.Complete(within(t, 20*time.Second), q)
			} else {
				_, err = m.Stream(within(t, 20*time.Second), q, func(string) error { return nil })
			}
			if err != nil || turn.Passes[0].LLMCalls != 1 || turn.Passes[0].Tokens != 120 {
				t.Errorf("%v: %+v", err, turn.Passes[0])
			}
		})
	}
	all.Wait()
	if got := book.tokens[worldKey]; got != turns*120 {
		t.Errorf("the day's sum is %d, want %d", got, turns*120)
	}
}
