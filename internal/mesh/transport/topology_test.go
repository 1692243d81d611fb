package transport

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
	for range 2 {
		if err := r.conn.Setup(t.Context(), Settings{}); err != nil {
			t.Fatal(err)
		}
	}
	names := map[string]bool{}
	for name := range r.conn.JetStream().StreamNames(t.Context()).Name() {
		names[name] = true
	}
	for _, want := range []string{"TURNS", "PASSES", "SAID", "REPLIES", "TRACES", "ACTIONS", "EVENTS", "MEMORY", "TIMERS",
		"DEAD", "KV_conversations", "KV_flags", "COUNTERS", "SCANS", "REPORTS", "SAID_HASHES"} {
		if !names[want] {
			t.Errorf("no stream %s", want)
		}
	}
	for _, bucket := range []string{"conversations", "flags"} {
		if _, err := r.conn.JetStream().KeyValue(t.Context(), bucket); err != nil {
			t.Fatalf("the %s are no key-value bucket: %v", bucket, err)
		}
	}
	if err := r.conn.Setup(t.Context(), Settings{MaxInFlight: 7, PassesBytes: 1 << 20}); err != nil {
		t.Fatalf("other sizes: %v", err)
	}
	s, err := r.conn.JetStream().Stream(t.Context(), StreamTurns)
	if err != nil || s.CachedInfo().Config.MaxMsgs != 7 {
		t.Errorf("the new size was not taken: %v", err)
	}
}

func TestSetupRefusesStreamsItCannotStandOn(t *testing.T) {
	for _, c := range []struct {
		stream, setting string
		change          func(*jetstream.StreamConfig)
	}{
		{StreamTurns, "discard", func(c *jetstream.StreamConfig) {
			c.Discard, c.DiscardNewPerSubject = jetstream.DiscardOld, false
		}},
		{StreamTurns, "max_msgs_per_subject", func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 100 }},
		{StreamTurns, "storage", func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage }},
		{StreamTurns, "retention", func(c *jetstream.StreamConfig) { c.Retention = jetstream.WorkQueuePolicy }},
		{StreamReplies, "discard_new_per_subject", func(c *jetstream.StreamConfig) { c.DiscardNewPerSubject = false }},
		{StreamReplies, "max_age", func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour }},
		{StreamReplies, "subject_delete_marker_ttl", func(c *jetstream.StreamConfig) { c.SubjectDeleteMarkerTTL = 0 }},
		{StreamTimers, "allow_msg_schedules", func(c *jetstream.StreamConfig) { c.AllowMsgSchedules = false }},
		{StreamSaid, "republish", func(c *jetstream.StreamConfig) { c.RePublish = nil }},
		{streamCounters, "allow_msg_counter", func(c *jetstream.StreamConfig) { c.AllowMsgCounter = false }},
		{StreamFlags, "republish", func(c *jetstream.StreamConfig) { c.RePublish = nil }},
		{StreamPasses, "duplicate_window", func(c *jetstream.StreamConfig) { c.Duplicates = time.Second }},
		{StreamEvents, "subjects", func(c *jetstream.StreamConfig) { c.Subjects = []string{"game.event.*"} }},
	} {
		t.Run(c.stream+" "+c.setting, func(t *testing.T) {
			r := newRig(t)
			for _, cfg := range Streams(Settings{}.WithDefaults()) {
				if cfg.Name == c.stream {
					c.change(&cfg)
					if _, err := r.conn.JetStream().CreateStream(t.Context(), cfg); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := r.conn.Setup(t.Context(), Settings{})
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
	err := r.conn.Setup(t.Context(), Settings{})
	if err == nil || !strings.Contains(err.Error(), "no room for stream") ||
		!strings.Contains(err.Error(), "max_file_store") {
		t.Errorf("full sizes: %v", err)
	}
	if err := r.conn.Setup(t.Context(), Settings{}.Within(r.server.StoreLimit())); err != nil {
		t.Errorf("sizes within the limit: %v", err)
	}
}

func TestStreamDeletedAMomentAgoIsMadeAgain(t *testing.T) {
	r := newRig(t)
	if err := r.conn.Setup(t.Context(), Settings{}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := r.conn.JetStream().DeleteStream(t.Context(), StreamTurns); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		if err := r.conn.Setup(ctx, Settings{}); err != nil {
			t.Error(err)
		}
		cancel()
	}
}
