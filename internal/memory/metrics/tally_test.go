package metrics_test

import (
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory/metrics"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A tally holds what no log does, under names that a key can have, and two of them add
// up.
func TestATallyOfWhatNoLogHolds(t *testing.T) {
	m := metrics.New("hollowmere")
	if n := m.Tally(); len(n) != 0 {
		t.Errorf("of nothing: %v", n)
	}
	m.Passed(metrics.Read, 3)
	m.Passed(metrics.Candidates, 5)
	m.Passed(metrics.Stored, 4) // the log's
	m.Called("extract", 2, 0.25)
	for i := range 200 {
		took := 2 * time.Millisecond
		if i < 3 {
			took = 250 * time.Millisecond
		}
		m.Grounded(schema.GroundingSupported, false, took)
	}
	once := m.Tally()
	for name := range once {
		if !metrics.Named(name) {
			t.Errorf("%q is no token", name)
		}
	}
	all := metrics.Tally{}
	all.Add(once)
	all.Add(once)
	if all.Stage(metrics.Read) != 6 || all.Stage(metrics.Candidates) != 10 || all.Stage(metrics.Stored) != 0 ||
		all.Calls()["extract"] != 4 || all.Cost("extract") != 0.5 {
		t.Errorf("%v", all)
	}
	if took, of := all.Verdict99(); took != 300*time.Millisecond || of != 400 {
		t.Errorf("99 of 100 of %d within %v", of, took)
	}
	slow := metrics.New()
	slow.Grounded(schema.GroundingUnknown, false, time.Hour)
	if took, of := slow.Tally().Verdict99(); took != 10*time.Second || of != 1 {
		t.Errorf("above all bounds: %v of %d", took, of)
	}
}
