package transport

import (
	"cmp"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// Streams is the table of the mesh's streams: what stands here is what the
// protocol rests on.
func Streams(s Settings) []jetstream.StreamConfig {
	// A direct get may be answered by a replica that lags. With one replica
	// there is none, and it is the cheaper read. Streams that are read at length
	// allow it always: single reads of them still go to the leader, see EachFrom.
	direct := s.Replicas == 1
	table := slices.Concat(turnStreams(s, direct), gameStreams(direct), keptStreams(direct))
	for i := range table {
		c := &table[i]
		if mutant == "reply_guard" && c.Name == StreamReplies {
			c.Discard, c.DiscardNewPerSubject, c.MaxMsgsPerSubject = jetstream.DiscardOld, false, -1
		}
		c.Storage, c.Replicas, c.Duplicates = jetstream.FileStorage, s.Replicas, s.Dedupe
		c.MaxMsgs, c.MaxBytes = cmp.Or(c.MaxMsgs, -1), cmp.Or(c.MaxBytes, -1)
		c.MaxMsgsPerSubject, c.MaxMsgSize = cmp.Or(c.MaxMsgsPerSubject, -1), cmp.Or(c.MaxMsgSize, -1)
		c.MaxConsumers = -1
		c.Metadata = map[string]string{MetaSchema: schema.Version}
		if c.MaxAge > 0 && c.MaxAge < c.Duplicates {
			c.Duplicates = c.MaxAge
		}
	}
	return table
}

// turnStreams are the streams of turns on their way and of their replies.
func turnStreams(s Settings, direct bool) []jetstream.StreamConfig {
	p := protocol.Prefix
	return []jetstream.StreamConfig{
		{ // The queue of each conversation: a refused turn leaves nothing, and the publish ack is acceptance.
			Name: StreamTurns, Subjects: []string{p + "turn.*.*.*"},
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
			MaxMsgsPerSubject: MaxQueued, MaxMsgs: int64(s.MaxInFlight), MaxMsgSize: maxRequestBytes, AllowDirect: direct,
		},
		{
			Name: StreamPasses, Subjects: []string{p + "pass.*.*.*.*.*"},
			MaxAge: 15 * time.Minute, MaxBytes: s.PassesBytes,
		},
		{
			Name: StreamSaid, Subjects: []string{p + "said.*.*.*.*", p + "review.*.*.*.*"},
			MaxAge: time.Hour, AllowDirect: direct,
			RePublish: &jetstream.RePublish{Source: p + "said.>", Destination: LivePrefix + "said.>"},
		},
		{ // The only commit of a turn: the first reply of a subject stands, and its marker after it.
			Name: StreamReplies, Subjects: []string{p + "reply.*.*.*.*"},
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
			MaxAge: 7 * day, AllowMsgTTL: true, AllowRollup: true, SubjectDeleteMarkerTTL: 30 * day, AllowDirect: true,
			RePublish: &jetstream.RePublish{Source: p + "reply.>", Destination: LivePrefix + "reply.>"},
		},
		{
			Name: StreamTraces, Subjects: []string{p + "trace.*.*.*.*"},
			MaxAge: 7 * day, MaxBytes: s.TracesBytes, AllowDirect: true,
		},
		{ // Apart from TURNS, because a stream of schedules cannot refuse what is new.
			Name: StreamTimers, Subjects: []string{p + "timer.>", p + "due.>"},
			MaxMsgsPerSubject: 1, AllowMsgSchedules: true, AllowMsgTTL: true, AllowRollup: true, AllowDirect: direct,
		},
		{
			Name: StreamDead, Subjects: []string{p + "dead.>"},
			MaxAge: 14 * day, AllowDirect: true,
		},
	}
}

// gameStreams are the streams of what the game sees and does.
func gameStreams(direct bool) []jetstream.StreamConfig {
	p := protocol.Prefix
	return []jetstream.StreamConfig{
		{ // Each action once, whoever proposes it.
			Name: StreamActions, Subjects: []string{p + "action.*.*.*.*.*", p + "action-result.*.*.*.*.*"},
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
			MaxAge: 7 * day, AllowDirect: direct,
			RePublish: &jetstream.RePublish{Source: p + ">", Destination: LivePrefix + ">"},
		},
		{
			Name: StreamEvents, Subjects: []string{p + "event.*"},
			MaxAge: 7 * day, AllowDirect: true,
		},
	}
}

// keptStreams are the streams of what is kept beyond a turn.
func keptStreams(direct bool) []jetstream.StreamConfig {
	p := protocol.Prefix
	return []jetstream.StreamConfig{
		{
			Name: StreamMemory, Subjects: []string{p + "memory.*.*.*"}, AllowDirect: true,
		},
		{ // A key-value bucket; made by hand because the bucket's own constructor always allows direct gets, and
			// forbids to delete a revision, which an erasure does.
			Name: StreamConversations, Subjects: []string{ConversationPrefix + ">"},
			Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, AllowRollup: true, AllowDirect: direct,
		},
		{ // The operators' switches, a key-value bucket as well.
			Name: StreamFlags, Subjects: []string{FlagPrefix + ">"},
			Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, AllowRollup: true, DenyDelete: true, AllowDirect: direct,
			RePublish: &jetstream.RePublish{Source: FlagPrefix + ">", Destination: LivePrefix + "flag.>"},
		},
		{ // Hashes of the turns of erased players: never to be answered again.
			Name: StreamErased, Subjects: []string{erasedPrefix + ">"},
			Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, AllowRollup: true, AllowMsgTTL: true, AllowDirect: direct,
		},
		{ // Sums: the broker adds, each subject holds its sum.
			Name: streamCounters, Subjects: []string{counterPrefix + ">"},
			MaxMsgsPerSubject: 1, AllowMsgCounter: true, MaxAge: countersKept, AllowDirect: direct,
		},
		{ // What each scan of memories came to: counts alone, for the report of the weeks.
			Name: StreamScans, Subjects: []string{p + "scan.*"},
			MaxMsgsPerSubject: scansKept, MaxAge: 120 * day, AllowDirect: true,
		},
		{ // What NPCs said in a model's words, as hashes: bounded, and read at a start and as it grows.
			Name: StreamSaidHashes, Subjects: []string{p + "said-hash.*.*.*"},
			MaxMsgsPerSubject: HashesKept, MaxMsgs: saidHashesKept, AllowRollup: true, AllowDirect: true,
		},
		{ // The weekly reports: what a report says of weeks whose replies are gone rests on them.
			Name: StreamReports, Subjects: []string{p + "report.*"},
			MaxMsgsPerSubject: reportsKept, MaxAge: 400 * day, AllowDirect: true,
		},
	}
}
