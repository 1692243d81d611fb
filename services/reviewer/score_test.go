package reviewer_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// strict is a scorer that supports what holds a word, and fails where it is told to.
type strict struct {
	word string
	err  error
}

func (s strict) Verify(_ context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	for i, p := range pairs {
		out[i] = schema.Verdict{Label: schema.Unverifiable, Tier: entail.TierSidecar, Score: 0.2}
		if strings.Contains(p.Hypothesis, s.word) {
			out[i].Label = schema.Supported
		}
	}
	return out, s.err
}

// A scorer is asked of what the review supports, and only lowers a score: what it does
// not support counts as unsupported, a scorer that fails leaves the review's word, and
// the player reads the same in any case.
func TestASecondOpinion(t *testing.T) {
	lax := &servicetest.Reader{Says: map[string]entail.Reading{paraphrase: servicetest.Claim(0.999)}}
	for _, c := range []struct {
		name      string
		scorer    entail.Verifier
		judgement answering
		zone      protocol.Zone // of the search; "": as it is
		supported int
		risk      faithful.Risk
		calls     int
		alert     bool
	}{
		{name: "none", supported: 1, risk: faithful.None},
		{name: "it agrees", scorer: strict{word: ""}, supported: 1, risk: faithful.None},
		{name: "it does not", scorer: strict{word: "nothing"}, supported: 0, risk: faithful.High},
		{name: "it fails", scorer: strict{err: errors.New("away")}, supported: 1, risk: faithful.None, alert: true},
		{name: "a model that agrees", judgement: each(judgeYes), supported: 1, risk: faithful.None, calls: 1},
		{name: "a model that does not", judgement: each(judgeSilent), supported: 0, risk: faithful.High, calls: 1},
		{name: "a model that is not sure", judgement: each(judgeUnsure), supported: 1, risk: faithful.None, calls: 1},
		{name: "a model, though the search was not sure", zone: protocol.ZoneExtractive, judgement: each(judgeSilent),
			risk: faithful.High, calls: 1},
		{name: "a model that says nothing of use", judgement: saying("Well."), supported: 1, risk: faithful.None, calls: 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			meter := &tally{}
			b, court := staged(t, stage{guard: policy("warn"), meter: meter, reader: lax, judgement: c.judgement,
				scorer: reviewer.Scorer{Verifier: c.scorer}, scores: c.judgement != nil})
			turn := draft(t, b, cite(paraphrase, "ferry"))
			turn.Retrieval.Zone = cmp.Or(c.zone, turn.Retrieval.Zone)
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if r.Text != paraphrase {
				t.Errorf("%s: %q", r.Status, r.Text)
			}
			if f := r.Faithfulness; f == nil || f.Claims != 1 || f.Supported != c.supported || f.Risk != string(c.risk) {
				t.Errorf("scored %+v", f)
			}
			if n := len(court.asked()); n != c.calls || meter.calls != c.calls {
				t.Errorf("%d calls, %d counted", n, meter.calls)
			}
			if told := slices.ContainsFunc(b.Alerts,
				func(a string) bool { return strings.HasPrefix(a, reviewer.AlertUnscored) }); told != c.alert {
				t.Errorf("alerts %q", b.Alerts)
			}
		})
	}
}
