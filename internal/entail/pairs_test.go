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
	return out
}

// The rules alone on labelled pairs of NPC speech: what they accept must be true,
// and what they refuse for good must not be.
func TestRulesOnLabelledPairs(t *testing.T) {
	name := "pairs.jsonl"
	if n := os.Getenv("FORSOOTH_TEST_PAIRS"); n != "" {
		name = n
	}
	pairs := loadPairs(t, name)
	ask := make([]Pair, len(pairs))
	for i, p := range pairs {
		ask[i] = Pair{Premise: p.Premise, Hypothesis: p.Hypothesis}
	}
	got, err := NewRules().Verify(context.Background(), ask)
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ accepted, refused, open int }
	table := map[string]*row{}
	byRule := map[string]*row{}
	var trueAccepted, falseAccepted, trueRefused, falseRefused, trues, others int
	for i, v := range got {
		p := pairs[i]
		key := fmt.Sprintf("%-16s %s", p.Kind, p.Label)
		if table[key] == nil {
			table[key] = &row{}
		}
		reason, _, _ := strings.Cut(v.Why, ":")
		if !Decides(v) {
			reason = "(" + reason + ")"
		}
		if byRule[reason] == nil {
			byRule[reason] = &row{}
		}
		isTrue := p.Label == schema.Supported
		if isTrue {
			trues++
			byRule[reason].accepted++
		} else {
			others++
			byRule[reason].refused++
		}
		switch {
		case v.Label == schema.Supported:
			table[key].accepted++
			if isTrue {
				trueAccepted++
			} else {
				falseAccepted++
				t.Logf("FALSE ACCEPT %s\n  P: %s\n  H: %s", p.Kind, p.Premise, p.Hypothesis)
			}
		case Decides(v):
			table[key].refused++
			if isTrue {
				falseRefused++
				if testing.Verbose() && os.Getenv("SHOW") == reason {
					t.Logf("FALSE REFUSAL %s: %s\n  P: %s\n  H: %s", p.Kind, v.Why, p.Premise, p.Hypothesis)
				}
			} else {
				trueRefused++
			}
		default:
			table[key].open++
		}
	}
	for _, m := range []map[string]*row{table, byRule} {
		var keys []string
		for k := range m {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			t.Logf("%-40s %4d %4d %4d", k, m[k].accepted, m[k].refused, m[k].open)
		}
	}
	t.Logf("accepted: %d of %d true, %d of %d others; refused: %d true, %d others", trueAccepted, trues, falseAccepted, others, falseRefused, trueRefused)
	if falseAccepted*100 > others {
		t.Errorf("%d of %d unsupported sentences were accepted", falseAccepted, others)
	}
}
