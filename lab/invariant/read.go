package invariant

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Reader reads the streams of a mesh. mesh.Client is one.
type Reader interface {
	Messages(ctx context.Context, stream string,
		f func(subject, id string, sequence uint64, at time.Time, data []byte) error) error
	Undone(ctx context.Context) (map[string]uint64, error)
}

// Kept is what the streams hold, in their order.
type Kept struct {
	Replies   []Reply
	Said      []Said
	Hops      []Hop
	Memory    []Memory
	Docs      []schema.Conversation
	Waiting   []string          // turns that stand in TURNS, and of which conversation
	Timers    []string          // subjects of the turns' timers
	Undone    map[string]uint64 // by consumer
	bySubject *index
}

// Reply is a record of REPLIES.
type Reply struct {
	Sequence uint64
	At       time.Time
	schema.Reply
}

// Said is a record of SAID: an event, or the review of a sentence.
type Said struct {
	Sequence uint64
	Convo    schema.ConversationID
	Turn     string
	Event    *schema.Said
	Review   *protocol.ReviewRecord
}

// Hop is a message of PASSES.
type Hop struct {
	Sequence uint64
	ID       string // of the message
	Turn     string
	Number   int
	Part     int
	At       time.Time
}

// Memory is an entry of the memory log.
type Memory struct {
	Sequence uint64
	At       time.Time
	schema.MemoryEvent
}

// Read reads what the streams hold. Traces are for people and are not read.
func Read(ctx context.Context, from Reader) (Kept, error) {
	var k Kept
	for _, s := range []struct {
		stream string
		take   func(message) error
	}{
		{"REPLIES", k.reply}, {"SAID", k.said}, {"PASSES", k.hop}, {"MEMORY", k.memory}, {"KV_conversations", k.doc},
		{"TURNS", k.waiting}, {"TIMERS", k.timer},
	} {
		err := from.Messages(ctx, s.stream, func(subject, id string, sequence uint64, at time.Time, data []byte) error {
			if err := s.take(message{subject, id, sequence, at, data}); err != nil {
				return fmt.Errorf("message %d of %s on %s: %w", sequence, s.stream, subject, err)
			}
			return nil
		})
		if err != nil {
			return k, err
		}
	}
	var err error
	k.Undone, err = from.Undone(ctx)
	return k, err
}

// Timers are the subjects of the turns' timers that stand. One that a doorbell rung
// twice has written after the end of its turn fires once, finds a reply, and is gone.
func Timers(ctx context.Context, from Reader) ([]string, error) {
	var k Kept
	err := from.Messages(ctx, "TIMERS", func(subject, id string, sequence uint64, at time.Time, data []byte) error {
		return k.timer(message{subject, id, sequence, at, data})
	})
	return k.Timers, err
}

type message struct {
	subject, id string
	sequence    uint64
	at          time.Time
	data        []byte
}

func (k *Kept) reply(m message) error {
	r := Reply{Sequence: m.sequence, At: m.at}
	if err := json.Unmarshal(m.data, &r.Reply); err != nil {
		return err
	}
	k.Replies = append(k.Replies, r)
	return nil
}

func (k *Kept) said(m message) error {
	of, err := protocol.ParseSubject(m.subject)
	if err != nil {
		return err
	}
	s := Said{Sequence: m.sequence, Convo: of.Conversation, Turn: of.Turn}
	var into any
	if m.subject == protocol.SubjectReview(of.Conversation, of.Turn) {
		s.Review = &protocol.ReviewRecord{}
		into = s.Review
	} else {
		s.Event = &schema.Said{}
		into = s.Event
	}
	if err := json.Unmarshal(m.data, into); err != nil {
		return err
	}
	k.Said = append(k.Said, s)
	return nil
}

func (k *Kept) hop(m message) error {
	of, err := protocol.ParseSubject(m.subject)
	if err != nil {
		return err
	}
	var t struct {
		TurnID string `json:"turn_id"`
		Hop    int    `json:"hop"`
		Part   int    `json:"part"`
	}
	if json.Unmarshal(m.data, &t) != nil || t.TurnID != of.Turn {
		return nil // poison: a dead letter says so
	}
	k.Hops = append(k.Hops, Hop{Sequence: m.sequence, ID: m.id, Turn: of.Turn, Number: t.Hop, Part: t.Part, At: m.at})
	return nil
}

func (k *Kept) memory(m message) error {
	e := Memory{Sequence: m.sequence, At: m.at}
	if err := json.Unmarshal(m.data, &e.MemoryEvent); err != nil {
		return err
	}
	k.Memory = append(k.Memory, e)
	return nil
}

func (k *Kept) doc(m message) error {
	if len(m.data) == 0 { // erased
		return nil
	}
	var d schema.Conversation
	if err := json.Unmarshal(m.data, &d); err != nil {
		return err
	}
	k.Docs = append(k.Docs, d)
	return nil
}

func (k *Kept) waiting(m message) error {
	turn := m.id
	if turn == "" {
		turn = strings.TrimPrefix(m.subject, protocol.Prefix)
	}
	k.Waiting = append(k.Waiting, turn)
	return nil
}

func (k *Kept) timer(m message) error {
	if name := strings.TrimPrefix(m.subject, protocol.Prefix); strings.HasPrefix(name, "timer.turn.") ||
		strings.HasPrefix(name, "due.turn.") {
		k.Timers = append(k.Timers, name)
	}
	return nil
}

// index is what was kept, by turn.
type index struct {
	replies map[string][]*Reply // by conversation and turn
	said    map[string][]*Said
	turns   map[string][]string // of a conversation, in the order of their acceptance
}

func key(c schema.ConversationID, turn string) string { return c.String() + "." + turn }

func (r *Run) index() {
	if r.bySubject != nil {
		return
	}
	x := &index{replies: map[string][]*Reply{}, said: map[string][]*Said{}, turns: map[string][]string{}}
	for i := range r.Replies {
		at := key(r.Replies[i].Conversation(), r.Replies[i].TurnID)
		x.replies[at] = append(x.replies[at], &r.Replies[i])
	}
	for i := range r.Said {
		at := key(r.Said[i].Convo, r.Said[i].Turn)
		x.said[at] = append(x.said[at], &r.Said[i])
	}
	r.bySubject = x
}
