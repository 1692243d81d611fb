package trials

import (
	"context"
	"fmt"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/lab/sample"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// judgeBar is how often a language model may be asked in a scan of 10,000 memories.
const judgeBar = 50

// doubtful is how many pairs that no rule decides are put among the memories, more than
// a night has calls for.
const doubtful = 120

// clerk is a judge by a script: whatever it is shown are two matters.
type clerk struct{ calls int }

func (c *clerk) Judge(context.Context, []schema.Memory) (scan.Verdict, string, error) {
	c.calls++
	return scan.Distinct, "two matters", nil
}

// judgeCalls scans with a judge, and no verifier before it, and counts how often it is
// asked: of the memories as they are, and with doubtful pairs among them.
func judgeCalls(
	ctx context.Context, s scan.Scanner, in scan.Input, e embed.Embedder,
) (usual, crowd, carried int, err error) {
	asked := &clerk{}
	s.Judge = asked
	if _, err := s.Run(ctx, in); err != nil {
		return 0, 0, 0, err
	}
	usual = asked.calls
	more, err := doubts(ctx, e)
	if err != nil {
		return 0, 0, 0, err
	}
	in.Memories = append(append([]scan.Item(nil), in.Memories...), more...)
	asked.calls = 0
	result, err := s.Run(ctx, in)
	return usual, asked.calls, result.Report.Carried, err
}

// doubts are pairs in which each says the same in other words.
func doubts(ctx context.Context, e embed.Embedder) ([]scan.Item, error) {
	var out []scan.Item
	for i := range doubtful {
		player := fmt.Sprintf("doubtful%d", i)
		for k, content := range []string{"The player is afraid of deep water.", "The player is scared of deep water."} {
			vectors, err := e.Embed(ctx, []string{content})
			if err != nil {
				return nil, err
			}
			at := sample.Start.AddDate(0, 0, 4*k)
			m := schema.Memory{World: sample.World, NPC: "n00", Player: player, Kind: schema.MemoryFact,
				Subject: memory.PlayerPrefix + player, Pred: []string{"fears", "feels"}[k],
				Object: "deep water", Content: content, Confidence: 0.8, Source: schema.OriginUser, Count: 1,
				Status:    schema.MemoryActive,
				CreatedAt: at.Add(time.Hour), EventTime: at, ValidFrom: at,
				Spans: []schema.MemorySpan{{TurnID: fmt.Sprintf("%s-%d", player, k), Speaker: "player", Text: content, At: at}}}
			m.ID = memory.ID(&m, 0)
			out = append(out, scan.Item{Memory: m, Vector: vectors[0], Model: e.ID()})
		}
	}
	return out, nil
}
