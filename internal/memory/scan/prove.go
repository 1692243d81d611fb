package scan

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Prover holds a stored memory against its own words again, as Guard 1 did when it
// was written.
type Prover interface {
	// Plain says at sight, and cheaply, that a memory is proved.
	Plain(m *schema.Memory) bool
	// Prove gives the verdict. UNKNOWN leaves the memory as it is.
	Prove(ctx context.Context, m *schema.Memory) schema.GroundingVerdict
}

// SignalUnproven is the fourth signal: a memory that its own words do not prove.
const SignalUnproven = "unproven"

// maxProofs bounds how many memories that are not proved at sight are read again in
// one run: a verifier may be asked of each.
const maxProofs = 1_000

// ProofKey names a memory by all that a proof of it rests on: it is another one as
// soon as its content or its spans change.
func ProofKey(m *schema.Memory) string {
	var b strings.Builder
	for _, s := range []string{m.ID, m.Subject, m.Pred, m.Object, m.Content, string(m.Source)} {
		b.WriteString(s)
		b.WriteByte(0)
	}
	for i := range m.Spans {
		b.WriteString(m.Spans[i].Speaker)
		b.WriteByte(1)
		b.WriteString(m.Spans[i].Text)
		b.WriteByte(0)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}

// prove takes the memories that are not proved, or of which the evidence is gone,
// out of the run, and flags them: nobody retrieves them, and nothing takes another's
// place by them.
func (r *run) prove() error {
	r.out.Proved = map[string]bool{}
	unproven := map[string]string{}
	for _, m := range r.items {
		if why := r.in.Withdrawn[m.ID]; why != "" {
			unproven[m.ID] = why
		}
	}
	if err := r.reread(unproven); err != nil {
		return err
	}
	for more := true; more; { // what somebody was told of it falls with it
		more = false
		for _, m := range r.items {
			if m.HeardID != "" && unproven[m.ID] == "" && unproven[m.HeardID] != "" {
				unproven[m.ID], more = "what it was heard from is not proved", true
			}
		}
	}
	r.items = slices.DeleteFunc(r.items, func(m *Item) bool {
		why, flag := unproven[m.ID]
		if flag {
			r.unproven(m, why)
			delete(r.out.Proved, ProofKey(&m.Memory))
		}
		return flag
	})
	return nil
}

// reread asks the prover of memories that no run has judged as they are, the oldest
// first, so that none waits for ever.
func (r *run) reread(unproven map[string]string) error {
	if r.Prove == nil {
		return nil
	}
	type doubt struct {
		*Item
		key string
	}
	var doubts []doubt
	for _, m := range r.items {
		key := ProofKey(&m.Memory)
		switch {
		case unproven[m.ID] != "":
		case r.in.Proved[key] || r.Prove.Plain(&m.Memory):
			r.out.Proved[key] = true
		default:
			doubts = append(doubts, doubt{m, key})
		}
	}
	slices.SortFunc(doubts, func(a,
		b doubt) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	for i, d := range doubts {
		if err := r.ctx.Err(); err != nil {
			return fmt.Errorf("scan of %s: %w", r.in.World, err)
		}
		if i == maxProofs {
			r.out.Report.Unread = len(doubts) - i
			break
		}
		r.out.Report.Reread++
		switch v := r.Prove.Prove(r.ctx, &d.Memory); v.Label {
		case schema.GroundingNotSupported:
			unproven[d.ID] = v.Why
		case schema.GroundingUnknown: // asked again the next time: a verifier may be there
		default:
			r.out.Proved[d.key] = true
		}
	}
	return nil
}

func (r *run) unproven(m *Item, why string) {
	r.emit(schema.MemoryEvent{
		ID: memory.EventID(schema.MemoryFlag, SignalUnproven, m.ID, ProofKey(&m.Memory)), Type: schema.MemoryFlag,
		World: m.World, NPC: m.NPC, Player: m.Player, At: r.in.Now, By: By, Why: "its words do not prove it: " + why,
		Target: m.ID,
	})
	r.out.Report.Unproven++
	r.out.Report.Details = append(r.out.Report.Details,
		Detail{Members: []string{m.ID}, Signals: []string{SignalUnproven}, Verdict: Unproven, Why: why})
}
