package memory

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// mostWitnessed bounds what is read of one NPC and one player for a turn.
const mostWitnessed = 2048

// Witnessed gives what an NPC saw the game do, of one player and of nobody. A newer value
// does not undo that the older one happened: what was superseded is given too.
func (r *Recaller) Witnessed(ctx context.Context, world, npc, player string) ([]schema.Memory, error) {
	found, err := r.session.Scroll(ctx, store.MemoryFilter{World: world, NPC: npc, Player: player, NoPlayer: true,
		Sources:  []schema.Origin{schema.OriginSystem},
		Statuses: []schema.MemoryStatus{schema.MemoryActive, schema.MemorySuperseded}}, "", mostWitnessed)
	if err != nil {
		return nil, err
	}
	var out []schema.Memory
	for i := range found {
		m := &found[i].Memory
		if m.HeardFrom == "" && slices.ContainsFunc(m.Spans, func(s schema.MemorySpan) bool { return s.EventID != "" }) {
			out = append(out, *m)
		}
	}
	return out, nil
}
