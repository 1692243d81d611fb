package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Log is what a turn says while it is replayed. It stands where the mesh stands
// for a reviewer and a speaker: sentences and review records are kept here, and
// nobody hears them. As on the mesh, each takes its place once, and the sentences of a
// speech under way are reviewed beside each other and beside the speaker. It is for one
// turn; what it holds may be read and set while nobody is at work.
type Log struct {
	Sentences []schema.Sentence
	Records   []protocol.ReviewRecord

	mu        sync.Mutex
	closed    bool
	confirmed map[string]bool // by action: what the game answered in the turn that is replayed
	review    func(ctx context.Context, part *protocol.Turn, attempt int) error
	released  func(schema.Sentence)
	workers   workers
}

// NewLog is empty. The stored turn tells which actions the game has confirmed: a
// replay asks no game.
func NewLog(stored *protocol.Turn) *Log {
	l := &Log{confirmed: map[string]bool{}}
	if stored != nil && stored.Decision != nil {
		for _, a := range stored.Decision.Actions {
			l.confirmed[a.Name] = a.Confirmed
		}
	}
	return l
}

// Reviewed sets who takes the sentences of a speech under way.
func (l *Log) Reviewed(by func(ctx context.Context, part *protocol.Turn, attempt int) error) {
	l.review = by
}

// OnRelease sets who is told of each sentence that is kept, in order.
func (l *Log) OnRelease(told func(schema.Sentence)) { l.released = told }

// Close puts up the fence and gives what stands before it.
func (l *Log) Close() []schema.Sentence {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return slices.Clone(l.Sentences)
}

// Load gives what has been released, and makes it the turn's own.
func (l *Log) Load(ctx context.Context, t *protocol.Turn) (mesh.State, error) {
	p, err := l.Progress(ctx, t)
	return p.State, err
}

// Progress is Load with the review records.
func (l *Log) Progress(_ context.Context, t *protocol.Turn) (mesh.Progress, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.Released, t.ReviewSeq = slices.Clone(l.Sentences), uint64(len(l.Records))
	return mesh.Progress{State: mesh.State{Sentences: t.Released, Closed: l.closed}, Records: slices.Clone(l.Records)}, nil
}

// Release keeps the next sentence behind its record.
func (l *Log) Release(_ context.Context, t *protocol.Turn, record protocol.ReviewRecord, s schema.Sentence) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.workers.changed()
	switch n := len(l.Sentences) + 1; {
	case record.Seq != s.Seq || record.Hash != s.Hash || s.Seq < 1 || s.Seq > n:
		return fmt.Errorf("sentence %d with review record %d cannot be released as number %d", s.Seq, record.Seq, n)
	case s.Seq < n && l.Sentences[s.Seq-1].Hash == s.Hash: // it is released already
	case l.closed:
		return mesh.ErrClosed
	case s.Seq < n:
		t.Released = slices.Clone(l.Sentences)
		return mesh.ErrConflict
	default:
		l.Records, l.Sentences = append(l.Records, record), append(l.Sentences, s)
		if l.released != nil {
			l.released(s)
		}
	}
	t.Released, t.ReviewSeq = slices.Clone(l.Sentences), uint64(len(l.Records))
	return nil
}

// Refuse keeps the record of a sentence that is not released, unless there is one that
// the turn does not know of.
func (l *Log) Refuse(_ context.Context, t *protocol.Turn, record protocol.ReviewRecord) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t.ReviewSeq != uint64(len(l.Records)) {
		return mesh.ErrConflict
	}
	l.Records = append(l.Records, record)
	t.ReviewSeq++
	l.workers.changed()
	return nil
}

// Emit has a sentence of a speech under way reviewed while the speaker goes on.
func (l *Log) Emit(ctx context.Context, t *protocol.Turn, part int) error {
	if l.review == nil {
		return errors.New("no review is there to take a sentence")
	}
	if t.Speech == nil || part < 1 || part > len(t.Speech.Sentences) {
		return fmt.Errorf("sentence %d is none of the speech", part)
	}
	p := *t
	p.Part, p.Hop, p.Pass = part, t.Hop+1, schema.PassReviewSpeech
	data, err := protocol.EncodeTurn(&p)
	if err != nil {
		return err
	}
	l.workers.send(ctx, func(attempt int) error {
		given, err := protocol.DecodeTurn(data)
		if err != nil {
			return err
		}
		return l.review(ctx, given, attempt)
	})
	return nil
}

// Deliver gives a turn to its handler, and gives it again as it came while the handler
// says Later.
func (l *Log) Deliver(ctx context.Context, t *protocol.Turn, handle func(attempt int) error) error {
	came, err := protocol.EncodeTurn(t)
	if err != nil {
		return err
	}
	l.workers.begin()
	return l.workers.deliver(ctx, func(attempt int) error {
		if attempt > 1 {
			if err := json.Unmarshal(came, t); err != nil {
				return err
			}
		}
		return handle(attempt)
	})
}

// Wait ends when every sentence that was sent has been handled.
func (l *Log) Wait() error { return l.workers.wait() }

// Confirm answers as the game did when the turn was live.
func (l *Log) Confirm(_ context.Context, _ *protocol.Turn, _ int, a schema.Action, _ time.Duration) (bool, error) {
	return l.confirmed[a.Name], nil
}
