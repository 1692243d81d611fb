package main

import (
	"fmt"
	"strings"
)

const (
	fence   = "```"
	command = "$ forsooth verify "
)

// answered asks every example of a page again. An example is a line that begins
// with the command, within a code block; what follows it, up to the next one or the
// block's end, is its answer.
func answered(page string, ask func(args []string) (string, error)) (string, error) {
	var out []string
	code, stale := false, false
	for n, line := range strings.Split(page, "\n") {
		switch {
		case strings.HasPrefix(line, fence):
			code, stale = !code, false
		case code && strings.HasPrefix(line, command):
			args, err := words(strings.TrimPrefix(line, "$ forsooth "))
			if err != nil {
				return "", fmt.Errorf("line %d: %w", n+1, err)
			}
			answer, err := ask(args)
			if err != nil {
				return "", fmt.Errorf("line %d: %w", n+1, err)
			}
			if stale {
				out = append(out, "")
			}
			out, stale = append(out, line, strings.TrimRight(answer, "\n")), true
			continue
		case stale:
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n"), nil
}

// words cuts a command at its spaces, but not within double quotes.
func words(s string) ([]string, error) {
	var out []string
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 0 {
			out = append(out, strings.Fields(part)...)
			continue
		}
		out = append(out, part)
	}
	if strings.Count(s, `"`)%2 == 1 {
		return nil, fmt.Errorf("a quotation mark is not closed: %s", s)
	}
	return out, nil
}
