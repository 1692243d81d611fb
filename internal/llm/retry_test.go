package llm

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"2": 2 * time.Second, " 0 ": 0, "0.25": 250 * time.Millisecond, "inf": longest, "999999999999": longest,
		now.Add(7 * time.Second).Format(http.TimeFormat): 7 * time.Second, now.Add(-time.Hour).Format(http.TimeFormat): 0,
	} {
		if got, ok := parseRetryAfter(value, now); !ok || got != want {
			t.Errorf("%q is %v, %v; want %v", value, got, ok, want)
		}
	}
	for _, value := range []string{"", "soon", "-1", "nan"} {
		if got, ok := parseRetryAfter(value, now); ok {
			t.Errorf("%q is %v, want nothing", value, got)
		}
	}
}

// A server that says when is asked then, and not before.
func TestRetryAfterIsHonoured(t *testing.T) {
	began := time.Now()
	s := serve(t, fail(429, "slow down", "Retry-After", "0.3"), say(good))
	m, _ := client(t, Options{}, s.URL)
	_, err := m.Complete(within(t, 10*time.Second), request(turnOf(schema.PassSpeak)))
	if took := time.Since(began); err != nil || took < 300*time.Millisecond || len(s.requests()) != 2 {
		t.Errorf("%v after %v and %d requests", err, took, len(s.requests()))
	}
}

// A server that says a time beyond the call's is not waited for.
func TestAWaitThatDoesNotFitIsNotBegun(t *testing.T) {
	s := serve(t, fail(429, "slow down", "Retry-After", "3"), say(good))
	m, _ := client(t, Options{}, s.URL)
	q := request(turnOf(schema.PassSpeak))
	q.Limits.Timeout = 5 * time.Second // no time would be left for the answer
	_, err := m.Complete(within(t, 10*time.Second), q)
	if !errors.Is(err, ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) || len(s.requests()) != 1 {
		t.Errorf("got %v after %d requests", err, len(s.requests()))
	}
}

// A server in trouble is not asked all the more.
func TestAServerInTroubleIsNotAskedMore(t *testing.T) {
	s := serve(t, say("No JSON from me."))
	m, _ := client(t, Options{}, s.URL)
	const calls = 40
	for range calls {
		if _, err := m.Complete(within(t, 10*time.Second), request(turnOf(schema.PassSpeak))); err == nil {
			t.Fatal("prose was taken")
		}
	}
	if n, most := len(s.requests()), calls+firstRetries+calls/5; n > most || n <= calls {
		t.Errorf("%d requests for %d calls, want at most %d and some retries", n, calls, most)
	}
}

func TestWaitsGrowAndAreJittered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Float64Range(0, 0.999).Draw(t, "random")
		m := &Models{options: Options{Rand: func() float64 { return draw }}}
		for failures, base := range map[int]time.Duration{1: 100 * time.Millisecond, 2: 200 * time.Millisecond,
			9: maxWait / 2} {
			if got := m.backoff(failures); got < base/2 || got > base*3/2 {
				t.Fatalf("after %d failures %v, want about %v", failures, got, base)
			}
		}
	})
}
