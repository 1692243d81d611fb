package main

import (
	"strings"
	"testing"
)

const labelled = `{"premise":"The mill burned in the spring.","hypothesis":"The mill burned in the ` +
	`spring.","label":"supported","kind":"verbatim"}
{"premise":"The mill burned in the spring.","hypothesis":"The mill stands.","label":"contradicted","kind":"negation"}
`

// The bench prints figures, bars and the table by kind, as text and as JSON.
func TestBenchVerifyPrintsItsFigures(t *testing.T) {
	s := newSite(t)
	pairs := s.write("pairs.jsonl", labelled)
	r := s.run("bench", "verify", "--rounds", "1", "--batch", "1", "--pairs", pairs, "--json")
	r.wants(t, exitFine)
	out := r.object(t)
	if out["bench"] != "verify" || len(out["by_kind"].([]any)) != 2 || out["missed"] == nil {
		t.Errorf("%v", out)
	}
	r = s.run("bench", "verify", "--rounds", "1", "--batch", "1", "--pairs", pairs)
	r.wants(t, exitFine)
	for _, want := range []string{"portable_rate", "auroc", "≥ 0.9", "verbatim", "negation"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("%q is not in\n%s", want, r.out)
		}
	}
}

func TestBenchVerifyNamesBadInput(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"no rounds", []string{"--rounds", "0"}, exitUsage, []string{"--rounds 0"}},
		{"no pairs in a batch", []string{"--batch=-3"}, exitUsage, []string{"--batch -3"}},
		{"no such file", []string{"--pairs", "gone.jsonl"}, exitUsage, []string{"gone.jsonl"}},
		{"an empty file", []string{"--pairs", s.write("empty.jsonl", "")}, exitUsage, []string{"holds no pairs"}},
		{"no labels", []string{"--pairs", s.write("bare.jsonl", `{"premise":"x","hypothesis":"y"}`)}, exitUsage,
			[]string{"bare.jsonl:1", "label"}},
		{"no script", []string{"--python", "/bin/sh"}, exitDependency, []string{"bench_onnx.py", "--script"}},
		{"no interpreter", []string{"--python", s.path("gone"), "--script", s.write("x.py", "")}, exitDependency,
			[]string{"--python"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s.run(append([]string{"bench", "verify"}, c.args...)...).wants(t, c.code, c.want...)
		})
	}
}
