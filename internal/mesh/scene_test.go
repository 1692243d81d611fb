package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/scene"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

var taproom = schema.SceneConversation("inn", "taproom")

// staged are passes that answer for whichever NPC has the turn, over the rules of scenes.
func staged(m *Mesh) { stagedWith(m, func(*protocol.Turn) {}) }

// stagedWith shows each turn as it comes to its first pass.
func stagedWith(m *Mesh, begins func(*protocol.Turn)) {
	inn := &world.World{Name: "inn", NPCs: map[string]*world.NPC{"mira": {Handle: "mira", Name: "Mira"},
		"osric": {Handle: "osric", Name: "Osric"}, "wren": {Handle: "wren", Name: "Wren"}}}
	stage := Stage{Cast: func(req *schema.Request, doc *schema.Conversation) (*schema.Conversation, error) {
		return scene.Cast(inn, req, doc)
	}, Next: func(doc *schema.Conversation, r *schema.Reply) *schema.Request { return scene.Next(inn, doc, r) }}
	for _, p := range protocol.Passes {
		h := plainPass(m, p)
		m.Handle(p, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
			if p == schema.PassRetrieve {
				begins(t)
			}
			if p == schema.PassReviewSpeech {
				return order[p], releaseOne(ctx, m, t, t.NPC+" answers "+t.Message[:min(40, len(t.Message))])
			}
			to, err := h(ctx, t)
			if p == schema.PassAct && t.Convo.Trust > 0 {
				t.Reply.Actions = []schema.Action{{Name: fmt.Sprintf("trusts-%d", t.Convo.Trust), Checked: true}}
			}
			return to, err
		})
	}
	m.Intake(Intake{Stage: stage})
	m.Ends(Ends{Stage: stage, Apply: scene.Apply, Written: func(*schema.Reply) []uint64 { return []uint64{1} }})
}

func (r *rig) enters(turn string, npcs ...string) {
	r.t.Helper()
	r.publish(&schema.Request{TurnID: turn, World: "inn", Scene: &schema.Scene{ID: "taproom",
		Enter: &schema.Presence{NPCs: npcs, Players: []string{"p1", "p2"}}}})
}

func (r *rig) says(turn, player, message string, rounds int) {
	r.t.Helper()
	r.publish(&schema.Request{TurnID: turn, World: "inn", Player: player, Message: message,
		Scene: &schema.Scene{ID: "taproom", Rounds: rounds}})
}

// said are the texts of a scene's replies, in the order in which they are stored.
func (r *rig) said() (texts []string) {
	r.t.Helper()
	must(r.t, r.conn.Each(r.t.Context(), transport.StreamReplies, protocol.SubjectReply(taproom, "*"),
		func(msg *transport.Entry) bool {
			var reply schema.Reply
			must(r.t, json.Unmarshal(msg.Data, &reply))
			if reply.Text != "" {
				texts = append(texts, reply.Text)
			}
			return true
		}))
	return texts
}

// A scene is one queue: what players say is answered in its order, whoever answers.
func TestASceneIsOneQueue(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	r.enters("e1", "mira", "osric")
	r.says("s1", "p1", "Good day.", 0)
	r.says("s2", "p2", "Good day too.", 0)
	r.says("s3", "p1", "Mira, one.", 0)
	r.enters("e2", "wren")
	r.says("s4", "p2", "Wren, two.", 0)
	r.start(Options{}, staged)
	r.watch(taproom, "s4")
	want := []string{"mira answers Good day.", "osric answers Good day too.", "mira answers One.", "wren answers Two."}
	if got := r.said(); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	doc, _, err := r.client.Conversation(t.Context(), taproom)
	if err != nil || doc.Scene == nil || fmt.Sprint(doc.Scene.NPCs, doc.Scene.Players) != "[mira osric wren] [p1 p2]" {
		t.Errorf("document %+v, %v", doc, err)
	}
	if l := doc.Memory[0]; fmt.Sprint(l.Heard) != "[mira osric]" || l.By != "p1" {
		t.Errorf("the first line: %+v", l)
	}
	var hashes []string
	must(t, r.conn.Each(t.Context(), transport.StreamSaidHashes, ">", func(msg *transport.Entry) bool {
		hashes = append(hashes, msg.Subject)
		return true
	}))
	for i, of := range []string{"mira.p1", "osric.p2", "mira.p1", "wren.p2"} { // of the speaker, and of the player alone
		if want := protocol.Prefix + "said-hash.inn." + of; i >= len(hashes) || hashes[i] != want {
			t.Errorf("hashes of what was said stand on %v, and the %d. not on %s", hashes, i+1, want)
		}
	}
	if events, reply := r.watch(taproom, "e2"); fmt.Sprint(events) != "[accepted closed reply done]" ||
		reply.Status != schema.StatusAnswered {
		t.Errorf("to enter: %v %+v", events, reply)
	}
}

// How the speaking NPC stands with the speaking player is read from their own conversation,
// and an action says who acts.
func TestASceneKnowsHowItsNPCsStandWithThePlayer(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	must(t, r.client.PutConversation(t.Context(),
		&schema.Conversation{World: "inn", NPC: "osric", Player: "p2", Trust: 7}, 0))
	r.enters("e1", "mira", "osric")
	r.says("s1", "p1", "Osric, one.", 0)
	r.says("s2", "p2", "Mira, two.", 0)
	r.says("s3", "p2", "Osric, three.", 0)
	r.start(Options{}, staged)
	r.watch(taproom, "s3")
	var proposed []string
	must(t, r.conn.Each(t.Context(), transport.StreamActions, ">", func(msg *transport.Entry) bool {
		var a schema.Action
		must(t, json.Unmarshal(msg.Data, &a))
		proposed = append(proposed, fmt.Sprint(msg.Subject, " ", a.Name, " ", a.NPC, " ", a.Player))
		return true
	}))
	if want := []string{protocol.SubjectAction(taproom, "s3", 0) + " trusts-7 osric p2"}; !slices.Equal(proposed, want) {
		t.Errorf("proposed %q, want %q", proposed, want)
	}
	if doc, _, err := r.client.Conversation(t.Context(), taproom); err != nil || doc.Trust != 0 {
		t.Errorf("the scene keeps %+v, %v", doc, err)
	}
}

// Others speak behind the first in rounds, once each, and none where a player waits.
func TestRoundsOfASceneYieldToPlayers(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	r.enters("e1", "mira", "osric", "wren")
	r.says("s1", "p1", "Mira, one.", 2)
	r.says("s2", "p2", "Mira, two.", 1)
	r.start(Options{}, staged)
	r.watch(taproom, "s2")
	r.watch(taproom, schema.SceneRound("s2", 1))
	want := []string{"mira answers One.", "mira answers Two.", "osric answers Two."}
	if got := r.said(); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
	r.says("s3", "p1", "Wren, three.", 2)
	r.watch(taproom, "s3")
	r.watch(taproom, schema.SceneRound("s3", 2))
	want = append(want, "wren answers Three.", "mira answers Three.", "osric answers Three.")
	if got := r.said(); !slices.Equal(got, want) {
		t.Errorf("said %q, want %q", got, want)
	}
}

// However much players say, the next turn of their scene can still travel to its passes.
func TestASceneOutlivesLongMessages(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	r.enters("e1", "mira")
	for i := range 6 {
		r.says(fmt.Sprint("s", i), "p1", strings.Repeat("wordy ", 10<<10), 0)
	}
	r.says("last", "p2", "Good day.", 0)
	r.start(Options{}, staged)
	r.watch(taproom, "last")
	if got := r.said(); len(got) != 7 || got[6] != "mira answers Good day." {
		t.Errorf("of seven messages %d are answered, the last with %q", len(got), got[len(got)-1])
	}
}

// What the game says with a player's message holds for all that speak upon it.
func TestRoundsKeepWhatTheGameSaid(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	r.enters("e1", "mira", "osric")
	trust := 0
	r.publish(&schema.Request{TurnID: "s1", World: "inn", Player: "p1", Message: "Mira, one.", Trust: &trust,
		State: map[string]any{"rain": true}, Flags: []string{"night"}, Locale: "de", DeadlineMS: 30_000,
		AllowedActions: []schema.ActionSpec{{Name: "nod"}}, Scene: &schema.Scene{ID: "taproom", Rounds: 1}})
	seen := make(chan protocol.Turn, 8)
	r.start(Options{}, func(m *Mesh) { stagedWith(m, func(t *protocol.Turn) { seen <- *t }) })
	r.watch(taproom, schema.SceneRound("s1", 1))
	for _, npc := range []string{"mira", "osric"} {
		got := <-seen
		if got.NPC != npc || got.Trust == nil || *got.Trust != 0 || got.State["rain"] != true ||
			!slices.Equal(got.Flags, []string{"night"}) || got.Locale != "de" || got.DeadlineMS != 30_000 ||
			len(got.AllowedActions) != 1 {
			t.Errorf("%s speaks, and hears of the game %+v", got.NPC, got.Request)
		}
	}
}

// A reply that comes to its finisher again, long after its turn, has nobody else speak.
func TestAReplyThatComesAgainBeginsNoRound(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	r.enters("e1", "mira", "osric")
	r.says("s1", "p1", "Mira, one.", 1)
	r.says("s2", "p2", "Mira, two.", 0) // it waits, so nobody else speaks upon the first
	m, _ := r.start(Options{}, staged)
	_, reply := r.watch(taproom, "s1")
	r.watch(taproom, "s2")
	must(t, m.exchange(t.Context(), reply))
	if is, err := m.stands(t.Context(), taproom, schema.SceneRound("s1", 1)); is || err != nil {
		t.Errorf("a round stands behind its time: %v, %v", is, err)
	}
}

// A process that cannot cast a scene leaves its turn to another one, and does not end it as one
// that nobody answers.
func TestAnEndWaitsForWhoKnowsTheScene(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	must(t, r.client.PutConversation(t.Context(), &schema.Conversation{World: "inn", NPC: schema.SceneNPC,
		Player: "taproom",
		Scene:  &schema.SceneState{Presence: schema.Presence{NPCs: []string{"mira"}, Players: []string{"p1"}}}}, 0))
	r.says("s1", "p1", "Good day.", 0)
	queued, err := QueuedTurn(t.Context(), r.conn, taproom, "s1")
	must(t, err)
	m := New(r.conn, Options{})
	m.stage.Cast = func(*schema.Request, *schema.Conversation) (*schema.Conversation, error) {
		return nil, fmt.Errorf("%w: not served here", ErrNoStage)
	}
	late := ending{convo: taproom, turn: "s1", sequence: queued, reason: schema.ReasonDeadline}
	if err := m.end(t.Context(), late); !errors.Is(err, ErrNoStage) {
		t.Errorf("it ends with %v", err)
	}
	if _, err := r.conn.Reply(t.Context(), taproom, "s1"); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("it has a reply: %v", err)
	}
	late.reason = schema.ReasonPoison // nobody does
	must(t, m.end(t.Context(), late))
	if reply, err := r.conn.Reply(t.Context(), taproom, "s1"); err != nil || reply.Reply.Status != schema.StatusAborted {
		t.Errorf("its reply: %+v, %v", reply, err)
	}
}
