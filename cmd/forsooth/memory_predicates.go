package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/world"
)

type memoryPredicatesCmd struct {
	Own bool `help:"Those of the world's own file alone."`
}

// shownPredicate is a predicate as --json prints it, one a line.
type shownPredicate struct {
	World    string   `json:"world"`
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Stateful bool     `json:"stateful"`
	Days     int      `json:"minimum_days,omitempty"`
	Inverse  string   `json:"inverse,omitempty"`
	Aliases  []string `json:"aliases,omitempty"`
	Own      bool     `json:"own"` // of the world's predicates.yaml
}

// Run prints the predicates of a world, as its folder has them now.
func (c *memoryPredicatesCmd) Run(e *env) error {
	if len(e.settings.World) == 0 {
		e.settings.World = app.Serving(e.settings.Data) // of the process that holds the folder, if any
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	out := tabwriter.NewWriter(e.out, 0, 0, 2, ' ', 0)
	if !e.json {
		fmt.Fprint(out, "world\tpredicate\tkind\tvalues\tfrom\taliases\n")
	}
	for _, w := range ws {
		for _, name := range w.Predicates.Names() {
			p, _ := w.Predicates.Get(name)
			if c.Own && !p.Own() {
				continue
			}
			if !e.json {
				fmt.Fprintln(out, predicateLine(w, &p))
				continue
			}
			if err := e.printJSON(shownPredicate{w.Name, p.Name, string(p.Kind), p.Stateful, p.Days, p.Inverse,
				p.Aliases,
				p.Own()}); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func predicateLine(w *world.World, p *memory.Predicate) string {
	values, from := "several", "shipped"
	if p.Stateful {
		values = "one at a time"
	}
	if p.Days > 0 {
		values += fmt.Sprintf(", changes after %d days", p.Days)
	}
	if p.Own() {
		from = "predicates.yaml"
	}
	return strings.Join([]string{w.Name, p.Name, string(p.Kind), values, from, strings.Join(p.Aliases, ", ")}, "\t")
}
