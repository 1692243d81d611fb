package admin

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// Eraser takes one player out of the streams. What it does can be done again and
// changes nothing the second time.
type Eraser struct {
	conn   *transport.Conn
	player string
	worlds []string // empty: all
	secure bool

	handles Handles
	retold  *retelling // in scenes; it grows from one Follow to the next
}

// Handles are those of the NPCs of the worlds that are known. Where a bare id is
// one of them it means the NPC, and player:<id> the player.
type Handles map[string][]string

// Has says whether an id is a handle of a world.
func (h Handles) Has(world, id string) bool { return slices.Contains(h[world], id) }

// Among tells the eraser of the NPCs that must not be taken for the player.
func (e *Eraser) Among(h Handles) *Eraser {
	e.handles = h
	return e
}

// NewEraser is for a player of some worlds; no world is every world. secure has the
// broker overwrite each message as it is deleted, for which it writes the whole
// block anew and waits for the disk: that is for a broker whose files are not
// scrubbed afterwards, which is the same in one go.
func NewEraser(conn *transport.Conn, player string, worlds []string, secure bool) *Eraser {
	return &Eraser{conn: conn, player: player, worlds: worlds, secure: secure, retold: newRetelling()}
}

// Place is a part of a stream that holds something of the player.
type Place struct {
	Name     string // of the place, such as "replies"
	stream   string
	messages []spot
}

// spot is where a message stands that must go.
type spot struct {
	sequence uint64
	subject  string
}

// Count is how many messages the place holds.
func (p *Place) Count() int { return len(p.messages) }

// Trail is what the streams hold of a player.
type Trail struct {
	// Repeats holds what others' turns in scenes repeat of the player. It goes first, and then the
	// documents of scenes: only what stands in Places tells such a repetition.
	Repeats []Place
	Places  []Place
	Turns   []EndedTurn // that must never be answered again
	Names   []string    // by which the player was shown
	Open    []EndedTurn // of those: they wait for their reply
	shared  []sharedEvent
	scenes  struct {
		documents []schema.ConversationID // to be written anew without the player
		own       map[EndedTurn]bool      // turns of the player
	}
}

// EndedTurn is a turn of the player; Event says that it is an event of the game.
type EndedTurn struct {
	Conversation schema.ConversationID
	Turn         string
}

// sharedEvent is an event that others witnessed too.
type sharedEvent struct {
	sequence uint64
	event    schema.Occurrence // without the player
}

// Empty says that the streams hold nothing.
func (t *Trail) Empty() bool { return t.Count() == 0 }

// Count is how many messages there are in all.
func (t *Trail) Count() int {
	n := len(t.shared) + t.Scenes()
	for _, p := range slices.Concat(t.Repeats, t.Places) {
		n += p.Count()
	}
	return n
}

// Scenes is how many documents of scenes there are to be written anew.
func (t *Trail) Scenes() int { return len(t.scenes.documents) }

// place is where a player's messages stand: subjects in which W is the world and P
// the player.
type place struct{ name, stream, subject string }

var ofPlayer = []place{
	{"turns", transport.StreamTurns, protocol.Prefix + "turn.W.*.P"},
	{"timers", transport.StreamTimers, protocol.Prefix + "due.turn.W.*.P.*"},
	{"passes", transport.StreamPasses, protocol.Prefix + "pass.*.W.*.P.*"},
	{"said", transport.StreamSaid, protocol.Prefix + "said.W.*.P.*"},
	{"reviews", transport.StreamSaid, protocol.Prefix + "review.W.*.P.*"},
	{"actions", transport.StreamActions, protocol.Prefix + "action.W.*.P.*.*"},
	{"actions", transport.StreamActions, protocol.Prefix + "action-result.W.*.P.*.*"},
	{"traces", transport.StreamTraces, protocol.Prefix + "trace.W.*.P.*"},
	{"dead letters", transport.StreamDead, protocol.Prefix + "dead.*.W.*.P.*"},
	{"conversations", transport.StreamConversations, transport.ConversationPrefix + "W.*.P"},
	{"hashes of what was said", transport.StreamSaidHashes, protocol.Prefix + "said-hash.W.*.P"},
	{"replies", transport.StreamReplies, protocol.Prefix + "reply.W.*.P.*"},
}

// Follow reads what the streams hold of the player, but for the memory log. It
// changes nothing.
func (e *Eraser) Follow(ctx context.Context) (*Trail, error) {
	t := &Trail{}
	seen := map[EndedTurn]bool{}
	names := map[string]bool{}
	for _, p := range ofPlayer {
		if err := e.own(ctx, t, p, seen, names); err != nil {
			return nil, err
		}
	}
	if err := e.remembered(ctx, seen); err != nil {
		return nil, err
	}
	if err := e.inScenes(ctx, t, seen, names); err != nil {
		return nil, err
	}
	if err := e.others(ctx, t, seen); err != nil {
		return nil, err
	}
	for turn := range seen {
		t.Turns = append(t.Turns, turn)
	}
	for name := range names {
		t.Names = append(t.Names, name)
	}
	slices.Sort(t.Names)
	return t, nil
}

// each reads the messages of a place in every world that is meant.
func (e *Eraser) each(ctx context.Context, stream, subject string, f func(*jetstream.RawStreamMsg)) error {
	worlds := e.worlds
	if len(worlds) == 0 {
		worlds = []string{"*"}
	}
	for _, world := range worlds {
		err := e.conn.Each(ctx, stream, strings.NewReplacer("W", world, "P", e.player).Replace(subject),
			func(msg *jetstream.RawStreamMsg) bool {
				f(msg)
				return true
			})
		if stream == transport.StreamSaidHashes && errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil // a mesh that an older build set up; without the others it is no mesh
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (e *Eraser) covers(world string) bool {
	return len(e.worlds) == 0 || slices.Contains(e.worlds, world)
}

// own reads the messages on the player's own subjects.
func (e *Eraser) own(ctx context.Context, t *Trail, p place, seen map[EndedTurn]bool, names map[string]bool) error {
	return e.each(ctx, p.stream, p.subject, func(msg *jetstream.RawStreamMsg) {
		s, err := protocol.ParseSubject(msg.Subject)
		convo := s.Conversation
		if err != nil { // a conversation's document
			convo = conversationOf(msg.Subject)
		}
		if convo.NPC == schema.SceneNPC {
			return // a scene has the player's id for its own
		}
		t.add(p.name, p.stream, msg)
		for _, turn := range append(turnsIn(p, msg), s.Turn) {
			if turn != "" {
				seen[EndedTurn{convo, turn}] = true
			}
		}
		if p.stream == transport.StreamTurns {
			t.Open = append(t.Open, EndedTurn{convo, mesh.TurnOf(msg)})
		}
		var shown struct {
			PlayerName string `json:"player_name"`
		}
		if json.Unmarshal(msg.Data, &shown) == nil && shown.PlayerName != "" {
			names[shown.PlayerName] = true
		}
	})
}

func conversationOf(subject string) schema.ConversationID {
	parts := strings.Split(strings.TrimPrefix(subject, transport.ConversationPrefix), ".")
	if len(parts) != 3 {
		return schema.ConversationID{}
	}
	return schema.ConversationID{World: parts[0], NPC: parts[1], Player: parts[2]}
}

// turnsIn are the turns that a message names in its body.
func turnsIn(p place, msg *jetstream.RawStreamMsg) []string {
	switch p.stream {
	case transport.StreamTurns:
		return []string{mesh.TurnOf(msg)}
	case transport.StreamConversations:
		var doc schema.Conversation
		_ = json.Unmarshal(msg.Data, &doc)
		turns := []string{}
		for _, a := range doc.Applied {
			turns = append(turns, a.TurnID)
		}
		return turns
	}
	return nil
}

// remembered adds the turns and events of which memories are left: their replies
// may have aged out, and must not come anew either.
func (e *Eraser) remembered(ctx context.Context, seen map[EndedTurn]bool) error {
	return e.each(ctx, transport.StreamMemory, protocol.Prefix+"memory.W.*.P", func(msg *jetstream.RawStreamMsg) {
		l := transport.ParseLogged(msg.Subject, msg.Sequence, msg.Data)
		if m := l.Event.Memory; m != nil {
			for _, s := range m.Spans {
				e.mark(seen, m.World, m.NPC, s.TurnID, s.EventID)
				if s.Scene != "" && s.TurnID != "" {
					seen[EndedTurn{schema.SceneConversation(m.World, s.Scene), s.TurnID}] = true
				}
			}
			e.mark(seen, m.World, m.NPC, m.TurnID, "")
		}
		e.mark(seen, l.Event.World, l.Event.NPC, l.Event.TurnID, l.Event.EventID)
	})
}

func (e *Eraser) mark(seen map[EndedTurn]bool, world, npc, turn, event string) {
	if turn != "" {
		seen[EndedTurn{schema.ConversationID{World: world, NPC: npc, Player: e.player}, turn}] = true
	}
	if event != "" {
		seen[EndedTurn{schema.ConversationID{World: world, NPC: transport.EventNPC, Player: e.player}, event}] = true
	}
}

// others reads what stands elsewhere and concerns the player: schedules, events of
// the game, and what only tells of turns.
func (e *Eraser) others(ctx context.Context, t *Trail, seen map[EndedTurn]bool) error {
	err := e.conn.Each(ctx, transport.StreamTimers, protocol.Prefix+"timer.turn.*",
		func(msg *jetstream.RawStreamMsg) bool {
			var b protocol.Due
			if json.Unmarshal(msg.Data, &b) == nil && e.covers(b.World) && e.dueOf(t, b) {
				t.add("timers", transport.StreamTimers, msg)
			}
			return true
		})
	if err != nil {
		return err
	}
	if err := e.events(ctx, t, seen); err != nil {
		return err
	}
	for _, p := range []place{{"traces of others", transport.StreamTraces, protocol.Prefix + "trace.W.>"},
		{"dead letters of others", transport.StreamDead, protocol.Prefix + "dead.*.W.>"}} {
		if err := e.mentions(ctx, p, nil, func(msg *jetstream.RawStreamMsg) {
			if ofSubject(msg.Subject).NPC != schema.SceneNPC { // of which inScenes has decided
				t.add(p.name, p.stream, msg)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

// dueOf says whether a deadline is of a turn of the player.
func (e *Eraser) dueOf(t *Trail, b protocol.Due) bool {
	if b.NPC == schema.SceneNPC {
		return t.scenes.own[EndedTurn{schema.SceneConversation(b.World, b.Player), b.TurnID}]
	}
	return b.Player == e.player
}

// events reads what the game saw happen. What concerns the player goes; where the
// player only looked on, the event stays without them.
func (e *Eraser) events(ctx context.Context, t *Trail, seen map[EndedTurn]bool) error {
	return e.each(ctx, transport.StreamEvents, protocol.Prefix+"event.W", func(msg *jetstream.RawStreamMsg) {
		handle := e.handles.Has(strings.TrimPrefix(msg.Subject, protocol.Prefix+"event."), e.player)
		is := func(value string) bool { return value == "player:"+e.player || value == e.player && !handle }
		var o schema.Occurrence
		if json.Unmarshal(msg.Data, &o) != nil {
			if naming(msg.Data, e.player, handle) {
				t.add("events", transport.StreamEvents, msg)
			}
			return
		}
		switch {
		case o.Player == e.player || is(o.Subject) || is(o.Object):
			t.add("events", transport.StreamEvents, msg)
			e.mark(seen, o.World, "", "", o.ID)
		case slices.ContainsFunc(o.Witnesses, is):
			o.Witnesses = slices.DeleteFunc(o.Witnesses, is)
			if len(o.Witnesses) == 0 {
				t.add("events", transport.StreamEvents, msg)
				break
			}
			t.shared = append(t.shared, sharedEvent{msg.Sequence, o})
		case naming(msg.Data, e.player, handle):
			t.add("events", transport.StreamEvents, msg)
		}
	})
}

// mentions reads messages of other players that name this one, by id or by a name under
// which they were shown.
func (e *Eraser) mentions(ctx context.Context, p place, shown []string, f func(*jetstream.RawStreamMsg)) error {
	return e.each(ctx, p.stream, p.subject, func(msg *jetstream.RawStreamMsg) {
		if !e.owns(msg.Subject) && (e.named(msg) || Names(string(msg.Data), shown)) {
			f(msg)
		}
	})
}

// owns says whether a subject is of the player.
func (e *Eraser) owns(subject string) bool {
	of := ofSubject(subject)
	return of.Player == e.player && of.NPC != schema.SceneNPC
}

// named says whether a message names the player.
func (e *Eraser) named(msg *jetstream.RawStreamMsg) bool {
	return naming(msg.Data, e.player, e.handles.Has(ofSubject(msg.Subject).World, e.player))
}

func ofSubject(subject string) schema.ConversationID {
	s, err := protocol.ParseSubject(subject)
	if err != nil {
		return conversationOf(subject)
	}
	return s.Conversation
}

// add notes a message.
func (t *Trail) add(name, stream string, msg *jetstream.RawStreamMsg) {
	add(&t.Places, name, stream, msg)
}

func add(to *[]Place, name, stream string, msg *jetstream.RawStreamMsg) {
	i := slices.IndexFunc(*to, func(p Place) bool { return p.Name == name && p.stream == stream })
	if i < 0 {
		*to = append(*to, Place{Name: name, stream: stream})
		i = len(*to) - 1
	}
	(*to)[i].messages = append((*to)[i].messages, spot{msg.Sequence, msg.Subject})
}

// Settle is how long a worker that began before an erasure may still write.
func (e *Eraser) Settle() time.Duration { return transport.SettleAfter }

// Key is the key of the broker's hashes, as Conn.EraseKey makes it.
func (e *Eraser) Key(ctx context.Context, offered []byte) ([]byte, error) {
	return e.conn.EraseKey(ctx, offered)
}
