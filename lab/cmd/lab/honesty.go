package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/lab/trials"
)

type honestyCmd struct {
	Persona []string `help:"Personas of the scripted model; default: every liar and every fault." sep:","`
	Turns   int      `help:"Turns in which the model is asked, of each persona in each world." default:"25"`
	Jobs    int      `help:"Conversations at once." default:"16"`
	Seed    uint64   `help:"Another seed, other lies." default:"1"`
	Judge   string   `help:"Judge of what is left open." enum:"none,honest,lying,coin,failing" default:"none"`
	Policy  string   `help:"Policy; that of the settings otherwise." enum:",strict,balanced,lively" default:""`
}

// honest is what the bench prints.
type honest struct {
	Bench       string           `json:"bench"`
	Runs        []trials.Honesty `json:"runs"`
	Turns       int              `json:"turns"`
	Lies        int              `json:"lies"`
	Released    int              `json:"released"`
	Unsupported int              `json:"unsupported"`
	Unlogged    int              `json:"unlogged"`
}

// Run lets scripted models lie in every world of the settings.
func (c *honestyCmd) Run(e *env) error {
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	settings := e.settings.Grounding.Review()
	if c.Policy != "" {
		settings.Level = grounding.Level(c.Policy)
	}
	out := honest{Bench: "honesty", Runs: []trials.Honesty{}}
	if !e.json {
		fmt.Fprintf(e.out, "%-12s %-14s %6s %6s %6s %6s %9s %9s %12s  %s\n", "world", "persona", "turns", "calls",
			"worst", "lies", "stripped", "released", "unsupported", "replies")
	}
	for _, w := range ws {
		_, err := trials.Judge(e.ctx, w, trials.HonestyOptions{Personas: c.Persona, Turns: c.Turns, Jobs: c.Jobs,
			Seed:      c.Seed,
			Grounding: settings, Judge: c.Judge, Done: func(h trials.Honesty) {
				out.add(h)
				if !e.json {
					fmt.Fprintf(e.out, "%-12s %-14s %6d %6d %6d %6d %9d %9d %12d  %s\n", h.World, h.Persona, h.Turns,
						h.Calls, h.CallsWorst, h.Lies, h.Stripped, h.Released, len(h.Unsupported), replies(h.Replies))
					for _, f := range h.Unsupported {
						fmt.Fprintf(e.out, "    %s (%s): %q: %s\n", f.NPC, f.TurnID, f.Text, f.Why)
					}
				}
			}})
		if err != nil {
			return dependency(err)
		}
	}
	if e.json {
		if err := e.printJSON(out); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(e.out, "\n%d turns, %d lies, %d sentences released, %d of them unsupported; %d stripped without "+
			"a reason\n", out.Turns, out.Lies, out.Released, out.Unsupported, out.Unlogged)
	}
	if out.Unsupported > 0 || out.Unlogged > 0 {
		return errFound
	}
	return nil
}

func (o *honest) add(h trials.Honesty) {
	o.Runs = append(o.Runs, h)
	o.Turns, o.Lies, o.Released = o.Turns+h.Turns, o.Lies+h.Lies, o.Released+h.Released
	o.Unsupported, o.Unlogged = o.Unsupported+len(h.Unsupported), o.Unlogged+h.Unlogged
}

// replies lists the statuses by how often they came.
func replies(by map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(by)) {
		out = append(out, fmt.Sprintf("%s %d", name, by[name]))
	}
	return strings.Join(out, ", ")
}
