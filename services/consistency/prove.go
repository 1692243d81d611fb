package consistency

import (
	"context"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// Judgement holds a stored memory against its own words. write.Guard is one.
type Judgement interface {
	Plain(m *schema.Memory) bool
	Reprove(ctx context.Context, m *schema.Memory, x extract.Context) schema.GroundingVerdict
}

// prover judges the memories of one world.
type prover struct {
	judge Judgement
	lore  *lore.Lore
	wall  time.Time
}

// Plain says at sight whether a memory is proved.
func (p *prover) Plain(m *schema.Memory) bool { return p.judge.Plain(m) }

// Prove gives the verdict.
func (p *prover) Prove(ctx context.Context, m *schema.Memory) schema.GroundingVerdict {
	return p.judge.Reprove(ctx, m, memory.ContextOf(p.lore, m.NPC, m.Player, "", p.wall))
}
