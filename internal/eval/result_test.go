package eval

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// citing is a passing answer that cites one block.
func citing(
	t *testing.T, expect string, status schema.Status, id, path string, source schema.Origin, foreign ...string,
) Outcome {
	r := reply(status, "It burned.", path)
	r.Sentences[0].Evidence[0].ChunkID, r.Sentences[0].Evidence[0].Source = id, source
	return outcome(t, "known", expect, 0.9, Seen{Reply: r, Foreign: foreign})
}

func TestTriageListsWhatIsNotCorpus(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Outcome
		why  string
	}{
		{"corpus", citing(t, "expect_topic: burned", schema.StatusExtractive, "lore/mill.txt#1", "lore/mill.txt",
			schema.OriginCorpus), ""},
		{"said by the player", citing(t, "expect_topic: burned", schema.StatusAnswered, "M1", "memory", schema.OriginUser),
			"source is user"},
		{"no source", citing(t, "expect_topic: burned", schema.StatusAnswered, "x", "lore/mill.txt", ""), "source is none"},
		{"a reserved id that calls itself corpus",
			citing(t, "expect_topic: burned", schema.StatusAnswered, "chat:42", "lore/mill.txt", schema.OriginCorpus),
			"reserved"},
		{"a text that the file does not hold", citing(t, "expect_topic: burned", schema.StatusAnswered, "x", "lore/mill.txt",
			schema.OriginCorpus, "lore/mill.txt"), "does not stand"},
		{"it fails anyway", citing(t, "expect_topic: ferry", schema.StatusAnswered, "chat:42", "lore/mill.txt",
			schema.OriginCorpus), ""},
		{"it is refused", citing(t, "expect_uncertain: true", schema.StatusUnknown, "chat:42", "state",
			schema.OriginSystem), ""},
	} {
		got := triage([]Outcome{c.o})
		switch {
		case c.why == "" && len(got) > 0:
			t.Errorf("%s: %+v", c.name, got)
		case c.why != "" && (len(got) != 1 || !strings.Contains(got[0].Why[0], c.why) || len(got[0].IDs) != 1):
			t.Errorf("%s: %+v, want %q", c.name, got, c.why)
		}
	}
}

func TestTriageForAReader(t *testing.T) {
	var none, some bytes.Buffer
	(&Report{}).WriteTriage(&none)
	(&Report{Triage: triage([]Outcome{citing(t, "expect_topic: burned", schema.StatusAnswered, "chat:42", "lore/mill.txt",
		schema.OriginCorpus)})}).WriteTriage(&some)
	if !strings.Contains(none.String(), "corpus alone") {
		t.Errorf("%s", &none)
	}
	for _, want := range []string{"1 passing", "known (known, mira)", "It burned.", "chat:42: its id is reserved"} {
		if !strings.Contains(some.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &some)
		}
	}
}

func TestAResultKeepsWhatOutlivesTheRun(t *testing.T) {
	o := sample(t)[1]
	r := resultOf(&o)
	if !r.Passed || r.Calls != 4 || r.Tokens != 2000 || r.ThoughtAttempts != 2 || r.SpeechAttempts != 2 ||
		r.TookMS != 400 {
		t.Errorf("%+v", r)
	}
	if want := []Cited{{ID: "E1", Path: "lore/mill.txt", Source: schema.OriginCorpus}}; !slices.Equal(r.Cited, want) {
		t.Errorf("cited %v, want %v", r.Cited, want)
	}
	if lost := resultOf(&Outcome{Case: o.Case, Want: "a reply"}); lost.Passed || lost.Cited == nil {
		t.Errorf("%+v", lost)
	}
}
