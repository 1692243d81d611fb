package transport

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// Another major is refused; another minor works, and its stamp stays the highest.
func TestSetupReadsTheVersionOfAStream(t *testing.T) {
	for _, c := range []struct {
		have, left string // left is empty where the stream is refused
	}{{"", schema.Version}, {"1.0", schema.Version}, {"1.99", "1.99"}, {"2.0", ""}, {"0.9", ""}, {"rubbish", ""}} {
		t.Run(c.have, func(t *testing.T) {
			r := newRig(t)
			r.older(StreamMemory, func(cfg *jetstream.StreamConfig) {
				if c.have != "" {
					cfg.Metadata = map[string]string{MetaSchema: c.have}
				}
			})
			err := r.conn.Setup(t.Context(), Settings{})
			var other *VersionError
			if refused := errors.As(err, &other); refused != (c.left == "") || err != nil && !refused {
				t.Fatalf("got %v", err)
			}
			if err != nil {
				if text := err.Error(); !strings.Contains(text, "stream MEMORY holds messages of schema "+c.have) ||
					strings.Contains(text, "\n") {
					t.Errorf("not one clear line: %s", text)
				}
				return
			}
			s, err := r.conn.JetStream().Stream(t.Context(), StreamMemory)
			must(t, err)
			if got := s.CachedInfo().Config.Metadata[MetaSchema]; got != c.left {
				t.Errorf("stamp %q, want %q", got, c.left)
			}
		})
	}
}

// What the broker was waited for excuses no clock: it is compared with the question that
// was answered.
func TestAClockThatDisagreesIsSeenAfterAWait(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), Settings{}))
	away, p := r.awayConn()
	lost := loseAnswer(p, "$JS.API.STREAM.INFO."+StreamTurns)
	const off = MaxSkew + (ReadTimeout-MaxSkew)/2
	err := away.CheckClock(t.Context(), func() time.Time { return time.Now().Add(off) })
	var clock *ClockError
	if !errors.As(err, &clock) || clock.Ahead < MaxSkew || !lost.Load() {
		t.Errorf("an answer lost %v: %v", lost.Load(), err)
	}
}

func TestAClockThatDisagreesWithTheBroker(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), Settings{}))
	for _, c := range []struct {
		off  time.Duration
		want string
	}{{0, ""}, {MaxSkew / 2, ""}, {-MaxSkew / 2, ""},
		{10 * time.Minute, "10m0s ahead of the broker's"},
		{-3 * time.Second, "3s behind the broker's"}} {
		err := r.conn.CheckClock(t.Context(), func() time.Time { return time.Now().Add(c.off) })
		if (err == nil) != (c.want == "") || err != nil &&
			(!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "NTP")) {
			t.Errorf("off by %s: %v", c.off, err)
		}
	}
}
