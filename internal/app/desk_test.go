package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/consistency"
)

// A scan at the desk asks the language model that it is given of what stays unclear, as
// judge_model has it, and none where it is given none.
func TestTheDeskAsksTheJudgeThatItIsGiven(t *testing.T) {
	tb := sit(t)
	tb.say("mira", "p1", "Ansel", "I have a dog.", dayOne)
	tb.say("mira", "p1", "Ansel", "I own a black dog.", dayOne.AddDate(0, 0, 4))
	server, url := judgingServer(t, `{"verdict":"EQUIVALENT","reasoning":"One dog."}`)
	for _, c := range []struct {
		name, word string
		given, off bool
		verdict    scan.Verdict
		asked      []string
		refused    string
	}{
		{name: "none is given", word: "llm", verdict: scan.Unclear},
		{name: "the model of the calls", given: true, verdict: scan.Equivalent, asked: []string{"large"}},
		{name: "by its name", word: "small-1", given: true, verdict: scan.Equivalent, asked: []string{"small-1"}},
		{name: "none is to be asked", word: "rules", given: true, refused: "judge_model is rules"},
		{name: "the switch is off", given: true, off: true, refused: "forsooth llm on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := guards.Default()
			g.Consistency.JudgeModel = c.word
			o := app.Options{Worlds: []*world.World{village(t)}, Data: tb.dir, Guards: &g,
				Verifying: app.Verifying{NoModel: true}}
			if c.given {
				o.LLM, o.Judge = llm.Config{Primary: llm.Provider{URL: url, Model: "large"}}, true
			}
			if c.off {
				must(t, tb.app.Client.SetFlag(t.Context(), app.FlagLLM, mesh.FlagOff))
			}
			before := len(server.asked())
			d, err := app.OpenDesk(t.Context(), o, tb.app.Client, false)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("it says %v", err)
				}
				return
			}
			must(t, err)
			defer d.Close()
			run, err := d.Scan.Scan(t.Context(), "village", consistency.Asked{DryRun: true})
			if err != nil || run.Report.Verdicts[c.verdict] != 1 || run.Report.Calls != len(c.asked) {
				t.Errorf("%+v, %v", run.Report, err)
			}
			if asked := server.asked()[before:]; !slices.Equal(asked, c.asked) {
				t.Errorf("asked are %q", asked)
			}
		})
	}
}
