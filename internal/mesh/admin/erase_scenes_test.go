package admin

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// hall is a scene in which the players gone, p7 and p8 talk. It shares its broker with a scene
// that has the id of the player, in which the player never was.
type hall struct {
	*rig
	convo schema.ConversationID
}

func (h *hall) put(subject string, body any) {
	h.t.Helper()
	data, err := json.Marshal(body)
	must(h.t, err)
	_, err = h.conn.Publish(h.t.Context(), transport.NewMessage(subject, data), transport.ReadTimeout)
	must(h.t, err)
}

// reply is one that all players of the scene hear whom it names.
func (h *hall) reply(turn, player, name, message, said string, cited string, present ...string) {
	h.t.Helper()
	h.put(protocol.SubjectReply(h.convo, turn), schema.Reply{TurnID: turn, World: "w", NPC: "mira", Player: player,
		PlayerName: name, Message: message, Sentences: []schema.Sentence{{Seq: 1, Text: said,
			Evidence: []schema.EvidenceRef{{ID: "M1", Path: cited, Text: said}}}},
		Scene: &schema.Scene{ID: h.convo.Player,
			Present: &schema.Presence{NPCs: []string{"mira", "osric"}, Players: present}}})
}

func newHall(t *testing.T, gone, goneName string) *hall {
	t.Helper()
	h := &hall{newRig(t), schema.SceneConversation("w", "hall")}
	must(t, h.conn.Setup(t.Context(), transport.Settings{}))
	h.reply("t1", gone, goneName, "I keep nine bees in Osterwick.", "Good day to you.", "", gone, "p7")
	h.reply("t2", "p7", "Ansel", "I sell eels.", "Eels are fine.", "", gone, "p7")
	h.reply("t3", "p7", "Ansel", "Tell me more.", "Nine of them, I was told.", "session:t1", "p7", "p8")
	h.reply("t4", "p8", "Bela", "Who keeps bees?", "I heard: “I keep nine bees in Osterwick.”", "", "p7", "p8")
	h.reply("t5", "p8", "Bela", "I come from the coast.", "So you do.", "", "p7", "p8")
	h.put(protocol.SubjectReview(h.convo, "t1"), map[string]string{"turn_id": "t1"})
	h.put(protocol.SubjectTrace(h.convo, "t2"), map[string]any{"turn_id": "t2", "turn": map[string]any{"player": "p7",
		"heard": "I keep nine bees in Osterwick."}})
	h.put(protocol.SubjectSaidHash(schema.ConversationID{World: "w", NPC: "mira", Player: gone}),
		map[string]any{"hashes": []string{"1f"}})
	line := func(turn, speaker, by, name, said string) schema.Line {
		return schema.Line{TurnID: turn, Speaker: speaker, By: by, ByName: name, Text: said, Heard: []string{"mira", "osric"}}
	}
	h.put(transport.ConversationPrefix+h.convo.String(), schema.Conversation{World: "w", NPC: schema.SceneNPC,
		Player: "hall", Scene: &schema.SceneState{Presence: schema.Presence{NPCs: []string{"mira", "osric"},
			Players: []string{gone, "p7", "p8"}}},
		Memory: []schema.Line{
			{TurnID: "t0", Speaker: "npc", By: "mira", To: gone, Text: "It is shut."}, // of a line that is cut off
			line("t1", "player", gone, goneName, "I keep nine bees in Osterwick."),
			line("t1", "npc", "mira", "", "Good day to you."),
			line("t2", "player", "p7", "Ansel", "I sell eels."), line("t2", "npc", "mira", "", "Eels are fine."),
			line("t3", "player", "p7", "Ansel", "Tell me more."), line("t3", "npc", "mira", "", "Nine of them, I was told."),
			line("t4", "player", "p8", "Bela", "Who keeps bees?"),
			line("t4", "npc", "mira", "", "I heard: “I keep nine bees in Osterwick.”"),
			line("t5", "player", "p8", "Bela", "I come from the coast."), line("t5", "npc", "mira", "", "So you do."),
		}})
	h.convo = schema.SceneConversation("w", gone)
	h.reply("n1", "p9", "Cleo", "Good day.", "Good day.", "", "p9")
	h.put(transport.ConversationPrefix+h.convo.String(), schema.Conversation{World: "w", NPC: schema.SceneNPC,
		Player: gone, Memory: []schema.Line{{TurnID: "n0", Speaker: "npc", By: "mira", To: "p6", Text: "Well met."},
			line("n1", "player", "p9", "Cleo", "Good day.")}})
	h.convo = schema.SceneConversation("w", "hall")
	return h
}

// erase is one round of an erasure.
func (h *hall) erase(e *Eraser) *Trail {
	h.t.Helper()
	trail, err := e.Follow(h.t.Context())
	must(h.t, err)
	for i := range trail.Repeats {
		_, err := e.Erase(h.t.Context(), &trail.Repeats[i])
		must(h.t, err)
	}
	n, err := e.LeaveScenes(h.t.Context(), trail)
	if err != nil || n != trail.Scenes() {
		h.t.Errorf("%d of %d documents, %v", n, trail.Scenes(), err)
	}
	for i := range trail.Places {
		_, err := e.Erase(h.t.Context(), &trail.Places[i])
		must(h.t, err)
	}
	return trail
}

// Of a scene goes what the player said and what an NPC repeats of it, also where the
// player's id and name are such as others may have. What the others said stays.
func TestAPlayerLeavesAScene(t *testing.T) {
	for _, c := range []struct{ name, gone, goneName string }{
		{"an id of its own", "zq-gone", "Gwendalor"},
		{"a common word", "player", "Gwendalor"},
		{"the name of another player", "zq-gone", "Ansel"},
		{"without a name", "zq-gone", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHall(t, c.gone, c.goneName)
			e := NewEraser(h.conn, c.gone, nil, true)
			trail := h.erase(e)
			for _, turn := range []EndedTurn{{h.convo, "t1"}, {h.convo, "t2"},
				{schema.ConversationID{World: "w", NPC: "osric", Player: c.gone}, "t1"}} {
				if !slices.Contains(trail.Turns, turn) {
					t.Errorf("%v may come again: %v", turn, trail.Turns)
				}
			}
			var replies []string
			must(t, h.conn.Each(t.Context(), transport.StreamReplies, ">", func(msg *transport.Entry) bool {
				replies = append(replies, ofSubject(msg.Subject).Player+"/"+turnOf(place{}, msg).Turn)
				return true
			}))
			if want := []string{"hall/t5", c.gone + "/n1"}; !slices.Equal(replies, want) {
				t.Errorf("left are the replies %v, want %v", replies, want)
			}
			for _, stream := range []string{transport.StreamSaid, transport.StreamTraces} {
				must(t, h.conn.Each(t.Context(), stream, ">", func(msg *transport.Entry) bool {
					t.Errorf("%s: %s %s", stream, msg.Subject, msg.Data)
					return true
				}))
			}
			var said []string
			must(t, h.conn.Each(t.Context(), transport.StreamConversations, transport.ConversationPrefix+h.convo.String(),
				func(msg *transport.Entry) bool {
					var doc schema.Conversation
					must(t, json.Unmarshal(msg.Data, &doc))
					for _, l := range doc.Memory {
						said = append(said, l.Text)
					}
					if got := doc.Scene.Players; !slices.Equal(got, []string{"p7", "p8"}) {
						t.Errorf("there are %v", got)
					}
					return true
				}))
			want := "I sell eels. Eels are fine. Tell me more. Who keeps bees? I come from the coast. So you do."
			if strings.Join(said, " ") != want {
				t.Errorf("the scene keeps %q", said)
			}
			if again, err := e.Follow(t.Context()); err != nil || !again.Empty() {
				t.Errorf("the second time: %+v, %v", again, err)
			}
		})
	}
}

// An erasure from receipts finds the players of scenes, and takes no scene for one.
func TestPlayersOfScenesAreKnown(t *testing.T) {
	h := newHall(t, "zq-gone", "")
	got, err := Players(t.Context(), h.conn, nil)
	if want := []string{"p6", "p7", "p8", "p9", "zq-gone"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// A turn in the queue of a scene is ended where it is the player's, or carries the player's
// words; one of another player that has not begun waits on.
func TestTurnsOfASceneUnderWay(t *testing.T) {
	h := newHall(t, "zq-gone", "")
	ask := func(turn, player string) schema.Request {
		r := schema.Request{TurnID: turn, World: "w", Player: player, Message: "Good day.", Scene: &schema.Scene{ID: "hall"}}
		h.put(protocol.SubjectTurn(h.convo), r)
		return r
	}
	ask("own", "zq-gone")
	begun := ask("begun", "p7")
	ask("waits", "p7")
	h.put(protocol.SubjectPass(schema.PassThink, h.convo, "begun"), protocol.Turn{Request: begun,
		Convo: &schema.Conversation{Heard: []schema.Line{{Speaker: "player", By: "zq-gone", Text: "Hm."}}}})
	trail, err := NewEraser(h.conn, "zq-gone", nil, true).Follow(t.Context())
	must(t, err)
	if want := []EndedTurn{{h.convo, "own"}, {h.convo, "begun"}}; !slices.Equal(trail.Open, want) {
		t.Errorf("to be ended are %v, want %v", trail.Open, want)
	}
}

// A mesh that an older build set up may lack a stream: there is nothing of the player in it.
func TestAStreamThatIsMissingHoldsNothing(t *testing.T) {
	h := newHall(t, "zq-gone", "")
	must(t, h.conn.JetStream().DeleteStream(t.Context(), transport.StreamSaidHashes))
	e := NewEraser(h.connect(), "zq-gone", nil, true) // a connection that has not seen the stream
	h.erase(e)
	if again, err := e.Follow(t.Context()); err != nil || !again.Empty() {
		t.Errorf("the second time: %+v, %v", again, err)
	}
}

// An erasure that dies behind any of its deletions is ended by the next one: what an NPC
// repeats of the player is found as long as it is there, also where the scene's document has
// forgotten the words.
func TestAnErasureOfASceneGoesOn(t *testing.T) {
	for dies, deletions := 1, 2; dies < deletions; dies++ {
		h := newHall(t, "zq-gone", "Gwendalor")
		h.put(transport.ConversationPrefix+h.convo.String(), schema.Conversation{World: "w", NPC: schema.SceneNPC,
			Player: "hall", Scene: &schema.SceneState{Presence: schema.Presence{Players: []string{"zq-gone", "p7"}}}})
		e := NewEraser(h.conn, "zq-gone", nil, true)
		trail, err := e.Follow(t.Context())
		must(t, err)
		deletions = trail.Count()
		left := dies
		erase := func(places []Place) {
			for _, p := range places {
				p.messages = p.messages[:min(len(p.messages), left)]
				left -= p.Count()
				_, err := e.Erase(t.Context(), &p)
				must(t, err)
			}
		}
		if erase(trail.Repeats); left > 0 {
			n, err := e.LeaveScenes(t.Context(), trail)
			must(t, err)
			left -= n
			erase(trail.Places)
		}
		h.erase(NewEraser(h.conn, "zq-gone", nil, true))
		must(t, h.conn.Each(t.Context(), transport.StreamReplies, ">", func(msg *transport.Entry) bool {
			if turn := turnOf(place{}, msg).Turn; turn != "t5" && turn != "n1" {
				t.Errorf("dead behind deletion %d, the reply of %s is left", dies, turn)
			}
			return true
		}))
		for _, stream := range []string{transport.StreamSaid, transport.StreamTraces} {
			must(t, h.conn.Each(t.Context(), stream, ">", func(msg *transport.Entry) bool {
				t.Errorf("dead behind deletion %d, there is left %s: %s", dies, msg.Subject, msg.Data)
				return true
			}))
		}
	}
}
