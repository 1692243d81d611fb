package mesh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// sight is an observer that a test reads. Its mark travels with the messages of a
// turn.
type sight struct {
	mu    sync.Mutex
	seen  []string
	ended []string
}

type markKey struct{}

// parentIn is what a backend sent; a header's value does not end in a space.
func parentIn(header func(string) string) string {
	if h := header(headerTraceparent); h != "" {
		return h
	}
	return "nobody"
}

func (s *sight) note(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, fmt.Sprintf(format, args...))
}

func (s *sight) has(line string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.seen, line)
}

func (s *sight) Begin(ctx context.Context, d Delivered) (context.Context, func(Outcome)) {
	mark := d.Header("Mark")
	if d.Consumer == "intake" {
		mark = "from " + parentIn(d.Header)
	}
	return context.WithValue(ctx, markKey{}, mark),
		func(o Outcome) { s.note("%s %d %s, %s", d.Consumer, d.Attempt, o, mark) }
}

func (s *sight) Turn(ctx context.Context, turn string, at time.Time, header func(string) string) context.Context {
	if at.IsZero() {
		s.note("turn %s was never accepted", turn)
	}
	return context.WithValue(ctx, markKey{}, turn+" of "+parentIn(header))
}

func (s *sight) Carry(ctx context.Context, set func(key, value string)) {
	if mark, ok := ctx.Value(markKey{}).(string); ok {
		set("Mark", mark)
	}
}

func (s *sight) Buried(consumer string) { s.note("buried by %s", consumer) }

func (s *sight) Ended(_ context.Context, r *schema.Reply, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = append(s.ended, fmt.Sprintf("%s %s", r.TurnID, r.Status))
	if at.Before(r.AcceptedAt) {
		s.seen = append(s.seen, "a reply before its turn")
	}
}

// Those who watch hear of each delivery and of what became of it, of a dead letter and
// of each turn's end once; what they put on a turn's messages comes back with the next
// one, and it begins with what the backend sent.
func TestWhatIsWatched(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	r, s := newRig(t), &sight{}
	var calls atomic.Int32
	r.start(Options{Observer: s}, with(schema.PassDecide, func(_ context.Context, t *protocol.Turn) (schema.Pass, error) {
		switch {
		case t.TurnID == "poison":
			return "", Reject(errors.New("no such speaker"))
		case t.TurnID == "t1" && calls.Add(1) == 1:
			return "", errors.New("the store is away")
		}
		return schema.PassSpeak, nil
	}))
	for turn, parent := range map[string]string{"t1": parent, "poison": "", "nonsense": ""} {
		ctx := WithTrace(t.Context(), parent, "")
		if turn == "nonsense" {
			ctx = WithTrace(t.Context(), "what is no header", "")
		}
		convo := convoA
		convo.Player = turn
		if _, err := r.client.Publish(ctx, request(convo, turn)); err != nil {
			t.Fatal(err)
		}
		r.watch(convo, turn)
	}
	if err := r.client.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	mark := ", t1 of " + parent
	for _, line := range []string{
		"intake 1 done, from " + parent, "retrieve 1 done" + mark, "decide 1 again" + mark, "decide 2 done" + mark,
		"act 1 done" + mark, "finisher 1 done" + mark,
		"decide 1 dead, poison of nobody", "buried by decide", "act 1 done, poison of nobody", "intake 1 done, from nobody",
		"retrieve 1 done, nonsense of nobody",
	} {
		for range 200 { // an acknowledgement is behind the end of its turn
			if s.has(line) {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if !s.has(line) {
			t.Errorf("not seen: %s, of %q", line, s.seen)
		}
	}
	if s.has("a reply before its turn") {
		t.Error("a reply before its turn")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.ended)
	if want := "[nonsense answered poison aborted t1 answered]"; fmt.Sprint(s.ended) != want {
		t.Errorf("ended %v, want %s", s.ended, want)
	}
}

// A finish that is repeated ends a turn that has ended.
func TestATurnEndsOnceForThoseWhoWatch(t *testing.T) {
	NeedFailpoints(t)
	r, s := newRig(t), &sight{}
	var failed atomic.Bool
	opts := Options{Observer: s}.WithFault(func(step string) error {
		if step == "finish.told" && failed.CompareAndSwap(false, true) {
			return errors.New("once more")
		}
		return nil
	})
	r.start(opts, plain)
	s.endsOnce(r)
	if !failed.Load() {
		t.Error("no finish was repeated")
	}
}

// The document of the conversation is written, and the answer is lost: the finisher finds
// the turn applied, by itself, and those who watch hear of its end all the same.
func TestATurnIsSeenToEndWhenTheAnswerIsLost(t *testing.T) {
	r, s := newRig(t), &sight{}
	client, p := r.away()
	lost := loseAnswer(p, transport.ConversationPrefix)
	away := *r
	away.conn = client.conn
	away.start(Options{Observer: s, Shared: true}, plain)
	s.endsOnce(r)
	if !lost.Load() {
		t.Error("no answer was lost")
	}
}

// endsOnce has a turn run, and those who watch hear of its end once.
func (s *sight) endsOnce(r *rig) {
	r.t.Helper()
	r.publish(request(convoA, "t1"))
	r.watch(convoA, "t1")
	must(r.t, r.client.Idle(r.t.Context()))
	s.mu.Lock()
	defer s.mu.Unlock()
	if fmt.Sprint(s.ended) != "[t1 answered]" {
		r.t.Errorf("ended %v", s.ended)
	}
}

// What a consumer has before it is asked of the broker, by the names that those who
// watch use.
func TestLagsAreThoseOfTheConsumersHere(t *testing.T) {
	r := newRig(t)
	m, stop := r.start(Options{}, plain)
	r.publish(request(convoA, "t1"))
	r.watch(convoA, "t1")
	stop()
	lags := m.Lags(t.Context())
	if len(lags) != len(m.Consumers()) || len(lags) != 10 {
		t.Fatalf("%d lags of %v", len(lags), m.Consumers())
	}
	r.publish(request(convoA, "t2"))
	// The broker counts a message for its consumers a moment after it has taken it.
	eventually(t, 5*time.Second, func() error {
		got := map[string]uint64{}
		for _, l := range m.Lags(t.Context()) {
			if l.Waiting > 0 {
				got[l.Consumer] = l.Waiting
			}
		}
		if len(got) != 1 || got["intake"] != 1 {
			return fmt.Errorf("%v wait, want one for the intake", got)
		}
		return nil
	})
}
