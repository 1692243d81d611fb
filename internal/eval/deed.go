package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// DeedWant is what an NPC should do about a request: take an action with these
// parameters, ask back, refuse for a reason, or nothing.
type DeedWant struct {
	Action     string         `yaml:"action"`
	Parameters map[string]any `yaml:"parameters"`
	Ask        string         `yaml:"ask"`
	Missing    []string       `yaml:"missing"`
	Refuse     string         `yaml:"refuse"`
	Reason     string         `yaml:"reason"`
	None       bool           `yaml:"none"`
}

// check refuses what cannot be judged.
func (w *DeedWant) check() error {
	n := 0
	for _, given := range []bool{w.Action != "", w.Ask != "", w.Refuse != "", w.None} {
		if given {
			n++
		}
	}
	reasons := []string{schema.RefusedTrust, schema.RefusedRequires, schema.RefusedNotMine}
	switch {
	case n != 1:
		return fmt.Errorf("expect_deed must be one of action, ask, refuse and none: true")
	case w.Refuse != "" && !slices.Contains(reasons, w.Reason):
		return fmt.Errorf("expect_deed: reason %q of a refusal is none of %s", w.Reason, strings.Join(reasons, ", "))
	}
	return nil
}

// unconfirmed begins the reason of an action that passed its check and that no game
// was there to confirm.
const unconfirmed = "the game did not confirm"

// done are the actions that the reply takes, or would with a game behind it.
func done(r *schema.Reply) []schema.Action {
	var out []schema.Action
	for _, a := range r.Actions {
		if a.Name != deed.Trust && (a.Checked || strings.HasPrefix(a.Refused, unconfirmed)) {
			out = append(out, a)
		}
	}
	return out
}

// deed holds what became of the request against the wish.
func (o *Outcome) deed() (want, got string) {
	w := o.Case.ExpectDeed
	if w == nil {
		return "", ""
	}
	taken, d := done(o.Reply), o.Reply.Deed
	got = "nothing"
	switch {
	case len(taken) > 0:
		got = fmt.Sprintf("%s %v", taken[0].Name, taken[0].Parameters)
	case d != nil:
		got = fmt.Sprintf("%s %s %s %v", d.Outcome, d.Action, d.Reason, d.Missing)
	}
	switch {
	case w.Action != "":
		want = fmt.Sprintf("%s %v", w.Action, w.Parameters)
		if len(taken) == 1 && taken[0].Name == w.Action && deed.SameParameters(w.Parameters, taken[0].Parameters) {
			return "", ""
		}
	case w.Ask != "":
		want = "asked " + w.Ask
		if len(taken) == 0 && d != nil && d.Outcome == schema.DeedAsked && d.Action == w.Ask {
			return "", ""
		}
	case w.Refuse != "":
		want = "refused " + w.Refuse + " " + w.Reason
		if len(taken) == 0 && d != nil && d.Outcome == schema.DeedRefused && d.Reason == w.Reason &&
			(d.Action == w.Refuse || w.Reason == schema.RefusedNotMine) {
			return "", ""
		}
	default:
		want = "no deed"
		if len(taken) == 0 && d == nil {
			return "", ""
		}
	}
	return want, got
}

// wrongDeed says whether an action was taken that is not the one that was wanted.
func (o *Outcome) wrongDeed() bool {
	want, _ := o.deed()
	return want != "" && len(done(o.Reply)) > 0
}
