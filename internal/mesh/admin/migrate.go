// Package admin is what an operator does to a mesh: bring its streams and consumers to this
// build (migrate.go), take a player out of everything that is kept (erase_player.go), and
// have the broker's disk scrubbed (scrub.go). An erasure leaves a receipt. The receipt says
// what is gone and what cannot be reached, and finds the player again in a restored backup.
// What ages out by itself is no business of this package. It knows the protocol of internal/mesh and works over
// internal/mesh/transport. Neither of them knows it, and no turn needs it.
package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/nats-io/nats.go/jetstream"
)

// Migration brings the streams and consumers of a broker to this build. It may be
// run again at any time, while services run: what fits is left alone, and nothing
// that is stored is thrown away.
type Migration struct {
	conn      *transport.Conn
	settings  transport.Settings
	consumers []mesh.Consumer
	now       func() time.Time
}

// Step is one thing of the broker: what it is, and what is done with it.
type Step struct {
	What   string   `json:"what"`   // stream TURNS, consumer finisher
	Action string   `json:"action"` // keep, make, change or blocked
	Detail []string `json:"detail"` // each change; or why nothing can be done, and how to mend that
}

// The actions.
const (
	StepKeep    = "keep"
	StepMake    = "make"
	StepChange  = "change"
	StepBlocked = "blocked"
)

// NewMigration looks at a broker for a mesh with these settings.
func NewMigration(conn *transport.Conn, s transport.Settings, now func() time.Time) *Migration {
	if now == nil {
		now = time.Now
	}
	return &Migration{conn: conn, settings: s.WithDefaults(), consumers: mesh.AllConsumers(conn, s), now: now}
}

// Run takes every step, or with dry only says it. The error is one of the broker's;
// that a step is blocked stands in the step.
func (g *Migration) Run(ctx context.Context, dry bool) ([]Step, error) {
	var out []Step
	made := map[string]bool{}
	for _, want := range transport.Streams(g.settings) {
		step, err := g.stream(ctx, want, dry)
		if err != nil {
			return out, err
		}
		made[want.Name] = step.Action == StepMake
		out = append(out, step)
	}
	for _, r := range g.consumers {
		step, err := g.consumer(ctx, r, dry, made[r.Stream])
		if err != nil {
			return out, err
		}
		out = append(out, step)
	}
	return out, nil
}

func (g *Migration) stream(ctx context.Context, want jetstream.StreamConfig, dry bool) (Step, error) {
	c := g.conn
	step := Step{What: "stream " + want.Name, Action: StepKeep, Detail: []string{}}
	s, err := c.Look(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		step.Action = StepMake
		if dry {
			return step, nil
		}
		return step, c.CreateStream(ctx, want)
	}
	if err != nil {
		return step, fmt.Errorf("look at stream %s: %w", want.Name, err)
	}
	have := s.CachedInfo().Config
	next, changes, blocked := g.changes(have, want)
	if lost, err := g.loses(ctx, s, want); err != nil {
		return step, err
	} else if lost != "" {
		blocked = append(blocked, lost)
	}
	switch {
	case len(blocked) > 0:
		step.Action, step.Detail = StepBlocked, blocked
	case len(changes) > 0:
		step.Action, step.Detail = StepChange, changes
		if !dry {
			return step, transport.Wrap(c.UpdateStream(ctx, next), "change stream %s", want.Name)
		}
	}
	return step, nil
}

// changes are what differs, and the configuration that has it changed.
func (g *Migration) changes(
	have, want jetstream.StreamConfig,
) (next jetstream.StreamConfig, changes, blocked []string) {
	if err := transport.CheckStamp(want.Name, have.Metadata, want.Metadata); err != nil {
		return have, nil, []string{err.Error()}
	}
	if g.settings.Fitted {
		want.MaxBytes = have.MaxBytes
	}
	next, _ = transport.Resized(have, want)
	if old, stamped := have.Metadata[transport.MetaSchema], next.Metadata[transport.MetaSchema]; old != stamped {
		changes = append(changes, fmt.Sprintf("%s: %s to %s", transport.MetaSchema, orText(old, "none"), stamped))
	}
	for _, size := range []struct {
		name       string
		have, want any
	}{{"replicas", have.Replicas, want.Replicas}, {"max_msgs", have.MaxMsgs, want.MaxMsgs},
		{"max_bytes", have.MaxBytes, want.MaxBytes}, {"allow_direct", have.AllowDirect, want.AllowDirect}} {
		if size.have != size.want {
			changes = append(changes, fmt.Sprintf("%s: %v to %v", size.name, size.have, size.want))
		}
	}
	for _, b := range transport.Bases(have, want) {
		switch {
		case b.Have == b.Want:
		case b.Set == nil:
			blocked = append(blocked, fmt.Sprintf("%s is %v and must be %v, which a stream that exists cannot become: back "+
				"it up (nats stream backup %s DIR), remove it when no turn is under way, and run this again", b.Name, b.Have,
				b.Want, want.Name))
		default:
			b.Set(&next, want)
			changes = append(changes, fmt.Sprintf("%s: %v to %v", b.Name, b.Have, b.Want))
		}
	}
	return next, changes, blocked
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// loses says whether a tighter limit would throw away what is stored.
func (g *Migration) loses(ctx context.Context, s jetstream.Stream, want jetstream.StreamConfig) (string, error) {
	info := s.CachedInfo()
	if oldest := g.now().Add(-want.MaxAge); want.MaxAge > 0 && info.State.Msgs > 0 && info.State.FirstTime.Before(oldest) {
		return fmt.Sprintf("max_age must be %s, and messages since %s would be lost: back the stream up (nats stream "+
			"backup %s DIR) and purge them, and run this again",
			want.MaxAge, info.State.FirstTime.UTC().Format(time.RFC3339), want.Name), nil
	}
	tighter := want.MaxMsgsPerSubject > 0 &&
		(info.Config.MaxMsgsPerSubject <= 0 || info.Config.MaxMsgsPerSubject > want.MaxMsgsPerSubject)
	if !tighter || info.State.Msgs == 0 {
		return "", nil
	}
	full, err := s.Info(ctx, jetstream.WithSubjectFilter(">"))
	if err != nil {
		return "", fmt.Errorf("look at the subjects of stream %s: %w", want.Name, err)
	}
	var over []string
	for subject, n := range full.State.Subjects {
		if n > uint64(want.MaxMsgsPerSubject) {
			over = append(over, subject)
		}
	}
	if len(over) == 0 {
		return "", nil
	}
	slices.Sort(over)
	return fmt.Sprintf("max_msgs_per_subject must be %d, and of %d subjects (%s …) messages would be lost: back "+
		"the stream up (nats stream backup %s DIR) and thin them out, and run this again",
		want.MaxMsgsPerSubject, len(over), strings.Join(over[:min(3, len(over))], ", "), want.Name), nil
}

// consumer makes what is missing and changes what differs, as a service does at
// its start.
func (g *Migration) consumer(ctx context.Context, r mesh.Consumer, dry, unmade bool) (Step, error) {
	step := Step{What: "consumer " + r.Name, Action: StepKeep, Detail: []string{}}
	found, err := g.conn.LookAtConsumer(ctx, r.Stream, r.Name)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound), dry && unmade && errors.Is(err, jetstream.ErrStreamNotFound):
		step.Action = StepMake
	case err != nil:
		return step, fmt.Errorf("look at consumer %s of %s: %w", r.Name, r.Stream, err)
	default:
		if step.Detail = transport.Differs(found.CachedInfo().Config,
			transport.ConsumerConfig(r.Name, r.Filter, r.Workers, r.AckWait)); len(step.Detail) > 0 {
			step.Action = StepChange
		}
	}
	if dry || step.Action == StepKeep {
		return step, nil
	}
	_, err = g.conn.EnsureConsumer(ctx, r.Stream, r.Name, r.Filter, r.Workers, r.AckWait)
	return step, err
}
