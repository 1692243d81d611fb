package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// The streams of the mesh.
const (
	StreamTurns         = "TURNS"
	StreamPasses        = "PASSES"
	StreamSaid          = "SAID"
	StreamReplies       = "REPLIES"
	StreamTraces        = "TRACES"
	StreamActions       = "ACTIONS"
	StreamEvents        = "EVENTS"
	StreamMemory        = "MEMORY"
	StreamTimers        = "TIMERS"
	StreamDead          = "DEAD"
	StreamConversations = "KV_conversations"
	StreamFlags         = "KV_flags"
	streamCounters      = "COUNTERS"
	StreamErased        = "KV_erased"
	StreamScans         = "SCANS"
	StreamReports       = "REPORTS"
	StreamSaidHashes    = "SAID_HASHES"
)

// ConversationPrefix is where the key-value bucket "conversations" keeps its keys.
const ConversationPrefix = "$KV.conversations."

// FlagPrefix is where the key-value bucket "flags" keeps its keys.
const FlagPrefix = "$KV.flags."

// counterPrefix begins the subjects of counters, one each.
const counterPrefix = protocol.Prefix + "counter."

// LivePrefix is where the broker repeats what it has stored of said and reply:
// a watcher that listened on the subjects themselves would also hear what the
// streams refused.
const LivePrefix = protocol.Prefix + "live."

// MaxQueued is how many turns of one conversation may wait, the running one
// included.
const MaxQueued = 9

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

	Fitted bool // the bytes are what a disk had free: another start may find more, or less
}

// WithDefaults are the settings with a value for each that is not set.
func (s Settings) WithDefaults() Settings {
	s.Replicas = cmp.Or(s.Replicas, 1)
	s.MaxInFlight = cmp.Or(s.MaxInFlight, 10_000)
	s.PassesBytes = cmp.Or(s.PassesBytes, 1<<30)
	s.TracesBytes = cmp.Or(s.TracesBytes, 4<<30)
	s.Dedupe = cmp.Or(s.Dedupe, 2*time.Minute)
	return s
}

// Within are the settings for a server that may store no more than limit bytes: half of it
// for traces at most and an eighth for turns on their way, since a stream's size is
// reserved when it is made. The rest is for streams that are not bounded by size. Each
// start fits them anew; a migration leaves those of streams that exist.
func (s Settings) Within(limit int64) Settings {
	s = s.WithDefaults()
	s.Fitted = true
	s.PassesBytes = min(s.PassesBytes, limit/8)
	s.TracesBytes = min(s.TracesBytes, limit/2)
	return s
}

const day = 24 * time.Hour

// StreamTable is one stream of the table.
func StreamTable(s Settings, name string) jetstream.StreamConfig {
	table := Streams(s)
	return table[slices.IndexFunc(table, func(c jetstream.StreamConfig) bool { return c.Name == name })]
}

// SettingError is a stream that another version, or a person, made with
// settings on which the protocol cannot stand.
type SettingError struct {
	Stream, Setting string
	Have, Want      any
}

func (e *SettingError) Error() string {
	return fmt.Sprintf("stream %s: %s is %v and must be %v; `forsooth migrate --dry-run` says what would mend it, or "+
		"point --nats at another account",
		e.Stream, e.Setting, e.Have, e.Want)
}

// Setup creates the streams that are missing and verifies those that exist. It
// never changes what the protocol rests on; sizes and replicas follow Settings.
func (c *Conn) Setup(ctx context.Context, settings Settings) error {
	settings = settings.WithDefaults()
	// Nothing is made beside a stream that is refused.
	for _, want := range Streams(settings) {
		s, err := c.lookPatiently(ctx, want.Name)
		if isSilent(err) {
			return err
		}
		if err != nil {
			continue // it is missing, or what is wrong is said below
		}
		if err := Compatible(s.CachedInfo().Config, want); err != nil {
			return err
		}
	}
	for _, want := range Streams(settings) {
		if err := c.EnsureStream(ctx, want); err != nil {
			return err
		}
	}
	return nil
}

// EnsureStream creates a stream that is missing, and verifies and resizes one that exists.
func (c *Conn) EnsureStream(ctx context.Context, want jetstream.StreamConfig) error {
	return RetryWhile(ctx, isRecreating, func() error {
		s, err := c.lookPatiently(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return c.CreateStream(ctx, want)
		}
		if err != nil {
			return fmt.Errorf("look for stream %s: %w", want.Name, err)
		}
		have := s.CachedInfo().Config
		if err := Compatible(have, want); err != nil {
			return err
		}
		if have, changed := Resized(have, want); changed {
			return Wrap(c.UpdateStream(ctx, have), "resize stream %s", want.Name)
		}
		return nil
	})
}

// CreateStream creates a stream. That another process was first is no error.
func (c *Conn) CreateStream(ctx context.Context, want jetstream.StreamConfig) error {
	err := c.administer(ctx, "$JS.API.STREAM.CREATE."+want.Name, "create stream "+want.Name,
		func(ctx context.Context) error {
			_, err := c.js.CreateStream(ctx, want)
			return err
		})
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil // another process was first, with the same table or it will be told so on its next start
	}
	if apiCode(err) == codeNoStorage {
		return fmt.Errorf("the NATS server has no room for stream %s, which reserves %d MB: raise "+
			"jetstream.max_file_store or the account's limit, or free its disk",
			want.Name, max(want.MaxBytes, 0)>>20)
	}
	return Wrap(err, "create stream %s", want.Name)
}

// UpdateStream changes the configuration of a stream.
func (c *Conn) UpdateStream(ctx context.Context, want jetstream.StreamConfig) error {
	return c.administer(ctx, "$JS.API.STREAM.UPDATE."+want.Name, "change stream "+want.Name,
		func(ctx context.Context) error {
			_, err := c.js.UpdateStream(ctx, want)
			return err
		})
}

// Resized is a stream's configuration with the sizes of another and the stamp of
// this build: what the protocol does not rest on.
func Resized(have, want jetstream.StreamConfig) (jetstream.StreamConfig, bool) {
	metadata, changed := restamped(have.Metadata, want.Metadata)
	changed = changed || have.Replicas != want.Replicas || have.MaxMsgs != want.MaxMsgs ||
		have.MaxBytes != want.MaxBytes || have.AllowDirect != want.AllowDirect
	have.Replicas, have.MaxMsgs, have.MaxBytes, have.AllowDirect, have.Metadata = want.Replicas, want.MaxMsgs,
		want.MaxBytes, want.AllowDirect, metadata
	return have, changed
}

// isRecreating is the broker's word for a stream deleted a moment ago.
func isRecreating(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == 10049
}

// Wrap says in an error what was done, and leaves no error as it is.
func Wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf(format+": %w", append(args, err)...)
}

// Basis is a setting on which the protocol rests.
type Basis struct {
	Name       string
	Have, Want any
	Set        func(have *jetstream.StreamConfig, want jetstream.StreamConfig)
}

// Bases are those settings of a stream. One without Set cannot be changed in a
// stream that exists.
func Bases(have, want jetstream.StreamConfig) []Basis {
	republish := func(c jetstream.StreamConfig) string {
		if c.RePublish == nil {
			return "none"
		}
		return c.RePublish.Source + " to " + c.RePublish.Destination
	}
	type config = jetstream.StreamConfig
	return []Basis{
		{"subjects", fmt.Sprint(have.Subjects), fmt.Sprint(want.Subjects),
			func(h *config, w config) { h.Subjects = w.Subjects }},
		{"storage", have.Storage, want.Storage, nil},
		{"retention", have.Retention, want.Retention, nil},
		{"discard", have.Discard, want.Discard, func(h *config, w config) { h.Discard = w.Discard }},
		{"discard_new_per_subject", have.DiscardNewPerSubject, want.DiscardNewPerSubject,
			func(h *config, w config) { h.DiscardNewPerSubject = w.DiscardNewPerSubject }},
		{"max_msgs_per_subject", have.MaxMsgsPerSubject, want.MaxMsgsPerSubject,
			func(h *config, w config) { h.MaxMsgsPerSubject = w.MaxMsgsPerSubject }},
		{"max_msg_size", have.MaxMsgSize, want.MaxMsgSize, func(h *config, w config) { h.MaxMsgSize = w.MaxMsgSize }},
		{"max_age", have.MaxAge, want.MaxAge, func(h *config, w config) { h.MaxAge = w.MaxAge }},
		{"duplicate_window", have.Duplicates, want.Duplicates, func(h *config, w config) { h.Duplicates = w.Duplicates }},
		{"allow_msg_ttl", have.AllowMsgTTL, want.AllowMsgTTL, func(h *config, w config) { h.AllowMsgTTL = w.AllowMsgTTL }},
		{"allow_rollup_hdrs", have.AllowRollup, want.AllowRollup,
			func(h *config, w config) { h.AllowRollup = w.AllowRollup }},
		{"subject_delete_marker_ttl", have.SubjectDeleteMarkerTTL, want.SubjectDeleteMarkerTTL,
			func(h *config, w config) { h.SubjectDeleteMarkerTTL = w.SubjectDeleteMarkerTTL }},
		{"allow_msg_schedules", have.AllowMsgSchedules, want.AllowMsgSchedules,
			func(h *config, w config) { h.AllowMsgSchedules = w.AllowMsgSchedules }},
		{"allow_msg_counter", have.AllowMsgCounter, want.AllowMsgCounter, nil},
		{"republish", republish(have), republish(want), func(h *config, w config) { h.RePublish = w.RePublish }},
		{"sealed", have.Sealed, want.Sealed, nil},
		{"no_ack", have.NoAck, want.NoAck, func(h *config, w config) { h.NoAck = w.NoAck }},
	}
}

// Compatible compares the major of the schema, and what the protocol rests on.
func Compatible(have, want jetstream.StreamConfig) error {
	if err := CheckStamp(want.Name, have.Metadata, want.Metadata); err != nil {
		return err
	}
	for _, s := range Bases(have, want) {
		if s.Have != s.Want {
			return &SettingError{Stream: want.Name, Setting: s.Name, Have: s.Have, Want: s.Want}
		}
	}
	return nil
}

// EnsureConsumer finds or makes a durable consumer. Its settings follow this build: a
// consumer holds no truth but how far it got. Slots are never taken away, for
// another process may have more workers.
func (c *Conn) EnsureConsumer(
	ctx context.Context, stream, name, filter string, workers int, ackWait time.Duration,
) (jetstream.Consumer, error) {
	want := ConsumerConfig(name, filter, workers, ackWait)
	found, err := c.LookAtConsumer(ctx, stream, name)
	if err == nil {
		have := found.CachedInfo().Config
		if len(Differs(have, want)) == 0 {
			return found, nil
		}
		want.MaxAckPending = max(want.MaxAckPending, have.MaxAckPending)
	}
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, fmt.Errorf("consumer %s on %s: %w", name, stream, err)
	}
	subject := "$JS.API.CONSUMER.CREATE." + stream + "." + name
	if filter != "" {
		subject += "." + filter
	}
	var made jetstream.Consumer
	err = c.administer(ctx, subject, "make consumer "+name, func(ctx context.Context) (err error) {
		made, err = c.js.CreateOrUpdateConsumer(ctx, stream, want)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("consumer %s on %s: %w", name, stream, err)
	}
	return made, nil
}

// ConsumerConfig is what the broker is told of a durable consumer.
func ConsumerConfig(name, filter string, workers int, ackWait time.Duration) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Durable:       name,
		FilterSubject: filter,
		DeliverPolicy: jetstream.DeliverAllPolicy,
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       ackWait,
		MaxDeliver:    -1, // at a maximum a message just stays; poison is counted here instead
		// A message put back with a delay keeps its slot, so there must be many more slots than workers.
		MaxAckPending: max(2000, 10*workers),
	}
}

// Differs are the settings of a consumer that a service would change.
func Differs(have, want jetstream.ConsumerConfig) []string {
	out := []string{}
	for _, s := range []struct {
		name       string
		have, want any
	}{{"ack_wait", have.AckWait, want.AckWait}, {"filter_subject", have.FilterSubject, want.FilterSubject},
		{"max_deliver", have.MaxDeliver, want.MaxDeliver},
		{"max_ack_pending", have.MaxAckPending, max(have.MaxAckPending, want.MaxAckPending)}} {
		if s.have != s.want {
			out = append(out, fmt.Sprintf("%s: %v to %v", s.name, s.have, s.want))
		}
	}
	return out
}
