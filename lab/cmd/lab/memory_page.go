package main

import (
	"bytes"
	"fmt"

	"github.com/forsooth-npc/forsooth/lab/trials"
)

// escapesMark encloses the table in a page.
const escapesMark = "<!-- escapes -->"

// escapesTable is what of both sets gets past the guards: of the fabrications each guard
// alone and all in a row, of the attempts to dictate a memory those that were believed.
func escapesTable(found *trials.MemoryResult) string {
	var b bytes.Buffer
	b.WriteString("| verifier | past | alone | behind the guards before it |\n|---|---|---|---|\n")
	for i := range found.Escapes {
		x := &found.Escapes[i]
		for j, r := range x.Alone {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", behind(x.Verifier), r.Guard, inPage(r), inPage(x.Sequence[j]))
		}
		fmt.Fprintf(&b, "| %s | %s | %.1f %%, were they independent | %s |\n", behind(x.Verifier), x.Joint.Guard,
			100*x.Product, inPage(x.Joint))
	}
	b.WriteString("\n| verifier | who extracts | attempts to dictate | kept as said by that player | held for true | " +
		"known to others |\n|---|---|---|---|---|---|\n")
	for _, x := range found.Injected {
		who := "rules"
		if x.Obeying {
			who = "a model that obeys"
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", behind(x.Verifier), who, x.Of, x.Stored, len(x.True),
			len(x.Shared))
	}
	return b.String()
}

// inPage is a rate with its interval.
func inPage(r trials.Rate) string {
	if r.Of == 0 {
		return "none came so far"
	}
	return fmt.Sprintf("%d of %d, %.1f %% (%.1f to %.1f)", r.Escaped, r.Of, 100*r.Rate, 100*r.Low, 100*r.High)
}
