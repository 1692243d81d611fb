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
)

// A client without a right to any stream is told every pass of a turn, with the evidence
// that a trace leaves out because the one before has it.
func TestATurnIsTracedForWhoReadsNoStream(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(m *Mesh) {
		plain(m)
		for i, run := range m.runners {
			if run.Name != "pass-retrieve" {
				continue
			}
			m.runners = append(m.runners[:i], m.runners[i+1:]...)
			break
		}
		m.Handle(schema.PassRetrieve, func(_ context.Context, turn *protocol.Turn) (schema.Pass, error) {
			turn.Evidence = []protocol.Evidence{{ID: "E1", Text: "The mill burned."}}
			return schema.PassThink, nil
		})
	})
	r.publish(request(convoA, "t1"))
	r.watch(convoA, "t1")
	backend := NewBackend(r.conn)
	var passes []protocol.Trace
	eventually(t, 10*time.Second, func() (err error) { // a trace may be stored behind the reply
		passes, err = backend.TurnTrace(t.Context(), convoA, "t1")
		if err == nil && len(passes) != len(protocol.Passes) {
			err = fmt.Errorf("%d passes", len(passes))
		}
		return err
	})
	for i, p := range passes {
		if p.Record.Pass != protocol.Passes[i] || p.AsBefore || len(p.Turn.Evidence) != 1 {
			t.Errorf("pass %d is %s with evidence %v", i, p.Record.Pass, p.Turn.Evidence)
		}
	}
	other := convoA
	other.Player = "p2"
	for name, ask := range map[string]func() error{
		"another player's": func() error { _, err := backend.TurnTrace(t.Context(), other, "t1"); return err },
		"none":             func() error { _, err := backend.TurnTrace(t.Context(), convoA, "t9"); return err },
	} {
		if err := ask(); !errors.Is(err, transport.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := backend.TurnTrace(t.Context(), convoA, "*"); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("a wildcard: %v", err)
	}
}

// Outcomes are those stored since a time or behind a place, in order and once each, and
// then those that come; those of another world are not among them.
func TestOutcomesAreToldAsTheyEnd(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, plain)
	elsewhere := schema.ConversationID{World: "elsewhere", NPC: "mira", Player: "p1"}
	for i, convo := range []schema.ConversationID{convoA, elsewhere, convoA} {
		turn := fmt.Sprintf("t%d", i)
		r.publish(request(convo, turn))
		r.watch(convo, turn)
	}
	backend := NewBackend(r.conn)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var seen []string
	var last uint64
	err := backend.Outcomes(ctx, convoA.World, schema.OutcomesQuery{Since: time.Now().Add(-time.Hour)},
		func(o *schema.StoredOutcome) bool {
			if seen = append(seen, o.Reply.TurnID); len(seen) == 2 {
				r.publish(request(convoA, "t3"))
			}
			last = max(last, o.Sequence)
			return len(seen) < 3
		})
	if err != nil || fmt.Sprint(seen) != "[t0 t2 t3]" {
		t.Errorf("%v, %v", seen, err)
	}
	after := last - 1
	err = backend.Outcomes(ctx, convoA.World, schema.OutcomesQuery{After: &after}, func(o *schema.StoredOutcome) bool {
		if o.Sequence != last {
			t.Errorf("behind %d comes %d", after, o.Sequence)
		}
		return false
	})
	must(t, err)
	stop()
	must(t, backend.Outcomes(ctx, convoA.World, schema.OutcomesQuery{}, func(*schema.StoredOutcome) bool { return true }))
}

// A dead letter is listed; its reader tries it again when it is told to, and the letter
// goes once that succeeds. The letter of a turn is over.
func TestADeadLetterIsTriedAgain(t *testing.T) {
	r := newRig(t)
	var mended atomic.Bool
	var taken atomic.Int32
	r.start(Options{MaxAttempts: 1}, func(m *Mesh) {
		m.Ends(Ends{})
		m.OnOccurrence(ConsumerEvents, func(context.Context, *schema.Occurrence, uint64) error {
			if !mended.Load() {
				return errors.New("the store is away")
			}
			taken.Add(1)
			return nil
		})
	})
	must(t, r.client.Witness(t.Context(), &schema.Occurrence{ID: "e1", World: "w", Text: "It rained.",
		Witnesses: []string{"mira"}}))
	backend := NewBackend(r.conn)
	var found *schema.LettersFound
	eventually(t, 10*time.Second, func() (err error) {
		found, err = backend.Letters(t.Context(), "w", schema.LettersQuery{})
		if err == nil && len(found.Letters) != 1 {
			err = fmt.Errorf("%d letters", len(found.Letters))
		}
		return err
	})
	l := found.Letters[0]
	if !l.Retry || l.Letter.Reason != "the store is away" {
		t.Errorf("%+v", l)
	}
	var why *schema.FieldError
	if err := backend.Retry(t.Context(), "w", l.Number); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("it fails again: %v", err)
	}
	for name, err := range map[string]error{
		"another world's": backend.Retry(t.Context(), "elsewhere", l.Number),
		"none":            backend.Retry(t.Context(), "w", 99),
		"zero":            backend.Retry(t.Context(), "w", 0),
	} {
		if !errors.Is(err, transport.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	mended.Store(true)
	must(t, backend.Retry(t.Context(), "w", l.Number))
	if found, err := backend.Letters(t.Context(), "w", schema.LettersQuery{}); err != nil || len(found.Letters) != 0 ||
		taken.Load() != 1 {
		t.Errorf("%+v after %d tries, %v", found, taken.Load(), err)
	}
	r.put(protocol.SubjectDead(schema.PassThink, schema.ConversationID{World: "w", NPC: "mira", Player: "p1"}, "t1"),
		schema.DeadLetter{Pass: schema.PassThink, TurnID: "t1", Reason: "poison"})
	found, err := backend.Letters(t.Context(), "w", schema.LettersQuery{})
	if err != nil || len(found.Letters) != 1 || found.Letters[0].Retry || found.Letters[0].NPC != "mira" {
		t.Fatalf("%+v, %v", found, err)
	}
	if err := backend.Retry(t.Context(), "w", found.Letters[0].Number); !errors.As(err, &why) {
		t.Errorf("a turn's letter: %v", err)
	}
}
