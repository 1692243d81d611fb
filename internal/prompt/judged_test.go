package prompt_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/prompt"
)

// A judgement counts where it is whole and agrees with itself; any other is an
// error, for it would be a guess.
func TestJudged(t *testing.T) {
	const good = `{"asserts":"a","evidence":"says","difference":"","verdict":"supported","confidence":0.9,"reasoning":"It says so."}`
	for _, c := range []struct {
		name   string
		change [2]string
		want   string // "": it counts
	}{
		{"supported", [2]string{}, ""},
		{"contradicted", [2]string{`"says","difference":"","verdict":"supported"`, `"denies","difference":"another year","verdict":"contradicted"`}, ""},
		{"unverifiable", [2]string{`"says","difference":"","verdict":"supported"`, `"not_mentioned","difference":"all of it","verdict":"unverifiable"`}, ""},
		{"in doubt although the evidence speaks of it", [2]string{`"verdict":"supported"`, `"verdict":"unverifiable"`}, ""},
		{"blanks are no difference", [2]string{`"difference":""`, `"difference":" \n"`}, ""},
		{"more than was asked", [2]string{`{`, `{"mood":"cheerful",`}, ""},
		{"supported by evidence that denies it", [2]string{`"says"`, `"denies"`}, "verdict is supported, but the evidence denies"},
		{"supported by evidence that is silent", [2]string{`"says"`, `"not_mentioned"`}, "but the evidence not_mentioned"},
		{"contradicted by evidence that says it", [2]string{`"verdict":"supported"`, `"verdict":"contradicted"`}, "verdict is contradicted, but the evidence says"},
		{"supported with a difference", [2]string{`"difference":""`, `"difference":"another year"`}, "a difference is named: another year"},
		{"another verdict", [2]string{`"supported"`, `"entailed"`}, `verdict is "entailed"`},
		{"no verdict", [2]string{`"verdict":"supported",`, ``}, `verdict is ""`},
		{"what the evidence does is left out", [2]string{`"evidence":"says",`, ``}, "but the evidence "},
		{"more than certain", [2]string{`0.9`, `9`}, "confidence is 9"},
		{"less than nothing", [2]string{`0.9`, `-0.9`}, "confidence is -0.9"},
		{"a word for a number", [2]string{`0.9`, `"high"`}, "judge: "},
		{"cut short", [2]string{`so."}`, `so`}, "judge: "},
		{"a list", [2]string{good, `[]`}, "judge: "},
		{"nothing", [2]string{good, ``}, "judge: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, err := prompt.Judged([]byte(strings.Replace(good, c.change[0], c.change[1], 1)))
			switch {
			case c.want == "" && (err != nil || j.Reasoning != "It says so." || j.Confidence != 0.9):
				t.Errorf("%+v, %v", j, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("it says %v, want %q", err, c.want)
			}
		})
	}
}

// The reasoning goes into traces: it is one line, of a length that a line has.
func TestAReasoningIsOneLine(t *testing.T) {
	j, err := prompt.Judged([]byte(`{"evidence":"says","verdict":"supported","confidence":1,"reasoning":"It\n\tsays\u0000so.` + strings.Repeat(" and so on", 1000) + `"}`))
	if err != nil || !strings.HasPrefix(j.Reasoning, "It says so. and") || len(j.Reasoning) > 2000 {
		t.Errorf("%d bytes: %.40q, %v", len(j.Reasoning), j.Reasoning, err)
	}
}
