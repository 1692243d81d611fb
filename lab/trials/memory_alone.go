package trials

import (
	"context"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// write is Guard 1 alone: what it would let in.
func (x *escaping) write(ctx context.Context) error {
	k, err := newKeeper(x.scene, x.embed)
	if err != nil {
		return err
	}
	for _, t := range x.trials {
		r, c := x.turn(t)
		words := extract.Words(r, c)
		for _, p := range t.proposals() {
			made, refused := extract.FromAnswer(extract.Answer{Memories: []extract.Proposal{p}}, r, c)
			if len(refused) > 0 {
				t.why = refused[0].Verdict.Why
			}
			for i := range made {
				o := k.guard.Judge(ctx, made[i], words, c)
				t.made = &made[i]
				if o.Fate != write.Store {
					continue
				}
				if t.cutDown = !fabricated(&o, &made[i], r, c); !t.cutDown {
					t.past[guardWrite] = true
				}
			}
		}
		if t.made == nil {
			t.made = x.unquoted(t)
		}
		x.proposeTruth(ctx, k, t)
	}
	return nil
}

// proposeTruth sees whether what the write guard lets in is doubted by the scan, which
// judges by the stored record alone.
func (x *escaping) proposeTruth(ctx context.Context, k *keeper, t *trial) {
	truth := *t.Fabrication
	truth.Candidate.Content = t.True.Content
	truth.Candidate.Predicate, truth.Candidate.Object = "said", t.True.Content
	r, c := x.turn(t)
	for _, p := range truth.proposals() {
		made, _ := extract.FromAnswer(extract.Answer{Memories: []extract.Proposal{p}}, r, c)
		for i := range made {
			o := k.guard.Judge(ctx, made[i], extract.Words(r, c), c)
			if o.Fate != write.Store {
				continue
			}
			x.out.TrueStored++
			if v := k.guard.Reprove(ctx, &o.Memory, c); v.Label == schema.GroundingNotSupported {
				x.out.TrueDoubt++
			}
			return
		}
	}
}

// turn is that of which the fabrication is made.
func (x *escaping) turn(t *trial) (*schema.Reply, extract.Context) {
	id := "made-" + t.player
	return t.reply(x.scene, t.player, id, fabricatedAt), t.context(x.scene, t.player, id, fabricatedAt)
}

// unquoted is the memory that a fabrication would be if nobody asked for the words
// that prove it: for the other guards, of which each is measured alone.
func (x *escaping) unquoted(t *trial) *extract.Candidate {
	told := *t.Fabrication
	told.Words = slices.Clone(told.Words[:1])
	told.Words[0].Speaker, told.Words[0].Text = extract.SpeakerPlayer, t.Candidate.Content
	r, c := told.reply(x.scene, t.player, "made-"+t.player, fabricatedAt), x.context(t.player, fabricatedAt)
	made, _ := extract.FromAnswer(
		extract.Answer{Memories: []extract.Proposal{told.proposal([]string{t.Candidate.Content})}}, r, c)
	if len(made) == 0 {
		return nil
	}
	for i := range made[0].Spans {
		made[0].Spans[i].Text = t.Words[0].Text
	}
	return &made[0]
}

// fabricated says whether what is kept still says what was made up: in its sentence,
// or in its key, unless the rules find that key in the words as well.
func fabricated(o *write.Outcome, c *extract.Candidate, r *schema.Reply, x extract.Context) bool {
	m := &o.Memory
	if m.Content == c.Content {
		return true
	}
	if m.Pred != c.Pred || text.Fold(m.Object) != text.Fold(c.Object) {
		return false
	}
	for _, found := range extract.FromReply(r, x) {
		if found.Subject == m.Subject && found.Pred == m.Pred && text.Fold(found.Object) == text.Fold(m.Object) {
			return false
		}
	}
	return true
}

// scan is Guard 2 alone: all fabrications stand in the store, beside what is true.
func (x *escaping) scan(ctx context.Context) error {
	k, err := x.keeping(ctx)
	if err != nil {
		return err
	}
	ids := map[string]*trial{}
	contested := map[string]bool{}
	for _, t := range x.trials {
		if t.made == nil {
			continue
		}
		same := len(k.book.Same(&t.made.Memory)) > 0
		id, err := k.force(t.made.Memory, fabricatedAt)
		if err != nil {
			return err
		}
		ids[id], contested[id] = t, same
	}
	x.out.TrueKept = x.countTrue(k, ids)
	if _, err := k.nights(ctx, scannedAt); err != nil {
		return err
	}
	of, past := 0, 0
	for id, t := range ids {
		t.past[guardScan] = unmarked(k, id)
		if !contested[id] {
			continue
		}
		if of++; t.past[guardScan] {
			past++
		}
	}
	x.out.Contested = rateOf(guardScan, past, of)
	x.countMarked(k, ids)
	return nil
}

// unmarked says whether a memory would be told as it is.
func unmarked(k *keeper, id string) bool {
	m, ok := k.book.Get(id)
	return ok && m.Status == schema.MemoryActive && len(m.Contradicts) == 0
}

// countTrue is of how many trials the rules themselves found what is true.
func (x *escaping) countTrue(k *keeper, fabricated map[string]*trial) int {
	players := map[string]bool{}
	for _, m := range k.book.Memories() {
		if fabricated[m.ID] == nil && m.Content != "" && !strings.HasPrefix(m.TurnID, "made-") && m.Confidence != 0.9 {
			players[m.Player] = true
		}
	}
	return len(players)
}

// countMarked counts the true memories that were lost to a fabrication, and those
// that are marked with no fabrication among what contradicts them.
func (x *escaping) countMarked(k *keeper, fabricated map[string]*trial) {
	for _, m := range k.book.Memories() {
		if fabricated[m.ID] != nil {
			continue
		}
		if fabricated[m.SupersededBy] != nil {
			x.out.Supplanted++
		}
		if m.Status == schema.MemoryFlagged {
			x.out.TrueAside++
		}
		for _, other := range m.Contradicts {
			if fabricated[other] == nil {
				x.out.TrueMarked++
				break
			}
		}
	}
}

// reply is Guard 3 alone: the NPC tells the fabrication, and knows what is true.
func (x *escaping) reply(ctx context.Context) error {
	k, err := x.keeping(ctx)
	if err != nil {
		return err
	}
	for _, t := range x.trials {
		evidence := k.recalled(t.player, toldAt)
		if t.past[guardReply], err = x.told(ctx, t.player, t.Candidate.Content, evidence); err != nil {
			return err
		}
		truth, err := x.told(ctx, t.player, t.True.Content, evidence)
		if err != nil {
			return err
		}
		if truth {
			x.out.TrueTold++
		}
	}
	return nil
}
