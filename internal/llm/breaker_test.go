package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func ask(t *testing.T, m *Models) error {
	t.Helper()
	_, err := m.Complete(within(t, 10*time.Second), request(turnOf(schema.PassSpeak)))
	return err
}

// A provider that fails on and on is left alone, is not counted as asked, and is
// asked again after its rest.
func TestAProviderThatFailsIsLeftAlone(t *testing.T) {
	well := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q asked) {
		select {
		case <-well:
			say(good)(w, r, q)
		default:
			fail(500, "oops")(w, r, q)
		}
	})
	m, told := client(t, Options{}, s.URL)
	m.rungs[0].breaker = newBreaker("primary", 100*time.Millisecond)
	for m.rungs[0].breaker.State() == gobreaker.StateClosed {
		if err := ask(t, m); !errors.Is(err, ErrUnavailable) {
			t.Fatal(err)
		}
	}
	requests, reports := len(s.requests()), len(told.list())
	if requests != breakerTrips {
		t.Errorf("%d requests before the breaker opened, want %d", requests, breakerTrips)
	}
	turn := turnOf(schema.PassSpeak)
	_, err := m.Complete(within(t, 10*time.Second), request(turn))
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "it fails (500)") ||
		turn.Passes[0].LLMCalls != 0 {
		t.Errorf("a provider at rest: %v, %d calls counted", err, turn.Passes[0].LLMCalls)
	}
	if len(s.requests()) != requests || len(told.list()) != reports {
		t.Errorf("a provider at rest was asked %d times and reported %d times", len(s.requests())-requests,
			len(told.list())-reports)
	}
	close(well)
	until(t, func() bool { return ask(t, m) == nil })
	if m.rungs[0].breaker.State() != gobreaker.StateClosed {
		t.Error("the breaker stayed open")
	}
}

// Only what speaks of the server trips its breaker.
func TestWhatTripsABreaker(t *testing.T) {
	for _, c := range []struct {
		name  string
		does  reaction
		trips bool
	}{
		{"server errors", fail(503, "oops"), true},
		{"too many requests", fail(429, "slow down", "Retry-After", "60"), true},
		{"hanging up", func(http.ResponseWriter, *http.Request, asked) { panic(http.ErrAbortHandler) }, true},
		{"a wrong key", fail(401, "no"), false},
		{"a wrong request", fail(400, "too long"), false},
		{"prose", say("Prose."), false},
		{"an answer that does not end", say(strings.Repeat("and then ", 3<<10)), false},
		{"silence towards a turn without time", hang(nil), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := client(t, Options{}, serve(t, c.does).URL)
			for range breakerTrips {
				q := request(turnOf(schema.PassSpeak))
				q.Limits.Timeout = 5 * time.Second
				if strings.HasPrefix(c.name, "silence") {
					q.Limits.Timeout = 100 * time.Millisecond
				}
				if _, err := m.Complete(within(t, 10*time.Second), q); err == nil {
					t.Fatal("no error")
				}
			}
			if got := m.rungs[0].breaker.State() == gobreaker.StateOpen; got != c.trips {
				t.Errorf("open: %v, want %v; %+v", got, c.trips, m.rungs[0].breaker.Counts())
			}
		})
	}
}

// Silence counts once the server has had its time.
func TestSilenceCountsAgainstAServer(t *testing.T) {
	for took, want := range map[time.Duration]bool{fairTime - 1: false, fairTime: true} {
		err := interrupted(within(t, 0), errors.New("broken"), took)
		if got := !saysNothing(err) && sick(err); got != want || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("silence of %v is held against it: %v, want %v", took, got, want)
		}
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("superseded"))
	if err := interrupted(ctx, errors.New("broken"), time.Hour); !saysNothing(err) {
		t.Errorf("a cancelled call is held against the server: %v", err)
	}
}

// until waits for something that comes by itself.
func until(t *testing.T, ok func() bool) {
	t.Helper()
	ctx := within(t, 10*time.Second)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("it never came")
		}
	}
}
