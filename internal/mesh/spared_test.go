package mesh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// Evidence and sources stand in the trace of the pass that set or changed them, and
// are read in every one.
func TestTracesKeepWhatStaysOnce(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(m *Mesh) {
		for _, p := range protocol.Passes {
			h := plainPass(m, p)
			m.Handle(p, func(ctx context.Context, turn *protocol.Turn) (schema.Pass, error) {
				switch p {
				case schema.PassRetrieve:
					turn.Evidence = []protocol.Evidence{{ID: "E1", Text: "The mill burned."}, {ID: "E2", Text: "It was night."}}
					turn.Sources = []protocol.Source{{ID: "1", Content: "The mill burned. It was night."}}
				case schema.PassDecide:
					turn.Evidence[1].Text = "It was day." // in place
				}
				return h(ctx, turn)
			})
		}
		m.Intake(Intake{})
		m.Ends(Ends{})
	})
	r.publish(request(convoA, "t"))
	r.watch(convoA, "t")
	traces := r.traces("t")

	var whole string
	err := r.conn.Each(t.Context(), transport.StreamTraces, protocol.SubjectTrace(convoA, "t"),
		func(msg *jetstream.RawStreamMsg) bool {
			whole += fmt.Sprint(bytes.Contains(msg.Data, []byte("It was")), " ")
			return true
		})
	if want := "true false false true false false false "; err != nil || whole != want {
		t.Errorf("evidence stands in %s, want %s, %v", whole, want, err)
	}
	for i, tr := range traces {
		want := "It was night."
		if i >= 3 {
			want = "It was day."
		}
		if tr.AsBefore || len(tr.Turn.Evidence) != 2 || tr.Turn.Evidence[1].Text != want || len(tr.Turn.Sources) != 1 {
			t.Errorf("after %s: %+v, %+v, %v", tr.Record.Pass, tr.Turn.Evidence, tr.Turn.Sources, tr.AsBefore)
		}
	}
}

// What a process kept of a conversation when it started a turn is only tried: where the
// document has changed since, the change is made on what is stored.
func TestADraftThatIsOutOfDateChangesNothing(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, func(*Mesh) {})
	add := func(doc *schema.Conversation) bool { doc.Turns++; return true }
	if err := m.change(t.Context(), convoA, "t1", add); err != nil {
		t.Fatal(err)
	}
	old, err := readConversation(t.Context(), r.conn, convoA)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.change(t.Context(), convoA, "t1", add); err != nil {
		t.Fatal(err)
	}
	m.drafts.put("t2", old)
	other := convoA
	other.Player = "p2"
	for _, convo := range []schema.ConversationID{convoA, other} {
		if err := m.change(t.Context(), convo, "t2", add); err != nil {
			t.Fatal(err)
		}
		m.drafts.put("t2", old) // of another conversation, for the second
	}
	for convo, want := range map[schema.ConversationID]int{convoA: 3, other: 1} {
		if doc, _, err := r.client.Conversation(t.Context(), convo); err != nil || doc.Turns != want ||
			doc.Player != convo.Player {
			t.Errorf("%s: %+v, want %d turns, %v", convo, doc, want, err)
		}
	}
	for i := range 2 * maxDrafts {
		m.drafts.put(fmt.Sprint(i), old)
	}
	if n := len(m.drafts.docs); n > maxDrafts {
		t.Errorf("%d documents are kept", n)
	}
}

// The first erasure of all is heard by a process that has just been told that there
// was none, before the eraser counts on it.
func TestTheFirstErasureIsHeardInTime(t *testing.T) {
	r := newRig(t)
	if err := New(r.conn, Options{}).Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	asking := r.connect()
	if is, err := asking.IsErased(t.Context(), convoA, "t1"); is || err != nil {
		t.Fatalf("%v, %v", is, err)
	}
	began := time.Now()
	key, err := r.conn.EraseKey(t.Context(), nil)
	if err == nil {
		err = r.conn.Refuse(t.Context(), key, convoA, "t1")
	}
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, 10*time.Second, func() error {
		is, err := asking.IsErased(t.Context(), convoA, "t1")
		if err == nil && !is {
			err = errors.New("the turn is not refused")
		}
		return err
	})
	if took := time.Since(began); transport.Keyless+transport.ReadTimeout >= transport.SettleAfter ||
		took > transport.SettleAfter {
		t.Errorf("heard after %s; an erasure waits %s", took, transport.SettleAfter)
	}
}

// A process that knows a stream as one that is read directly goes on where another has
// set it up otherwise.
func TestAStreamThatIsNoLongerReadDirectly(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, func(*Mesh) {})
	r.publish(request(convoA, "t"))
	read := func() error {
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		head, err := m.conn.Get(ctx, transport.StreamTurns, 1, protocol.SubjectTurn(convoA))
		if err == nil && TurnOf(head) != "t" {
			err = fmt.Errorf("turn %s stands first", TurnOf(head))
		}
		return err
	}
	for _, direct := range []bool{true, false} {
		_, err := r.conn.JetStream().UpdateStream(t.Context(), func() jetstream.StreamConfig {
			config := transport.StreamTable(transport.Settings{}.WithDefaults(), transport.StreamTurns)
			config.AllowDirect = direct
			return config
		}())
		if err == nil {
			err = read()
		}
		if err != nil {
			t.Errorf("direct %v: %v", direct, err)
		}
	}
}
