package report

import (
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A tally holds what no log does, under names that a key can have.
func TestATallyOfWhatNoLogHolds(t *testing.T) {
	m := NewMetrics("hollowmere")
	if n := m.Tally(); len(n) != 0 {
		t.Errorf("of nothing: %v", n)
	}
	m.Passed(Read, 3)
	m.Passed(Candidates, 5)
	m.Passed(Stored, 4) // the log's
	m.Called("extract", 2, 0.25)
	once := m.Tally()
	for name := range once {
		if err := schema.CheckToken("count", name); err != nil {
			t.Error(err)
		}
	}
	if once.Stage(Read) != 3 || once.Stage(Candidates) != 5 || once.Stage(Stored) != 0 ||
		once.Calls()["extract"] != (Calls{"extract", 2, 0.25}) || once["cost-extract"] != 250_000 {
		t.Errorf("%v", once)
	}
}
