package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// WriteJSON prints the comparison as one object.
func (c *Comparison) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(c)
}

// WriteTable prints the comparison for a reader: figures first, then the cases.
func (c *Comparison) WriteTable(w io.Writer) {
	fmt.Fprintf(w, "suite %s, two runs; worse is beyond %g (of calls, tokens and cost: that part of them)\n\n", c.Suite,
		c.Tolerance)
	fmt.Fprintf(w, "  %-38s %10s %10s %10s\n", "figure", "old", "new", "change")
	for _, s := range c.Metrics {
		s.write(w)
	}
	for _, s := range c.Times {
		s.write(w)
	}
	c.writeCases(w)
	switch {
	case len(c.Worse) > 0:
		fmt.Fprintf(w, "\n  WORSE: %s\n", strings.Join(c.Worse, ", "))
	default:
		fmt.Fprintln(w, "\n  nothing is worse")
	}
}

func (s Shift) write(w io.Writer) {
	mark := s.Verdict
	if mark == "same" {
		mark = ""
	}
	line := fmt.Sprintf("  %-38s %10s %10s %10s  %s", s.Name, Number(s.Old), Number(s.New), Signed(s.Delta), mark)
	fmt.Fprintln(w, strings.TrimRight(line, " "))
}

func (c *Comparison) writeCases(w io.Writer) {
	count := map[string]int{}
	for _, x := range c.Changed {
		count[x.What]++
	}
	fmt.Fprintf(w, "\n  cases: %d broke, %d mended, %d with another status, %d in other words; %d added, %d removed\n",
		count[ChangedBroke], count[ChangedMended], count[ChangedStatus], count[ChangedReworded], len(c.Added), len(c.Removed))
	for _, x := range c.Changed {
		if x.What == ChangedReworded {
			continue
		}
		fmt.Fprintf(w, "  %s %s (%s)\n    old: %s: %s\n    new: %s: %s\n", strings.ToUpper(x.What), x.Name, x.NPC,
			x.Old.Status, oneLine(x.Old.Reply), x.New.Status, oneLine(x.New.Reply))
	}
}
