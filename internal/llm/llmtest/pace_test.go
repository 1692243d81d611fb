package llmtest

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTheScheduleIsTheStatedSpeed(t *testing.T) {
	p := Pace{First: 60 * time.Millisecond, Rate: 100}
	for _, c := range []struct {
		token int
		due   time.Duration
	}{{0, 60 * time.Millisecond}, {1, 70 * time.Millisecond}, {100, 1060 * time.Millisecond},
		{1000, 10060 * time.Millisecond}} {
		if got := p.Due(c.token); got != c.due {
			t.Errorf("token %d is due at %v, want %v", c.token, got, c.due)
		}
	}
	if got := (Pace{}).Ready(0, 50); got != 50 {
		t.Errorf("as fast as can be: %d of 50 tokens are due at once", got)
	}
}

// What is ready at a time is exactly what was due by then, so that a sender that
// came late owes nothing after one event.
func TestWhatIsReadyIsWhatWasDue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Pace{First: time.Duration(rapid.Int64Range(0, 1e9).Draw(t, "first")),
			Rate: rapid.Float64Range(.5, 5000).Draw(t, "rate")}
		n := rapid.IntRange(1, 400).Draw(t, "n")
		at := time.Duration(rapid.Int64Range(0, 3e9).Draw(t, "at"))
		want := 0
		for want < n && p.Due(want) <= at {
			want++
		}
		if got := p.Ready(at, n); got != want {
			t.Fatalf("%d ready, %d due", got, want)
		}
	})
}

func TestPiecesAreTokensOfFourCharacters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		got := pieces(s)
		if strings.Join(got, "") != s || len(got) != Tokens(s) {
			t.Fatalf("%q is cut into %q; %d tokens", s, got, Tokens(s))
		}
	})
}
