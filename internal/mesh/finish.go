package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// handleReply is the finisher: everything after the commit is a projection of
// the stored reply, each step safe to repeat.
func (m *Mesh) handleReply(ctx context.Context, d *transport.Delivery) error {
	r, err := readReply(d)
	if err != nil {
		return Reject(err)
	}
	d.Of = r.TurnID
	return m.finish(ctx, r, d)
}

// readReply reads a reply and holds it against the subject it came on.
func readReply(d *transport.Delivery) (*schema.Reply, error) {
	var r schema.Reply
	if err := json.Unmarshal(d.Data, &r); err != nil {
		return nil, err
	}
	if want := protocol.SubjectReply(r.Conversation(), r.TurnID); want != d.Subject {
		return nil, fmt.Errorf("the reply is of %s and stands on %s", want, d.Subject)
	}
	return &r, nil
}

func (m *Mesh) finish(ctx context.Context, r *schema.Reply, d *transport.Delivery) error {
	convo := r.Conversation()
	if is, err := m.conn.IsErased(ctx, convo, r.TurnID); err != nil {
		return err
	} else if is { // since this reply was read: nothing of it is written any more
		if err := m.conn.Remove(ctx, transport.StreamTurns, r.Sequence); err != nil {
			return err
		}
		return m.advance(ctx, convo, said{})
	}
	m.remembered(ctx, r)
	if err := m.project(ctx, convo, r, d); err != nil {
		return err
	}
	if err := m.step("finish.applied"); err != nil {
		return err
	}
	if err := m.written(ctx, r); err != nil {
		return err
	}
	if err := m.propose(ctx, r); err != nil {
		return err
	}
	if err := m.exchange(ctx, r); err != nil { // whoever hears that the turn is done may look for the next one
		return err
	}
	if err := m.tell(ctx, r); err != nil {
		return err
	}
	if err := m.unschedule(ctx, r.TurnID); err != nil {
		return err
	}
	if err := m.step("finish.unscheduled"); err != nil {
		return err
	}
	if err := m.conn.Remove(ctx, transport.StreamTurns, r.Sequence); err != nil {
		return err
	}
	if err := m.step("finish.removed"); err != nil {
		return err
	}
	return m.advance(ctx, convo, said{})
}

// leavesNothing says whether a reply leaves its conversation's document as it was. What was
// never a request does, and an NPC that gave way to a player or was not to speak yet. One
// that looked and had nothing to say does not: its cooldown runs, else it would look again at
// each such event.
func leavesNothing(r *schema.Reply) bool {
	return r.Unheard() && (r.Begin == nil || r.Reason != schema.ReasonNothing)
}

// project writes the reply into the conversation's document, once.
func (m *Mesh) project(ctx context.Context, convo schema.ConversationID, r *schema.Reply, d *transport.Delivery) error {
	if leavesNothing(r) {
		m.ended(ctx, r, d, d.Attempt == 1)
		return nil
	}
	first := false
	err := m.change(ctx, convo, r.TurnID, func(doc *schema.Conversation) bool {
		applied := doc.HasApplied(r.TurnID, d.Sequence)
		// What stands there already may be ours, its answer being late.
		first = !applied || first && d.Attempt == 1
		if applied && mutant != mutantAppliedCheck {
			return false
		}
		m.apply(doc, r)
		doc.MarkApplied(r.TurnID, d.Sequence)
		return true
	})
	m.ended(ctx, r, d, first && err == nil)
	return err
}

// apply lets the service change the document. One that panics leaves the reply
// applied without a change: otherwise this turn would hold up its conversation
// for ever.
func (m *Mesh) apply(doc *schema.Conversation, r *schema.Reply) {
	if m.ends.Apply == nil {
		return
	}
	defer func() {
		if v := recover(); v != nil {
			m.opts.Report(Report{Where: "apply", Turn: r.TurnID, Outcome: "reject", Err: fmt.Errorf("panic: %v", v)})
		}
	}()
	m.ends.Apply(doc, r)
}

// written keeps what a model wrote of a reply, as hashes. A second time adds nothing.
func (m *Mesh) written(ctx context.Context, r *schema.Reply) error {
	if m.ends.Written == nil {
		return nil
	}
	speaker := schema.ConversationID{World: r.World, NPC: r.NPC, Player: r.Player} // also in a scene
	if speaker.NPC == "" || speaker.Player == "" {
		return nil // somebody entered a scene or left it
	}
	return m.conn.SaidHashes().Add(ctx, speaker, r.TurnID, r.AcceptedAt, m.ends.Written(r))
}

// propose publishes the actions of a reply, each subject once.
func (m *Mesh) propose(ctx context.Context, r *schema.Reply) error {
	for i, a := range r.Actions {
		if !a.Checked || a.Refused != "" {
			continue
		}
		data, err := json.Marshal(acting(a, r.Scene, r.NPC, r.Player))
		if err != nil {
			return fmt.Errorf("action %d of turn %s: %w", i, r.TurnID, err)
		}
		subject := protocol.SubjectAction(r.Conversation(), r.TurnID, i)
		_, err = m.publish(ctx, transport.NewMessage(subject, data))
		if err := m.conn.StandsFirst(ctx, transport.StreamActions, subject, err); err != nil {
			return err
		}
		if err := m.step("finish.proposed"); err != nil {
			return err
		}
	}
	return nil
}

// tell is the last event of a turn.
func (m *Mesh) tell(ctx context.Context, r *schema.Reply) error {
	e := schema.Said{Kind: schema.SaidDone, TurnID: r.TurnID}
	if r.Status == schema.StatusAborted {
		e.Kind, e.Reason = schema.SaidAborted, r.Reason
	}
	if f := r.Faithfulness; f != nil && f.Action != protocol.ActionRelease {
		e.Risk, e.Doubted = f.Risk, f.Doubted()
	}
	data, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err = m.publish(ctx, transport.NewMessage(protocol.SubjectSaid(r.Conversation(), r.TurnID), data,
		transport.HeaderID, r.TurnID+"/done")); err != nil {
		return err
	}
	return m.step("finish.told")
}

// buryReply clears the queue of a turn whose reply cannot be finished. Where it is not
// ours somebody else wrote on its subject, and there will be no other reply.
func (m *Mesh) buryReply(ctx context.Context, d *transport.Delivery, cause error) error {
	subject, err := protocol.ParseSubject(d.Subject)
	if err != nil {
		return nil
	}
	convo := subject.Conversation
	if err := m.bury(ctx, "finisher", transport.StreamReplies, d, convo, subject.Turn, cause, d.Data); err != nil {
		return err
	}
	sequence, err := QueuedTurn(ctx, m.conn, convo, subject.Turn)
	if err != nil && !errors.Is(err, transport.ErrNotFound) {
		return err
	}
	bare := of(&schema.Reply{TurnID: subject.Turn, Status: schema.StatusAborted, Reason: schema.ReasonInvalid,
		Detail:   "reply " + strconv.FormatUint(d.Sequence, 10) + " is unreadable",
		Sequence: sequence}, convo)
	if _, err := readReply(d); err == nil {
		bare.Reason, bare.Detail = schema.ReasonPoison, "reply "+strconv.FormatUint(d.Sequence, 10)+" could not be finished"
	}
	return m.finish(ctx, bare, d)
}
