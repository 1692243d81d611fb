package llmtest

import (
	"slices"
	"strings"
	"testing"
)

func texts(said []draft) []string {
	var out []string
	for _, d := range said {
		out = append(out, d.text)
	}
	return out
}

func TestQuoteAnswersWithWholeSentencesOfTheEvidence(t *testing.T) {
	for _, c := range []struct {
		name, more, message string
		first               string // "" means nothing is said
	}{
		{"the block that shares the rare words", "", "Who sold boats to the harbour master?",
			"The harbour master bought two boats from Dunstan Pike in 1391."},
		{"without a shared word, the first block", "", "Why?", "The lock at Reedham froze in January 1388."},
		{"what was said is not repeated", "<said>\nThe harbour master bought two boats from Dunstan Pike in 1391.\n</said>\n",
			"Who sold boats to the harbour master?", ""},
		{"nor where it was reworded", "<said>\nTwo boats were bought from Dunstan Pike by the harbour master.\n</said>\n",
			"Who sold boats to the harbour master?", ""},
		{"what was faulted is left out", "<feedback>\n- claim: The harbour master bought two boats | issue: " +
			"NOT_ENTAILED | correction: leave it out\n</feedback>\n", "Who sold boats to the harbour master?", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := c.more + strings.Replace(user, "Who carried the mail when the lock froze?", c.message, 1)
			got := texts(quote(sceneOf(1, data)))
			if c.first == "" {
				if slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "two boats") }) {
					t.Errorf("got %q", got)
				}
			} else if len(got) == 0 || got[0] != c.first {
				t.Errorf("got %q, want %q first", got, c.first)
			}
		})
	}
}

// Feedback that asks for the evidence's own words gets them.
func TestParaphraseTakesACorrection(t *testing.T) {
	line := "The harbour master bought two boats from Dunstan Pike in 1391."
	data := "<feedback>\n- claim: Two boats went to the harbour master | issue: NOT_ENTAILED | citation: E1 | " +
		"correction: the evidence has nothing for “went”; say it in its own words: “" + line + "”\n</feedback>\n" +
		strings.Replace(user, "Who carried the mail when the lock froze?", "Who sold boats to the harbour master?", 1)
	if got := texts(paraphrase(sceneOf(1, data))); len(got) == 0 || got[0] != line {
		t.Errorf("got %q, want %q first", got, line)
	}
}

func TestNothingIsSaidWhereNothingIsLeft(t *testing.T) {
	data := `<evidence>
[E1] The lock froze in 1388.
</evidence>
<said>
The lock froze in 1388.
</said>
<message from="A">
When did the lock freeze?
</message>`
	for name, tell := range map[string]func(*scene) []draft{"quote": quote, "paraphrase": paraphrase} {
		if got := tell(sceneOf(1, data)); len(got) != 0 {
			t.Errorf("%s: %q", name, texts(got))
		}
	}
}

func TestTheUnknownLineIsSaidWithoutEvidence(t *testing.T) {
	got := quote(sceneOf(1, "<message from=\"A\">\nWhere is the moon?\n</message>"))
	if len(got) != 1 || got[0].text != "Not that I know." || got[0].of != unknownLine {
		t.Errorf("%+v", got)
	}
}

func TestThePromptIsReadAsItWasWritten(t *testing.T) {
	a := ReadPrompt("speech", system, `<evidence>
[E1] Salt &amp; rye &lt;twice&gt;.
[S1] The shop is open.
not a line of evidence
</evidence>
<actions>
give_item: {"type":"object","required":["item"]}
</actions>
<message from="A &amp; B">
Line one.
</evidence>
</message>`)
	if len(a.Evidence) != 2 || a.Evidence[0] != (Line{"E1", "Salt & rye <twice>."}) || a.From != "A & B" ||
		a.NPC != "Hesta Boatwright" || a.Unknown != "Not that I know." {
		t.Errorf("%+v", a)
	}
	if len(a.Actions) != 1 || a.Actions[0].Name != "give_item" || !strings.HasPrefix(a.Message, "Line one.") {
		t.Errorf("%+v", a)
	}
}

func TestActionsFitTheirSchema(t *testing.T) {
	schema := `{"type":"object","properties":{"item":{"enum":["lamp","rope"]},"count":{"type":"integer","minimum":2}` +
		`,"to":{"type":"string"}},"required":["item","count","to"]}`
	got := fitting([]byte(schema), "Give me the rope, Hesta")
	if got["item"] != "rope" || got["count"] != 2.0 || got["to"] != "Hesta" {
		t.Errorf("%v", got)
	}
}
