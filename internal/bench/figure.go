package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
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

// Machine says on what a bench runs, and how busy that was when it began: figures
// without it are worth nothing.
func Machine() string {
	model := runtime.GOARCH
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	load := "unknown"
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		if fields := strings.Fields(string(data)); len(fields) > 0 {
			load = fields[0]
		}
	}
	return fmt.Sprintf("%d cores of %s, load %s", runtime.NumCPU(), model, load)
}

// Place is where a page holds what a command prints: between two equal marks.
type Place struct {
	page  string
	parts [][]byte // before the first mark, between the two, behind the second
	mark  []byte
}

// PlaceIn finds the place before anything long is measured. Without a page it is nil, and
// writes nothing.
func PlaceIn(page, mark string) (*Place, error) {
	if page == "" {
		return nil, nil
	}
	data, err := os.ReadFile(page)
	if err != nil {
		return nil, err
	}
	p := &Place{page, bytes.Split(data, []byte(mark)), []byte(mark)}
	if len(p.parts) != 3 {
		return nil, fmt.Errorf("%s: holds no place for the table; write %s twice, each on a line of its own", page, mark)
	}
	return p, nil
}

// Write puts a table there.
func (p *Place) Write(table string) error {
	if p == nil {
		return nil
	}
	p.parts[1] = []byte("\n" + table)
	return os.WriteFile(p.page, bytes.Join(p.parts, p.mark), 0o644) //nolint:gosec // it is to be read
}
