package grounding

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// heard is a reader that takes certain sentences for no claims.
type heard struct {
	remarks []string
	err     error
}

func (h heard) Read(_ context.Context, sentences []entail.Sentence) ([]entail.Reading, error) {
	out := make([]entail.Reading, len(sentences))
	for i, s := range sentences {
		out[i] = entail.Reading{World: 0.99, Social: 0.01}
		if slices.Contains(h.remarks, s.Text) {
			out[i] = entail.Reading{World: 0.02, Social: 0.98}
		}
	}
	return out, h.err
}

const burned = "The mill burned in spring."

// What only talks about the answer claims nothing where a trained head says so. A name, a
// figure, and a head that fails make it a claim again.
func TestRemarksAboutTheAnswerAreNoClaims(t *testing.T) {
	for _, c := range []struct {
		name, text string
		err        error
		total      int
	}{
		{"a remark", burned + " Let me know if you have any other questions.", nil, 1},
		{"the reader fails", burned + " Let me know if you have any other questions.", errors.New("broken"), 2},
		{"with a name", burned + " Let me know if Bram comes back.", nil, 2},
		{"with a figure", burned + " Feel free to take 40 sacks.", nil, 2},
		{"a claim", burned + " The reeve wept over it.", nil, 2},
		{"an announcement", "Here's what I found:\n" + burned, nil, 1},
		{"an announcement that presumes", "Here's why the reeve burned it:\n" + burned, nil, 2},
		{"an announcement of a name", "Here is the letter of Bram:\n" + burned, nil, 2},
		{"a list", "- " + burned + "\n- " + burned + "\n2. " + burned, nil, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := Checker{Verifier: entail.NewRules(), Reader: heard{err: c.err, remarks: []string{
				"Let me know if you have any other questions.", "Let me know if Bram comes back.",
				"Feel free to take 40 sacks."}}}
			out, err := k.Check(t.Context(), schema.CheckQuery{Text: c.text, Sources: sources(burned)})
			if err != nil || out.Total != c.total {
				t.Errorf("%v, %+v", err, out)
			}
		})
	}
}

// opinion is a judge that says one thing of every claim.
type opinion struct {
	skilled bool
	verdict schema.Verdict
	err     error
	asked   chan string
}

func (o *opinion) Qualified(context.Context) bool { return o.skilled }

func (o *opinion) Again(_ context.Context, _ []string, claim string, _ schema.Verdict) (schema.Verdict, error) {
	o.asked <- claim
	return o.verdict, o.err
}

// A judge is asked where the query wants it, about what the verifier leaves open, and is
// believed where it has shown skill.
func TestAJudgeLooksAtOpenClaims(t *testing.T) {
	yes := schema.Verdict{Label: schema.Supported, Score: 0.95, Tier: entail.TierJudge}
	const open = "The reeve wept over the ashes."
	for _, c := range []struct {
		name, text string
		want       bool
		judge      *opinion
		use        schema.JudgeUse
		supported  int
		asked      int
	}{
		{"not wanted", open, false, &opinion{skilled: true, verdict: yes}, "", 0, 0},
		{"wanted", open, true, &opinion{skilled: true, verdict: yes}, schema.JudgeAsked, 1, 1},
		{"decided already", burned, true, &opinion{skilled: true, verdict: yes}, schema.JudgeNotNeeded, 1, 0},
		{"without skill", open, true, &opinion{verdict: yes}, schema.JudgeNone, 0, 0},
		{"mute", open, true, &opinion{skilled: true, err: errors.New("away")}, schema.JudgeFailed, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.judge.asked = make(chan string, judgedAtMost)
			k := Checker{Verifier: leftOpen{entail.NewRules()}, Judge: c.judge}
			out, err := k.Check(t.Context(), schema.CheckQuery{Text: c.text, Sources: sources(burned), Judge: c.want})
			if err != nil || out.Judge != c.use || out.Supported != c.supported || len(c.judge.asked) != c.asked {
				t.Errorf("%v, %d asked, %+v", err, len(c.judge.asked), out)
			}
			if c.use == schema.JudgeAsked && !out.Claims[0].Escalated {
				t.Errorf("not escalated: %+v", out.Claims[0])
			}
		})
	}
	k := Checker{Verifier: entail.NewRules()}
	out, err := k.Check(t.Context(), schema.CheckQuery{Text: open, Sources: sources("Rye is dear."), Judge: true})
	if err != nil || out.Judge != schema.JudgeNone {
		t.Errorf("where there is none: %v, %+v", err, out)
	}
}

// leftOpen is a verifier that refuses nothing for good.
type leftOpen struct{ entail.Verifier }

func (l leftOpen) Verify(ctx context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	out, err := l.Verifier.Verify(ctx, pairs)
	for i := range out {
		if out[i].Label != schema.Supported {
			out[i].Label, out[i].Final = schema.Unverifiable, false
		}
	}
	return out, err
}

// A judge reads the part of a long source that is nearest to the claim.
func TestAJudgeReadsAroundTheNearestSentence(t *testing.T) {
	long := ""
	for range 200 {
		long += "Rye is dear this year. "
	}
	got := around(long+"The mill burned in the spring. "+long, "The mill burned.")
	if len(got) > 2*judgedWhole || !slices.Contains(sentencesOf(got), "The mill burned in the spring.") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	if short := "The mill burned. Rye is dear."; around(short, "x") != short {
		t.Errorf("%q", around(short, "x"))
	}
}
