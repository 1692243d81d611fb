package transport

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

func counting(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	if err := r.conn.Setup(t.Context(), Settings{}); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCountersAddUpOverProcesses(t *testing.T) {
	r := counting(t)
	const adders, each = 8, 25
	sums := make(chan int64, adders*each)
	var wait sync.WaitGroup
	for i := range adders {
		counters := r.conn.Counters()
		if i%2 == 0 {
			counters = r.connect().Counters()
		}
		wait.Go(func() {
			for range each {
				sum, err := counters.Add(t.Context(), "world/hollowmere/2026-01-31", 3)
				if err != nil {
					t.Error(err)
					return
				}
				sums <- sum
			}
		})
	}
	wait.Wait()
	close(sums)
	seen := map[int64]bool{}
	for sum := range sums {
		if seen[sum] {
			t.Errorf("two additions gave %d", sum)
		}
		seen[sum] = true
	}
	if got, err := r.conn.Counters().Get(t.Context(), "world/hollowmere/2026-01-31"); err != nil || got != adders*each*3 {
		t.Errorf("sum = %d, %v", got, err)
	}
}

func TestAnAdditionSentTwiceCountsOnce(t *testing.T) {
	r := counting(t)
	subject, err := counterSubject("a/b")
	if err != nil {
		t.Fatal(err)
	}
	msg := NewMessage(subject, nil, headerIncrement, "5", jetstream.MsgIDHeader, "once")
	for i, want := range []string{"5", ""} {
		answer, err := r.conn.Request(t.Context(), msg, ReadTimeout)
		if err != nil {
			t.Fatal(err)
		}
		if sum, err := parseSum(answer.Data); err != nil || sum != want {
			t.Errorf("answer %d: %q, %v; want %q", i, sum, err, want)
		}
	}
	if got, err := r.conn.Counters().Get(t.Context(), "a/b"); err != nil || got != 5 {
		t.Errorf("sum = %d, %v", got, err)
	}
}

func TestCountersOutliveTheBroker(t *testing.T) {
	dir := t.TempDir()
	for i := range 3 {
		server, err := embedded.Start(t.Context(), embedded.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		r := &rig{t: t, server: server}
		r.conn = r.connect()
		if err := r.conn.Setup(t.Context(), Settings{}); err != nil {
			t.Fatal(err)
		}
		if sum, err := r.conn.Counters().Add(t.Context(), "a", 7); err != nil || sum != int64(7*(i+1)) {
			t.Errorf("start %d: sum = %d, %v", i, sum, err)
		}
		server.Stop()
	}
}

// Whatever is added in whatever order, each counter is the sum of its own.
func TestCountersAreSums(t *testing.T) {
	r := counting(t)
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		want := map[string]int64{}
		for range rapid.IntRange(1, 6).Draw(rt, "additions") {
			key := "run/" + rapid.StringMatching(`[A-Za-z0-9-]{1,8}`).Draw(rt, "player") + "/" + string(rune('a'+run%26)) + "-" +
				strings.Repeat("x", run/26)
			delta := rapid.Int64Range(-1_000_000, 1_000_000_000_000).Draw(rt, "delta")
			want[key] += delta
			if sum, err := r.conn.Counters().Add(t.Context(), key, delta); err != nil || sum != want[key] {
				rt.Fatalf("%s + %d = %d, %v; want %d", key, delta, sum, err, want[key])
			}
		}
		for key, sum := range want {
			if got, err := r.conn.Counters().Get(t.Context(), key); err != nil || got != sum {
				rt.Fatalf("%s = %d, %v; want %d", key, got, err, sum)
			}
		}
	})
}

func TestACounterNobodyAddedToIsZero(t *testing.T) {
	if got, err := counting(t).conn.Counters().Get(t.Context(), "player/hollowmere/p_1-A/2026-01-31"); err != nil ||
		got != 0 {
		t.Errorf("%d, %v", got, err)
	}
}

func TestCounterKeysAreRefusedWithAReason(t *testing.T) {
	r := counting(t)
	for _, key := range []string{"", "/", "a//b", "a/*", "a/>", "a.b", "a/_", "a b", "a/" + strings.Repeat("x", 65),
		strings.Repeat("a/", 8) + "a"} {
		_, err := r.conn.Counters().Add(t.Context(), key, 1)
		_, err2 := r.conn.Counters().Get(t.Context(), key)
		if !errors.Is(err, schema.ErrInvalid) || !errors.Is(err2, schema.ErrInvalid) {
			t.Errorf("%q: %v, %v", key, err, err2)
		}
	}
}

func TestABrokerWithoutCountersIsNamed(t *testing.T) {
	_, err := parseSum([]byte(`{"stream":"COUNTERS","seq":1}`))
	if err == nil || !strings.Contains(err.Error(), "nats-server 2.12 or newer") {
		t.Errorf("err = %v", err)
	}
}

// The ledger that the models' client takes.
var _ interface {
	Spent(ctx context.Context, key string) (tokens int64, cost float64, err error)
	Add(ctx context.Context, key string, tokens int64, cost float64) error
} = (*Ledger)(nil)

func TestTheLedgerCountsTokensAndMoney(t *testing.T) {
	r := counting(t)
	world, player := "world/hollowmere/2026-01-31", "player/hollowmere/p42/2026-01-31"
	ledger, other := r.conn.Ledger(), r.connect().Ledger()
	for range 10 {
		if err := errors.Join(ledger.Add(t.Context(), world, 120, 0.1), other.Add(t.Context(), player, 20, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if tokens, cost, err := other.Spent(t.Context(), world); err != nil || tokens != 1200 || cost != 1 {
		t.Errorf("the world spent %d, %v, %v", tokens, cost, err)
	}
	if tokens, cost, err := ledger.Spent(t.Context(), player); err != nil || tokens != 200 || cost != 0 {
		t.Errorf("the player spent %d, %v, %v", tokens, cost, err)
	}
	if tokens, cost, err := ledger.Spent(t.Context(), "world/hollowmere/2026-02-01"); err != nil || tokens != 0 ||
		cost != 0 {
		t.Errorf("the next day begins with %d, %v, %v", tokens, cost, err)
	}
}

func TestWhatIsSpentIsCountedThoughTheTurnHasEnded(t *testing.T) {
	r := counting(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.conn.Ledger().Add(ended, "world/a/2026-01-31", 5, 0.000_000_2); err != nil {
		t.Fatal(err)
	}
	if tokens, cost, err := r.conn.Ledger().Spent(t.Context(), "world/a/2026-01-31"); err != nil || tokens != 5 ||
		cost != 0.000_001 {
		t.Errorf("%d, %v, %v: no call is free", tokens, cost, err)
	}
}

func TestTheLedgerRefusesWhatCannotHaveBeenSpent(t *testing.T) {
	ledger := counting(t).conn.Ledger()
	for _, c := range []struct {
		tokens int64
		cost   float64
	}{{-1, 0}, {1, -0.5}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if err := ledger.Add(t.Context(), "world/a/2026-01-31", c.tokens, c.cost); !errors.Is(err, schema.ErrInvalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
