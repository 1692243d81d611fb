package reviewer_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

const (
	// Rules take the first apart. The second has one verb, and only a reader sees what it claims.
	several = "The ferry belongs to Teague, it goes over the water at dawn, and a crossing costs two bits."
	listing = "You pay two bits to get over with Teague, three for a horse, four for a full cart, and six at dusk in " +
		"the flood of the spring."
)

var (
	severalParts = []string{"The ferry belongs to Teague.", "It goes over the water at dawn.",
		"A crossing costs two bits."}
	listingParts = []string{"You pay two bits to get over with Teague.", "You pay three for a horse.",
		"You pay four for a full cart.", "You pay six at dusk in the flood of the spring."}
)

// told answers a claims call about one sentence.
func told(claims ...string) answering {
	type entry struct {
		N      int      `json:"n"`
		Claims []string `json:"claims"`
	}
	data, _ := json.Marshal(map[string]any{"sentences": []entry{{1, claims}}})
	return saying(string(data))
}

// but says yes to all but one sentence.
func but(refused string, r ruling) answering {
	return ruled(func(s string) ruling {
		if s == refused {
			return r
		}
		return judgeYes
	})
}

// A compound sentence is supported where the judge supports it and each of its claims. A split
// that is none of this sentence changes nothing, and neither does a judge that says nothing of
// the claims.
func TestACompoundSentenceIsJudgedClaimByClaim(t *testing.T) {
	rules, byModel := schema.SplitRules, schema.SplitModel
	invented := append(slices.Clone(listingParts), "The ferry sank in the flood.")
	first := listingParts[0]
	for _, c := range []struct {
		name                 string
		sentence             string
		splitting, judgement answering
		whole                bool
		said                 bool
		by                   schema.SplitBy
		claims               int // how many it is taken apart into
		judged, calls, aside int // calls of the judge, of the turn, and of them those about claims
	}{
		{"rules take it apart, and all is supported", several, nil, each(judgeYes), false, true, rules, 3, 1, 1, 0},
		{"one claim is not shown", several, nil, but(severalParts[1], judgeSilent), false, false, rules, 3, 1, 1, 0},
		{"one claim is contradicted", several, nil, but(severalParts[0], judgeNo), false, false, rules, 3, 1, 1, 0},
		{"the sentence is not supported", several, nil, but(several, judgeSilent), false, false, "", 0, 1, 1, 0},
		{"claims are not looked at", several, nil, but(severalParts[1], judgeSilent), true, true, "", 0, 1, 1, 0},

		{"a model takes it apart", listing, told(listingParts...), each(judgeYes), false, true, byModel, 4, 2, 3, 2},
		{"one of its claims is not shown", listing, told(listingParts...), but(listingParts[2], judgeSilent), false, false,
			byModel, 4, 2, 3, 2},
		{"the model leaves claims out", listing, told(listingParts[:2]...), each(judgeYes), false, true, byModel, 3, 2, 3, 2},
		{"what it leaves out is not shown", listing, told(listingParts[:2]...), but(listing, judgeSilent), false, false, "",
			0, 1, 1, 0},
		{"it adds one that the sentence has not", listing, told(invented...), each(judgeYes), false, true, "", 0, 1, 2, 1},
		{"it leaves the sentence whole", listing, told(listing), each(judgeYes), false, true, "", 0, 1, 2, 1},
		{"it gives one claim", listing, told(first), each(judgeYes), false, true, "", 0, 1, 2, 1},
		{"it answers in prose", listing, saying("There are four."), each(judgeYes), false, true, "", 0, 1, 3, 2},
		{"no model is asked for claims", listing, told(listingParts...), each(judgeYes), true, true, "", 0, 1, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			meter := &tally{}
			b, court := staged(t, stage{judge: true, judgement: c.judgement, splitting: c.splitting, whole: c.whole,
				meter: meter})
			turn := draft(t, b, cite(c.sentence, "ferry"))
			turn.SpeechReview = nil // a first attempt: what is refused goes back with its verdict
			reviewing(turn)
			if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
				t.Fatal(err)
			}
			if said := len(turn.Released) == 1 && turn.Released[0].Text == c.sentence; said != c.said {
				t.Errorf("released %+v, with %+v", turn.Released, turn.SpeechReview)
			}
			claims := turn.SpeechReview.Claims
			if len(claims) != 1 || claims[0].Split != c.by || len(claims[0].Parts) != c.claims {
				t.Fatalf("the claims are %+v", claims)
			}
			for _, p := range claims[0].Parts {
				if c.said && p.Verdict != schema.Supported {
					t.Errorf("%q is %s", p.Claim, p.Verdict)
				}
			}
			if n := len(court.asked()); n != c.judged {
				t.Errorf("the judge was asked %d times: %q", n, court.asked())
			}
			if r := turn.Passes[len(turn.Passes)-1]; r.LLMCalls != c.calls || r.ClaimCalls != c.aside {
				t.Errorf("%d calls, %d of them about claims", r.LLMCalls, r.ClaimCalls)
			}
			key := string(c.by) + "/" + string(claims[0].Verdict.Label)
			if c.by != "" && c.said && meter.split[key] != 1 || c.by == "" && len(meter.split) > 0 {
				t.Errorf("counted %v", meter.split)
			}
		})
	}
}

// The speaker hears which claim of its sentence is not supported.
func TestTheFeedbackNamesTheClaim(t *testing.T) {
	b, _ := staged(t, stage{judge: true, judgement: but(severalParts[1], judgeSilent)})
	turn := draft(t, b, cite(several, "ferry"))
	turn.SpeechReview = nil
	reviewing(turn)
	if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	const want = "its claim “It goes over the water at dawn.” is not supported; leave it out or say it as the " +
		"evidence does"
	issues := turn.SpeechReview.Issues
	if len(issues) != 1 || issues[0].Claim != several || issues[0].Correction != want {
		t.Errorf("the issues are %+v", issues)
	}
}

// A model takes apart nothing that a judge does not decide, and no thought.
func TestWhatIsNotTakenApart(t *testing.T) {
	for _, c := range []struct {
		name  string
		said  string
		stage stage
	}{
		{"without a judge", listing, stage{}},
		{"a judge that is not believed", listing, stage{judge: true, unskilled: true}},
		{"a judge that does not support it", listing, stage{judge: true, judgement: each(judgeSilent)}},
		{"word for word", owner, stage{judge: true, judgement: each(judgeYes)}},
		{"a short sentence", paraphrase, stage{judge: true, judgement: each(judgeYes)}},
		{"what rules take apart", several, stage{judge: true, judgement: each(judgeYes)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.stage.splitting = told(listingParts...)
			b, court := staged(t, c.stage)
			b.Walk(t, draft(t, b, cite(c.said, "ferry")), schema.PassReviewSpeech)
			if got := court.takenApart(); len(got) > 0 {
				t.Errorf("it was asked to take apart %q", got)
			}
		})
	}
}

// Where a turn has no calls left for claims, the judge's word about the sentence decides alone.
func TestClaimsLeaveTheTurnItsCalls(t *testing.T) {
	b, court := staged(t, stage{judge: true, judgement: each(judgeYes), splitting: told(listingParts...)})
	turn := draft(t, b, cite(listing, "ferry"))
	turn.SpeechReview = nil
	turn.Passes = append(turn.Passes, schema.PassRecord{Pass: schema.PassThink, LLMCalls: 4},
		schema.PassRecord{Pass: schema.PassRetrieve, LLMCalls: 2})
	reviewing(turn)
	if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	if len(turn.Released) != 1 || len(court.takenApart()) != 0 {
		t.Errorf("released %+v, taken apart %q", turn.Released, court.takenApart())
	}
}
