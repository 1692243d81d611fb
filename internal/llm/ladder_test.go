package llm

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Where the first provider gives nothing the second is asked, with its own model.
func TestTheSecondProviderIsAsked(t *testing.T) {
	for _, c := range []struct {
		name  string
		first reaction
		calls int // counted in the turn
	}{
		{"a wrong key", fail(401, "no"), 2},
		{"no such model", fail(404, "The model `small` does not exist"), 2},
		{"a page", func(w http.ResponseWriter, _ *http.Request, _ asked) {
			_,
				_ = w.Write([]byte("<!DOCTYPE html><p>Hi"))
		}, 2},
		{"too busy for the time left", fail(429, "slow down", "Retry-After", "60"), 2},
		{"failing on and on", fail(503, "no"), 4},
		{"prose on and on", say("No JSON from me."), 3},
		{"silence", hang(nil), 2},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				first, second := serve(t, c.first), serve(t, say(good))
				m, told := client(t, Options{}, first.URL, second.URL)
				turn := turnOf(schema.PassSpeak)
				q := request(turn)
				q.Limits = Limits{Model: "small", Timeout: 3 * time.Second}
				var answer Answer
				var err error
				if stream {
					answer, err = m.Stream(within(t, 20*time.Second), q, func(string) error { return nil })
				} else {
					answer, err = m.Complete(within(t, 20*time.Second), q)
				}
				if err != nil || answer.Provider != "secondary" || answer.Attempts != c.calls ||
					turn.Passes[0].LLMCalls != c.calls {
					t.Fatalf("got %+v, %v; %d calls counted, want %d", answer, err, turn.Passes[0].LLMCalls, c.calls)
				}
				if got := second.requests()[0].Model; got != "other" {
					t.Errorf("the second was asked for the model %q", got)
				}
				if all := told.list(); len(all) != 1 || all[0].Provider != "primary" || all[0].Name != "speech" {
					t.Errorf("reported %+v, want one line of the first", all)
				}
			})
		}
	}
}

// A provider that is not there costs no call of the turn.
func TestAProviderThatIsNotThereCostsNoCall(t *testing.T) {
	m, _ := client(t, Options{}, nobody(t), serve(t, say(good)).URL)
	turn := turnOf(schema.PassDecide) // which may make one call
	answer, err := m.Complete(within(t, 10*time.Second), request(turn))
	if err != nil || answer.Provider != "secondary" || answer.Attempts != 1 || turn.Passes[0].LLMCalls != 1 {
		t.Errorf("got %+v, %v, %d calls counted", answer, err, turn.Passes[0].LLMCalls)
	}
}

func TestNobodyAnswers(t *testing.T) {
	for _, c := range []struct {
		name          string
		first, second reaction
		is, isNot     error
	}{
		{"both fail", fail(401, "no"), fail(404, "no"), ErrUnavailable, ErrAnswer},
		{"one talks prose", say("Prose."), fail(401, "no"), ErrUnavailable, ErrAnswer},
		{"both talk prose", say("Prose."), say("Prose."), ErrAnswer, context.DeadlineExceeded},
		{"both are silent", hang(nil), hang(nil), context.DeadlineExceeded, ErrAnswer},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, told := client(t, Options{}, serve(t, c.first).URL, serve(t, c.second).URL)
			q := request(turnOf(schema.PassSpeak))
			q.Limits.Timeout = 500 * time.Millisecond
			_, err := m.Complete(within(t, 10*time.Second), q)
			if !errors.Is(err, c.is) || errors.Is(err, c.isNot) || !errors.Is(err, ErrUnavailable) {
				t.Errorf("got %v, want %v and not %v", err, c.is, c.isNot)
			}
			if len(told.list()) != 2 || strings.Contains(err.Error(), "\n") {
				t.Errorf("reported %+v, want each once; said %q", told.list(), err)
			}
		})
	}
}

// A retry that the meter refuses is told with why it was wanted.
func TestARefusedRetrySaysWhatFailed(t *testing.T) {
	m, told := client(t, Options{}, serve(t, say("Prose.")).URL)
	_, err := m.Complete(within(t, 10*time.Second), request(turnOf(schema.PassDecide)))
	if !errors.Is(err, ErrSpent) || !errors.Is(err, ErrAnswer) || len(told.list()) != 1 {
		t.Errorf("got %v, reported %+v", err, told.list())
	}
	spent := turnOf(schema.PassDecide)
	spent.Passes[0].LLMCalls = 1
	if _, err := m.Complete(within(t, 10*time.Second), request(spent)); !errors.Is(err, ErrSpent) ||
		errors.Is(err, ErrAnswer) || len(told.list()) != 1 {
		t.Errorf("a turn without calls: %v, reported %+v", err, told.list())
	}
}

// The turn's deadline ends a call however much time it was given.
func TestTheTurnsDeadlineHolds(t *testing.T) {
	m, _ := client(t, Options{}, serve(t, hang(nil)).URL)
	q := request(turnOf(schema.PassSpeak))
	q.Limits.Timeout = time.Hour
	began := time.Now()
	_, err := m.Complete(within(t, 200*time.Millisecond), q)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
		t.Errorf("got %v after %v", err, time.Since(began))
	}
	if _, err := m.Complete(within(t, 0), q); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a turn that is over: %v", err)
	}
}

// The switch is read before each call, a retry as well.
func TestTheSwitchStopsTheNextCall(t *testing.T) {
	off := false
	s := serve(t, func(w http.ResponseWriter, r *http.Request, q asked) {
		off = true
		fail(500, "oops")(w, r, q)
	})
	m, _ := client(t, Options{Off: func() bool { return off }}, s.URL)
	for range 2 {
		if _, err := m.Complete(within(t, 10*time.Second), request(turnOf(schema.PassSpeak))); !errors.Is(err, ErrOff) {
			t.Errorf("got %v", err)
		}
	}
	if n := len(s.requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

func TestWithoutAModelOrAMeterNothingIsAsked(t *testing.T) {
	var none *Models
	none.Close()
	if _, err := none.Complete(context.Background(), request(turnOf(schema.PassSpeak))); !errors.Is(err, ErrUnavailable) {
		t.Errorf("no model: %v", err)
	}
	s := serve(t, say(good))
	m, _ := client(t, Options{}, s.URL)
	if _, err := m.Complete(within(t, time.Second), Request{Name: "speech"}); err == nil || len(s.requests()) != 0 {
		t.Errorf("no meter: %v, %d requests", err, len(s.requests()))
	}
	for _, url := range []string{"", "localhost:11434/v1", "ftp://host/v1", "http://", "http://[::1"} {
		if _, err := New(Config{Primary: Provider{URL: url}}, Options{}); err == nil ||
			!strings.Contains(err.Error(), "llm.url") {
			t.Errorf("the URL %q: %v", url, err)
		}
	}
}

// A call's limits are the NPC's, else the settings', else the defaults.
func TestLimitsOfACall(t *testing.T) {
	m := &Models{config: Config{Calls: map[string]Limits{"speech": {MaxTokens: 300, Model: "big"}}}}
	got := m.limits(Request{Name: "speech", Limits: Limits{Model: "mine"}})
	if want := (Limits{Model: "mine", MaxTokens: 300, Timeout: 20 * time.Second}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := m.limits(Request{Name: "strange"}); got.MaxTokens == 0 || got.Timeout == 0 {
		t.Errorf("a call without settings is unbounded: %+v", got)
	}
}
