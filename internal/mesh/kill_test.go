package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"golang.org/x/sync/errgroup"
)

// What each guarantee rests on. Taken out, the line makes the test named fail;
// where none is named it is the kill test.
//
//	one reply per turn            transport/topology.go: REPLIES MaxMsgsPerSubject 1, DiscardNewPerSubject
//	answered once, for ever       the same, with SubjectDeleteMarkerTTL; advance.go isApplied (TestExpiredReply…)
//	in order                      advance.go: the first message of the TURNS subject; settle: stop unless applied
//	every turn goes on            finish.go finish: advance at its end; advance.go: remove of an applied head
//	the next turn sees the last   advance.go settle: the document is read after the head
//	document applied once         finish.go project: HasApplied
//	no change of it lost          conversation.go change: ExpectedLastSubjSeqHeader (TestChangesOfOneDocument…)
//	again 40 turns later          schema HasApplied: below the oldest kept counts as applied
//	a sentence stored once        said.go append: ExpectedLastSubjSeqHeader; Release: reload (TestRelease)
//	nothing said after closed     said.go fence; hop.go before (act); ends.go end (TestDeadline…)
//	review record before sentence said.go tryRelease: two appends, one after the other
//	two workers, one way          hop.go send: MsgIDHeader <turn>/<hop> (TestTwoWorkersGoOneWay)
//	actions once                  transport/topology.go: ACTIONS MaxMsgsPerSubject 1, DiscardNewPerSubject
//
// an answer by the deadline intake.go begin: schedule before the ack; schedule.go: RFC3339Nano; ends.go
// dueAckWait (TestDeadline…)
//
//	a doubtful publish            transport/publish.go IsLost, RetryWhile (TestBrokerRestarted…)
//	a pass gets its own turn      protocol parts.go reader: by all of its JSON, cloned (TestReadersShare…)
const (
	longTurns = 60 // enough that a turn published again is no longer among the applied
	again     = 40 // turns later
	ahead     = 6  // turns of one conversation that may wait, so that none waits for its deadline
	talking   = 25 // conversations at once, for the same reason
)

func TestWorkersKilledBetweenAnyTwoSteps(t *testing.T) {
	NeedFailpoints(t)
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("FORSOOTH_TEST_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seed %d", seed)
	k := newKillRun(t, seed)
	start := time.Now()
	stop := k.runInstances(3)
	k.publishAll()
	k.waitEmpty()
	stop()
	t.Logf("%d turns in %s: %d workers and %d processes killed", killTurns, time.Since(start).Round(time.Millisecond),
		k.workers.Load(), k.processes.Load())
	k.check()
}

type killRun struct {
	*rig
	mu        sync.Mutex
	rnd       *rand.Rand
	turns     [][]string // by conversation
	workers   atomic.Int64
	processes atomic.Int64
}

func newKillRun(t *testing.T, seed uint64) *killRun {
	k := &killRun{rig: newRig(t), rnd: rand.New(rand.NewPCG(seed, 1))}
	rest, short := killTurns-longConvos*longTurns, killConvos-longConvos
	for c := range killConvos {
		n := longTurns
		if c >= longConvos {
			n = rest / short
			if c-longConvos < rest%short {
				n++
			}
		}
		var ids []string
		for i := range n {
			ids = append(ids, fmt.Sprintf("c%d-t%d", c, i))
		}
		k.turns = append(k.turns, ids)
	}
	if err := New(k.conn, Options{}).Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	return k
}

func (k *killRun) chance(p float64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.rnd.Float64() < p
}

func killConvo(c int) schema.ConversationID {
	return schema.ConversationID{World: "w", NPC: "n", Player: fmt.Sprintf("p%d", c)}
}

// runInstances keeps n processes alive: each runs the whole mesh on its own
// connection, loses workers at random, and now and then dies as a whole.
func (k *killRun) runInstances(n int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	g, ctx := errgroup.WithContext(ctx)
	for range n {
		g.Go(func() error {
			for ctx.Err() == nil {
				if err := k.runInstance(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return func() {
		cancel()
		if err := g.Wait(); err != nil {
			k.t.Errorf("instance: %v", err)
		}
	}
}

func (k *killRun) runInstance(ctx context.Context) error {
	conn, err := transport.Connect(ctx, transport.Dial{InProcess: k.server})
	if err != nil {
		return nil // the test is over
	}
	defer conn.Close()
	var dead atomic.Bool
	m := New(conn, Options{AckWait: 300 * time.Millisecond, Workers: 64,
		DrainTimeout: 5 * time.Second}.WithFault(func(string) error {
		switch {
		case dead.Load():
			return ErrKilled
		case k.chance(0.0004):
			k.processes.Add(1)
			dead.Store(true)
			conn.Core().Close()
			return ErrKilled
		case k.chance(0.02):
			k.workers.Add(1)
			return ErrKilled
		}
		return nil
	}))
	k.register(m)
	err = m.Run(ctx)
	if dead.Load() {
		return nil
	}
	return err
}

// register composes passes of which no two workers say the same.
func (k *killRun) register(m *Mesh) {
	for _, p := range protocol.Passes {
		next := plainPass(m, p)
		m.Handle(p, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
			if p == schema.PassReviewSpeech {
				k.mu.Lock()
				text := fmt.Sprintf("Worker %d says %s.", k.rnd.Int(), t.TurnID)
				k.mu.Unlock()
				if err := releaseOne(ctx, m, t, text); err != nil && !errors.Is(err, ErrClosed) {
					return "", err
				}
				return order[p], nil
			}
			pass, err := next(ctx, t)
			if p == schema.PassAct && t.Reply != nil {
				t.Reply.Actions = []schema.Action{{Name: "nod", Checked: true}}
				t.Reply.Detail = fmt.Sprint(len(t.Convo.Memory)) // what this turn knew of the ones before
			}
			return pass, err
		})
	}
	m.Intake(Intake{})
	m.Ends(Ends{Apply: func(doc *schema.Conversation, r *schema.Reply) {
		doc.Turns++
		doc.Memory = append(doc.Memory, schema.Line{Speaker: "npc", Text: r.Text, TurnID: r.TurnID})
	}})
}

func (k *killRun) publishAll() {
	g, ctx := errgroup.WithContext(k.t.Context())
	g.SetLimit(talking)
	for c := range killConvos {
		g.Go(func() error { return k.converse(ctx, c) })
	}
	if err := g.Wait(); err != nil {
		k.t.Fatal(err)
	}
}

// converse publishes a conversation's turns, some ahead of their turn; some
// twice, and in a long conversation each again much later.
func (k *killRun) converse(ctx context.Context, c int) error {
	for i, id := range k.turns[c] {
		req := request(killConvo(c), id)
		req.DeadlineMS = schema.MaxDeadlineMS
		if i >= ahead {
			if err := k.replied(ctx, killConvo(c), k.turns[c][i-ahead]); err != nil {
				return err
			}
		}
		if err := k.insist(ctx, func() error { _, err := k.client.Publish(ctx, req); return err }); err != nil {
			return err
		}
		if k.chance(0.1) {
			if err := k.republish(ctx, req); err != nil {
				return err
			}
		}
		if i >= again+1 {
			old := request(killConvo(c), k.turns[c][i-again-1])
			old.DeadlineMS = schema.MaxDeadlineMS
			if err := k.republish(ctx, old); err != nil {
				return err
			}
		}
	}
	return nil
}

// republish goes past the broker's memory of message ids, as a backend does
// that comes back after more than two minutes.
func (k *killRun) republish(ctx context.Context, r *schema.Request) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return k.insist(ctx, func() error {
		_, err := k.conn.Publish(ctx, transport.NewMessage(protocol.SubjectTurn(r.Conversation()), data), time.Second)
		if transport.IsSubjectFull(err) {
			return &RefusedError{Busy: true}
		}
		return err
	})
}

// replied waits until a turn has its reply.
func (k *killRun) replied(ctx context.Context, convo schema.ConversationID, turn string) error {
	return transport.RetryWhile(ctx, func(err error) bool { return errors.Is(err, transport.ErrNotFound) }, func() error {
		_, err := k.client.Reply(ctx, convo, turn)
		return err
	})
}

// insist tries again while the conversation is busy.
func (k *killRun) insist(ctx context.Context, f func() error) error {
	return transport.RetryWhile(ctx, func(err error) bool { return errors.Is(err, ErrBusy) }, f)
}

func (k *killRun) waitEmpty() {
	k.t.Helper()
	eventually(k.t, 3*time.Minute, func() error {
		for stream, what := range map[string]string{transport.StreamTurns: "", transport.StreamReplies: "finisher"} {
			s, err := k.conn.JetStream().Stream(k.t.Context(), stream)
			if err != nil {
				return err
			}
			if n := s.CachedInfo().State.Msgs; what == "" && n != 0 {
				return fmt.Errorf("%s holds %d", stream, n)
			}
			if what == "" {
				continue
			}
			cons, err := s.Consumer(k.t.Context(), what)
			if err != nil {
				return err
			}
			if info := cons.CachedInfo(); info.NumPending+uint64(info.NumAckPending) != 0 {
				return fmt.Errorf("%s has %d to do and %d in hand", what, info.NumPending, info.NumAckPending)
			}
		}
		return nil
	})
}

func (k *killRun) check() {
	k.t.Helper()
	ctx := k.t.Context()
	for c, ids := range k.turns {
		convo := killConvo(c)
		doc, _, err := k.client.Conversation(ctx, convo)
		if err != nil {
			k.t.Fatal(err)
		}
		var applied []string
		for _, l := range doc.Memory {
			applied = append(applied, l.TurnID)
		}
		if doc.Turns != len(ids) || !slices.Equal(applied, ids) {
			k.t.Errorf("conversation %d: applied %v, want each of %v once and in order", c, applied, ids)
		}
		var last uint64
		for i, id := range ids {
			seq := k.checkTurn(convo, id, i)
			if seq <= last {
				k.t.Errorf("turn %s: its reply stands before that of the turn before it", id)
			}
			last = seq
		}
	}
	for _, stream := range []string{transport.StreamReplies, transport.StreamActions} {
		s, err := k.conn.JetStream().Stream(ctx, stream)
		if err != nil {
			k.t.Fatal(err)
		}
		if n := s.CachedInfo().State.Msgs; n != killTurns {
			k.t.Errorf("%s holds %d messages for %d turns", stream, n, killTurns)
		}
	}
}

// checkTurn looks at the reply and at every event of a turn, and gives the
// reply's sequence.
func (k *killRun) checkTurn(convo schema.ConversationID, id string, before int) uint64 {
	k.t.Helper()
	ctx := k.t.Context()
	stored, err := k.conn.Reply(ctx, convo, id)
	if err != nil {
		k.t.Errorf("turn %s: reply: %v", id, err)
		return 0
	}
	if stored.Reply.Status != schema.StatusAnswered || stored.Reply.Detail != fmt.Sprint(before) {
		k.t.Errorf("turn %s: status %s %s, knew of %s turns before it, want %d", id, stored.Reply.Status,
			stored.Reply.Reason, stored.Reply.Detail, before)
	}
	var said []schema.Sentence
	reviewed := map[string]bool{}
	closed := false
	err = k.conn.Each(ctx, transport.StreamSaid, protocol.Prefix+"*."+convo.String()+"."+id,
		func(msg *transport.Entry) bool {
			var e schema.Said
			var r protocol.ReviewRecord
			if msg.Subject == protocol.SubjectReview(convo, id) {
				if err := json.Unmarshal(msg.Data, &r); err != nil {
					k.t.Error(err)
				}
				reviewed[r.Hash] = true
				return true
			}
			if err := json.Unmarshal(msg.Data, &e); err != nil {
				k.t.Error(err)
			}
			switch {
			case e.Kind == schema.SaidClosed:
				closed = true
			case e.Kind == schema.SaidSentence && closed:
				k.t.Errorf("turn %s: a sentence after the fence", id)
			case e.Kind == schema.SaidSentence:
				said = append(said, *e.Sentence)
				if !reviewed[e.Sentence.Hash] {
					k.t.Errorf("turn %s: a sentence without an earlier review record", id)
				}
			}
			return true
		})
	if err != nil {
		k.t.Error(err)
	}
	if len(said) != 1 || !closed || stored.Reply.Text != said[0].Text {
		k.t.Errorf("turn %s: said %v, closed %v, replied %q", id, said, closed, stored.Reply.Text)
	}
	return stored.Sequence
}

// eventually polls until f is content.
func eventually(t *testing.T, limit time.Duration, f func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := f()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("not within %s: %v", limit, err)
		case <-ticker.C:
		}
	}
}
