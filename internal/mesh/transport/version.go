package transport

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// MetaSchema is the key of a stream's metadata that says which schema its messages
// have: the highest minor that ever set it up.
const MetaSchema = "forsooth.schema"

// VersionError is a stream whose messages another major of the schema wrote.
type VersionError struct{ Stream, Have, Want string }

func (e *VersionError) Error() string {
	major, _, _ := strings.Cut(e.Want, ".")
	return fmt.Sprintf("stream %s holds messages of schema %s and this build reads %s.x: run a forsooth of that "+
		"major there, or give this one another NATS account (nats.user, nats.creds) or server (--nats)",
		e.Stream, e.Have, major)
}

// CheckStamp refuses a stream of another major. One without a stamp was made
// before streams had one, by the first major.
func CheckStamp(stream string, have, want map[string]string) error {
	stamp := have[MetaSchema]
	if stamp == "" || schema.CheckVersion(stamp) == nil {
		return nil
	}
	return &VersionError{Stream: stream, Have: stamp, Want: want[MetaSchema]}
}

// restamped is a stream's metadata with the stamp of this build where it has none
// or a lower one; the other keys are the broker's and the operators'.
func restamped(have, want map[string]string) (map[string]string, bool) {
	if minor(have[MetaSchema]) >= minor(want[MetaSchema]) {
		return have, false
	}
	out := maps.Clone(have)
	if out == nil {
		out = map[string]string{}
	}
	out[MetaSchema] = want[MetaSchema]
	return out, true
}

// minor is the second number of a version; -1 where there is none.
func minor(version string) int {
	_, text, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// MaxSkew is how far a machine's clock may be from the broker's. Deadlines are
// the broker's, and the margin before each of them is no shorter.
const MaxSkew = time.Second

// ClockError is a clock that disagrees with the broker's.
type ClockError struct {
	Ahead  time.Duration // negative: behind
	Broker string
}

func (e *ClockError) Error() string {
	way := "ahead of"
	if e.Ahead < 0 {
		way = "behind"
	}
	return fmt.Sprintf("this machine's clock is %s %s the broker's at %s, and at most %s is borne; set both by NTP "+
		"(timedatectl set-ntp true)",
		e.Ahead.Abs().Round(100*time.Millisecond), way, e.Broker, MaxSkew)
}

// CheckClock compares a clock with the broker's. What the question itself took is
// in the clock's favour.
func (c *Conn) CheckClock(ctx context.Context, now func() time.Time) error {
	var worst time.Duration
	for range 3 { // a pause between question and answer is no skew
		var asked time.Time
		var s jetstream.Stream
		err := c.RetryUnavailable(ctx, "stream "+StreamTurns, func(ctx context.Context) (err error) {
			asked = now() // a question without an answer says nothing of the clock
			s, err = c.Look(ctx, StreamTurns)
			return err
		})
		if err != nil {
			return fmt.Errorf("ask %s for its time: %w", c.url, err)
		}
		answered := now()
		broker := s.CachedInfo().TimeStamp
		switch {
		case broker.Before(asked):
			worst = asked.Sub(broker)
		case broker.After(answered):
			worst = answered.Sub(broker)
		default:
			return nil
		}
		if worst.Abs() <= MaxSkew {
			return nil
		}
	}
	return &ClockError{Ahead: worst, Broker: c.url}
}
