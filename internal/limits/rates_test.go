package limits

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func at(s float64) time.Time { return began.Add(time.Duration(s * float64(time.Second))) }

func TestTake(t *testing.T) {
	type say struct {
		who  string
		at   float64
		wait time.Duration
	}
	for _, c := range []struct {
		name   string
		limits Rates
		said   []say
	}{
		{"nothing is bounded", Rates{}, []say{{"a", 0, 0}, {"a", 0, 0}, {"a", 0, 0}}},
		{"a burst, then by the rate", Rates{Player: Rate{2, 3}}, []say{
			{"a", 0, 0}, {"a", 0, 0}, {"a", 0, 0}, {"a", 0, 500 * time.Millisecond}, {"a", 0.4, 100 * time.Millisecond},
			{"a", 0.5, 0}, {"a", 0.5, 500 * time.Millisecond}}},
		{"a player does not spend another's", Rates{Player: Rate{1, 1}},
			[]say{{"a", 0, 0}, {"a", 0, time.Second}, {"b", 0, 0}}},
		{"players share their world's", Rates{World: Rate{1, 2}},
			[]say{{"a", 0, 0}, {"b", 0, 0}, {"c", 0, time.Second}, {"c", 1, 0}}},
		{"what the world refuses the player has not spent", Rates{Player: Rate{0.1, 1}, World: Rate{1, 1}}, []say{
			{"b", 0, 0}, {"a", 0, time.Second}, {"a", 1, 0}, {"a", 2, 9 * time.Second}}},
		{"an earlier time fills nothing twice", Rates{Player: Rate{1, 1}},
			[]say{{"a", 0, 0}, {"a", 1, 0}, {"a", 0, time.Second}, {"a", 1, time.Second}, {"a", 2, 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := NewBuckets(c.limits)
			for i, s := range c.said {
				if got := b.Take("w", s.who, at(s.at)); got.Round(time.Microsecond) != s.wait {
					t.Errorf("turn %d, %s at %g s: wait %s, want %s", i, s.who, s.at, got, s.wait)
				}
			}
		})
	}
}

func TestWorldsAreApart(t *testing.T) {
	b := NewBuckets(Rates{Player: Rate{1, 1}, World: Rate{1, 1}})
	if b.Take("w", "a", at(0)) > 0 || b.Take("v", "a", at(0)) > 0 {
		t.Error("one world spends another's, or a player of one that of another")
	}
}

// What another process took is owed here.
func TestWhatIsSpentElsewhereCounts(t *testing.T) {
	b := NewBuckets(Rates{Player: Rate{1, 2}})
	for range 4 {
		b.Spend("w", "a", at(0))
	}
	if got := b.Take("w", "a", at(0)); got != 3*time.Second {
		t.Errorf("wait %s, want 3 s", got)
	}
	if got := b.Take("w", "a", at(3)); got != 0 {
		t.Errorf("wait %s, want none", got)
	}
}

// Whatever comes in whatever order, no player gets more in any time than burst and
// rate allow, a refused turn costs nothing and is taken after the wait it was told, and
// who keeps to the rate is never refused.
func TestNobodyGetsMoreThanItsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := Rate{PerSecond: rapid.Float64Range(0.2, 20).Draw(t, "rate"), Burst: rapid.IntRange(1, 10).Draw(t, "burst")}
		b := NewBuckets(Rates{Player: limit})
		now, patient := began, began
		var taken []time.Time
		for range rapid.IntRange(1, 200).Draw(t, "turns") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(2*time.Second)).Draw(t, "pause")))
			stamp := now.Add(-time.Duration(rapid.Int64Range(0, int64(3*time.Second)).Draw(t, "lag")))
			wait := b.Take("w", "greedy", stamp)
			if wait == 0 {
				taken = append(taken, b.now)
			} else if again := b.Take("w", "greedy", b.now.Add(wait+time.Microsecond)); again > 0 {
				t.Fatalf("told to wait %s, then %s", wait, again)
			} else {
				taken = append(taken, b.now)
			}
			now = later(now, b.now)
			if interval := time.Duration(float64(time.Second)/limit.PerSecond) + time.Microsecond; now.Sub(patient) >= interval {
				if patient = now; b.Take("w", "patient", now) > 0 {
					t.Fatal("a player that keeps to the rate is refused")
				}
			}
		}
		for i := range taken {
			for j := i; j < len(taken); j++ {
				most := float64(limit.Burst) + limit.PerSecond*taken[j].Sub(taken[i]).Seconds() + 0.01
				if n := float64(j - i + 1); n > most {
					t.Fatalf("%g turns in %s; %g are the most", n, taken[j].Sub(taken[i]), most)
				}
			}
		}
	})
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Millions of players pass; those who spoke lately are kept.
func TestWhatIsKeptIsBounded(t *testing.T) {
	b := NewBuckets(Rates{Player: Rate{1, 5}})
	most := 0
	for i := range 200_000 {
		b.Take("w", fmt.Sprint("p", i), at(float64(i)/1000)) // a thousand new ones a second, each full again after one
		most = max(most, len(b.players))
	}
	if most > 2*leastTidy {
		t.Errorf("%d players were kept", most)
	}
}
