package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

type benchSpeechCmd struct {
	From   string `help:"Speeches with labels, one JSON object a line." placeholder:"FILE.jsonl" required:""`
	Judge  string `help:"Judge; recorded: the file's." enum:"none,recorded,lying,coin,failing" default:"none"`
	Policy string `help:"Policy; that of the settings otherwise." enum:",strict,balanced,lively" default:""`
	Prices string `help:"Measure every policy, and write the table into this page." placeholder:"PAGE.md" type:"path"`
}

// Run lets the review judge recorded speeches.
func (c *benchSpeechCmd) Run(e *env) error {
	rows, err := llmtest.ReadSpeechFile(c.From)
	if err != nil {
		return usage(err)
	}
	if c.Prices != "" {
		return c.prices(e, rows)
	}
	out, err := bench.Speech(e.ctx, rows, c.options(e, c.Policy, bench.SpeechJudge(c.Judge)))
	if err != nil {
		return failed(err)
	}
	if e.json {
		return e.printJSON(out)
	}
	c.tell(e, out)
	return nil
}

func (c *benchSpeechCmd) options(e *env, policy string, judge bench.SpeechJudge) bench.SpeechOptions {
	settings := e.grounding()
	if policy != "" {
		settings.Level = grounding.Level(policy)
	}
	return bench.SpeechOptions{Grounding: settings, Judge: judge, Claims: e.settings.Grounding.Judge.Claims}
}

// tell prints one measurement.
func (c *benchSpeechCmd) tell(e *env, out bench.SpeechResult) {
	e.heading("speech")
	fmt.Fprintf(e.out, "  %d speeches, %d of which were heard in part at least\n\n", out.Speeches, out.Heard)
	for _, label := range []string{llmtest.Supported, llmtest.Unsupported, llmtest.NoClaim} {
		s := out.ByLabel[label]
		fmt.Fprintf(e.out, "  %-14s %5d, spoken %5d (%.1f %%)\n", label, s.N, s.Spoken, s.Percent())
	}
	fmt.Fprintf(e.out, "\n  judge calls a turn %.2f, first sentence after %.1f ms\n", out.Calls, out.First)
	if s := out.Skill; s != nil {
		fmt.Fprintf(e.out, "  the judge supports %.0f %% of the true and %.0f %% of the false test pairs; believed: %v\n",
			100*s.Sensitivity, 100*(1-s.Specificity), s.Qualified)
	}
	fmt.Fprintf(e.out, "\n  %-36s %6s %6s\n", "refused", "true", "false")
	for _, r := range out.Refused {
		fmt.Fprintf(e.out, "  %-36s %6d %6d\n", strings.TrimSuffix(r.Cause+", "+r.Rule, ", "), r.True, r.False)
	}
}

// pricesMark encloses the table in a page.
const pricesMark = "<!-- prices -->"

// prices writes what each policy lets through into a page.
func (c *benchSpeechCmd) prices(e *env, rows []llmtest.Speech) error {
	place, err := bench.PlaceIn(c.Prices, pricesMark)
	if err != nil {
		return usage(err)
	}
	var table bytes.Buffer
	table.WriteString("| policy | judge | true sentences spoken | false ones | sentences without a claim | judge " +
		"calls a turn |\n")
	table.WriteString("|---|---|---|---|---|---|\n")
	for _, level := range grounding.Levels {
		for _, judge := range []bench.SpeechJudge{bench.NoJudge, bench.RecordedJudge} {
			out, err := bench.Speech(e.ctx, rows, c.options(e, string(level), judge))
			if err != nil {
				return failed(err)
			}
			percent := func(label string) float64 { return out.ByLabel[label].Percent() }
			fmt.Fprintf(&table, "| `%s` | %s | %.1f %% | %.1f %% | %.1f %% | %.2f |\n", level, judge,
				percent(llmtest.Supported), percent(llmtest.Unsupported), percent(llmtest.NoClaim), out.Calls)
		}
	}
	fmt.Fprint(e.out, "\n"+table.String())
	return failed(place.Write(table.String()))
}
