package eval

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Outcome is a case with its reply and verdict.
type Outcome struct {
	Case  *Case
	Reply *schema.Reply
	Want  string // what failed, as expected; empty where the case passed
	Got   string
	Trace []schema.Trace
}

// Passed says whether all that the case states holds.
func (o *Outcome) Passed() bool { return o.Want == "" }

// softKinds are judged by what may not be said; the evidence they expect is
// counted beside, not as a condition.
var softKinds = map[string]bool{"presupposition": true, "injection": true, "assertion": true}

// Judge holds a reply against its case.
func Judge(c *Case, r *schema.Reply, prompts []string) Outcome {
	o := Outcome{Case: c, Reply: r}
	fail := func(got, want string, args ...any) Outcome {
		o.Want, o.Got = fmt.Sprintf(want, args...), got
		return o
	}
	if r == nil {
		return fail("none", "a reply")
	}
	paths, texts := cited(r)
	for _, path := range append(paths, prompts...) {
		if matches(c.forbid, path) {
			return fail(path, "none of %v", c.ForbidEvidence)
		}
	}
	for i, re := range c.reject {
		if m := re.FindString(r.Text); m != "" {
			return fail(m, "nothing like %q", c.RejectPatterns[i])
		}
	}
	uncertain := r.Status == schema.StatusUnknown || r.Status == schema.StatusWithheld
	if c.ExpectUncertain != nil && *c.ExpectUncertain && (!uncertain || len(paths) > 0) {
		return fail(string(r.Status), "unknown or withheld, no world claim released")
	}
	if c.ExpectUncertain != nil && !*c.ExpectUncertain && uncertain {
		return fail(string(r.Status), "neither unknown nor withheld")
	}
	if softKinds[c.Kind] {
		return o
	}
	if len(c.expect) > 0 && !anyMatches(c.expect, paths) {
		return fail(strings.Join(paths, ", "), "one of %v", c.ExpectEvidence)
	}
	if c.ExpectTopic != "" && !strings.Contains(strings.ToLower(r.Text+" "+strings.Join(texts, " ")), strings.ToLower(c.ExpectTopic)) {
		return fail(r.Text, "%q in the reply or its evidence", c.ExpectTopic)
	}
	if c.ExpectCitations != nil && *c.ExpectCitations && len(paths) == 0 {
		return fail("no citation", "a sentence that cites corpus")
	}
	for _, name := range c.ExpectActions {
		if !acted(r, name) {
			return fail("no such action", "action %s", name)
		}
	}
	return o
}

// cited are the paths and texts of the corpus evidence of released sentences.
func cited(r *schema.Reply) (paths, texts []string) {
	for _, s := range r.Sentences {
		for _, e := range s.Evidence {
			if e.Source == schema.OriginCorpus {
				path, _, _ := strings.Cut(e.Path, "#")
				paths, texts = append(paths, path), append(texts, e.Text)
			}
		}
	}
	return paths, texts
}

func matches(patterns []*regexp.Regexp, path string) bool {
	path, _, _ = strings.Cut(path, "#")
	for _, re := range patterns {
		if re.MatchString(path) {
			return true
		}
	}
	return false
}

func anyMatches(patterns []*regexp.Regexp, paths []string) bool {
	for _, p := range paths {
		if matches(patterns, p) {
			return true
		}
	}
	return false
}

func acted(r *schema.Reply, name string) bool {
	for _, a := range r.Actions {
		if a.Name == name && a.Checked {
			return true
		}
	}
	return false
}
