package mesh

import (
	"errors"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The fence rests on said.go append (jetstream.ExpectedLastSubjSeqHeader) and fence; that a sentence
// is stored once, on the same header and on Release reading after a conflict.

func sentence(n int, text string) (protocol.ReviewRecord, schema.Sentence) {
	s := schema.Sentence{Seq: n, Text: text, Evidence: []schema.EvidenceRef{}, Hash: protocol.HashText(text)}
	return protocol.ReviewRecord{TurnID: "t", Seq: n, Hash: s.Hash}, s
}

func TestRelease(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, func(*Mesh) {})
	ctx := t.Context()
	worker := func(turn string) *protocol.Turn {
		return &protocol.Turn{Request: *request(convoA, turn)}
	}
	release := func(w *protocol.Turn, n int, text string) error {
		record, s := sentence(n, text)
		return m.Said().Release(ctx, w, record, s)
	}

	t.Run("two sentences, one after the other", func(t *testing.T) {
		w := worker("two")
		for i, text := range []string{"One.", "Two."} {
			if err := release(w, i+1, text); err != nil {
				t.Fatal(err)
			}
		}
		state, err := m.Said().Load(ctx, worker("two"))
		if err != nil || len(state.Sentences) != 2 || state.Closed || len(w.Released) != 2 {
			t.Errorf("%+v, %v", state, err)
		}
	})
	t.Run("a stale worker after closed releases nothing", func(t *testing.T) {
		stale, other := worker("fence"), worker("fence")
		if err := release(stale, 1, "One."); err != nil {
			t.Fatal(err)
		}
		if err := m.said.close(ctx, other); err != nil {
			t.Fatal(err)
		}
		if len(other.Released) != 1 {
			t.Errorf("the fence does not see what stands before it: %v", other.Released)
		}
		if err := release(stale, 2, "Two."); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
		state, err := m.Said().Load(ctx, worker("fence"))
		if err != nil || len(state.Sentences) != 1 || !state.Closed {
			t.Errorf("%+v, %v", state, err)
		}
	})
	t.Run("two workers that differ: the first stands", func(t *testing.T) {
		a, b := worker("conflict"), worker("conflict")
		if err := release(a, 1, "It was Osric."); err != nil {
			t.Fatal(err)
		}
		if err := release(b, 1, "It was Bram."); !errors.Is(err, ErrConflict) {
			t.Fatalf("got %v, want ErrConflict", err)
		}
		if len(b.Released) != 1 || b.Released[0].Text != "It was Osric." {
			t.Errorf("the second worker goes on from %v", b.Released)
		}
		if err := release(b, 2, "So they say."); err != nil {
			t.Errorf("and then: %v", err)
		}
	})
	t.Run("the same sentence again is released", func(t *testing.T) {
		a, b := worker("again"), worker("again")
		if err := errors.Join(release(a, 1, "One."), release(b, 1, "One.")); err != nil {
			t.Fatal(err)
		}
		if state, err := m.Said().Load(ctx, worker("again")); err != nil || len(state.Sentences) != 1 {
			t.Errorf("%+v, %v", state, err)
		}
	})
	t.Run("a review record left by a worker that died", func(t *testing.T) {
		died, next := worker("died"), worker("died")
		record, _ := sentence(1, "One.")
		if _, err := m.said.append(ctx, protocol.SubjectReview(convoA, "died"), record, 0); err != nil {
			t.Fatal(err)
		}
		if err := release(next, 1, "Another one."); err != nil {
			t.Errorf("%v; the turn is stuck after %v", err, died)
		}
	})
	t.Run("a sentence without its record, or out of turn", func(t *testing.T) {
		record, s := sentence(1, "One.")
		record.Hash = "of something else"
		if err := m.Said().Release(ctx, worker("bad"), record, s); !transport.IsRejected(err) {
			t.Errorf("another hash: %v", err)
		}
		if err := release(worker("bad"), 2, "Two."); !transport.IsRejected(err) {
			t.Errorf("sentence 2 first: %v", err)
		}
		if state, _ := m.Said().Load(ctx, worker("bad")); len(state.Sentences) != 0 {
			t.Errorf("%v was released", state.Sentences)
		}
	})
}

// A mesh that an older build set up has no stream for the hashes: nothing waits for it.
func TestAMeshWithoutHashesOfWhatWasSaid(t *testing.T) {
	r := newRig(t)
	must(t, r.conn.Setup(t.Context(), transport.Settings{}))
	must(t, r.conn.JetStream().DeleteStream(t.Context(), transport.StreamSaidHashes))
	hashes := r.conn.SaidHashes()
	must(t, hashes.Add(t.Context(), convoA, "t1", time.Unix(1, 0), []uint64{7}))
	if end, err := hashes.End(t.Context()); end != 0 || err != nil {
		t.Errorf("it ends at %d, %v", end, err)
	}
}
