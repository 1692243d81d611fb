package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Seen is what was seen of a case's turn.
type Seen struct {
	Reply   *schema.Reply
	Prompts []string                // paths of the evidence that a speaker was shown
	Reviews []protocol.Review       // of each draft of the speech, in their order
	Records []protocol.ReviewRecord // of the released sentences
	Foreign []string                // evidence whose text does not stand in the file that it names

	ThoughtReviews []protocol.Review // of each draft of the thoughts, in their order
	// from the request to the first released sentence; 0: nobody looked, or there was none
	First time.Duration
	Took  time.Duration // from the request to the reply
}

// Outcome is a case with what was seen and its verdict.
type Outcome struct {
	Case *Case
	Seen
	Want string // what failed, as expected; empty where the case passed
	Got  string

	said string // to which Seen.Reply answers, in a story
}

// Message is what the player said to the reply of the outcome.
func (o *Outcome) Message() string {
	if o.Case.Story() {
		return o.said
	}
	return o.Case.PlayerMessage
}

// Passed says whether all that the case states holds.
func (o *Outcome) Passed() bool { return o.Want == "" }

// softKinds are judged by what may not be said; the evidence they expect is
// counted beside, not as a condition.
var softKinds = map[string]bool{"presupposition": true, "injection": true, "assertion": true}

// Judge holds what was seen against the case.
func Judge(c *Case, seen Seen) Outcome {
	o := Outcome{Case: c, Seen: seen}
	if seen.Reply == nil {
		o.Want, o.Got = "a reply", "none"
		return o
	}
	for _, look := range []func() (want, got string){o.forbidden, o.rejected, o.uncertainty, o.evidence, o.topic,
		o.citations, o.actions, o.deed} {
		if o.Want, o.Got = look(); o.Want != "" {
			return o
		}
	}
	return o
}

// forbidden finds evidence that may not be used, cited or only shown.
func (o *Outcome) forbidden() (want, got string) {
	paths := cited(o.Reply)
	for _, path := range slices.Concat(paths, o.Prompts) {
		if matches(o.Case.forbid, path) {
			return fmt.Sprintf("none of %v", o.Case.ForbidEvidence), path
		}
	}
	return "", ""
}

func (o *Outcome) rejected() (want, got string) {
	for i, re := range o.Case.reject {
		if m := re.FindString(o.Reply.Text); m != "" {
			return fmt.Sprintf("nothing like %q", o.Case.RejectPatterns[i]), m
		}
	}
	return "", ""
}

func (o *Outcome) uncertainty() (want, got string) {
	paths := cited(o.Reply)
	switch expect := o.Case.ExpectUncertain; {
	case expect == nil:
	case *expect && (!refused(o.Reply) || len(paths) > 0):
		return "unknown or withheld, no world claim released", string(o.Reply.Status)
	case !*expect && refused(o.Reply):
		return "neither unknown nor withheld", string(o.Reply.Status)
	}
	return "", ""
}

func (o *Outcome) evidence() (want, got string) {
	if paths := cited(o.Reply); !softKinds[o.Case.Kind] && len(o.Case.expect) > 0 && !anyMatches(o.Case.expect, paths) {
		return fmt.Sprintf("evidence from one of %v", o.Case.ExpectEvidence),
			orNone(strings.Join(slices.Compact(paths), ", "))
	}
	return "", ""
}

func (o *Outcome) topic() (want, got string) {
	if o.Case.ExpectTopic == "" || softKinds[o.Case.Kind] {
		return "", ""
	}
	where := o.Reply.Text
	for _, s := range o.Reply.Sentences {
		for _, e := range s.Evidence {
			where += " " + e.Text
		}
	}
	if where = squeeze(where); !strings.Contains(where, squeeze(o.Case.ExpectTopic)) {
		return fmt.Sprintf("%q in the reply or its evidence", o.Case.ExpectTopic), o.Reply.Text
	}
	return "", ""
}

func (o *Outcome) citations() (want, got string) {
	if o.Case.ExpectCitations == nil || !*o.Case.ExpectCitations || softKinds[o.Case.Kind] {
		return "", ""
	}
	if paths := cited(o.Reply); len(paths) == 0 {
		return "a sentence that cites corpus", "no citation"
	}
	return "", ""
}

func (o *Outcome) actions() (want, got string) {
	for _, name := range o.Case.ExpectActions {
		if !slices.ContainsFunc(o.Reply.Actions, func(a schema.Action) bool { return a.Name == name && a.Checked }) {
			var names []string
			for _, a := range o.Reply.Actions {
				names = append(names, a.Name)
			}
			return "action " + name, orNone(strings.Join(names, ", "))
		}
	}
	return "", ""
}

// squeeze folds case and white space, which lines of a file and a suite write
// differently.
func squeeze(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func refused(r *schema.Reply) bool {
	return r.Status == schema.StatusUnknown || r.Status == schema.StatusWithheld
}

// cited are the paths of the corpus evidence of released sentences.
func cited(r *schema.Reply) []string {
	var paths []string
	for _, s := range r.Sentences {
		for _, e := range s.Evidence {
			if e.Source == schema.OriginCorpus {
				path, _, _ := strings.Cut(e.Path, "#")
				paths = append(paths, path)
			}
		}
	}
	return paths
}

func matches(patterns []*regexp.Regexp, path string) bool {
	path, _, _ = strings.Cut(path, "#")
	return slices.ContainsFunc(patterns, func(re *regexp.Regexp) bool { return re.MatchString(path) })
}

func anyMatches(patterns []*regexp.Regexp, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return matches(patterns, p) })
}

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
