package reviewer_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

var (
	judgeYes      = ruling{Kind: "world", Verdict: "supported", Confidence: 0.95}
	judgeNo       = ruling{Kind: "world", Verdict: "contradicted", Difference: "the owner", Confidence: 0.95}
	judgeSilent   = ruling{Kind: "world", Verdict: "unverifiable", Difference: "all of it", Confidence: 0.95}
	judgeTimid    = ruling{Kind: "world", Verdict: "supported", Confidence: 0.6}
	judgeUnsure   = ruling{Kind: "world", Verdict: "unverifiable", Difference: "perhaps all", Confidence: 0.4}
	judgeTwoMinds = ruling{Kind: "world", Verdict: "supported", Difference: "the owner", Confidence: 0.95}
	judgeCertain  = ruling{Kind: "world", Verdict: "supported", Confidence: 95}
	judgeOther    = ruling{Kind: "gossip", Verdict: "supported", Confidence: 0.95}
)

// The judge's answer moves the score by what it has shown. An answer that is not sure or
// does not agree with itself, and no answer, decide nothing.
func TestTheJudgesVote(t *testing.T) {
	for _, c := range []struct {
		name      string
		judgement answering
		said      bool
		label     schema.Label
		tier, why string
	}{
		{"sure of it", each(judgeYes), true, schema.Supported, entail.TierJudge, "the judge supports it"},
		{"sure of the opposite", each(judgeNo), false, schema.Contradicted, entail.TierJudge, "not shown: the owner"},
		{"sure that it is not there", each(judgeSilent), false, schema.Unverifiable, entail.TierJudge, "all of it"},
		{"not sure", each(judgeTimid), false, schema.Unverifiable, entail.TierModel, ""},
		{"of two minds", each(judgeTwoMinds), false, schema.Unverifiable, entail.TierModel, ""},
		{"more than certain", each(judgeCertain), false, schema.Unverifiable, entail.TierModel, ""},
		{"of a kind that is none", each(judgeOther), false, schema.Unverifiable, entail.TierModel, ""},
		{"prose", saying("Well, I should think so."), false, schema.Unverifiable, entail.TierModel, ""},
		{"another's JSON", saying(`{"label":"entailment","score":0.99}`), false, schema.Unverifiable, entail.TierModel, ""},
		{"an empty object", saying(`{}`), false, schema.Unverifiable, entail.TierModel, ""},
		{"of another sentence", saying(`{"verdicts":[{"n":2,"kind":"world","verdict":"supported","confidence":0.95}]}`),
			false, schema.Unverifiable, entail.TierModel, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, court := staged(t, stage{judge: true, judgement: c.judgement})
			turn := draft(t, b, cite(paraphrase, "ferry"))
			turn.SpeechReview = nil // a first attempt: what is refused goes back with its verdict
			reviewing(turn)
			if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
				t.Fatal(err)
			}
			if said := len(turn.Released) == 1 && turn.Released[0].Text == paraphrase; said != c.said {
				t.Errorf("released %+v", turn.Released)
			}
			if n := len(court.asked()); n == 0 || n > 2 { // an answer of no use is asked for once more
				t.Errorf("the judge was asked %d times", n)
			}
			claims := turn.SpeechReview.Claims
			if len(claims) != 1 {
				t.Fatalf("the claims are %+v", claims)
			}
			if v := claims[0].Verdict; v.Label != c.label || v.Tier != c.tier || !strings.Contains(v.Why, c.why) {
				t.Errorf("the verdict is %+v", v)
			}
		})
	}
}

// reviewing puts a turn in front of its review, with a record of the pass to count in.
func reviewing(turn *protocol.Turn) {
	turn.Pass = schema.PassReviewSpeech
	turn.Passes = append(turn.Passes, schema.PassRecord{Pass: schema.PassReviewSpeech, Hop: 9, Attempt: 1})
}

// A judge that says no, or is not sure, has nothing released that the model in process
// alone would have kept back.
func TestOnlyAYesOfTheJudgeReleases(t *testing.T) {
	for _, c := range []struct {
		name      string
		judgement answering
		said      bool
	}{
		{"yes", each(judgeYes), true},
		{"no", each(judgeSilent), false},
		{"not sure", each(judgeTimid), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			nearly := &servicetest.Reader{Says: map[string]entail.Reading{paraphrase: servicetest.Claim(0.97)}}
			b, _ := staged(t, stage{judge: true, judgement: c.judgement, reader: nearly})
			r := b.Walk(t, draft(t, b, cite(paraphrase, "ferry")), schema.PassReviewSpeech)
			if said := r.Text == paraphrase; said != c.said {
				t.Errorf("the reply is %q", r.Text)
			}
		})
	}
}

// The judge is asked of nothing that was decided before it, and nobody is asked where
// there is no judge, or one that is not believed.
func TestTheJudgeIsAskedOnlyAboutWhatIsOpen(t *testing.T) {
	const courtesy = "Good day to you!"
	sure := &servicetest.Reader{Says: map[string]entail.Reading{paraphrase: servicetest.Claim(0.995)}}
	down := &servicetest.Reader{Err: errors.New("down")}
	courteous := &servicetest.Reader{Social: []string{courtesy}}
	for _, c := range []struct {
		name  string
		said  string
		stage stage
		asked bool
		kept  bool
	}{
		{"word for word", owner, stage{judge: true}, false, true},
		{"refused by a check: a name not shown", "Old Petra owns the ferry.", stage{judge: true}, false, false},
		{"refused for its form", "*nods* The ferry belongs to Teague.", stage{judge: true}, false, false},
		{"the model is sure", paraphrase, stage{judge: true, reader: sure}, true, true},
		{"the model is not sure", paraphrase, stage{judge: true}, true, true},
		{"the model fails", paraphrase, stage{judge: true, reader: down}, true, true},
		{"no judge is configured", paraphrase, stage{}, false, false},
		{"the judge is not believed", paraphrase, stage{judge: true, unskilled: true}, false, false},
		{"what claims nothing", courtesy, stage{judge: true, reader: courteous}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.stage.judgement = each(judgeYes)
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

// What a speech in four paraphrases of the ferry's notice costs: a call for the first
// sentence and one for the rest, of each draft that the model may write.
func TestTheJudgeIsAskedTwiceADraftAtMost(t *testing.T) {
	speech := spoken(paraphrase, toll, dawn, twice)
	for name, world := range map[string]string{"streaming": "", "held": "streaming: false", "strict": "strict: true"} {
		for answer, judgement := range map[string]answering{
			"sure": each(judgeYes), "unsure": each(judgeTimid), "malformed": saying("no JSON"), "silent": each(judgeSilent)} {
			t.Run(name+", "+answer, func(t *testing.T) {
				b, court := staged(t, stage{judge: true, judgement: judgement, speech: speech, world: world})
				r := b.Say(t, "mira", "who owns the ferry?")
				most := 4 // of two drafts, and of all attempts at an answer
				if answer == "sure" {
					most = 2
				}
				if n := len(court.asked()); n == 0 || n > most {
					t.Errorf("the judge was asked %d times; the reply is %q", n, r.Text)
				}
				if answer == "sure" && r.Text != strings.Join([]string{paraphrase, toll, dawn, twice}, " ") {
					t.Errorf("the reply is %q", r.Text)
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

// One question is put once in a review, however often its sentence is looked at.
func TestTheJudgeIsNotAskedTheSameTwice(t *testing.T) {
	b, court := staged(t, stage{judge: true, judgement: each(judgeSilent)})
	b.Walk(t, draft(t, b, cite(paraphrase, "ferry"), cite(owner, "ferry")), schema.PassReviewSpeech)
	if asked := slices.Concat(court.asked()...); !slices.Equal(asked, []string{paraphrase}) {
		t.Errorf("asked %q", asked)
	}
}

// Every verdict of a review says where it comes from, whoever was asked.
func TestEveryVerdictHasItsReason(t *testing.T) {
	b, _ := staged(t, stage{judge: true, judgement: each(judgeSilent)})
	turn := draft(t, b, cite(paraphrase, "ferry"), cite(owner, "ferry"), cite(dawn, "ferry"), cite(twice, "ferry"))
	turn.SpeechReview = nil // a first attempt: its review goes back with all verdicts
	reviewing(turn)
	if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	if len(turn.SpeechReview.Claims) != 4 {
		t.Fatalf("claims %+v", turn.SpeechReview.Claims)
	}
	for _, c := range turn.SpeechReview.Claims {
		if c.Verdict.Why == "" || c.Verdict.Tier == "" {
			t.Errorf("%q has no reason: %+v", c.Claim, c.Verdict)
		}
	}
}

// The first speech of a process meets a judge whose test is under way: its review waits, for
// a share of its time. A test that takes longer is waited for once.
func TestTheFirstSpeechWaitsForTheTestOfTheJudge(t *testing.T) {
	t.Run("a test that ends", func(t *testing.T) {
		b, court := staged(t, stage{judge: true, unskilled: true, judgement: each(judgeYes)})
		done := court.service.Testing()
		go func() {
			court.service.Believe(servicetest.Skilled())
			done()
		}()
		if r := b.Walk(t, draft(t, b, cite(paraphrase, "ferry")), schema.PassReviewSpeech); r.Text != paraphrase {
			t.Errorf("the reply is %q", r.Text)
		}
	})
	t.Run("a test that hangs", func(t *testing.T) {
		b, court := staged(t, stage{judge: true, unskilled: true, judgement: each(judgeYes)})
		defer court.service.Testing()()
		for range 2 {
			ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
			turn := draft(t, b, cite(paraphrase, "ferry"))
			reviewing(turn)
			if _, err := b.Handlers[schema.PassReviewSpeech](ctx, turn); err != nil || len(turn.Released) > 0 {
				t.Errorf("released %+v, %v", turn.Released, err)
			}
			if err := ctx.Err(); err != nil {
				t.Errorf("it waited to the end: %v", err)
			}
			stop()
		}
		if n := len(court.asked()); n != 0 {
			t.Errorf("a judge that has shown nothing was asked %d times", n)
		}
	})
}
