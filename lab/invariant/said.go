package invariant

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// sentences are the events of a turn that hold a sentence.
func sentences(events []*Said) []*Said {
	var out []*Said
	for _, e := range events {
		if e.Event != nil && e.Event.Kind == schema.SaidSentence && e.Event.Sentence != nil {
			out = append(out, e)
		}
	}
	return out
}

// closedAt is the sequence of a turn's fence; 0 without one.
func closedAt(events []*Said) uint64 {
	for _, e := range events {
		if e.Event != nil && e.Event.Kind == schema.SaidClosed {
			return e.Sequence
		}
	}
	return 0
}

// isAuthored says whether a sentence is an authored line.
func (r *Run) isAuthored(convo schema.ConversationID, s *schema.Sentence) bool {
	return s.Authored && len(s.Evidence) == 0 && (r.Authored == nil || r.Authored(convo, s.Text))
}

func chunks(refs []schema.EvidenceRef) []string {
	out := make([]string, 0, len(refs))
	for _, e := range refs {
		out = append(out, e.ChunkID)
	}
	return out
}

func reviewed(r *Run, broken report) {
	for _, events := range r.bySubject.said {
		for _, e := range sentences(events) {
			s := e.Event.Sentence
			if r.isAuthored(e.Convo, s) {
				continue
			}
			earlier := slices.ContainsFunc(events, func(o *Said) bool {
				return o.Review != nil && o.Sequence < e.Sequence && len(o.Review.Refused) == 0 &&
					o.Review.Hash == protocol.HashText(s.Text) && slices.Equal(o.Review.Evidence, chunks(s.Evidence))
			})
			if !earlier {
				broken(e.Turn, "sentence %d was released without an earlier review of its text and evidence: %q", s.Seq, s.Text)
			}
		}
	}
}

func joined(r *Run, broken report) {
	for at, replies := range r.bySubject.replies {
		reply := replies[0]
		if reply.Reason == schema.ReasonInvalid {
			continue
		}
		events := r.bySubject.said[at]
		fence := closedAt(events)
		stored := sentences(events)
		if fence > 0 {
			stored = slices.DeleteFunc(stored, func(e *Said) bool { return e.Sequence > fence })
		}
		var texts []string
		for i := range reply.Sentences {
			s := &reply.Sentences[i]
			texts = append(texts, s.Text)
			switch {
			case i < len(stored) && stored[i].Event.Sentence.Text != s.Text:
				broken(reply.TurnID, "sentence %d of the reply is %q, and %q was said", i+1, s.Text, stored[i].Event.Sentence.Text)
			case i >= len(stored) && !r.isAuthored(reply.Conversation(), s):
				broken(reply.TurnID, "sentence %d of the reply was never said: %q", i+1, s.Text)
			}
		}
		if len(stored) > len(reply.Sentences) {
			broken(reply.TurnID, "%d sentences were said, the reply holds %d", len(stored), len(reply.Sentences))
		}
		if text := strings.Join(texts, " "); text != reply.Text {
			broken(reply.TurnID, "the reply is %q, its sentences are %q", reply.Text, text)
		}
	}
}

func fenced(r *Run, broken report) {
	for _, events := range r.bySubject.said {
		fence := closedAt(events)
		for _, e := range sentences(events) {
			if fence > 0 && e.Sequence > fence {
				broken(e.Turn, "sentence %d stands at %d, behind the fence at %d", e.Event.Sentence.Seq, e.Sequence, fence)
			}
		}
	}
}

func numbered(r *Run, broken report) {
	for _, events := range r.bySubject.said {
		for i, e := range sentences(events) {
			if e.Event.Sentence.Seq != i+1 {
				broken(e.Turn, "sentence %d stands at place %d", e.Event.Sentence.Seq, i+1)
			}
		}
	}
}

func origin(r *Run, broken report) {
	for _, events := range r.bySubject.said {
		for _, e := range sentences(events) {
			for _, ref := range e.Event.Sentence.Evidence {
				if ref.Source == schema.OriginModel {
					broken(e.Turn, "sentence %d rests on %s, which a model wrote", e.Event.Sentence.Seq, ref.Path)
				}
			}
		}
	}
}
