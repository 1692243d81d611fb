package world

import (
	"cmp"
	"fmt"
	"slices"
)

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
