package main

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/recorded"
)

type benchSpeechCmd struct {
	From string `help:"Speeches with labels, one JSON object a line." placeholder:"FILE.jsonl" required:""`
}

// Run lets the review judge recorded speeches.
func (c *benchSpeechCmd) Run(e *env) error {
	rows, err := recorded.ReadFile(c.From)
	if err != nil {
		return usage(err)
	}
	out, err := bench.Speech(e.ctx, rows, bench.SpeechOptions{Grounding: e.grounding()})
	if err != nil {
		return failed(err)
	}
	if e.json {
		return e.printJSON(out)
	}
	e.heading("speech")
	fmt.Fprintf(e.out, "  %d speeches, %d of which were heard in part at least\n\n", out.Speeches, out.Heard)
	for _, label := range []string{recorded.Supported, recorded.Unsupported, recorded.NoClaim} {
		s := out.ByLabel[label]
		share := 100 * float64(s.Spoken) / float64(max(1, s.N))
		fmt.Fprintf(e.out, "  %-14s %5d, spoken %5d (%.1f %%)\n", label, s.N, s.Spoken, share)
	}
	fmt.Fprintf(e.out, "\n  %-36s %6s %6s\n", "refused", "true", "false")
	for _, r := range out.Refused {
		fmt.Fprintf(e.out, "  %-36s %6d %6d\n", r.Cause, r.True, r.False)
	}
	return nil
}
