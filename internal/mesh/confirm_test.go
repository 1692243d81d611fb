package mesh

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"golang.org/x/sync/errgroup"
)

func TestConfirm(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, func(*Mesh) {})
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan Proposal, 8)
	listening := make(chan error, 1)
	go func() { listening <- r.client.Actions(ctx, "hollowmere", time.Time{}, func(p Proposal) { heard <- p }) }()
	defer func() {
		cancel()
		if err := <-listening; err != nil {
			t.Error(err)
		}
	}()
	for _, c := range []struct {
		name   string
		answer *schema.ActionResult
		want   bool
	}{
		{"yes", &schema.ActionResult{Accepted: true}, true},
		{"no", &schema.ActionResult{Reason: "the chest is locked"}, false},
		{"silent", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := &protocol.Turn{Request: *request(convoA, c.name)}
			confirm := func(wait time.Duration) bool {
				ok, err := m.Confirm(t.Context(), turn, 0, schema.Action{Name: "give_item"}, wait)
				if err != nil {
					t.Fatal(err)
				}
				return ok
			}
			answered := make(chan error, 1)
			wait := 10 * time.Second
			if c.answer != nil {
				go func() {
					err := r.client.Answer(t.Context(), convoA, c.name, 0, *c.answer)
					answered <- err
				}()
			} else {
				wait = 20 * time.Millisecond
				answered <- nil
			}
			if got := confirm(wait); got != c.want {
				t.Errorf("accepted %v, want %v", got, c.want)
			}
			if err := <-answered; err != nil {
				t.Error(err)
			}
			// Asked again after a takeover: the first proposal and the first answer stand.
			if c.answer != nil {
				if err := r.client.Answer(t.Context(), convoA, c.name, 0, schema.ActionResult{Accepted: !c.want}); err != nil {
					t.Error(err)
				}
				if got := confirm(wait); got != c.want {
					t.Errorf("a second time: %v, want %v", got, c.want)
				}
			}
		})
	}
}

func TestOutcomeOfATurn(t *testing.T) {
	r := newRig(t)
	entered, left := make(chan string, 1), make(chan error, 1)
	r.start(Options{}, blocked(entered, left, "waits"))
	ask := func(turn string) *schema.TurnOutcome {
		t.Helper()
		var out *schema.TurnOutcome
		eventually(t, 5*time.Second, func() (err error) { // the service may be a moment behind
			out, err = r.client.Outcome(t.Context(), convoA, turn)
			return err
		})
		return out
	}
	if out := ask("never"); out.State != schema.TurnUnknown {
		t.Errorf("never published: %+v", out)
	}
	r.publish(request(convoA, "ends"))
	r.watch(convoA, "ends")
	if out := ask("ends"); out.State != schema.TurnEnded || out.Reply.Text != "So it is, ends." {
		t.Errorf("ended: %+v", out)
	}
	r.publish(within(30*time.Second, convoA, "waits"))
	<-entered
	if out := ask("waits"); out.State != schema.TurnWaiting {
		t.Errorf("waiting: %+v", out)
	}
	if out, err := r.client.Outcome(t.Context(), convoA, "a b"); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("a bad id: %+v, %v", out, err)
	}
	if err := r.client.Cancel(t.Context(), convoA, "waits"); err != nil {
		t.Error(err)
	}
	<-left
}

func TestConversationDocumentIsWrittenOverItsRevision(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(*Mesh) {})
	doc, revision, err := r.client.Conversation(t.Context(), convoA)
	if err != nil || revision != 0 || doc.Player != convoA.Player {
		t.Fatalf("%+v %d %v", doc, revision, err)
	}
	doc.Trust = 5
	if err := r.client.PutConversation(t.Context(), doc, revision); err != nil {
		t.Fatal(err)
	}
	if err := r.client.PutConversation(t.Context(), doc, revision); !errors.Is(err, ErrDocConflict) {
		t.Errorf("over an old revision: %v", err)
	}
	got, revision, err := r.client.Conversation(t.Context(), convoA)
	if err != nil || revision == 0 || got.Trust != 5 {
		t.Errorf("%+v %d %v", got, revision, err)
	}
}

func TestWatchOfATurnThatIsOver(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	r.publish(request(convoA, "t"))
	first, _ := r.watch(convoA, "t")
	again, reply := r.watch(convoA, "t")
	if len(first) != len(again) || reply == nil {
		t.Errorf("watched live %v, afterwards %v", first, again)
	}
}

func TestRepliesAreGivenToAReader(t *testing.T) {
	r := newRig(t)
	seen := make(chan string, 8)
	var failed atomic.Bool
	r.start(Options{}, func(m *Mesh) {
		plain(m)
		m.OnReply("memory", func(_ context.Context, reply *schema.Reply, sequence uint64) error {
			switch {
			case sequence == 0:
				t.Error("a reply without its sequence")
			case reply.TurnID == "poison":
				return Reject(errors.New("no memory for this"))
			case failed.CompareAndSwap(false, true):
				return errors.New("the store is away")
			}
			seen <- reply.TurnID
			return nil
		})
	})
	for _, turn := range []string{"one", "poison", "two"} {
		r.publish(request(convoA, turn))
		r.watch(convoA, turn)
	}
	got := map[string]bool{<-seen: true, <-seen: true}
	if !got["one"] || !got["two"] {
		t.Errorf("seen %v", got)
	}
	eventually(t, 5*time.Second, func() error {
		_, err := r.conn.Last(t.Context(), transport.StreamDead, protocol.SubjectDead("memory", convoA, "poison"))
		return err
	})
}

// What the broker repeats may be lost; the next thing heard shows the gap.
func TestWatcherThatMissedAnEventReadsIt(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, func(*Mesh) {})
	live := make(chan *transport.Message, 4)
	sub, err := r.conn.Core().ChanSubscribe(transport.LivePrefix+"said.>", live)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	turn := &protocol.Turn{Request: *request(convoA, "t")}
	for n, text := range []string{"One.", "Two.", "Three."} {
		record, s := sentence(n+1, text)
		if err := m.Said().Release(t.Context(), turn, record, s); err != nil {
			t.Fatal(err)
		}
	}
	w := &watcher{c: r.client, convo: convoA, turn: "t", out: make(chan Event, 8)}
	w.hear(t.Context(), <-live)
	<-live // lost on the way
	w.hear(t.Context(), <-live)
	close(w.out)
	var heard []string
	for e := range w.out {
		heard = append(heard, e.Said.Sentence.Text)
	}
	if fmt.Sprint(heard) != "[One. Two. Three.]" {
		t.Errorf("heard %v", heard)
	}
}

// Two finishers of one conversation, such as that of a turn and that of the next
// one, which its deadline ended meanwhile.
func TestChangesOfOneDocumentAreNotLost(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, func(*Mesh) {})
	var g errgroup.Group
	for range 4 {
		g.Go(func() error {
			for range 25 {
				if err := m.change(t.Context(), convoA, "", func(doc *schema.Conversation) bool {
					doc.Turns++
					return true
				}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if doc, _, err := r.client.Conversation(t.Context(), convoA); err != nil || doc.Turns != 100 {
		t.Errorf("%d of 100 changes, %v", doc.Turns, err)
	}
}
