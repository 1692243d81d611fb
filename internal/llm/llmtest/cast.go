package llmtest

import (
	"fmt"
	"strings"
)

// persona is one way to answer.
type persona struct {
	name  string
	fault string               // it fails in this way at every call
	tell  func(*scene) []draft // an honest speech
	lie   func(*scene) draft   // one lie; nil: it has none
}

func (p persona) lies() bool { return p.lie != nil }

// Honest and Liars are the personas' names, beside the faults.
var (
	Honest = []string{"quote", "paraphrase", "recorded"}
	Liars  = []string{"invent-detail", "fake-id", "wrong-claim", "swap", "upgrade", "hedge", "obey", "leak", "promise",
		"gossip", "stage", "mixed"}
)

var liars = map[string]func(*scene) draft{
	"invent-detail": inventedDetail, "fake-id": fakeID, "wrong-claim": wrongClaim, "swap": swapped, "upgrade": upgraded,
	"hedge": hedged,
	"obey":  obeyed, "leak": leaked, "promise": promised, "gossip": gossiped, "stage": staged,
}

func init() { liars["mixed"] = mixed } // mixed itself looks into the table

// reciter is the persona that says what was written down.
const reciter = "recorded"

// castOf reads a list of personas.
func castOf(names string) ([]persona, error) {
	var out []persona
	for _, name := range strings.Split(names, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "quote" || name == "honest":
			out = append(out, persona{name: "quote", tell: quote})
		case name == reciter:
			out = append(out, persona{name: name, tell: quote})
		case name == "paraphrase":
			out = append(out, persona{name: name, tell: paraphrase})
		case name == puppet:
			out = append(out, persona{name: name, tell: ordered})
		case liars[name] != nil:
			p := persona{name: name, tell: quote, lie: liars[name]}
			if name == "fake-id" {
				p.tell = underFakeIDs
			}
			out = append(out, p)
		case isFault(name):
			out = append(out, persona{name: name, fault: name, tell: quote})
		default:
			return nil, fmt.Errorf("persona %q: there is none of this name; there are %s", name,
				strings.Join(append(append(append([]string{}, Honest...), Liars...), Faults...), ", "))
		}
	}
	return out, nil
}

// patience is how many sentences a liar lets stand before it is content.
const patience = 4

// say is the speech of a persona: a liar's holds a lie or two among true
// sentences, so that what is true has to be kept and what is not to be stripped.
func (p persona) say(s *scene) []draft {
	out := p.tell(s)
	if !p.lies() {
		return out
	}
	if len(s.Said) >= patience {
		return nil
	}
	out = out[:min(len(out), s.dice.IntN(maxSaid))]
	for range 1 + s.dice.IntN(4)/3 {
		at := s.dice.IntN(len(out) + 1)
		out = append(out[:at:at], append([]draft{p.lie(s)}, out[at:]...)...)
	}
	return out
}

// mixed tells a lie of any kind.
func mixed(s *scene) draft {
	kinds := Liars[:len(Liars)-1]
	return liars[kinds[s.dice.IntN(len(kinds))]](s)
}
