package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// calls counts what a follower was given, by turn, event or world.
type calls struct {
	mu   sync.Mutex
	n    map[string]int
	good chan string
}

func newCalls() *calls { return &calls{n: map[string]int{}, good: make(chan string, 8)} }

// take fails for whatever is called bad, each time.
func (c *calls) take(name string, fail func() error) error {
	c.mu.Lock()
	c.n[name]++
	c.mu.Unlock()
	if strings.HasPrefix(name, "bad") {
		return fail()
	}
	c.good <- name
	return nil
}

func (c *calls) of(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[name]
}

// follower is one kind of consumer that reads what the mesh has stored.
type follower struct {
	name, consumer string
	register       func(m *Mesh, take func(name string) error)
	publish        func(r *rig, name string)
	letter         string // the subject of bad's dead letter
}

func (r *rig) put(subject string, v any) {
	r.t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		_, err = r.conn.Publish(r.t.Context(), transport.NewMessage(subject, data), time.Second)
	}
	must(r.t, err)
}

var followers = []follower{
	{
		"reply", ConsumerMemory,
		func(m *Mesh, take func(string) error) {
			m.OnReply(ConsumerMemory, func(_ context.Context, r *schema.Reply, _ uint64) error { return take(r.TurnID) })
		},
		func(r *rig, name string) {
			reply := schema.Reply{TurnID: name, World: convoA.World, NPC: convoA.NPC, Player: convoA.Player}
			r.put(protocol.SubjectReply(convoA, name), reply)
		},
		protocol.SubjectDead("memory", convoA, "bad"),
	},
	{
		"occurrence", ConsumerEvents,
		func(m *Mesh, take func(string) error) {
			m.OnOccurrence(ConsumerEvents, func(_ context.Context, o *schema.Occurrence, _ uint64) error { return take(o.ID) })
		},
		func(r *rig, name string) {
			seen := &schema.Occurrence{ID: name, World: "w", Text: "It rained.", Witnesses: []string{"mira"}}
			must(r.t, r.client.Witness(r.t.Context(), seen))
		},
		protocol.Prefix + "dead.memory-events.w.unknown.unknown.seq-1",
	},
	{
		"result", ConsumerResults,
		func(m *Mesh, take func(string) error) {
			m.OnResult(ConsumerResults, func(_ context.Context, _ schema.ConversationID, turn string) error {
				return take(turn)
			})
		},
		func(r *rig, name string) { r.put(protocol.SubjectActionResult(convoA, name, 0), schema.ActionResult{}) },
		protocol.SubjectDead("memory-results", convoA, "bad"),
	},
	{
		"scan", ConsumerScan,
		func(m *Mesh, take func(string) error) {
			m.OnScan(func(_ context.Context, world, _ string) error { return take(world) })
		},
		func(r *rig, name string) { r.put(scanDue+name, nil) },
		protocol.Prefix + "dead.scan.bad.unknown.unknown.seq-1",
	},
	{
		"report", ConsumerReport,
		func(m *Mesh, take func(string) error) {
			m.OnReport(func(_ context.Context, world, _ string) error { return take(world) })
		},
		func(r *rig, name string) { r.put(reportDue+name, nil) },
		protocol.Prefix + "dead.report.bad.unknown.unknown.seq-1",
	},
}

// A message on which a follower panics, or which fails it again and again, becomes a dead
// letter, and the follower goes on with the next one. No message ends the process.
func TestAMessageThatAFollowerCannotTakeIsBuried(t *testing.T) {
	const tries = 3
	for _, f := range followers {
		for why, fail := range map[string]func() error{
			"index out of range": func() error { var none []int; return fmt.Errorf("%d", none[len(none)]) },
			"the store is away":  func() error { return errors.New("the store is away") },
		} {
			t.Run(f.name+", "+why, func(t *testing.T) {
				r := newRig(t)
				got := newCalls()
				r.start(Options{MaxAttempts: tries}, func(m *Mesh) {
					f.register(m, func(name string) error { return got.take(name, fail) })
				})
				f.publish(r, "bad")
				f.publish(r, "good")
				if name := <-got.good; name != "good" {
					t.Errorf("%s was taken", name)
				}
				letter := r.letter(f.letter)
				if !strings.Contains(letter.Reason, why) || letter.Attempt != tries {
					t.Errorf("the dead letter says %q at attempt %d", letter.Reason, letter.Attempt)
				}
				r.drained(letter.Stream, f.consumer)
				if n := got.of("bad"); n != tries {
					t.Errorf("the message was tried %d times, want %d", n, tries)
				}
			})
		}
	}
}

// letter waits for a dead letter.
func (r *rig) letter(subject string) (d schema.DeadLetter) {
	r.t.Helper()
	eventually(r.t, 10*time.Second, func() error {
		msg, err := r.conn.Last(r.t.Context(), transport.StreamDead, subject)
		if err != nil {
			return err
		}
		return json.Unmarshal(msg.Data, &d)
	})
	return d
}

// A request on which the intake panics ends in a reply, like a pass that cannot handle it.
func TestARequestOnWhichTheIntakePanicsIsAnswered(t *testing.T) {
	r := newRig(t)
	r.start(Options{MaxAttempts: 3}, func(m *Mesh) {
		for _, p := range protocol.Passes {
			m.Handle(p, plainPass(m, p))
		}
		m.Intake(Intake{Check: func(req *schema.Request) error {
			if req.TurnID == "bad" {
				panic("no such table")
			}
			return nil
		}})
		m.Ends(Ends{})
	})
	other := convoA
	other.Player = "p2"
	r.publish(request(convoA, "bad"))
	r.publish(request(other, "good"))
	if _, reply := r.watch(convoA, "bad"); reply.Status != schema.StatusAborted || reply.Reason != schema.ReasonPoison {
		t.Errorf("reply %+v", reply)
	}
	if letter := r.letter(protocol.SubjectDead("intake", convoA, "bad")); !strings.Contains(letter.Reason,
		"no such table") {
		t.Errorf("the dead letter says %q", letter.Reason)
	}
	if _, reply := r.watch(other, "good"); reply.Status != schema.StatusAnswered {
		t.Errorf("the other turn: %+v", reply)
	}
	r.queueIsEmpty()
}

// A turn is poison when it has failed too often. To be put back for a moment is no failure.
func TestPoisonByCountOfFailures(t *testing.T) {
	const tries = 2
	away := errors.New("the store is away")
	for _, c := range []struct {
		name   string
		err    func(calls int32) error
		status schema.Status
		detail string
		calls  int32
	}{
		{"it fails each time", func(int32) error { return away }, schema.StatusAborted, "the store is away", tries},
		{"it is put back each time but the last", func(n int32) error {
			if n <= 4*tries {
				return Later(time.Millisecond)
			}
			return nil
		}, schema.StatusAnswered, "", 4*tries + 1},
		{"it fails once among them", func(n int32) error {
			switch {
			case n == tries:
				return away
			case n <= 4*tries:
				return Later(time.Millisecond)
			}
			return nil
		}, schema.StatusAnswered, "", 4*tries + 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			var calls atomic.Int32
			decide := func(context.Context, *protocol.Turn) (schema.Pass, error) {
				return schema.PassSpeak, c.err(calls.Add(1))
			}
			r.start(Options{MaxAttempts: tries}, with(schema.PassDecide, decide))
			r.publish(request(convoA, "t"))
			_, reply := r.watch(convoA, "t")
			if reply.Status != c.status || !strings.Contains(reply.Detail, c.detail) || calls.Load() != c.calls {
				t.Errorf("%s %s (%s) after %d calls, want %s (%s) after %d",
					reply.Status, reply.Reason, reply.Detail, calls.Load(), c.status, c.detail, c.calls)
			}
		})
	}
}

// What has come and waits for a worker is in hand as well: the broker gives it to nobody else
// while it waits, however long that takes, and no copy of it is run.
func TestAMessageThatWaitsForAWorkerComesOnce(t *testing.T) {
	const turns = 6
	r := newRig(t)
	beats := make(chan struct{}, 1024)
	_, err := r.conn.Core().Subscribe("$JS.ACK."+transport.StreamPasses+".pass-decide.>", func(msg *transport.Message) {
		if string(msg.Data) == "+WPI" {
			beats <- struct{}{}
		}
	})
	must(t, err)
	var calls atomic.Int32
	release := make(chan struct{})
	r.start(Options{AckWait: 300 * time.Millisecond}, func(m *Mesh) {
		for _, p := range protocol.Passes {
			h := plainPass(m, p)
			if p != schema.PassDecide {
				m.Handle(p, h)
				continue
			}
			m.Handle(p, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
				calls.Add(1)
				<-release
				return h(ctx, t)
			}, Workers(1), Prefetch(turns))
		}
		m.Intake(Intake{})
		m.Ends(Ends{})
	})
	convo := func(i int) schema.ConversationID {
		return schema.ConversationID{World: "w", NPC: "n", Player: fmt.Sprint("p", i)}
	}
	for i := range turns {
		r.publish(within(30*time.Second, convo(i), fmt.Sprint("t", i)))
	}
	// Three are sent within the time after which a silent worker loses its message.
	for range 12 * turns {
		<-beats
	}
	close(release)
	for i := range turns {
		_, reply := r.watch(convo(i), fmt.Sprint("t", i))
		for _, p := range reply.Passes {
			if p.Attempt != 1 {
				t.Errorf("turn %d: %s ran at delivery %d", i, p.Pass, p.Attempt)
			}
		}
	}
	if n := calls.Load(); n != turns {
		t.Errorf("the pass of %d turns ran %d times", turns, n)
	}
}
