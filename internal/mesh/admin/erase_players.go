package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// Elsewhere counts what of other players' turns names this one, and stays because
// it is theirs. It goes by itself: the places say when.
type Elsewhere struct {
	Place string
	Count int
	Ages  time.Duration // after which it is gone; 0: it stays
}

// Elsewhere reads the streams for what others said of the player, by id or by one
// of these names.
func (e *Eraser) Elsewhere(ctx context.Context, shown []string) ([]Elsewhere, error) {
	var out []Elsewhere
	for _, p := range []place{
		{"turns of others", transport.StreamTurns, protocol.Prefix + "turn.W.>"},
		{"passes of others", transport.StreamPasses, protocol.Prefix + "pass.*.W.>"},
		{"said to others", transport.StreamSaid, protocol.Prefix + "*.W.>"},
		{"replies to others", transport.StreamReplies, protocol.Prefix + "reply.W.>"},
		{"actions for others", transport.StreamActions, protocol.Prefix + "*.W.>"},
		{"traces of others", transport.StreamTraces, protocol.Prefix + "trace.W.>"},
		{"conversations of others", transport.StreamConversations, transport.ConversationPrefix + "W.>"},
	} {
		n := 0
		if err := e.mentions(ctx, p, shown, func(*jetstream.RawStreamMsg) { n++ }); err != nil {
			return nil, err
		}
		if n > 0 {
			s, err := e.conn.Stream(ctx, p.stream)
			if err != nil {
				return nil, err
			}
			out = append(out, Elsewhere{p.name, n, s.CachedInfo().Config.MaxAge})
		}
	}
	return out, nil
}

// Players are all players of whom the streams know, of some worlds or of all.
func Players(ctx context.Context, conn *transport.Conn, worlds []string) ([]string, error) {
	e := NewEraser(conn, "", worlds, false)
	found := map[string]bool{}
	for _, config := range transport.Streams(transport.Settings{}.WithDefaults()) {
		s, err := conn.Look(ctx, config.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", config.Name, err)
		}
		info, err := s.Info(ctx, jetstream.WithSubjectFilter(">"))
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", config.Name, err)
		}
		for subject := range info.State.Subjects {
			of, err := protocol.ParseSubject(subject)
			if err != nil {
				of.Conversation = conversationOf(subject)
			}
			if e.covers(of.Conversation.World) && of.Conversation.NPC != schema.SceneNPC {
				found[of.Conversation.Player] = true
			}
		}
	}
	if err := e.inBodies(ctx, found); err != nil {
		return nil, err
	}
	delete(found, "")
	delete(found, transport.NoPlayer)
	out := make([]string, 0, len(found))
	for player := range found {
		out = append(out, player)
	}
	slices.Sort(out)
	return out, nil
}

// inBodies adds the players that only events, memories and scenes name.
func (e *Eraser) inBodies(ctx context.Context, found map[string]bool) error {
	note := func(values ...string) {
		for _, v := range values {
			if _, id, ok := strings.Cut(v, "player:"); ok {
				v = id
			}
			if schema.CheckToken("player", v) == nil {
				found[v] = true
			}
		}
	}
	if err := e.scenePlayers(ctx, note); err != nil {
		return err
	}
	err := e.each(ctx, transport.StreamEvents, protocol.Prefix+"event.W", func(msg *jetstream.RawStreamMsg) {
		var o schema.Occurrence
		if json.Unmarshal(msg.Data, &o) == nil {
			note(o.Player, o.Subject, o.Object)
			note(o.Witnesses...)
		}
	})
	if err != nil {
		return err
	}
	return e.each(ctx, transport.StreamMemory, protocol.Prefix+"memory.W.>", func(msg *jetstream.RawStreamMsg) {
		if m := transport.ParseLogged(msg.Subject, msg.Sequence, msg.Data).Event.Memory; m != nil {
			note(m.Player, m.Subject, m.Object)
			note(m.Witnesses...)
		}
	})
}
