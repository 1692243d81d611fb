package mesh

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
)

func TestSetupIsRepeatable(t *testing.T) {
	r := newRig(t)
	m := New(r.conn, Options{})
	for range 2 {
		if err := m.Setup(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]bool{}
	for name := range r.conn.js.StreamNames(t.Context()).Name() {
		names[name] = true
	}
	for _, want := range []string{"TURNS", "PASSES", "SAID", "REPLIES", "TRACES", "ACTIONS", "EVENTS", "MEMORY", "TIMERS",
		"DEAD", "KV_conversations", "KV_flags", "COUNTERS", "SCANS", "REPORTS"} {
		if !names[want] {
			t.Errorf("no stream %s", want)
		}
	}
	for _, bucket := range []string{"conversations", "flags"} {
		if _, err := r.conn.js.KeyValue(t.Context(), bucket); err != nil {
			t.Fatalf("the %s are no key-value bucket: %v", bucket, err)
		}
	}
	if err := New(r.conn, Options{Settings: Settings{MaxInFlight: 7, PassesBytes: 1 << 20}}).Setup(
		t.Context()); err != nil {
		t.Fatalf("other sizes: %v", err)
	}
	s, err := r.conn.js.Stream(t.Context(), streamTurns)
	if err != nil || s.CachedInfo().Config.MaxMsgs != 7 {
		t.Errorf("the new size was not taken: %v", err)
	}
}

func TestSetupRefusesStreamsItCannotStandOn(t *testing.T) {
	for _, c := range []struct {
		stream, setting string
		change          func(*jetstream.StreamConfig)
	}{
		{streamTurns, "discard", func(c *jetstream.StreamConfig) {
			c.Discard, c.DiscardNewPerSubject = jetstream.DiscardOld, false
		}},
		{streamTurns, "max_msgs_per_subject", func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 100 }},
		{streamTurns, "storage", func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage }},
		{streamTurns, "retention", func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy }},
		{streamReplies, "discard_new_per_subject", func(c *jetstream.StreamConfig) { c.DiscardNewPerSubject = false }},
		{streamReplies, "max_age", func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }},
		{streamReplies, "subject_delete_marker_ttl", func(c *jetstream.StreamConfig) { c.SubjectDeleteMarkerTTL = 0 }},
		{streamTimers, "allow_msg_schedules", func(c *jetstream.StreamConfig) { c.AllowMsgSchedules = false }},
		{streamSaid, "republish", func(c *jetstream.StreamConfig) { c.RePublish = nil }},
		{streamCounters, "allow_msg_counter", func(c *jetstream.StreamConfig) { c.AllowMsgCounter = false }},
		{streamFlags, "republish", func(c *jetstream.StreamConfig) { c.RePublish = nil }},
		{streamPasses, "duplicate_window", func(c *jetstream.StreamConfig) { c.Duplicates = time.Second }},
		{streamEvents, "subjects", func(c *jetstream.StreamConfig) { c.Subjects = []string{"game.event.*"} }},
	} {
		t.Run(c.stream+" "+c.setting, func(t *testing.T) {
			r := newRig(t)
			for _, cfg := range streams(Settings{}.withDefaults()) {
				if cfg.Name == c.stream {
					c.change(&cfg)
					if _, err := r.conn.js.CreateStream(t.Context(), cfg); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := New(r.conn, Options{}).Setup(t.Context())
			var why *SettingError
			if !errors.As(err, &why) || why.Stream != c.stream || why.Setting != c.setting {
				t.Fatalf("got %v", err)
			}
			if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, "must be") {
				t.Errorf("not one clear line: %s", text)
			}
		})
	}
}

// A disk with little room holds a small mesh; a server that has none for a stream is
// told how to mend.
func TestStreamsFitTheDisk(t *testing.T) {
	r := newRigOn(t, embedded.Options{Dir: t.TempDir(), MaxStore: 96 << 20})
	err := New(r.conn, Options{}).Setup(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no room for stream") ||
		!strings.Contains(err.Error(), "max_file_store") {
		t.Errorf("full sizes: %v", err)
	}
	if err := New(r.conn, Options{Settings: Settings{}.Within(r.server.StoreLimit())}).Setup(t.Context()); err != nil {
		t.Errorf("sizes within the limit: %v", err)
	}
}

func TestStreamDeletedAMomentAgoIsMadeAgain(t *testing.T) {
	r := newRig(t)
	m := New(r.conn, Options{})
	if err := m.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := r.conn.js.DeleteStream(t.Context(), streamTurns); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := m.Setup(ctx); err != nil {
			t.Error(err)
		}
		cancel()
	}
}
