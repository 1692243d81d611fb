package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// older makes a stream as a version before this one might have.
func (r *rig) older(name string, change func(*jetstream.StreamConfig)) {
	r.t.Helper()
	cfg := transport.StreamTable(transport.Settings{}.WithDefaults(), name)
	cfg.Metadata = nil
	change(&cfg)
	_, err := r.conn.JetStream().CreateStream(r.t.Context(), cfg)
	must(r.t, err)
}

func (r *rig) migrate(dry bool) map[string]Step {
	r.t.Helper()
	steps, err := NewMigration(r.conn, transport.Settings{}, nil).Run(r.t.Context(), dry)
	must(r.t, err)
	out := map[string]Step{}
	for _, s := range steps {
		out[s.What] = s
	}
	return out
}

func TestMigrationBringsAnOlderStreamUpAndLosesNothing(t *testing.T) {
	r := newRig(t)
	r.older(transport.StreamReplies, func(c *jetstream.StreamConfig) {
		c.MaxAge, c.RePublish, c.AllowRollup, c.AllowMsgTTL, c.SubjectDeleteMarkerTTL = 24*time.Hour, nil, false, false, 0
		c.Metadata = map[string]string{"team": "narrative"}
	})
	const replies = 5
	for i := range replies {
		reply := schema.Reply{SchemaVersion: "1.0", TurnID: fmt.Sprint("t", i), World: "w", NPC: "n", Player: "p",
			Status: schema.StatusAnswered, Text: "So it is."}
		data, err := json.Marshal(reply)
		must(t, err)
		_, err = r.conn.JetStream().Publish(t.Context(), fmt.Sprintf("%sreply.w.n.p.t%d", protocol.Prefix, i), data)
		must(t, err)
	}
	var unfit *transport.SettingError
	if err := r.conn.Setup(t.Context(), transport.Settings{}); !errors.As(err, &unfit) ||
		!strings.Contains(err.Error(), "forsooth migrate --dry-run") {
		t.Fatalf("a service starts on it: %v", err)
	}
	said := r.migrate(true)
	if s := said["stream REPLIES"]; s.Action != StepChange ||
		!strings.Contains(strings.Join(s.Detail, "; "), "max_age: 24h0m0s to 168h0m0s") ||
		!strings.Contains(strings.Join(s.Detail, "; "), "forsooth.schema: none to 1.") {
		t.Errorf("the dry run says %+v", s)
	}
	if s := said["stream TURNS"]; s.Action != StepMake {
		t.Errorf("the dry run says %+v", s)
	}
	if _, err := r.conn.JetStream().Stream(t.Context(), transport.StreamTurns); !errors.Is(err,
		jetstream.ErrStreamNotFound) {
		t.Error("the dry run made a stream")
	}
	for name, s := range r.migrate(false) {
		if s.Action == StepBlocked || s.Action == StepKeep {
			t.Errorf("%s: %+v", name, s)
		}
	}
	for name, s := range r.migrate(false) {
		if s.Action != StepKeep {
			t.Errorf("the second run: %s: %+v", name, s)
		}
	}
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	for i := range replies {
		reply, err := mesh.NewClient(r.conn).Reply(t.Context(), schema.ConversationID{World: "w", NPC: "n", Player: "p"},
			fmt.Sprint("t", i))
		if err != nil || reply.Text != "So it is." {
			t.Errorf("reply %d: %v", i, err)
		}
	}
	s, err := r.conn.JetStream().Stream(t.Context(), transport.StreamReplies)
	must(t, err)
	if meta := s.CachedInfo().Config.Metadata; meta["team"] != "narrative" ||
		meta[transport.MetaSchema] != schema.Version {
		t.Errorf("metadata %v", meta)
	}
	_, err = r.conn.JetStream().Consumer(t.Context(), transport.StreamReplies, "finisher")
	must(t, err)
}

func TestMigrationStopsBeforeItLosesSomething(t *testing.T) {
	for _, c := range []struct {
		name, stream, want string
		change             func(*jetstream.StreamConfig)
		messages           int
	}{
		{"more messages of a subject than may stay", transport.StreamTurns, "messages would be lost",
			func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 100 }, 20},
		{"few enough messages of a subject", transport.StreamTurns, "",
			func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 100 }, 5},
		{"a stream in memory", transport.StreamTurns, "storage is Memory and must be File",
			func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage }, 1},
		{"a stream of another major", transport.StreamTurns, "run a forsooth of that major there",
			func(c *jetstream.StreamConfig) { c.Metadata = map[string]string{transport.MetaSchema: "2.0"} }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.older(c.stream, c.change)
			for range c.messages {
				_, err := r.conn.JetStream().Publish(t.Context(), protocol.Prefix+"turn.w.n.p", []byte("{}"))
				must(t, err)
			}
			got := r.migrate(false)["stream "+c.stream]
			if c.want == "" && got.Action != StepChange || c.want != "" &&
				(got.Action != StepBlocked || !strings.Contains(strings.Join(got.Detail, " "), c.want)) {
				t.Errorf("got %+v, want %q", got, c.want)
			}
			s, err := r.conn.JetStream().Stream(t.Context(), c.stream)
			must(t, err)
			if n := s.CachedInfo().State.Msgs; n != uint64(c.messages) {
				t.Errorf("%d of %d messages are left", n, c.messages)
			}
		})
	}
}

func TestMigrationStopsBeforeAgeLosesSomething(t *testing.T) {
	r := newRig(t)
	r.older(transport.StreamSaid, func(c *jetstream.StreamConfig) { c.MaxAge = 0 })
	_, err := r.conn.JetStream().Publish(t.Context(), protocol.Prefix+"said.w.n.p.t", []byte("{}"))
	must(t, err)
	later := func() time.Time { return time.Now().Add(2 * time.Hour) }
	steps, err := NewMigration(r.conn, transport.Settings{}, later).Run(t.Context(), true)
	must(t, err)
	for _, s := range steps {
		if s.What == "stream SAID" && (s.Action != StepBlocked || !strings.Contains(s.Detail[0], "max_age must be 1h0m0s")) {
			t.Errorf("got %+v", s)
		}
	}
}

// What a stream may hold on the data folder's disk is fitted at each start, to what is
// free then: it is nothing that a migration finds wrong.
func TestMigrationLeavesWhatTheDiskGave(t *testing.T) {
	r := newRig(t)
	given := transport.Settings{}.Within(2 << 30)
	must(t, r.conn.Setup(t.Context(), given))
	for name, s := range map[string]transport.Settings{"as much is free": given,
		"more is free":   transport.Settings{}.Within(3 << 30),
		"nobody can say": transport.Settings{}.Within(math.MaxInt64)} {
		steps, err := NewMigration(r.conn, s, nil).Run(t.Context(), false)
		must(t, err)
		for _, step := range steps {
			if strings.HasPrefix(step.What, "stream ") && step.Action != StepKeep {
				t.Errorf("%s: %+v", name, step)
			}
		}
	}
	traces, err := r.conn.JetStream().Stream(t.Context(), transport.StreamTraces)
	must(t, err)
	if bytes := traces.CachedInfo().Config.MaxBytes; bytes != 1<<30 {
		t.Errorf("TRACES may hold %d bytes", bytes)
	}
	steps, err := NewMigration(r.conn, transport.Settings{}, nil).Run(t.Context(), true)
	must(t, err)
	if !slices.ContainsFunc(steps,
		func(s Step) bool { return strings.Contains(strings.Join(s.Detail, " "), "max_bytes") }) {
		t.Errorf("an operator's server is not sized: %+v", steps)
	}
}
