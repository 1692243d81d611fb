package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Log is what a turn says while it is replayed. It stands where the mesh stands
// for a reviewer and a speaker: sentences and review records are kept here, and
// nobody hears them. It is for one turn and one goroutine.
type Log struct {
	Sentences []schema.Sentence
	Records   []schema.ReviewRecord

	closed    bool
	confirmed map[string]bool // by action: what the game answered in the turn that is replayed
	review    func(context.Context, *schema.Turn) error
}

// NewLog is empty. The stored turn tells which actions the game has confirmed: a
// replay asks no game.
func NewLog(stored *schema.Turn) *Log {
	l := &Log{confirmed: map[string]bool{}}
	if stored != nil && stored.Decision != nil {
		for _, a := range stored.Decision.Actions {
			l.confirmed[a.Name] = a.Confirmed
		}
	}
	return l
}

// Load gives what has been released, and makes it the turn's own.
func (l *Log) Load(_ context.Context, t *schema.Turn) (mesh.State, error) {
	t.Released = l.Sentences
	return mesh.State{Sentences: l.Sentences, Closed: l.closed}, nil
}

// Progress is Load with the review records.
func (l *Log) Progress(ctx context.Context, t *schema.Turn) (mesh.Progress, error) {
	state, err := l.Load(ctx, t)
	return mesh.Progress{State: state, Records: l.Records}, err
}

// Release keeps the next sentence behind its record.
func (l *Log) Release(_ context.Context, t *schema.Turn, record schema.ReviewRecord, s schema.Sentence) error {
	if l.closed {
		return mesh.ErrClosed
	}
	if s.Seq != len(l.Sentences)+1 || record.Seq != s.Seq || record.Hash != s.Hash {
		return fmt.Errorf("sentence %d with review record %d cannot be released as number %d", s.Seq, record.Seq, len(l.Sentences)+1)
	}
	l.Records, l.Sentences = append(l.Records, record), append(l.Sentences, s)
	t.Released = l.Sentences
	return nil
}

// Refuse keeps the record of a sentence that is not released.
func (l *Log) Refuse(_ context.Context, _ *schema.Turn, record schema.ReviewRecord) error {
	l.Records = append(l.Records, record)
	return nil
}

// Emit has a sentence of a speech under way reviewed at once, before the speaker
// goes on: the mesh does it beside.
func (l *Log) Emit(ctx context.Context, t *schema.Turn, part int) error {
	if l.review == nil {
		return errors.New("no review is there to take a sentence")
	}
	if t.Speech == nil || part < 1 || part > len(t.Speech.Sentences) {
		return fmt.Errorf("sentence %d is none of the speech", part)
	}
	p := t.Copy()
	p.Part, p.Hop, p.Pass = part, t.Hop+1, schema.PassReviewSpeech
	return l.review(ctx, p)
}

// Confirm answers as the game did when the turn was live.
func (l *Log) Confirm(_ context.Context, _ *schema.Turn, _ int, a schema.Action, _ time.Duration) (bool, error) {
	return l.confirmed[a.Name], nil
}
