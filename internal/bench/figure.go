package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Figure is a measure beside its bar.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Bar   string  `json:"bar"` // such as "≤ 15", empty where none is set
	Met   *bool   `json:"met,omitempty"`
}

// AtMost is a figure whose bar is an upper bound.
func AtMost(name string, value float64, unit string, bar float64) Figure {
	met := value <= bar
	return Figure{Name: name, Value: value, Unit: unit, Bar: fmt.Sprintf("≤ %g", bar), Met: &met}
}

// AtLeast is a figure whose bar is a lower bound.
func AtLeast(name string, value float64, unit string, bar float64) Figure {
	met := value >= bar
	return Figure{Name: name, Value: value, Unit: unit, Bar: fmt.Sprintf("≥ %g", bar), Met: &met}
}

// Plain is a figure without a bar.
func Plain(name string, value float64, unit string) Figure {
	return Figure{Name: name, Value: value, Unit: unit}
}

// Missed are the names of the figures that did not meet their bar.
func Missed(figures []Figure) []string {
	out := []string{}
	for _, f := range figures {
		if f.Met != nil && !*f.Met {
			out = append(out, f.Name)
		}
	}
	slices.Sort(out)
	return out
}

// Print writes figures for people, one a line, each beside its bar.
func Print(w io.Writer, figures []Figure) error {
	for _, f := range figures {
		mark := ""
		if f.Bar != "" {
			mark = "  " + f.Bar
		}
		if f.Met != nil && !*f.Met {
			mark += "  MISSED"
		}
		if _, err := fmt.Fprintf(w, "  %-32s %12.3f %-8s%s\n", f.Name, f.Value, f.Unit, mark); err != nil {
			return err
		}
	}
	return nil
}

// Measured is what a command with figures prints.
type Measured struct {
	Bench   string   `json:"bench"`
	World   string   `json:"world,omitempty"`
	Figures []Figure `json:"figures"`
	Missed  []string `json:"missed"`
}

// Print writes it as one JSON object, or for people under a heading.
func (m Measured) Print(w io.Writer, asJSON bool, heading string, now time.Time) error {
	m.Missed = Missed(m.Figures)
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(m)
	}
	Heading(w, heading, now)
	return Print(w, m.Figures)
}

// Heading begins what a run prints.
func Heading(w io.Writer, of string, now time.Time) {
	fmt.Fprintf(w, "%s, %s\n\n", strings.TrimSpace(of), now.Format("2006-01-02 15:04"))
}
