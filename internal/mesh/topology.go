package mesh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// The streams of the mesh.
const (
	streamTurns    = "TURNS"
	streamPasses   = "PASSES"
	streamSaid     = "SAID"
	streamReplies  = "REPLIES"
	streamTraces   = "TRACES"
	streamActions  = "ACTIONS"
	streamEvents   = "EVENTS"
	streamMemory   = "MEMORY"
	streamTimers   = "TIMERS"
	streamDead     = "DEAD"
	streamConvos   = "KV_conversations"
	streamFlags    = "KV_flags"
	streamCounters = "COUNTERS"
	streamErased   = "KV_erased"
	streamScans    = "SCANS"
)

// convoPrefix is where the key-value bucket "conversations" keeps its keys.
const convoPrefix = "$KV.conversations."

// flagPrefix is where the key-value bucket "flags" keeps its keys.
const flagPrefix = "$KV.flags."

// counterPrefix begins the subjects of counters, one each.
const counterPrefix = schema.Prefix + "counter."

// livePrefix is where the broker repeats what it has stored of said and reply:
// a watcher that listened on the subjects themselves would also hear what the
// streams refused.
const livePrefix = schema.Prefix + "live."

// maxQueued is how many turns of one conversation may wait, the running one
// included.
const maxQueued = 9

// maxRequestBytes bounds what TURNS stores; the reader's own limit is lower, so
// that it can answer with a reason.
const maxRequestBytes = schema.MaxTurnBytes + 64<<10

// Settings size the streams. The zero value suits one machine.
type Settings struct {
	Replicas    int           // default 1
	MaxInFlight int           // turns that have not ended; default 10,000
	PassesBytes int64         // of turns on their way; default 1 GiB
	TracesBytes int64         // default 4 GiB
	Dedupe      time.Duration // how long a message id is remembered; default 2 min
}

func (s Settings) withDefaults() Settings {
	s.Replicas = orDefault(s.Replicas, 1)
	s.MaxInFlight = orDefault(s.MaxInFlight, 10_000)
	s.PassesBytes = orDefault(s.PassesBytes, 1<<30)
	s.TracesBytes = orDefault(s.TracesBytes, 4<<30)
	s.Dedupe = orDefault(s.Dedupe, 2*time.Minute)
	return s
}

const day = 24 * time.Hour

// streams is the table of the mesh's streams: what stands here is what the
// protocol rests on.
func streams(s Settings) []jetstream.StreamConfig {
	// A direct get may be answered by a replica that lags. With one replica
	// there is none, and it is the cheaper read.
	direct := s.Replicas == 1
	p := schema.Prefix
	table := []jetstream.StreamConfig{
		{ // The queue of each conversation: a refused turn leaves nothing, and the publish ack is acceptance.
			Name: streamTurns, Subjects: []string{p + "turn.*.*.*"},
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
			MaxMsgsPerSubject: maxQueued, MaxMsgs: int64(s.MaxInFlight), MaxMsgSize: maxRequestBytes,
		},
		{
			Name: streamPasses, Subjects: []string{p + "pass.*.*.*.*.*"},
			MaxAge: 15 * time.Minute, MaxBytes: s.PassesBytes,
		},
		{
			Name: streamSaid, Subjects: []string{p + "said.*.*.*.*", p + "review.*.*.*.*"},
			MaxAge: time.Hour, AllowDirect: direct,
			RePublish: &jetstream.RePublish{Source: p + "said.>", Destination: livePrefix + "said.>"},
		},
		{ // The only commit of a turn: the first reply of a subject stands, and its marker after it.
			Name: streamReplies, Subjects: []string{p + "reply.*.*.*.*"},
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
			MaxAge: 7 * day, AllowMsgTTL: true, AllowRollup: true, SubjectDeleteMarkerTTL: 30 * day, AllowDirect: direct,
			RePublish: &jetstream.RePublish{Source: p + "reply.>", Destination: livePrefix + "reply.>"},
		},
		{
			Name: streamTraces, Subjects: []string{p + "trace.*.*.*.*"},
			MaxAge: 7 * day, MaxBytes: s.TracesBytes, AllowDirect: direct,
		},
		{ // Each action once, whoever proposes it.
			Name: streamActions, Subjects: []string{p + "action.*.*.*.*.*", p + "action-result.*.*.*.*.*"},
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
			MaxAge: 7 * day, AllowDirect: direct,
			RePublish: &jetstream.RePublish{Source: p + ">", Destination: livePrefix + ">"},
		},
		{
			Name: streamEvents, Subjects: []string{p + "event.*"},
			MaxAge: 7 * day, AllowDirect: direct,
		},
		{
			Name: streamMemory, Subjects: []string{p + "memory.*.*.*"}, AllowDirect: direct,
		},
		{ // Apart from TURNS, because a stream of schedules cannot refuse what is new.
			Name: streamTimers, Subjects: []string{p + "timer.>", p + "due.>"},
			MaxMsgsPerSubject: 1, AllowMsgSchedules: true, AllowMsgTTL: true, AllowRollup: true, AllowDirect: direct,
		},
		{
			Name: streamDead, Subjects: []string{p + "dead.>"},
			MaxAge: 14 * day, AllowDirect: direct,
		},
		{ // A key-value bucket; made by hand because the bucket's own constructor always allows direct gets, and
			// forbids to delete a revision, which an erasure does.
			Name: streamConvos, Subjects: []string{convoPrefix + ">"},
			Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, AllowRollup: true, AllowDirect: direct,
		},
		{ // The operators' switches, a key-value bucket as well.
			Name: streamFlags, Subjects: []string{flagPrefix + ">"},
			Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, AllowRollup: true, DenyDelete: true, AllowDirect: direct,
			RePublish: &jetstream.RePublish{Source: flagPrefix + ">", Destination: livePrefix + "flag.>"},
		},
		{ // Hashes of the turns of erased players: never to be answered again.
			Name: streamErased, Subjects: []string{erasedPrefix + ">"},
			Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, AllowRollup: true, AllowMsgTTL: true, AllowDirect: direct,
		},
		{ // Sums: the broker adds, each subject holds its sum.
			Name: streamCounters, Subjects: []string{counterPrefix + ">"},
			MaxMsgsPerSubject: 1, AllowMsgCounter: true, MaxAge: countersKept, AllowDirect: direct,
		},
		{ // What each scan of memories came to: counts alone, for the report of the weeks.
			Name: streamScans, Subjects: []string{p + "scan.*"},
			MaxMsgsPerSubject: scansKept, MaxAge: 120 * day, AllowDirect: direct,
		},
	}
	for i := range table {
		c := &table[i]
		c.Storage, c.Replicas, c.Duplicates = jetstream.FileStorage, s.Replicas, s.Dedupe
		c.MaxMsgs, c.MaxBytes = orDefault(c.MaxMsgs, -1), orDefault(c.MaxBytes, -1)
		c.MaxMsgsPerSubject, c.MaxMsgSize = orDefault(c.MaxMsgsPerSubject, -1), orDefault(c.MaxMsgSize, -1)
		c.MaxConsumers = -1
		if c.MaxAge > 0 && c.MaxAge < c.Duplicates {
			c.Duplicates = c.MaxAge
		}
	}
	return table
}

// streamTable is one stream of the table.
func streamTable(s Settings, name string) jetstream.StreamConfig {
	table := streams(s)
	return table[slices.IndexFunc(table, func(c jetstream.StreamConfig) bool { return c.Name == name })]
}

// SettingError is a stream that another version, or a person, made with
// settings on which the protocol cannot stand.
type SettingError struct {
	Stream, Setting string
	Have, Want      any
}

func (e *SettingError) Error() string {
	return fmt.Sprintf("stream %s: %s is %v and must be %v; move the stream away (nats stream rm %s after a backup) or point --nats at another account",
		e.Stream, e.Setting, e.Have, e.Want, e.Stream)
}

// Setup creates the streams that are missing and verifies those that exist. It
// never changes what the protocol rests on; sizes and replicas follow Settings.
func (m *Mesh) Setup(ctx context.Context) error {
	for _, want := range streams(m.opts.Settings) {
		if err := m.conn.ensureStream(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

func (c *Conn) ensureStream(ctx context.Context, want jetstream.StreamConfig) error {
	return retryWhile(ctx, isRecreating, func() error {
		s, err := c.js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			_, err := c.js.CreateStream(ctx, want)
			if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
				return nil // another process was first, with the same table or it will be told so on its next start
			}
			return wrap(err, "create stream %s", want.Name)
		}
		if err != nil {
			return fmt.Errorf("look for stream %s: %w", want.Name, err)
		}
		have := s.CachedInfo().Config
		if err := compatible(have, want); err != nil {
			return err
		}
		if have.Replicas == want.Replicas && have.MaxMsgs == want.MaxMsgs && have.MaxBytes == want.MaxBytes && have.AllowDirect == want.AllowDirect {
			return nil
		}
		have.Replicas, have.MaxMsgs, have.MaxBytes, have.AllowDirect = want.Replicas, want.MaxMsgs, want.MaxBytes, want.AllowDirect
		_, err = c.js.UpdateStream(ctx, have)
		return wrap(err, "resize stream %s", want.Name)
	})
}

// isRecreating is the broker's word for a stream deleted a moment ago.
func isRecreating(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == 10049
}

func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// compatible compares what the protocol rests on.
func compatible(have, want jetstream.StreamConfig) error {
	republish := func(c jetstream.StreamConfig) string {
		if c.RePublish == nil {
			return "none"
		}
		return c.RePublish.Source + " to " + c.RePublish.Destination
	}
	for _, s := range []struct {
		name       string
		have, want any
	}{
		{"subjects", fmt.Sprint(have.Subjects), fmt.Sprint(want.Subjects)},
		{"storage", have.Storage, want.Storage},
		{"retention", have.Retention, want.Retention},
		{"discard", have.Discard, want.Discard},
		{"discard_new_per_subject", have.DiscardNewPerSubject, want.DiscardNewPerSubject},
		{"max_msgs_per_subject", have.MaxMsgsPerSubject, want.MaxMsgsPerSubject},
		{"max_msg_size", have.MaxMsgSize, want.MaxMsgSize},
		{"max_age", have.MaxAge, want.MaxAge},
		{"duplicate_window", have.Duplicates, want.Duplicates},
		{"allow_msg_ttl", have.AllowMsgTTL, want.AllowMsgTTL},
		{"allow_rollup_hdrs", have.AllowRollup, want.AllowRollup},
		{"subject_delete_marker_ttl", have.SubjectDeleteMarkerTTL, want.SubjectDeleteMarkerTTL},
		{"allow_msg_schedules", have.AllowMsgSchedules, want.AllowMsgSchedules},
		{"allow_msg_counter", have.AllowMsgCounter, want.AllowMsgCounter},
		{"republish", republish(have), republish(want)},
		{"sealed", have.Sealed, want.Sealed},
		{"no_ack", have.NoAck, want.NoAck},
	} {
		if s.have != s.want {
			return &SettingError{Stream: want.Name, Setting: s.name, Have: s.have, Want: s.want}
		}
	}
	return nil
}

// consumer makes or verifies a durable consumer. Its settings follow this
// build: a consumer holds no truth but how far it got.
func (m *Mesh) consumer(ctx context.Context, stream, name, filter string, workers int) (jetstream.Consumer, error) {
	c, err := m.conn.js.CreateOrUpdateConsumer(ctx, stream, jetstream.ConsumerConfig{
		Durable:       name,
		FilterSubject: filter,
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       m.opts.AckWait,
		MaxDeliver:    -1, // at a maximum a message just stays; poison is counted here instead
		// A message put back with a delay keeps its slot, so there must be many more slots than workers.
		MaxAckPending: max(1000, 10*workers),
	})
	if err != nil {
		return nil, fmt.Errorf("consumer %s on %s: %w", name, stream, err)
	}
	return c, nil
}
