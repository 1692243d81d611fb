package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// verdictLine is a line of the output of --pairs, and what more it holds.
type verdictLine struct {
	Score   *float64      `json:"score"`
	Verdict *schema.Label `json:"verdict"`
	Tier    *string       `json:"tier"`
}

// lines reads an output of one JSON object a line, of these keys alone.
func lines(t *testing.T, out string) []verdictLine {
	t.Helper()
	var all []verdictLine
	sc := bufio.NewScanner(strings.NewReader(out))
	for sc.Scan() {
		var keys map[string]any
		var v verdictLine
		if err := json.Unmarshal(sc.Bytes(), &keys); err != nil {
			t.Fatalf("%q: %v", sc.Text(), err)
		}
		if got := slices.Sorted(maps.Keys(keys)); !slices.Equal(got, []string{"score", "tier", "verdict"}) {
			t.Fatalf("a line has the keys %q", got)
		}
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if *v.Score < 0 || *v.Score > 1 || *v.Tier == "" ||
			!slices.Contains([]schema.Label{schema.Supported, schema.Contradicted, schema.Unverifiable}, *v.Verdict) {
			t.Fatalf("a line is %q", sc.Text())
		}
		all = append(all, v)
	}
	return all
}

func pairLine(t *testing.T, premise, hypothesis string) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"premise": premise, "hypothesis": hypothesis, "label": "contradicted",
		"kind": "x"})
	if err != nil {
		t.Fatal(err)
	}
	return string(data) + "\n"
}

// One line out for a line in, in the same order, over the bounds of a batch; how
// fast stands on standard error. Other keys of a line are not read.
func TestVerifyPairs(t *testing.T) {
	s := newSite(t)
	var in strings.Builder
	const n = 600
	for i := range n { // even lines are word for word, odd ones have another number: rules decide both
		fmt.Fprint(&in, pairLine(t, fmt.Sprintf("Bram owes Osric %d marks.", i),
			fmt.Sprintf("Bram owes Osric %d marks.", i+i%2)))
	}
	s.write("pairs.jsonl", in.String())
	for name, r := range map[string]result{"a file": s.run("verify", "--pairs", "pairs.jsonl"),
		"standard input": s.runWith(in.String(), "verify", "--pairs", "-"),
		"with --json":    s.run("verify", "--pairs", "pairs.jsonl", "--json")} {
		t.Run(name, func(t *testing.T) {
			r.wants(t, exitFine, "600 pairs in", "a second")
			out := lines(t, r.out)
			if len(out) != n {
				t.Fatalf("%d lines", len(out))
			}
			for i, v := range out {
				if supported := *v.Verdict == schema.Supported; supported != (i%2 == 0) || *v.Tier != "rule" {
					t.Fatalf("line %d: %s by %s", i+1, *v.Verdict, *v.Tier)
				}
				if (*v.Score > 0.5) != (i%2 == 0) {
					t.Fatalf("line %d: %s with the score %v", i+1, *v.Verdict, *v.Score)
				}
			}
		})
	}
}

func TestVerifyPairsOfAnyText(t *testing.T) {
	s := newSite(t)
	var in strings.Builder
	texts := []string{"", " ", "\u202eTeague owns the ferry.", "Тeаgue owns the ferry.", "🔥🔥🔥", "\x00\x01",
		"!!!", strings.Repeat("The mill burned. ", 1<<16), strings.Repeat("a", 1<<20)}
	for _, x := range texts {
		in.WriteString(pairLine(t, "Osric owns the mill.", x))
	}
	in.WriteString(`{"premise":"\ud800","hypothesis":"\udfff \ud800"}` + "\n")
	in.WriteString(`{"premise":"Osric owns the mill.","hypothesis":"Osric owns the mill."}`) // without an end of line
	r := s.runWith(in.String(), "verify", "--pairs", "-")
	r.wants(t, exitFine, "pairs in")
	out := lines(t, r.out)
	if len(out) != len(texts)+2 {
		t.Fatalf("%d lines for %d", len(out), len(texts)+2)
	}
	for i, v := range out[:len(out)-1] {
		if *v.Verdict == schema.Supported {
			t.Errorf("line %d is supported by %s", i+1, *v.Tier)
		}
	}
	if *out[len(out)-1].Verdict != schema.Supported {
		t.Error("what is word for word behind them is not supported")
	}
}

func TestVerifyOfNoPairs(t *testing.T) {
	s := newSite(t)
	r := s.runWith("", "verify", "--pairs", "-")
	r.wants(t, exitFine, "0 pairs in")
	if r.out != "" {
		t.Errorf("it prints %q", r.out)
	}
}

// A line that is no pair ends the work with its number; a full batch before it is
// printed, and nothing behind it.
func TestVerifyPairsThatAreNone(t *testing.T) {
	s := newSite(t)
	good := `{"premise":"a","hypothesis":"a"}` + "\n"
	for _, c := range []struct{ name, body, want string }{
		{"not JSON", good + "premise,hypothesis\n", "p.jsonl:2: is not"},
		{"no hypothesis", good + good + `{"premise":"a"}` + "\n", "p.jsonl:3: is not"},
		{"no premise", `{"hypothesis":"a"}` + "\n", "p.jsonl:1: is not"},
		{"null for a text", `{"premise":null,"hypothesis":"a"}` + "\n", "p.jsonl:1: is not"},
		{"a number for a text", `{"premise":1,"hypothesis":"a"}` + "\n", "p.jsonl:1: is not"},
		{"an empty line", good + "\n" + good, "p.jsonl:2: is not"},
		{"a list", `["a","a"]` + "\n", "p.jsonl:1: is not"},
		{"two on a line", strings.TrimSpace(good) + good, "p.jsonl:1: is not"},
		{"a line without end", good + `{"premise":"` + strings.Repeat("a", 5<<20) + `","hypothesis":"a"}`, "p.jsonl:2: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.write("p.jsonl", c.body)
			s.run("verify", "--pairs", "p.jsonl").wants(t, exitUsage, c.want)
		})
	}
	s.write("p.jsonl", strings.Repeat(good, 300)+"none\n")
	r := s.run("verify", "--pairs", "p.jsonl")
	r.wants(t, exitUsage, "p.jsonl:301")
	if n := len(lines(t, r.out)); n != pairBatch {
		t.Errorf("%d lines before the fault", n)
	}
}

func TestVerifyOnePair(t *testing.T) {
	s := newSite(t)
	r := s.run("verify", "--premise", "The mill burned in the spring of 1402.", "--claim",
		"the mill burned down last autumn", "--json")
	r.wants(t, exitFine)
	v := r.object(t)
	if v["label"] == string(schema.Supported) || v["tier"] != "rule" || v["why"] == "" || v["score"] == nil {
		t.Errorf("%v", v)
	}
	r = s.run("verify", "--premise", "Teague owns the ferry. A crossing costs two bits.", "--claim",
		"A crossing costs two bits.")
	r.wants(t, exitFine)
	for _, want := range []string{"supported  0.", "by rule", "span: A crossing costs two bits.", "why:  word for word"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("it prints %q, want %q", r.out, want)
		}
	}
}

func TestVerifyUsage(t *testing.T) {
	s := newSite(t)
	s.write("p.jsonl", `{"premise":"a","hypothesis":"a"}`+"\n")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"pairs and a claim", []string{"--pairs", "p.jsonl", "--claim", "x"}, "not both"},
		{"pairs and a premise", []string{"--pairs", "p.jsonl", "--premise", "x"}, "not both"},
		{"a premise alone", []string{"--premise", "x"}, "--claim"},
		{"a folder", []string{"--pairs", "."}, "directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.run(append([]string{"verify"}, c.args...)...).wants(t, exitUsage, c.want)
		})
	}
}
