package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// guards says which guards of memory are on.
func (d *diagnosis) guards() {
	g := d.settings.Guards
	d.add("guards", statusFine, "", "preset %s", cmp.Or(g.Preset, "none"))
	if g.Grounding.Enabled {
		d.add("guard 1", statusFine, "", "on: %s, floor %v%s", g.Grounding.Mode, g.Grounding.Floor,
			map[bool]string{true: ", shadow: what would be dropped is kept flagged"}[g.Grounding.Shadow])
	} else {
		d.add("guard 1", statusNote, "set guards.grounding.enabled to true",
			"off: no memory is written, for none would be grounded")
	}
	if g.Consistency.Enabled {
		d.add("guard 2", statusFine, "", "on: %s, %s", g.Consistency.Schedule, g.Consistency.Zone)
	} else {
		d.add("guard 2", statusNote, "set guards.consistency_scan.enabled to true",
			"off: what contradicts is found by forsooth memory scan alone")
	}
	if f := g.Faithfulness; f.Correct && (!f.Enabled || f.Model == "") {
		d.add("guards", statusNote, "set guards.faithfulness.enabled to true and "+
			"scorer_model to rules, inprocess, sidecar or llm",
			"guards.faithfulness.correct is true, and nothing is said of it: no second opinion is asked")
	}
	if f := g.Faithfulness; f.Enabled {
		d.add("guard 3", statusFine, "", "on: %s, medium %v, high %v%s", f.Policy, f.Risk.Medium, f.Risk.High,
			map[bool]string{true: "; replies do not stream"}[g.Holds()])
	} else {
		d.add("guard 3", statusFine, "", "off: replies are not scored; what nothing supports is not said either way")
	}
	for _, m := range []struct{ key, model string }{
		{"grounding.verifier_model", g.Grounding.VerifierModel}, {"consistency_scan.judge_model", g.Consistency.JudgeModel},
		{"faithfulness.scorer_model", g.Faithfulness.Model},
	} {
		switch c := guards.Choose(m.model); {
		case c.Tier == "":
		case m.key == "faithfulness.scorer_model" && !g.Faithfulness.Enabled:
			d.add("guards", statusNote, "set guards.faithfulness.enabled to true, or take guards."+m.key+" out",
				"guards.%s is %s, and guard 3 is off: nobody is asked", m.key, m.model)
		case c.Tier == guards.TierLLM:
			d.add("guards", statusFine, "", "guards.%s: the language model%s is asked", m.key,
				map[bool]string{true: " " + c.Name}[c.Name != ""])
		default:
			d.add("guards", statusFine, "", "guards.%s: %s", m.key, c.Tier)
		}
	}
}

// GuardsDiff is what `doctor --guards-diff` says.
type GuardsDiff struct {
	From       string          `json:"from"`
	To         string          `json:"to"`
	Settings   []guards.Change `json:"settings"`
	Since      time.Time       `json:"since"`
	Candidates Otherwise       `json:"candidates"` // of Guard 1
	Replies    Otherwise       `json:"replies"`    // that Guard 3 scored
	Note       string          `json:"note,omitempty"`
}

// Otherwise is what would have gone otherwise.
type Otherwise struct {
	Of      int    `json:"of"`
	Changed int    `json:"changed"`
	Moves   []Move `json:"moves"` // most frequent first
}

// Move is from what to what.
type Move struct {
	From     string   `json:"from"`
	To       string   `json:"to"`
	N        int      `json:"n"`
	Examples []string `json:"examples"`
}

// maxExamples is how many examples a move has.
const maxExamples = 3

func (o *Otherwise) add(from, to, example string) {
	o.Of++
	if from == to {
		return
	}
	o.Changed++
	i := slices.IndexFunc(o.Moves, func(m Move) bool { return m.From == from && m.To == to })
	if i < 0 {
		o.Moves, i = append(o.Moves, Move{From: from, To: to}), len(o.Moves)
	}
	m := &o.Moves[i]
	if m.N++; len(m.Examples) < maxExamples && !slices.Contains(m.Examples, example) {
		m.Examples = append(m.Examples, example)
	}
}

const lastWeek = 7 * 24 * time.Hour

// guardsDiff compares two settings by what they say and by what they would have done.
func (e *env) guardsDiff(from, to string) error {
	a, err := namedGuards(from)
	if err != nil {
		return usage(err)
	}
	b, err := namedGuards(to)
	if err != nil {
		return usage(err)
	}
	d := GuardsDiff{From: from, To: to, Settings: guards.Diff(a, b), Since: time.Now().Add(-lastWeek).UTC(),
		Candidates: Otherwise{Moves: []Move{}}, Replies: Otherwise{Moves: []Move{}}}
	if d.Settings == nil {
		d.Settings = []guards.Change{}
	}
	if err := e.would(&d, a, b); err != nil {
		return err
	}
	for _, o := range []*Otherwise{&d.Candidates, &d.Replies} {
		slices.SortStableFunc(o.Moves, func(x, y Move) int { return cmp.Compare(y.N, x.N) })
	}
	if e.json {
		return e.printJSON(d)
	}
	return e.printGuardsDiff(&d)
}

// namedGuards reads a file with the section, or takes a preset by its name.
func namedGuards(name string) (guards.Settings, error) {
	if name == "default" || slices.Contains(guards.Presets(), name) {
		return guards.Preset(strings.TrimPrefix(name, "default"))
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return guards.Settings{}, fmt.Errorf("%w; name a file with a guards: section, default, or %s", err,
			strings.Join(guards.Presets(), ", "))
	}
	return guards.Load(name, data)
}

// would reads the last week. Where nothing is kept yet, it says so.
func (e *env) would(d *GuardsDiff, a, b guards.Settings) error {
	address, err := e.running()
	if err != nil {
		return err
	}
	if address == "" && !app.IsFolder(natsFolder(e.settings.Data)) {
		d.Note = "nothing is kept in " + e.settings.Data + " yet, so there is no candidate to compare"
		return nil
	}
	return e.joining(func(t *talk) error {
		kept, err := memory.ReadAll(e.ctx, t.client.MemoryLog(), "", "")
		if err != nil {
			return dependency(err)
		}
		for i := range kept.Events {
			x := &kept.Events[i]
			from, ok := fateUnder(a, x)
			if !ok || x.At.Before(d.Since) {
				continue
			}
			to, _ := fateUnder(b, x)
			d.Candidates.add(from, to, fmt.Sprintf("%s of %s: %s (%s, confidence %.2f)", x.NPC, cmp.Or(x.Player, "nobody"),
				x.Memory.Content, x.Verdict.Label, x.Memory.Confidence))
		}
		return dependency(t.client.Week(e.ctx, "", func(r *schema.Reply, at time.Time) {
			if f := r.Faithfulness; f != nil && !at.Before(d.Since) {
				d.Replies.add(stepUnder(a, f), stepUnder(b, f), fmt.Sprintf("turn %s: %d of %d claims supported, %d critical "+
					"without", r.TurnID, f.Supported, f.Claims, f.Critical))
			}
		}))
	})
}

// fateUnder is what becomes of a candidate, in a word.
func fateUnder(s guards.Settings, x *schema.MemoryEvent) (string, bool) {
	fate, known, ok := write.Would(app.WriteSettings(s), x)
	switch {
	case !ok:
		return "", false
	case !s.Grounding.Enabled:
		return "not written", true
	case !known:
		return "judged", true
	}
	return map[write.Fate]string{write.Store: "stored", write.Flag: "kept flagged", write.Drop: "dropped",
		write.Wait: "waiting"}[fate], true
}

// stepUnder is what becomes of a reply, in a word.
func stepUnder(s guards.Settings, f *schema.Faithfulness) string {
	if !s.Faithfulness.Enabled {
		return "not scored"
	}
	return string(faithful.Next(s.Faithfulness.Policy, faithful.Again(f, s.Faithfulness.Risk)))
}

func (e *env) printGuardsDiff(d *GuardsDiff) error {
	var b strings.Builder
	fmt.Fprintf(&b, "settings of %s that are otherwise in %s: %d\n", d.From, d.To, len(d.Settings))
	for _, c := range d.Settings {
		fmt.Fprintf(&b, "  %s\n", c)
	}
	if d.Note != "" {
		fmt.Fprintln(&b, d.Note)
	} else {
		d.Candidates.print(&b, "candidates for memories", d.To)
		d.Replies.print(&b, "replies that were scored", d.To)
	}
	_, err := fmt.Fprint(e.out, b.String())
	return err
}

func (o *Otherwise) print(b *strings.Builder, what, to string) {
	fmt.Fprintf(b, "%s in the last week: %d, of which %d would have gone otherwise under %s\n", what, o.Of, o.Changed, to)
	for _, m := range o.Moves {
		fmt.Fprintf(b, "  %s → %s: %d\n", m.From, m.To, m.N)
		for _, x := range m.Examples {
			fmt.Fprintf(b, "    %s\n", x)
		}
	}
}
