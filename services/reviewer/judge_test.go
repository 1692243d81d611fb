package reviewer_test

import (
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

const (
	judgeYes      = `{"asserts":"Teague owns it","evidence":"says","difference":"","verdict":"supported","confidence":0.95,"reasoning":"Owning is what belonging is."}`
	judgeNo       = `{"asserts":"Teague owns it","evidence":"denies","difference":"the owner","verdict":"contradicted","confidence":0.95,"reasoning":"It names another."}`
	judgeSilent   = `{"asserts":"Teague owns it","evidence":"not_mentioned","difference":"all","verdict":"unverifiable","confidence":0.95,"reasoning":"It is not there."}`
	judgeTimid    = `{"asserts":"Teague owns it","evidence":"says","difference":"","verdict":"supported","confidence":0.6,"reasoning":"Perhaps."}`
	judgeTwoMinds = `{"asserts":"Teague owns it","evidence":"says","difference":"the owner","verdict":"supported","confidence":0.95,"reasoning":"Yes, but."}`
	judgeCertain  = `{"asserts":"Teague owns it","evidence":"says","difference":"","verdict":"supported","confidence":95,"reasoning":"Certain."}`
)

// unsure is a tier of rules and a model that is sure of nothing: every pair that no
// rule decides lies in the ambiguous band.
func unsure(final bool) entail.Verifier {
	return entail.NewCascade(entail.NewRules(), middling{final})
}

// The judge is one more vote, of which only a sure one counts.
func TestTheJudgesVote(t *testing.T) {
	for _, c := range []struct {
		name, judgement string
		said            bool
		label           schema.Label
		why             string
	}{
		{"sure of it", judgeYes, true, schema.Supported, "Owning is what belonging is."},
		{"sure of the opposite", judgeNo, false, schema.Contradicted, "It names another."},
		{"sure that it is not there", judgeSilent, false, schema.Unverifiable, "It is not there."},
		{"not sure", judgeTimid, false, schema.Unverifiable, "the judge is not sure: Perhaps."},
		{"of two minds", judgeTwoMinds, false, schema.Unverifiable, "no answer that counts"},
		{"more than certain", judgeCertain, false, schema.Unverifiable, "no answer that counts"},
		{"prose", "Well, I should think so.", false, schema.Unverifiable, "no answer that counts"},
		{"another's JSON", `{"label":"entailment","score":0.99}`, false, schema.Unverifiable, "no answer that counts"},
		{"an empty object", `{}`, false, schema.Unverifiable, "no answer that counts"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, court := staged(t, stage{judge: true, judgement: c.judgement, verifier: unsure(false)})
			turn := draft(t, b, cite(paraphrase, "ferry"))
			turn.Pass, turn.Passes = schema.PassReviewSpeech, append(turn.Passes, schema.PassRecord{Pass: schema.PassReviewSpeech, Hop: 9, Attempt: 1})
			if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
				t.Fatal(err)
			}
			if said := len(turn.Released) == 1 && turn.Released[0].Text == paraphrase; said != c.said {
				t.Errorf("released %+v", turn.Released)
			}
			if n := len(court.asked()); n == 0 || n > 2 {
				t.Errorf("the judge was asked %d times", n)
			}
			found := false
			for _, claim := range turn.SpeechReview.Claims {
				found = found || claim.Verdict.Label == c.label && claim.Verdict.Tier == entail.TierJudge && strings.Contains(claim.Verdict.Why, c.why)
			}
			if c.said || len(turn.SpeechReview.Claims) > 0 {
				if !found {
					t.Errorf("the verdicts are %+v", turn.SpeechReview.Claims)
				}
			}
		})
	}
}

// The judge is asked of nothing that the tiers before it decided, and where there
// is no judge nobody is asked.
func TestTheJudgeIsAskedInTheAmbiguousBandOnly(t *testing.T) {
	for _, c := range []struct {
		name     string
		said     string
		verifier entail.Verifier
		judge    bool
		asked    bool
	}{
		{"word for word", owner, unsure(false), true, false},
		{"refused by a rule: a number", "A crossing costs three bits.", unsure(false), true, false},
		{"refused by a rule: a name", "Osric owns the ferry.", unsure(false), true, false},
		{"the model is sure that it is not entailed", paraphrase, unsure(true), true, false},
		{"the model is not sure", paraphrase, unsure(false), true, true},
		{"no model is left, and no rule knows", paraphrase, nil, true, true},
		{"no judge is configured", paraphrase, unsure(false), false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, court := staged(t, stage{judge: c.judge, judgement: judgeYes, verifier: c.verifier})
			turn := draft(t, b, cite(c.said, "ferry"))
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if asked := len(court.asked()) > 0; asked != c.asked {
				t.Errorf("the judge was asked %d times: %q", len(court.asked()), court.asked())
			}
			if said := r.Text == c.said; said != (c.asked || c.said == owner) {
				t.Errorf("the reply is %q", r.Text)
			}
		})
	}
}

// Two calls a turn, over the reviews of thoughts and speech and all attempts,
// whether the speech streams or not.
func TestTheJudgeIsAskedTwiceATurnAtMost(t *testing.T) {
	const speech = `{"sentences":[{"text":"The ferry belongs to Teague.","citations":[{"claim":"","evidence_id":"E1"}]},{"text":"One pays two bits to get over.","citations":[{"claim":"","evidence_id":"E1"}]},` +
		`{"text":"At dawn it goes over the water.","citations":[{"claim":"","evidence_id":"E1"}]},{"text":"Twice a day it goes.","citations":[{"claim":"","evidence_id":"E1"}]}]}`
	for name, world := range map[string]string{"streaming": "", "held": "streaming: false", "strict": "strict: true"} {
		for answer, judgement := range map[string]string{"sure": judgeYes, "unsure": judgeTimid, "malformed": "no JSON", "silent": judgeSilent} {
			t.Run(name+", "+answer, func(t *testing.T) {
				b, court := staged(t, stage{judge: true, judgement: judgement, speech: speech, verifier: unsure(false), world: world})
				r := b.Say(t, "mira", "who owns the ferry?")
				if n := len(court.asked()); n > 2 {
					t.Errorf("the judge was asked %d times; the reply is %q", n, r.Text)
				}
				if answer != "sure" {
					if bad := unquoted(r); len(bad) > 0 {
						t.Errorf("released %q", bad)
					}
				}
			})
		}
	}
}

// One question is put once: a claim that is its whole sentence does not cost two.
func TestTheJudgeIsNotAskedTheSameTwice(t *testing.T) {
	b, court := staged(t, stage{judge: true, judgement: judgeSilent, verifier: unsure(false)})
	b.Walk(t, draft(t, b, cite(paraphrase, "ferry")), schema.PassReviewSpeech)
	seen := map[string]bool{}
	for _, q := range court.asked() {
		if seen[q] {
			t.Errorf("asked twice: %q", q)
		}
		seen[q] = true
	}
	if len(seen) == 0 {
		t.Error("nothing was asked")
	}
}

// What the judge was not asked keeps the reason of the tier before it.
func TestWhatTheJudgeIsNotAskedKeepsItsReason(t *testing.T) {
	b, _ := staged(t, stage{judge: true, judgement: judgeSilent, verifier: unsure(false)})
	turn := draft(t, b, cite(paraphrase, "ferry"), cite("One pays two bits to get over.", "ferry"), cite("Over the water it goes at dawn.", "ferry"), cite("Twice a day it goes.", "ferry"))
	turn.SpeechReview = nil // a first attempt: its review goes back with all verdicts
	turn.Passes = append(turn.Passes, schema.PassRecord{Pass: schema.PassReviewSpeech, Hop: 9, Attempt: 1})
	if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	if len(turn.SpeechReview.Claims) < 4 {
		t.Fatalf("claims %+v", turn.SpeechReview.Claims)
	}
	for _, c := range turn.SpeechReview.Claims {
		if c.Verdict.Why == "" || c.Verdict.Tier == "" {
			t.Errorf("%q has no reason: %+v", c.Claim, c.Verdict)
		}
	}
}
