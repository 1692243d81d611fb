package world

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// Reject is the provenance filter's judgement of a chunk's id and text: why it
// would never be evidence.
type Reject func(protocol.Chunk) (reason string, rejected bool)

// Lint adds to the problems of loading what only the whole world shows: audiences
// that are nobody, documents that no NPC can reach, near-duplicates, and text
// that the provenance filter would reject. All of these are warnings. A nil
// reject rejects nothing.
func Lint(w *World, problems []Problem, reject Reject) []Problem {
	out := append([]Problem(nil), problems...)
	if len(w.NPCs) == 0 {
		out = append(out, warning(frameFile, 0, "the world has no NPC; add npcs/<handle>/%s", npcFile))
	}
	for _, d := range w.Documents {
		if d.Fragment == "" {
			out = append(out, w.lintAudience(d)...)
			out = append(out, lintMarkup(d)...)
		}
		if reject != nil {
			out = append(out, w.lintProvenance(d, reject)...)
		}
	}
	for _, handle := range w.Handles() {
		out = append(out, lintSecrets(w.NPCs[handle])...)
		out = append(out, w.relationsOf(w.NPCs[handle])...)
		out = append(out, w.lintBeginnings(w.NPCs[handle])...)
	}
	out = append(out, w.lintLeads()...)
	out = append(out, w.lintDuplicates()...)
	return sortProblems(out)
}

func warning(file string, line int, format string, args ...any) Problem {
	return Problem{Severity: SeverityWarning, File: file, Line: line, Message: fmt.Sprintf(format, args...)}
}

// lintAudience names entries of known_by that mean nobody, and a document that
// nobody may know.
func (w *World) lintAudience(d *Document) []Problem {
	var out []Problem
	companion := d.Path + companionSuffix
	for _, who := range d.KnownBy {
		if who != everyone && !w.anyone(func(n *NPC) bool { return n.isMeant(who) }) {
			out = append(out, warning(companion, d.knownByLine,
				"`known_by` lists %q, which means no NPC of this world%s", who, w.hint(who)))
		}
	}
	if !w.anyone(func(n *NPC) bool { return w.InScope(d, n) }) {
		out = append(out, warning(d.Path, 0, "no NPC can know this; mend `known_by` in its companion"))
	}
	return out
}

func (w *World) anyone(is func(*NPC) bool) bool {
	for _, n := range w.NPCs {
		if is(n) {
			return true
		}
	}
	return false
}

// hint is the handle that a misspelt one may mean.
func (w *World) hint(who string) string {
	if near := nearest(who, w.Handles()); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

func (w *World) lintProvenance(d *Document, reject Reject) []Problem {
	var out []Problem
	for i, c := range w.chunksOf(d) {
		if reason, rejected := reject(c); rejected {
			out = append(out, warning(d.Path, d.Passages[i].Line, "this passage is never evidence (%s): %s", reason,
				clip(c.Text)))
		}
	}
	return out
}

var inlineMarkup = regexp.MustCompile("\\*\\*\\S|__\\S|`\\S|\\]\\(|</?[a-zA-Z]+>")

// lintMarkup names the first passage with markup, which would be spoken as it
// stands.
func lintMarkup(d *Document) []Problem {
	for _, p := range d.Passages {
		if strings.HasSuffix(d.Path, ".md") && inlineMarkup.MatchString(p.Text) {
			return []Problem{warning(d.Path, p.Line, "markup inside a sentence is spoken as it stands; write it "+
				"plainly: %s", clip(p.Text))}
		}
	}
	return nil
}

func lintSecrets(n *NPC) []Problem {
	var out []Problem
	for _, s := range n.Secrets {
		if s.Requires == "" {
			out = append(out, warning(n.Path, s.Line, "this secret has no `requires` and is never told; add one "+
				"such as `trust >= 50`, or leave it so"))
		}
	}
	return out
}

// lintLeads names the authored lines beside an answer that assert something: an NPC says
// them to anybody, before or after whatever it knows, and nothing verifies them.
func (w *World) lintLeads() []Problem {
	var out []Problem
	var names map[string]bool
	for _, handle := range w.Handles() {
		n := w.NPCs[handle]
		out = append(out, n.lintDeedLines()...)
		for _, kind := range []string{LineUnsure, LineDoubt} {
			lines := n.ownLines(kind)
			if len(lines) > 0 && names == nil {
				names = w.nameWords()
			}
			for _, line := range lines {
				out = append(out, lintLead(n, kind, line, names)...)
			}
		}
	}
	return out
}

// ownLines are an NPC's lines of a kind in all its languages.
func (n *NPC) ownLines(kind string) []string {
	out := slices.Clone(n.Lines[kind])
	for _, locale := range slices.Sorted(maps.Keys(n.LocaleLines)) {
		out = append(out, n.LocaleLines[locale][kind]...)
	}
	return out
}

func lintLead(n *NPC, kind, line string, names map[string]bool) []Problem {
	what := touchesName(line, names)
	if i := strings.IndexFunc(line, unicode.IsDigit); i >= 0 {
		what, _, _ = strings.Cut(line[i:], " ")
	}
	where := map[string]string{LineUnsure: "before", LineDoubt: "after"}[kind]
	switch {
	case what != "":
		return []Problem{warning(n.Path, 0, "`lines.%s` states something (%s), and an NPC says it "+
			"%s whatever it knows; take that out of %q", kind, what, where, line)}
	case kind == LineDoubt && len(text.SentenceSpans(line)) > 1:
		return []Problem{warning(n.Path, 0, "`lines.doubt` is more than one sentence: what stands beside the doubt is "+
			"said of any reply; write %q as one", line)}
	}
	return nil
}

// lintDeedLines names the lines to a request that promise or state something: they are
// said to anybody who asks, and nothing verifies them. A question asks, and states nothing.
func (n *NPC) lintDeedLines() []Problem {
	var out []Problem
	for _, a := range n.Actions {
		for _, s := range a.Asks {
			if !strings.HasSuffix(strings.TrimSpace(s), "?") {
				out = append(out, warning(n.Path, 0, "`asks` of %s must ask, and %q is no question; end it with a question mark",
					a.Name, s))
			}
		}
	}
	all := []Lines{n.Lines}
	for _, locale := range slices.Sorted(maps.Keys(n.LocaleLines)) {
		all = append(all, n.LocaleLines[locale])
	}
	for _, lines := range all {
		for _, kind := range DeedLines {
			for _, s := range lines[kind] {
				if i := strings.IndexFunc(s, unicode.IsDigit); i >= 0 {
					out = append(out, warning(n.Path, 0, "`lines.%s` states something (%s), and an NPC says it to anybody; take "+
						"that out of %q", kind, strings.Fields(s[i:])[0], s))
				}
			}
		}
	}
	return out
}

const (
	// nearDuplicate is the share of runs of words that two documents have in
	// common from which lint speaks of it.
	nearDuplicate = 0.9
	// commonRun is how many documents a run of words may stand in before it says
	// nothing about two of them; it bounds the pairs compared.
	commonRun = 24
	runLength = 3
)

// lintDuplicates names documents that say nearly the same. Two NPCs may well
// hold the same note: documents of different owners are not compared.
func (w *World) lintDuplicates() []Problem {
	var out []Problem
	runs := make([]map[uint64]bool, len(w.Documents))
	holders := map[uint64][]int{}
	seed := maphash.MakeSeed()
	for i, d := range w.Documents {
		if d.Fragment != "" {
			continue
		}
		runs[i] = runsOf(seed, d.Text())
		shared := map[int]bool{}
		for run := range runs[i] {
			if at := holders[run]; len(at) < commonRun {
				for _, j := range at {
					shared[j] = true
				}
				holders[run] = append(at, i)
			}
		}
		for j := range i {
			other := w.Documents[j]
			if shared[j] && other.NPC == d.NPC && similarity(runs[i], runs[j]) >= nearDuplicate {
				out = append(out, warning(d.Path, 0, "says nearly the same as %s; keep one of them", other.Path))
				break
			}
		}
	}
	return out
}

// runsOf are the runs of words of a text; a text shorter than a run is one.
func runsOf(seed maphash.Seed, s string) map[uint64]bool {
	words := text.Words(s)
	out := map[uint64]bool{}
	if len(words) > 0 && len(words) < runLength {
		out[maphash.String(seed, strings.Join(words, " "))] = true
	}
	for i := 0; i+runLength <= len(words); i++ {
		out[maphash.String(seed, strings.Join(words[i:i+runLength], " "))] = true
	}
	return out
}

// similarity is the Jaccard index.
func similarity(a, b map[uint64]bool) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	common := 0
	for run := range a {
		if b[run] {
			common++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// Severity says how much a problem costs.
type Severity string

// The severities of a problem. A file with an error is never citable; a warning
// changes nothing.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is one thing wrong with a world: what, where, and how to mend it.
type Problem struct {
	Severity Severity `json:"severity"`
	File     string   `json:"file"` // relative to the world's root
	Line     int      `json:"line,omitempty"`
	Message  string   `json:"message"`
}

func (p Problem) String() string {
	if p.Line > 0 {
		return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Severity, p.Message)
	}
	return fmt.Sprintf("%s: %s: %s", p.File, p.Severity, p.Message)
}

// Errors are the problems that are errors.
func Errors(problems []Problem) []Problem {
	var out []Problem
	for _, p := range problems {
		if p.Severity == SeverityError {
			out = append(out, p)
		}
	}
	return out
}

// log collects the problems of one file.
type log struct {
	file     string
	problems []Problem
	failed   bool // the file as a whole cannot be used
}

func (l *log) errorf(line int, format string, args ...any) {
	l.failed = true
	l.add(SeverityError, line, format, args...)
}

func (l *log) warnf(line int, format string, args ...any) {
	l.add(SeverityWarning, line, format, args...)
}

func (l *log) add(s Severity, line int, format string, args ...any) {
	l.problems = append(l.problems, Problem{Severity: s, File: l.file, Line: line, Message: fmt.Sprintf(format, args...)})
}

// refusef is an error of one entry, which is left out while the file stands.
func (l *log) refusef(line int, format string, args ...any) {
	l.add(SeverityError, line, format, args...)
}

// sortProblems puts problems in the order of files and lines, each once.
func sortProblems(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Severity, b.Severity), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(problems)
}
