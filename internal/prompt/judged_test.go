package prompt_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/prompt"
)

// A verdict counts where it is whole and agrees with itself; any other is no answer,
// for it would be a guess.
func TestJudged(t *testing.T) {
	const good = `{"verdicts":[{"n":1,"kind":"world","verdict":"supported","difference":"","confidence":0.9}]}`
	for _, c := range []struct {
		name   string
		change [2]string
		want   string // "": it counts
	}{
		{"supported", [2]string{}, ""},
		{"contradicted", [2]string{`"supported","difference":""`, `"contradicted","difference":"another year"`}, ""},
		{"unverifiable", [2]string{`"supported","difference":""`, `"unverifiable","difference":"all of it"`}, ""},
		{"blanks are no difference", [2]string{`"difference":""`, `"difference":" \n"`}, ""},
		{"more than was asked", [2]string{`{"n"`, `{"mood":"cheerful","n"`}, ""},
		{"a sentence of its own beside it",
			[2]string{`[{`, `[{"n":9,"kind":"world","verdict":"supported","confidence":1},{`}, ""},
		{"supported with a difference", [2]string{`"difference":""`, `"difference":"another year"`},
			"a difference is named: another year"},
		{"another verdict", [2]string{`"supported"`, `"entailed"`}, `verdict is "entailed"`},
		{"no verdict", [2]string{`"verdict":"supported",`, ``}, `verdict is ""`},
		{"another kind", [2]string{`"world"`, `"fact"`}, `kind is "fact"`},
		{"another sentence", [2]string{`"n":1`, `"n":4`}, "sentence 4 was not asked about"},
		{"more than certain", [2]string{`0.9`, `9`}, "confidence is 9"},
		{"less than nothing", [2]string{`0.9`, `-0.9`}, "confidence is -0.9"},
		{"a word for a number", [2]string{`0.9`, `"high"`}, "judge: "},
		{"cut short", [2]string{`}]}`, ``}, "judge: "},
		{"an empty list", [2]string{good, `{"verdicts":[]}`}, "it holds no verdict"},
		{"a list", [2]string{good, `[]`}, "judge: "},
		{"nothing", [2]string{good, ``}, "judge: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, err := prompt.Judged([]byte(strings.Replace(good, c.change[0], c.change[1], 1)), 2)
			switch {
			case c.want == "" && (err != nil || len(j) != 2 || j[0].N != 1 || j[0].Confidence != 0.9 || j[1].N != 0):
				t.Errorf("%+v, %v", j, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("it says %v, want %q", err, c.want)
			}
		})
	}
}

// A difference goes into traces: it is one line, of a length that a line has.
func TestADifferenceIsOneLine(t *testing.T) {
	j, err := prompt.Judged([]byte(`{"verdicts":[{"n":1,"kind":"world","verdict":"unverifiable","confidence":1`+
		`,"difference":"in\n\tspring\u0000of`+strings.Repeat(" and so on", 1000)+`"}]}`), 1)
	if err != nil || !strings.HasPrefix(j[0].Difference, "in spring of and") || len(j[0].Difference) > 2000 {
		t.Errorf("%+v, %v", j, err)
	}
}

// A judge's call begins as the call of the speech does, so that a server that keeps
// prefixes reads the scene once.
func TestAJudgesCallBeginsAsTheSpeech(t *testing.T) {
	who := prompt.Persona{Name: "Mira", Unknown: "I could not say."}
	scene := func() *prompt.Data { return new(prompt.Data).Section("evidence", "[E1] The mill burned.") }
	speech, err := prompt.Default().Build(prompt.Speech, who, scene())
	if err != nil {
		t.Fatal(err)
	}
	judge, err := prompt.Default().Build(prompt.Judge, who, scene().Numbered([]string{"The mill burned."}))
	if err != nil {
		t.Fatal(err)
	}
	if judge.System != speech.System || !strings.HasPrefix(judge.User, speech.User) ||
		!strings.Contains(judge.User, "1. The mill burned.") {
		t.Errorf("system %.60q, user %q", judge.System, judge.User)
	}
}
