package report

import "fmt"

// Pattern is what moves together, and what that points to.
type Pattern struct {
	Name string `json:"name"`
	Seen string `json:"seen"`
	Try  string `json:"try"`
}

// patterns are paper 004's two.
func patterns(figures []Figure, flagsBefore, flagsNow Past, f Flags) []Pattern {
	block, risk := &figures[0], &figures[2]
	var out []Pattern
	if block.Before.Direction == Rising && risk.Before.Direction == Rising {
		out = append(out, Pattern{
			Name: "a topic that the guards do not know",
			Seen: fmt.Sprintf("more is blocked as it is written (%s, before %s), and more replies are a high risk (%s, "+
				"before %s)", block.value(), block.past(), risk.value(), risk.past()),
			Try: "look at what players talk of now that they did not before, and at whether the lore and the memories hold " +
				"anything of it",
		})
	}
	if flagsNow.Direction == Rising && calm(block) && calm(risk) {
		seen := fmt.Sprintf("the scans flag more contradictions (%d, before %s a week), and the other guards are steady",
			flagsNow.Hits, oneDigit(float64(flagsBefore.Hits)/(weeks-1)))
		if risk.State == Off {
			seen = fmt.Sprintf("the scans flag more contradictions (%d, before %s a week), "+
				"Guard 1 is steady, and Guard 3 is off", flagsNow.Hits,
				oneDigit(float64(flagsBefore.Hits)/(weeks-1)))
		}
		try := "see whether predicates.yaml calls the predicates stateful whose values change"
		if len(f.Predicates) > 0 {
			try += "; most of what is open is of " + f.Predicates[0].Name
		}
		out = append(out, Pattern{Name: "changes that are not seen as they are written", Seen: seen, Try: try})
	}
	return out
}

// calm says whether a figure is known to be steady, or its guard is off.
func calm(f *Figure) bool { return f.State == Off || f.Before.Direction == Steady }

// conflicts compares the flags of the scans, of the memories they looked at, with
// those of the weeks before.
func conflicts(list []Week) (before, now Past) {
	for _, w := range list[:weeks-1] {
		before.Hits, before.N = before.Hits+w.Scans.Flagged, before.N+w.Scans.Memories
	}
	last := list[weeks-1].Scans
	now.Hits, now.N = last.Flagged, last.Memories
	const need = 10_000
	if now.N >= need && before.N >= need {
		now.Direction = direction(before.Hits, before.N, now.Hits, now.N)
	}
	return before, now
}
