package trials

import (
	"context"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// Parts of the bench of memory.
const (
	PartEscapes    = "escapes"
	PartInjections = "injections"
	PartSoak       = "soak"
	PartCollateral = "collateral"
	PartMerge      = "merge"
	PartWrite      = "write"
	PartReply      = "reply"
)

// Parts are all parts in the order in which they run.
var Parts = []string{PartEscapes, PartInjections, PartSoak, PartCollateral, PartMerge, PartWrite, PartReply}

// MemoryOptions say what of memory is measured.
type MemoryOptions struct {
	World        *world.World
	Fabrications []Fabrication // sent through the guards; none: that part is left out
	Injections   []Injection   // said to an NPC; none: that part is left out
	Parts        []string      // default: all
	Seed         uint64
	RulesOnly    bool // leave the model in process out
	Days         int  // of the soak; default 30
	Memories     int  // among which one changes; default 500
	Originals    int  // groups of memories that say the same; default 60
	Turns        int  // of the write path; default 1,000
	Replies      int  // scored by Guard 3; default 400
}

// MemoryResult is what the bench of memory found.
type MemoryResult struct {
	Escapes  []Escapes      `json:"escapes"`
	Injected []Injected     `json:"injected"`
	Soaks    []Soak         `json:"soaks"`
	Figures  []bench.Figure `json:"figures"`
}

func (o MemoryOptions) withDefaults() MemoryOptions {
	for _, d := range []struct {
		value *int
		def   int
	}{{&o.Days, 30}, {&o.Memories, 500}, {&o.Originals, 60}, {&o.Turns, 1000}, {&o.Replies, 400}} {
		if *d.value <= 0 {
			*d.value = d.def
		}
	}
	if len(o.Parts) == 0 {
		o.Parts = Parts
	}
	return o
}

// Memory measures the three guards of memory over the pure packages, in the order
// in which the services run them: what gets past them, what an NPC that believes
// itself makes of its memory, what they cost. Times are of the processor where they
// are held against a bar.
func Memory(ctx context.Context, o MemoryOptions) (MemoryResult, error) {
	o = o.withDefaults()
	e, err := embed.NewStatic()
	if err != nil {
		return MemoryResult{}, err
	}
	tiers, err := tiersOf(o.RulesOnly)
	if err != nil {
		return MemoryResult{}, err
	}
	b := &memoryBench{MemoryOptions: o, embed: e, tiers: tiers,
		out: MemoryResult{Escapes: []Escapes{}, Injected: []Injected{}, Soaks: []Soak{}}}
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{PartEscapes, b.escapes}, {PartInjections, b.injections}, {PartSoak, b.soak}, {PartCollateral, b.collateral},
		{PartMerge, b.merge}, {PartWrite, b.writePath}, {PartReply, b.replyCost}} {
		if !slices.Contains(o.Parts, part.name) {
			continue
		}
		if err := part.run(ctx); err != nil {
			return MemoryResult{}, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return b.out, nil
}

// memoryBench is one run.
type memoryBench struct {
	MemoryOptions
	embed embed.Embedder
	tiers []tier
	out   MemoryResult
}

func (b *memoryBench) add(figures ...bench.Figure) { b.out.Figures = append(b.out.Figures, figures...) }

func (b *memoryBench) scene(t tier) (scene, error) { return newScene(b.World, b.World.DefaultNPC, t) }

// tiersOf are rules alone, and the cascade with the model in process behind them.
func tiersOf(rulesOnly bool) ([]tier, error) {
	tiers := []tier{{name: "rules", verifier: app.Verifier(), judgement: &review.Reviewer{}}}
	if rulesOnly {
		return tiers, nil
	}
	model, err := modelTier()
	return append(tiers, model), err
}

func modelTier() (tier, error) {
	v, err := app.NewVerifier(app.Verifying{})
	if err != nil {
		return tier{}, err
	}
	if v.Missing != nil {
		return tier{}, fmt.Errorf("the verifier in process does not load, so leave it out with --rules-only: %w", v.Missing)
	}
	judgement, err := app.Judgement(app.Verifying{}, nil)
	if err != nil {
		return tier{}, err
	}
	return tier{name: "model", model: true, verifier: v, judgement: judgement}, nil
}

func (b *memoryBench) escapes(ctx context.Context) error {
	if len(b.Fabrications) == 0 {
		return nil
	}
	for _, t := range b.tiers {
		s, err := b.scene(t)
		if err != nil {
			return err
		}
		found, err := escapesOf(ctx, s, b.embed, b.Fabrications)
		if err != nil {
			return err
		}
		b.out.Escapes = append(b.out.Escapes, found)
		b.add(found.figures()...)
	}
	return nil
}
