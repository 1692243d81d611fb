package extractive_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Of sentences that tell of one thing in several cases, the one is said that names the case of the question, also
// where a reader finds another likelier.
func TestTheCaseThatIsAskedAboutIsTold(t *testing.T) {
	gates := block("E1", .9, "In winter the gates of the town shut at six in the evening. "+
		"In summer the gates of the town shut at ten in the evening.")
	rules := []protocol.Evidence{
		block("E1", .9, "Rule five of the crew: never write down a password."),
		block("E2", .5, "Rule one of the crew: never give out a real name."),
	}
	for i := range rules {
		rules[i].Path = "lore/rules.txt"
	}
	first := func(_ string, sentences []string) []float64 { // likes the wrong one
		out := make([]float64, len(sentences))
		for i, s := range sentences {
			if strings.Contains(s, "winter") || strings.Contains(s, "five") {
				out[i] = 0.99
			}
		}
		return out
	}
	for question, c := range map[string]struct {
		evidence []protocol.Evidence
		want     string
	}{
		"when do the gates shut in summer?":    {[]protocol.Evidence{gates}, "at ten"},
		"when do the gates shut in winter?":    {[]protocol.Evidence{gates}, "at six"},
		"what is rule one?":                    {rules, "real name"},
		"and rule 5? I mean five of the crew.": {rules, "password"},
	} {
		said := said(extractive.Answer(extractive.Input{Question: question, Class: protocol.ClassMedium, Person: mira,
			Reads: first, Evidence: c.evidence}))
		if len(said) == 0 || !strings.Contains(said[0], c.want) {
			t.Errorf("%s: said %q, want first what holds %q", question, said, c.want)
		}
	}
}
