package main

import (
	"strings"
	"testing"
)

const (
	burned = "The mill burned in the spring of 1402. Forty sacks of rye were lost in the fire."
	answer = "Here is what I found:\nThe mill burned in the spring of 1402.\nI hope this helps!"
)

// A text is held against its sources: 0 where they support it, 1 where they do not, 2 for
// what cannot be read.
func TestCheckEndsByItsVerdict(t *testing.T) {
	s := newSite(t)
	file := s.write("fire.txt", burned)
	for _, c := range []struct {
		name, in string
		args     []string
		code     int
		words    string // on standard error, or on standard output where the code is 0 or 1
	}{
		{"supported", "", []string{"--text", answer, "--source", burned}, exitFine,
			"1/1 claims supported: grounded"},
		{"from standard input", answer, []string{"--source-file", file}, exitFine,
			"1/1 claims supported: grounded"},
		{"denied", "", []string{"--text", "Fifty sacks of rye were lost in the fire.", "--source", burned}, exitFailed,
			"number differs"},
		{"half of it", "The mill burned in the spring of 1402. The reeve is dead.",
			[]string{"--source", burned}, exitFine, "1/2 claims supported: grounded"},
		{"half of it, all wanted", "The mill burned in the spring of 1402. The reeve is dead.",
			[]string{"--source", burned, "--max-unverifiable", "0"}, exitFailed, "not grounded, GROUNDING_UNVERIFIABLE"},
		{"no sources", answer, nil, exitUsage, "give --source TEXT or --source-file FILE"},
		{"no text", " \n", []string{"--source", burned}, exitUsage, "text is empty"},
		{"an empty source", answer, []string{"--source", burned, "--source", " "}, exitUsage, "sources[1] is empty"},
		{"no such file", answer, []string{"--source-file", "nowhere.txt"}, exitUsage, "no such file"},
		{"a long text", strings.Repeat("a ", 1<<16), []string{"--source", burned}, exitUsage,
			"at most 65536 are read"},
		{"broken UTF-8", "The mill \xff burned.", []string{"--source", burned}, exitUsage, "not valid UTF-8"},
		{"a ratio above 1", answer, []string{"--source", burned, "--max-unverifiable", "2"}, exitUsage,
			"between 0 and 1"},
		{"a ratio of words", answer, []string{"--source", burned, "--max-unverifiable", "half"}, exitUsage, "half"},
		{"the judge of no mesh", answer, []string{"--source", burned, "--judge"}, exitUsage,
			"--judge asks a running mesh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := s.runWith(c.in, append([]string{"check"}, c.args...)...)
			if c.code == exitUsage {
				r.wants(t, c.code, c.words)
				return
			}
			r.wants(t, c.code)
			if !strings.Contains(r.out, c.words) || r.err != "" {
				t.Errorf("it prints %q and says %q, want %q", r.out, r.err, c.words)
			}
		})
	}
	r := s.runWith(answer, "check", "--source", burned, "--json")
	r.wants(t, exitFine)
	if o := r.object(t); o["grounded"] != true || o["total_claims"] != 1.0 {
		t.Errorf("%v", o)
	}
}
