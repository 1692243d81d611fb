package entail

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// labelled is a pair with the label that people gave it.
type labelled struct {
	Premise    string       `json:"premise"`
	Hypothesis string       `json:"hypothesis"`
	Label      schema.Label `json:"label"`
	Kind       string       `json:"kind"`
}

func loadPairs(t *testing.T, name string) []labelled {
	t.Helper()
	dir := os.Getenv("FORSOOTH_TEST_DATA")
	if dir == "" {
		t.Skip("FORSOOTH_TEST_DATA is not set: the folder with labelled pairs")
	}
	f, err := os.Open(filepath.Join(dir, "npc", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []labelled
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		var l labelled
		if err := json.Unmarshal(sc.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		out = append(out, l)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// tally counts what became of the pairs of one kind.
type tally struct{ accepted, refused, open int }

func (y *tally) count(v schema.Verdict) {
	switch {
	case v.Label == schema.Supported:
		y.accepted++
	case Decides(v):
		y.refused++
	default:
		y.open++
	}
}

// The rules alone on labelled pairs of NPC speech: what they accept must be true,
// and hardly anything true may be refused for good.
func TestRulesOnLabelledPairs(t *testing.T) {
	for _, name := range []string{"pairs.jsonl", "train.jsonl"} {
		t.Run(name, func(t *testing.T) {
			pairs := loadPairs(t, name)
			ask := make([]Pair, len(pairs))
			for i, p := range pairs {
				ask[i] = Pair{Premise: p.Premise, Hypothesis: p.Hypothesis}
			}
			got, err := NewRules().Verify(context.Background(), ask)
			if err != nil {
				t.Fatal(err)
			}
			kinds := map[string]*tally{}
			var yes, no tally
			for i, v := range got {
				if strings.Contains(v.Why, "a rule failed") {
					t.Errorf("%q from %q: %s", pairs[i].Hypothesis, pairs[i].Premise, v.Why)
				}
				key := fmt.Sprintf("%-18s %s", pairs[i].Kind, pairs[i].Label)
				if kinds[key] == nil {
					kinds[key] = &tally{}
				}
				kinds[key].count(v)
				if pairs[i].Label == schema.Supported {
					yes.count(v)
				} else {
					no.count(v)
				}
			}
			report(t, kinds, yes, no)
		})
	}
}

func report(t *testing.T, kinds map[string]*tally, yes, no tally) {
	t.Helper()
	var keys []string
	for k := range kinds {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	t.Logf("%-34s %8s %8s %8s", "kind", "accepted", "refused", "open")
	for _, k := range keys {
		t.Logf("%-34s %8d %8d %8d", k, kinds[k].accepted, kinds[k].refused, kinds[k].open)
	}
	t.Logf("supported: %+v; the rest: %+v", yes, no)
	if all := no.accepted + no.refused + no.open; no.accepted*200 > all {
		t.Errorf("%d of %d unsupported sentences were accepted", no.accepted, all)
	}
	if all := yes.accepted + yes.refused + yes.open; yes.refused*25 > all {
		t.Errorf("%d of %d supported sentences were refused for good", yes.refused, all)
	}
}
