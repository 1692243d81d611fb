package mesh

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Emit sends sentence n of a speech that is still being spoken to the review, as
// a message of its own: a copy of the turn with Part n. Its id is
// <turn>/<hop>/s<n>/<run>, so a sentence that is sent twice travels once. The
// sentences of a run must be sent in order, each after the one before is stored;
// the turn itself follows when the speech has ended.
func (s *Said) Emit(ctx context.Context, t *protocol.Turn, part int) error {
	m := s.m
	if t.Speech == nil || t.Speech.Run == "" || part < 1 || part > len(t.Speech.Sentences) {
		return Reject(fmt.Errorf("sentence %d is none of the speech of turn %s", part, t.TurnID))
	}
	p := *t
	p.Part, p.Hop, p.Pass = part, t.Hop+1, schema.PassReviewSpeech
	data, err := protocol.EncodeTurn(&p)
	if err != nil {
		return Reject(err)
	}
	id := hopID(&p) + "/s" + strconv.Itoa(part) + "/" + t.Speech.Run
	if _, err := m.publish(ctx, transport.NewMessage(protocol.SubjectPass(p.Pass, p.Conversation(), p.TurnID), data,
		transport.HeaderID, id)); err != nil {
		return err
	}
	return m.step("stream.emitted")
}

// Progress is what is stored of a turn: the sentences that were released, and the
// review records. Of a speech that streams each judged sentence has one.
type Progress struct {
	State
	Records []protocol.ReviewRecord
}

// Of is the record of sentence part of a run, and whether there is one. Where two
// workers judged it, a released one counts before a refused one.
func (p *Progress) Of(run string, part int) (protocol.ReviewRecord, bool) {
	var found protocol.ReviewRecord
	ok := false
	for _, r := range p.Records {
		if r.Run != run || r.Part != part {
			continue
		}
		if p.Stored(r) {
			return r, true
		}
		found, ok = r, true
	}
	return found, ok
}

// Stored says whether the sentence of a record was released.
func (p *Progress) Stored(r protocol.ReviewRecord) bool {
	return r.Seq >= 1 && r.Seq <= len(p.Sentences) && p.Sentences[r.Seq-1].Hash == r.Hash
}

// Overtaken says whether sentences were released behind base that are none of the
// run's: then another run has gone on, and nothing more of this one is said.
func (p *Progress) Overtaken(run string, base int) bool {
	for _, s := range p.Sentences[min(base, len(p.Sentences)):] {
		own := slices.ContainsFunc(p.Records, func(r protocol.ReviewRecord) bool {
			return r.Run == run && r.Seq == s.Seq && r.Hash == s.Hash
		})
		if !own {
			return true
		}
	}
	return false
}

// Progress reads both logs of a turn and makes them the turn's own, as Load does.
func (s *Said) Progress(ctx context.Context, t *protocol.Turn) (Progress, error) {
	log, err := s.read(ctx, t.Conversation(), t.TurnID)
	if err != nil {
		return Progress{}, err
	}
	if mutant == mutantReleasedPrefix && t.SaidSeq < log.last && len(t.Passes) > 0 &&
		t.Passes[len(t.Passes)-1].Attempt > 1 {
		log.Sentences = nil
	}
	p := Progress{State: log.State}
	if p.Records, t.ReviewSeq, err = reviewRecords(ctx, s.m.conn, t.Conversation(), t.TurnID); err != nil {
		return Progress{}, err
	}
	t.Released, t.SaidSeq = log.Sentences, log.last
	return p, nil
}

// Refuse stores that a sentence was judged and is not released, unless somebody
// has written a record since: then ErrConflict, read Progress and look again.
func (s *Said) Refuse(ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord) error {
	seq, err := s.append(ctx, protocol.SubjectReview(t.Conversation(), t.TurnID), record, t.ReviewSeq)
	if transport.IsConflict(err) {
		return ErrConflict
	}
	if err != nil {
		return err
	}
	t.ReviewSeq = seq
	return s.m.step("stream.refused")
}
