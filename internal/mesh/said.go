package mesh

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Said is what a turn has told its player: events on said.<c>.<turn> and the
// review record before each sentence on review.<c>.<turn>. Every append names
// the sequence that it believes to be the last of its subject, so sentence n is
// stored once whoever sends it, and "closed" is a fence: a worker that has not
// seen it cannot append, and one that has seen it must not.
type Said struct{ m *Mesh }

// State is what is stored of a turn.
type State struct {
	Sentences []schema.Sentence // released: the fixed prefix of whatever comes next
	Closed    bool              // nothing more is released
}

// Load reads what has been released, and makes it the turn's own:
// t.Released, t.SaidSeq and t.ReviewSeq follow the streams. A reviewer calls it
// first, on every delivery.
func (s *Said) Load(ctx context.Context, t *protocol.Turn) (State, error) {
	if n := len(t.Passes); t.SaidSeq > 0 && n > 0 && t.Passes[n-1].Attempt == 1 {
		// The first delivery to this pass: what the turn carries is what its sender
		// knew. If anybody has written since, the first append meets it.
		return State{Sentences: t.Released}, nil
	}
	if t.SaidSeq > 0 {
		// What the turn carries is all there is as long as nobody wrote since.
		newest, err := s.m.conn.Last(ctx, transport.StreamSaid, protocol.SubjectSaid(t.Conversation(), t.TurnID))
		if err == nil && newest.Sequence == t.SaidSeq {
			return State{Sentences: t.Released, Closed: isFence(newest)}, nil
		}
	}
	return s.reload(ctx, t)
}

// reload reads both logs from their beginning.
func (s *Said) reload(ctx context.Context, t *protocol.Turn) (State, error) {
	log, err := s.read(ctx, t.Conversation(), t.TurnID)
	if err != nil {
		return State{}, err
	}
	reviewed, err := s.m.conn.Last(ctx, transport.StreamSaid, protocol.SubjectReview(t.Conversation(), t.TurnID))
	switch {
	case errors.Is(err, transport.ErrNotFound):
		t.ReviewSeq = 0
	case err != nil:
		return State{}, err
	default:
		t.ReviewSeq = reviewed.Sequence
	}
	if mutant == mutantReleasedPrefix {
		log.Sentences = nil
	}
	t.Released, t.SaidSeq = log.Sentences, log.last
	return log.State, nil
}

// saidLog is a State with the sequence it was read at, and why its turn was sent away.
type saidLog struct {
	State
	last uint64
	away sentAway
}

func (s *Said) read(ctx context.Context, convo schema.ConversationID, turn string) (saidLog, error) {
	var log saidLog
	var bad error
	err := s.m.conn.Each(ctx, transport.StreamSaid, protocol.SubjectSaid(convo, turn),
		func(msg *transport.Entry) bool {
			var e schema.Said
			if bad = json.Unmarshal(msg.Data, &e); bad != nil {
				return false
			}
			log.last = msg.Sequence
			switch {
			case e.Kind == schema.SaidClosed:
				log.Closed, log.away = true, awayBy(msg.Header)
			case e.Kind == schema.SaidSentence && e.Sentence != nil && !log.Closed:
				log.Sentences = append(log.Sentences, *e.Sentence)
			}
			return true
		})
	if bad != nil {
		err = fmt.Errorf("event of turn %s is not JSON: %w", turn, bad)
	}
	return log, err
}

func isFence(msg *transport.Entry) bool {
	var e struct {
		Kind schema.SaidKind `json:"kind"`
	}
	return json.Unmarshal(msg.Data, &e) == nil &&
		(e.Kind == schema.SaidClosed || e.Kind == schema.SaidDone || e.Kind == schema.SaidAborted)
}

// Release stores the review record and then the sentence, and appends the
// sentence to t.Released. The sentence must be the next one:
// len(t.Released)+1. ErrClosed: the turn was ended, stop. ErrConflict: another
// worker released a different sentence here; t now holds what is stored, begin
// again from there. A sentence that is already stored is released, not a
// conflict.
func (s *Said) Release(
	ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord, sentence schema.Sentence,
) error {
	n := len(t.Released) + 1
	if sentence.Seq != n || record.Seq != n || record.Hash != sentence.Hash {
		return Reject(fmt.Errorf("sentence %d with review record %d cannot be released as number %d", sentence.Seq,
			record.Seq, n))
	}
	sentence.AtMS = max(1, s.m.opts.Now().Sub(t.AcceptedAt).Milliseconds())
	for {
		err := s.tryRelease(ctx, t, record, sentence)
		if err == nil {
			t.Released = append(t.Released, sentence)
			return nil
		}
		if !transport.IsConflict(err) {
			return err
		}
		// Somebody wrote since the turn was decoded: an event, the same sentence
		// with its answer lost, another worker's sentence, or the fence.
		state, err := s.reload(ctx, t)
		switch {
		case err != nil:
			return err
		case len(state.Sentences) >= n && state.Sentences[n-1].Hash == sentence.Hash:
			return nil
		case state.Closed:
			return ErrClosed
		case len(state.Sentences) >= n:
			return ErrConflict
		}
	}
}

func (s *Said) tryRelease(
	ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord, sentence schema.Sentence,
) error {
	if err := s.m.step("release.begin"); err != nil {
		return err
	}
	if mutant != mutantReviewRecord {
		reviewed, err := s.append(ctx, protocol.SubjectReview(t.Conversation(), t.TurnID), record, t.ReviewSeq)
		if err != nil {
			return err
		}
		t.ReviewSeq = reviewed
	}
	if err := s.m.step("release.reviewed"); err != nil {
		return err
	}
	event := schema.Said{Kind: schema.SaidSentence, TurnID: t.TurnID, NPC: inScene(t), Sentence: &sentence}
	said, err := s.append(ctx, protocol.SubjectSaid(t.Conversation(), t.TurnID), event, t.SaidSeq)
	if err != nil {
		return err
	}
	t.SaidSeq = said
	return s.m.step("release.said")
}

// append stores v if expected is still the last sequence of the subject. An
// answer that is lost shows as a conflict on the second try; the caller reads
// and sees.
func (s *Said) append(ctx context.Context, subject string, v any, expected uint64, headers ...string) (uint64, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return 0, err
	}
	msg := transport.NewMessage(subject, data,
		append(headers, transport.HeaderLast, strconv.FormatUint(expected, 10))...)
	if mutant == mutantFencing {
		msg.Header.Del(transport.HeaderLast)
	}
	ack, err := s.m.publish(ctx, msg)
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// announce appends an event that nothing rests on. Whoever was first has said
// it already.
func (s *Said) announce(ctx context.Context, t *protocol.Turn, e *schema.Said) error {
	for range 2 {
		seq, err := s.append(ctx, protocol.SubjectSaid(t.Conversation(), t.TurnID), e, t.SaidSeq)
		if err == nil {
			t.SaidSeq = seq
			return nil
		}
		if !transport.IsConflict(err) {
			return err
		}
		log, err := s.read(ctx, t.Conversation(), t.TurnID)
		if err != nil || log.Closed {
			return err
		}
		t.SaidSeq, t.Released = log.last, log.Sentences
	}
	return nil
}

// opening is what a turn's first event says before its passes read the rest.
type opening struct {
	accepted uint64 // the sequence of the event "accepted" as long as it is the last one
	silent   bool   // nothing at all is stored of the turn
	away     sentAway
}

// begun reads the opening of a turn. Where it is neither accepted nor silent, the turn has run
// before and its passes must read; or was sent away.
func (s *Said) begun(ctx context.Context, convo schema.ConversationID, turn string) (opening, error) {
	msg, err := s.m.conn.Last(ctx, transport.StreamSaid, protocol.SubjectSaid(convo, turn))
	var e schema.Said
	switch {
	case errors.Is(err, transport.ErrNotFound):
		return opening{silent: true}, nil
	case err != nil:
		return opening{}, err
	case json.Unmarshal(msg.Data, &e) == nil && e.Kind == schema.SaidAccepted:
		return opening{accepted: msg.Sequence}, nil
	}
	return opening{away: awayBy(msg.Header)}, nil
}

// close puts up the fence and makes t.Released what stands before it.
func (s *Said) close(ctx context.Context, t *protocol.Turn) error {
	known := saidLog{State: State{Sentences: t.Released}, last: t.SaidSeq}
	log, err := s.fence(ctx, t.Conversation(), t.TurnID, known, sentAway{})
	if err != nil {
		return err
	}
	t.Released, t.SaidSeq = log.Sentences, log.last
	return nil
}

// fence appends "closed" after what known says is stored, or reads and tries
// again until it stands. The log that it gives says for what the turn was sent away, be it
// now or by another worker before.
func (s *Said) fence(
	ctx context.Context, convo schema.ConversationID, turn string, known saidLog, away sentAway,
) (saidLog, error) {
	event := schema.Said{Kind: schema.SaidClosed, TurnID: turn}
	for !known.Closed {
		seq, err := s.append(ctx, protocol.SubjectSaid(convo, turn), event, known.last, away.headers()...)
		if err == nil {
			known.Closed, known.last, known.away = true, seq, away
			break
		}
		if !transport.IsConflict(err) {
			return known, err
		}
		if known, err = s.read(ctx, convo, turn); err != nil {
			return known, err
		}
	}
	return known, s.m.step("said.closed")
}

// Records reads the review records of a turn, in the order of its sentences.
// They are kept for an hour.
func (c *Client) Records(
	ctx context.Context, convo schema.ConversationID, turn string,
) ([]protocol.ReviewRecord, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	records, _, err := reviewRecords(ctx, c.conn, convo, turn)
	return records, err
}

// reviews reads the review records of a turn, and the sequence of the last one.
func reviewRecords(ctx context.Context, c *transport.Conn, convo schema.ConversationID, turn string) (
	records []protocol.ReviewRecord, last uint64, err error,
) {
	var bad error
	err = c.Each(ctx, transport.StreamSaid, protocol.SubjectReview(convo, turn), func(msg *transport.Entry) bool {
		var r protocol.ReviewRecord
		if err := json.Unmarshal(msg.Data, &r); err != nil {
			bad = fmt.Errorf("review record %d of turn %s is not JSON: %w", msg.Sequence, turn, err)
			return false
		}
		records, last = append(records, r), msg.Sequence
		return true
	})
	return records, last, cmp.Or(bad, err)
}
