package report

import (
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A predicate that nobody knows is proposed where its values follow each other; one whose
// values stand side by side, or come back, is not; nor is one that a table knows.
func TestUnknownPredicatesThatBehaveAsStateful(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		pred    string
		players int
		values  []string
		apart   time.Duration
		want    bool
	}{
		"values that follow each other": {"uses_database", 3, []string{"ledgers", "slates"}, 7 * day, true},
		"too few subjects":              {"uses_database", 2, []string{"ledgers", "slates"}, 7 * day, false},
		"said in one breath":            {"uses_database", 5, []string{"ledgers", "slates"}, time.Minute, false},
		"a value that comes back": {"uses_database", 5, []string{"ledgers", "slates", "ledgers"}, 7 * day,
			false},
		"one value, told twice":          {"uses_database", 5, []string{"ledgers", "Ledgers."}, 7 * day, false},
		"one that a table knows already": {"likes", 5, []string{"plums", "pears"}, 7 * day, false},
	} {
		in := Input{Now: now, Known: func(_, pred string) bool { return pred == "likes" }}
		for p := range c.players {
			for i, v := range c.values {
				at := now.Add(-60*day + time.Duration(i)*c.apart)
				id := string(rune('a'+p)) + string(rune('0'+i))
				in.Events = append(in.Events, schema.MemoryEvent{ID: id, Type: schema.MemoryWritten,
					World: "village", NPC: "mira",
					Player: "p" + id[:1], At: at, Memory: &schema.Memory{ID: "m" + id, Kind: schema.MemoryFact,
						Subject: "player:p" + id[:1], Pred: c.pred, Object: v, ValidFrom: at}})
			}
		}
		r := Make(in)
		got := len(r.Proposals) == 1 && r.Proposals[0].Changed == c.players
		if got != c.want || !c.want && len(r.Proposals) > 0 {
			t.Errorf("%s: %+v", name, r.Proposals)
		}
		var out strings.Builder
		if err := r.Markdown(&out); err != nil || strings.Contains(out.String(), "no table knows these") != c.want {
			t.Errorf("%s: %v:\n%s", name, err, out.String())
		}
	}
}
