package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/console"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Comparison is a stored turn beside its replay.
type Comparison struct {
	TurnID  string         `json:"turn_id"`
	NPC     string         `json:"npc"`
	Message string         `json:"message"`
	Changed []string       `json:"changed"` // of status, reason, sentences, evidence, actions, stripped
	Old     console.Answer `json:"old"`
	New     console.Answer `json:"new"`

	Change    Change         `json:"change"`              // what was to be otherwise
	Exchanges []llm.Exchange `json:"exchanges,omitempty"` // what models were asked in the replay, and answered
}

// Compare holds the reply of a replay against the one that the player heard.
func Compare(t *protocol.Turn, old, now *schema.Reply) *Comparison {
	c := &Comparison{TurnID: t.TurnID, NPC: t.NPC, Message: t.Message, Changed: []string{}, Old: console.Shown(old),
		New: console.Shown(now)}
	for _, part := range []struct {
		name string
		of   func(console.Answer) []string
	}{
		{"status", func(a console.Answer) []string { return []string{string(a.Status)} }},
		{"reason", func(a console.Answer) []string { return []string{a.Reason} }},
		{"sentences", texts}, {"evidence", paths}, {"actions", deeds}, {"stripped", stripped},
	} {
		if !slices.Equal(part.of(c.Old), part.of(c.New)) {
			c.Changed = append(c.Changed, part.name)
		}
	}
	return c
}

func texts(a console.Answer) []string {
	var out []string
	for _, s := range a.Sentences {
		out = append(out, s.Text)
	}
	return out
}

// paths are the documents cited, with the words that were cited of each: ids are
// given anew with each search.
func paths(a console.Answer) []string {
	var out []string
	for _, s := range a.Sentences {
		for _, e := range s.Evidence {
			out = append(out, e.Path+": "+e.Text)
		}
	}
	return out
}

func deeds(a console.Answer) []string {
	var out []string
	for _, x := range a.Actions {
		out = append(out, fmt.Sprintf("%s %v", x.Name, x.Checked))
	}
	return out
}

func stripped(a console.Answer) []string {
	var out []string
	for _, s := range a.Stripped {
		out = append(out, fmt.Sprintf("%s: %s", s.Issue.Type, s.Text))
	}
	return out
}

// Write prints both sides for a reader.
func (c *Comparison) Write(w io.Writer) {
	fmt.Fprintf(w, "turn %s, to %s: %s\n", c.TurnID, c.NPC, oneLine(c.Message))
	writeSide(w, "then", c.Old)
	writeSide(w, "now", c.New)
	fmt.Fprintf(w, "\n  %-16s %10s %10s   %8s %8s   %8s %8s\n", "pass", "then ms", "now ms", "tokens", "tokens", "calls",
		"calls")
	old, now := sums(c.Old.Passes), sums(c.New.Passes)
	for _, pass := range protocol.Passes {
		writeCost(w, string(pass), old[pass], now[pass])
	}
	writeCost(w, "all", total(old), total(now))
	if len(c.Changed) == 0 {
		fmt.Fprintln(w, "\n  the same answer")
		return
	}
	fmt.Fprintf(w, "\n  changed: %s\n", strings.Join(c.Changed, ", "))
}

func writeSide(w io.Writer, when string, a console.Answer) {
	fmt.Fprintf(w, "\n  %s: %s", when, a.Status)
	if a.Reason != "" {
		fmt.Fprintf(w, " (%s)", a.Reason)
	}
	fmt.Fprintln(w)
	for _, s := range a.Sentences {
		fmt.Fprintf(w, "    %s\n", s.Text)
		for _, e := range s.Evidence {
			fmt.Fprintf(w, "        [%s] %s: %s\n", e.ID, schema.Place(e.Path, e.Page), oneLine(e.Text))
		}
	}
	for _, x := range stripped(a) {
		fmt.Fprintf(w, "    stripped, %s\n", oneLine(x))
	}
	for _, x := range a.Actions {
		fmt.Fprintf(w, "    action %s, checked %v\n", x.Name, x.Checked)
	}
}

// sum is what all runs of a pass took.
type sum struct {
	runs, tokens, calls int
	ms                  float64
}

func sums(records []schema.PassRecord) map[schema.Pass]sum {
	out := map[schema.Pass]sum{}
	for _, r := range records {
		s := out[r.Pass]
		out[r.Pass] = sum{s.runs + 1, s.tokens + r.Tokens, s.calls + r.LLMCalls, s.ms + r.TookMS}
	}
	return out
}

func total(all map[schema.Pass]sum) sum {
	var t sum
	for _, s := range all {
		t = sum{t.runs + s.runs, t.tokens + s.tokens, t.calls + s.calls, t.ms + s.ms}
	}
	return t
}

func writeCost(w io.Writer, name string, old, now sum) {
	if old.runs+now.runs > 0 {
		fmt.Fprintf(w, "  %-16s %10.2f %10.2f   %8d %8d   %8d %8d\n", name, old.ms, now.ms, old.tokens, now.tokens, old.calls,
			now.calls)
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
