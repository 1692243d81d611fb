package reviewer_test

import (
	"errors"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// Where no model reads a speech, a judge that has shown skill decides alone, and what it
// does not support is not said. A veto stands above it.
func TestWithoutAReaderTheJudgeDecidesAlone(t *testing.T) {
	const number = "One pays nine hundred bits to get over."
	down := &servicetest.Reader{Err: errors.New("down")}
	for _, c := range []struct {
		name, said string
		stage      stage
		asked      bool
		kept       bool
	}{
		{"yes", paraphrase, stage{judge: true, judgement: each(judgeYes)}, true, true},
		{"no", paraphrase, stage{judge: true, judgement: each(judgeSilent)}, true, false},
		{"not sure", paraphrase, stage{judge: true, judgement: each(judgeTimid)}, true, false},
		{"no answer", paraphrase, stage{judge: true, judgement: saying("Well.")}, true, false},
		{"a feeling, says the judge", "I do so love the river.",
			stage{judge: true, judgement: each(ruling{Kind: "self", Verdict: "supported", Confidence: 0.95})}, true, true},
		{"not believed", paraphrase, stage{judge: true, unskilled: true, judgement: each(judgeYes)}, false, false},
		{"a stranger", "Old Petra owns the ferry.", stage{judge: true, judgement: each(judgeYes)}, false, false},
		{"a number that was not shown", number, stage{judge: true, judgement: each(judgeYes)}, false, false},
		{"word for word", owner, stage{judge: true, judgement: each(judgeSilent)}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.stage.reader = down
			b, court := staged(t, c.stage)
			turn := draft(t, b, cite(c.said, "ferry"))
			turn.Decision.Share = nil // there is nothing that it evades
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if asked := len(court.asked()) > 0; asked != c.asked {
				t.Errorf("the judge was asked: %q", court.asked())
			}
			if kept := r.Text == c.said; kept != c.kept {
				t.Errorf("the reply is %q", r.Text)
			}
		})
	}
}

// A speech that streams is put to the judge at its end, all of it in one call.
func TestAStreamThatNobodyReadsIsJudgedAtItsEnd(t *testing.T) {
	down := &servicetest.Reader{Err: errors.New("down")}
	b, court := staged(t, stage{judge: true, judgement: each(judgeYes), reader: down,
		speech: spoken(paraphrase, toll, dawn)})
	r := b.Say(t, "mira", "who owns the ferry?")
	if want := paraphrase + " " + toll + " " + dawn; r.Text != want || len(court.asked()) > 2 {
		t.Errorf("the reply is %q; asked %q", r.Text, court.asked())
	}
}
