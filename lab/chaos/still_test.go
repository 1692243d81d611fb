package chaos

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStillIsWhatTheProcessDidNotRun(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name     string
		gap, ran time.Duration
		want     time.Duration
	}{
		{"woken in time", 10 * ms, 0, 0},
		{"woken a little late", 30 * ms, 0, 0},
		{"nothing ran", 510 * ms, 0, 500 * ms},
		{"it ran for a while, and then nothing did", 510 * ms, 200 * ms, 300 * ms},
		{"it ran all the time, and was slow", 510 * ms, 480 * ms, 0},
		{"it ran on both processors", 510 * ms, 900 * ms, 0},
		{"it is given a third of a processor, in small pieces", 36 * ms, 12 * ms, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStillness(began, 7*time.Second)
			s.awake(began.Add(c.gap), 7*time.Second+c.ran)
			var got time.Duration
			for _, o := range s.times() {
				got += o.End.Sub(o.Begin)
			}
			if got != c.want {
				t.Errorf("%s of a gap of %s in which it ran for %s; want %s", got, c.gap, c.ran, c.want)
			}
		})
	}
}

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// However the machine lets it run: what was still and what was run never add up to more
// than the time that went by, and no moment is counted twice.
func TestStillIsCountedOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now, spent := began, time.Duration(0)
		s := newStillness(now, spent)
		for range rapid.IntRange(0, 60).Draw(t, "wakes") {
			gap := time.Duration(rapid.IntRange(10, 2000).Draw(t, "gap")) * time.Millisecond
			now, spent = now.Add(gap), spent+time.Duration(rapid.Float64Range(0, 1).Draw(t, "share")*float64(gap))
			s.awake(now, spent)
		}
		var sum time.Duration
		last := began
		for _, o := range s.times() {
			if o.Begin.Before(last) || !o.End.After(o.Begin) {
				t.Fatalf("%s to %s, behind %s", o.Begin, o.End, last)
			}
			sum, last = sum+o.End.Sub(o.Begin), o.End
		}
		if most := now.Sub(began) - spent; sum > most {
			t.Errorf("%s stood still; %s went by, and for %s of it the process ran", sum, now.Sub(began), spent)
		}
	})
}
