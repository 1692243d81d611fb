package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The subjects of a scene name no player, and an index of who was where would be one more
// place that holds the player. So an erasure reads all that the scenes of a world left.
const ofScenes = "W." + schema.SceneNPC + ".*"

// inScenes are the places of ofPlayer as scenes have them.
func inScenes() (out []place) {
	for _, p := range ofPlayer {
		if p.stream != transport.StreamConversations && p.stream != transport.StreamSaidHashes {
			out = append(out, place{p.name + " of scenes", p.stream, strings.Replace(p.subject, "W.*.P", ofScenes, 1)})
		}
	}
	return out
}

// stage is what is known of one scene.
type stage struct {
	npcs  map[string]bool // who was there, of the NPCs
	other map[string]bool // names of the other players
	with  bool            // the player was there
}

// scenes reads what scenes hold of a player.
type scenes struct {
	*Eraser
	trail *Trail
	seen  map[EndedTurn]bool // turns that must not be taken a second time
	own   map[EndedTurn]bool // the player's
	open  map[EndedTurn]bool // those that wait for their reply, of anybody
	of    map[schema.ConversationID]*stage
}

// inBody is what the messages of a scene say of their turn.
type inBody struct {
	TurnID     string            `json:"turn_id"`
	NPC        string            `json:"npc"`
	Player     string            `json:"player"`
	PlayerName string            `json:"player_name"`
	Message    string            `json:"message"`
	Scene      *schema.Scene     `json:"scene"`
	Sentences  []schema.Sentence `json:"sentences"`
	Turn       *inBody           `json:"turn"` // of a trace
}

func readBody(data []byte) inBody {
	var b inBody
	_ = json.Unmarshal(data, &b) // what cannot be read says nothing
	if b.Turn != nil {
		return *b.Turn
	}
	return b
}

// playersIn are the players whom a message of a scene names in its fields.
func playersIn(data []byte) []string {
	b := readBody(data)
	out := []string{b.Player}
	if b.Scene != nil {
		for _, p := range []*schema.Presence{b.Scene.Enter, b.Scene.Leave, b.Scene.Present} {
			if p != nil {
				out = append(out, p.Players...)
			}
		}
	}
	return out
}

// inScenes notes what goes of the scenes in which the player stood: turns of the player,
// and what names or repeats the player in those of others.
func (e *Eraser) inScenes(ctx context.Context, t *Trail, seen map[EndedTurn]bool, names map[string]bool) error {
	s := &scenes{Eraser: e, trail: t, seen: seen, own: map[EndedTurn]bool{}, open: map[EndedTurn]bool{},
		of: map[schema.ConversationID]*stage{}}
	for turn := range seen { // of memories
		if turn.Conversation.NPC == schema.SceneNPC {
			s.own[turn] = true
		}
	}
	maps.Copy(e.retold.names, names)
	for _, p := range inScenes() {
		if err := e.each(ctx, p.stream, p.subject, func(msg *transport.Entry) { s.look(p, msg) }); err != nil {
			return err
		}
	}
	documents := transport.ConversationPrefix + ofScenes
	if err := e.each(ctx, transport.StreamConversations, documents, s.lookIn); err != nil {
		return err
	}
	s.settle(names)
	for _, p := range inScenes() {
		if err := e.each(ctx, p.stream, p.subject, func(msg *transport.Entry) { s.take(p, msg) }); err != nil {
			return err
		}
	}
	t.scenes.own = s.own
	return e.each(ctx, transport.StreamConversations, documents, func(msg *transport.Entry) {
		var doc schema.Conversation
		if s.at(conversationOf(msg.Subject)).with && json.Unmarshal(msg.Data, &doc) == nil && s.leave(&doc, s.own) {
			t.scenes.documents = append(t.scenes.documents, conversationOf(msg.Subject))
		}
	})
}

func (s *scenes) at(convo schema.ConversationID) *stage {
	if s.of[convo] == nil {
		s.of[convo] = &stage{npcs: map[string]bool{}, other: map[string]bool{}}
	}
	return s.of[convo]
}

// turnOf is the turn of a message in a scene.
func turnOf(p place, msg *transport.Entry) EndedTurn {
	if p.stream == transport.StreamTurns {
		return EndedTurn{ofSubject(msg.Subject), mesh.TurnOf(msg)}
	}
	on, _ := protocol.ParseSubject(msg.Subject)
	return EndedTurn{on.Conversation, on.Turn}
}

// look notes whose turn a message is of, and who was there.
func (s *scenes) look(p place, msg *transport.Entry) {
	turn := turnOf(p, msg)
	at := s.at(turn.Conversation)
	if p.stream == transport.StreamTurns {
		s.open[turn] = true
	}
	b := readBody(msg.Data)
	if b.Scene != nil && b.Scene.Present != nil {
		for _, npc := range b.Scene.Present.NPCs {
			at.npcs[npc] = true
		}
	}
	s.speaks(turn, b.Player, b.PlayerName)
	if b.Player == s.player && b.Scene != nil && b.Scene.Round == 0 {
		s.retold.said(b.Message)
	}
	at.with = at.with || s.own[turn] || s.names(turn.Conversation, msg)
}

// speaks notes whose turn it is.
func (s *scenes) speaks(turn EndedTurn, player, name string) {
	at := s.at(turn.Conversation)
	switch {
	case player == s.player:
		s.own[turn], at.with = true, true
		if name != "" {
			s.retold.names[name] = true
		}
	case name != "":
		at.other[name] = true
	}
}

// lookIn is look for the document of a scene.
func (s *scenes) lookIn(msg *transport.Entry) {
	convo := conversationOf(msg.Subject)
	at := s.at(convo)
	var doc schema.Conversation
	if json.Unmarshal(msg.Data, &doc) != nil {
		return
	}
	if doc.Scene != nil {
		for _, npc := range doc.Scene.NPCs {
			at.npcs[npc] = true
		}
		at.with = at.with || slices.Contains(doc.Scene.Players, s.player)
	}
	for _, l := range doc.Memory {
		if l.Speaker == "player" {
			s.speaks(EndedTurn{convo, l.TurnID}, l.By, l.ByName)
		}
		if l.Speaker == "player" && l.By == s.player {
			s.retold.said(l.Text)
		}
		if l.To == s.player {
			s.speaks(EndedTurn{convo, l.TurnID}, l.To, "")
		}
		for _, npc := range l.Heard {
			at.npcs[npc] = true
		}
	}
}

// settle has no turn of the player be taken again, by a scene or by the memory of an NPC
// that was there. A name that somebody else in these scenes bears tells nothing.
func (s *scenes) settle(names map[string]bool) {
	maps.Copy(names, s.retold.names)
	for turn := range s.own {
		s.seen[turn] = true
		for npc := range s.at(turn.Conversation).npcs {
			s.mark(s.seen, turn.Conversation.World, npc, turn.Turn, "")
		}
	}
	for _, at := range s.of {
		if at.with {
			maps.Copy(s.retold.others, at.other)
		}
	}
}

// take adds what goes of a scene.
func (s *scenes) take(p place, msg *transport.Entry) {
	turn := turnOf(p, msg)
	own := s.own[turn]
	if !own && (!s.at(turn.Conversation).with || !s.names(turn.Conversation, msg) && !s.repeats(msg)) {
		return
	}
	to := &s.trail.Repeats
	if own {
		to = &s.trail.Places
	}
	add(to, p.name, p.stream, msg)
	if p.stream == transport.StreamReplies && !s.open[turn] {
		s.seen[turn] = true
	}
	waits := p.stream == transport.StreamTurns || p.stream == transport.StreamPasses
	if waits && s.open[turn] && !slices.Contains(s.trail.Open, turn) {
		s.trail.Open = append(s.trail.Open, turn)
	}
}

// names says whether a message names the player. In a scene that has the player's id for
// its own, only the fields of players do.
func (s *scenes) names(convo schema.ConversationID, msg *transport.Entry) bool {
	if convo.Player != s.player {
		return s.named(msg)
	}
	return slices.Contains(playersIn(msg.Data), s.player)
}

// repeats says whether a message of another's turn repeats the player: in words, or by a
// citation of the player's words.
func (s *scenes) repeats(msg *transport.Entry) bool {
	var b inBody
	if json.Unmarshal(msg.Data, &b) == nil {
		for _, sentence := range b.Sentences {
			if s.cites(ofSubject(msg.Subject), sentence) {
				s.retold.cited(sentence.Text)
				return true
			}
		}
	}
	return s.retold.inMessage(msg.Data)
}

func (s *scenes) cites(convo schema.ConversationID, sentence schema.Sentence) bool {
	return slices.ContainsFunc(sentence.Evidence, func(e schema.EvidenceRef) bool {
		turn, ok := strings.CutPrefix(e.Path, "session:")
		return ok && s.own[EndedTurn{convo, turn}]
	})
}

// leave takes the player out of the document of a scene; own are the player's turns. What
// the others said stays as they said it.
func (e *Eraser) leave(doc *schema.Conversation, own map[EndedTurn]bool) (changed bool) {
	convo := schema.ConversationID{World: doc.World, NPC: doc.NPC, Player: doc.Player}
	if doc.Scene != nil {
		if stay := slices.DeleteFunc(slices.Clone(doc.Scene.Players), func(p string) bool { return p == e.player }); len(
			stay) < len(doc.Scene.Players) {
			doc.Scene.Players, changed = stay, true
		}
	}
	kept := doc.Memory[:0]
	for _, l := range doc.Memory {
		if l.By == e.player && l.Speaker == "player" || own[EndedTurn{convo, l.TurnID}] ||
			l.Speaker != "player" && e.retold.in(l.Text) {
			changed = true
			continue
		}
		kept = append(kept, l)
	}
	doc.Memory = kept
	return changed
}

// LeaveScenes writes the documents of scenes anew without the player, and says how many.
func (e *Eraser) LeaveScenes(ctx context.Context, t *Trail) (int, error) {
	for i, convo := range t.scenes.documents {
		if err := e.leaveOne(ctx, convo, t.scenes.own); err != nil {
			return i, err
		}
	}
	return len(t.scenes.documents), nil
}

func (e *Eraser) leaveOne(ctx context.Context, convo schema.ConversationID, own map[EndedTurn]bool) error {
	subject := transport.ConversationPrefix + convo.String()
	for {
		msg, err := e.conn.Last(ctx, transport.StreamConversations, subject)
		if errors.Is(err, transport.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		var doc schema.Conversation
		if err := json.Unmarshal(msg.Data, &doc); err != nil || !e.leave(&doc, own) {
			return nil // ended meanwhile
		}
		data, err := json.Marshal(doc)
		if err != nil {
			return fmt.Errorf("document of scene %s: %w", convo, err)
		}
		_, err = e.conn.Publish(ctx, transport.NewMessage(subject, data, transport.HeaderLast,
			strconv.FormatUint(msg.Sequence, 10)), transport.ReadTimeout)
		if !transport.IsConflict(err) {
			return err
		}
	}
}

// Repeats says whether a text that an NPC said repeats what the player said in a scene.
func (e *Eraser) Repeats(said string) bool { return e.retold.in(said) }

// scenePlayers gives the players whom scenes know.
func (e *Eraser) scenePlayers(ctx context.Context, note func(...string)) error {
	for _, p := range inScenes() {
		err := e.each(ctx, p.stream, p.subject, func(msg *transport.Entry) { note(playersIn(msg.Data)...) })
		if err != nil {
			return err
		}
	}
	return e.each(ctx, transport.StreamConversations, transport.ConversationPrefix+ofScenes,
		func(msg *transport.Entry) {
			var doc schema.Conversation
			if json.Unmarshal(msg.Data, &doc) != nil {
				return
			}
			if doc.Scene != nil {
				note(doc.Scene.Players...)
			}
			for _, l := range doc.Memory {
				if l.Speaker == "player" {
					note(l.By)
				}
				note(l.To)
			}
		})
}
