package bench

import (
	"math"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A pass that runs twice in a turn counts with both runs, and one that a turn did not
// reach counts in its mean as nothing.
func TestALedgerAddsUp(t *testing.T) {
	var l ledger
	pass := func(p schema.Pass, ms float64, calls int, cost float64) schema.PassRecord {
		return schema.PassRecord{Pass: p, TookMS: ms, LLMCalls: calls, Cost: cost}
	}
	l.enter(&schema.Reply{Passes: []schema.PassRecord{pass(schema.PassRetrieve, 2, 0, 0),
		pass(schema.PassThink, 10, 1, 0.001), pass(schema.PassThink, 20, 1, 0.002)}})
	l.enter(&schema.Reply{Passes: []schema.PassRecord{pass(schema.PassRetrieve, 4, 0, 0)}})
	var row PlayersRow
	l.close(&row)
	if row.Calls != 1 || math.Abs(row.Cost-1.5) > 1e-9 || len(row.Passes) != 2 {
		t.Fatalf("%+v", row)
	}
	if got := row.Passes[0]; got != (PassCost{Pass: schema.PassRetrieve, Mean: 3, P50: 4, P95: 4, P99: 4}) {
		t.Errorf("%+v", got)
	}
	if got := row.Passes[1]; got != (PassCost{Pass: schema.PassThink, Mean: 15, P50: 30, P95: 30, P99: 30}) {
		t.Errorf("%+v", got)
	}
}
