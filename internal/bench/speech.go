package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// SpeechJudge says who is asked about what the model in process leaves open.
type SpeechJudge string

// The judges of recorded speeches.
const (
	NoJudge       SpeechJudge = "none"
	RecordedJudge SpeechJudge = "recorded" // the second reader of each sentence
	LyingJudge    SpeechJudge = "lying"    // it supports everything
	CoinJudge     SpeechJudge = "coin"     // it answers at random
	FailingJudge  SpeechJudge = "failing"  // the recorded one, of which every third call fails
)

// scripted are the ways of the scripted server behind the judges.
var scripted = map[SpeechJudge]string{
	RecordedJudge: llmtest.JudgeHonest, LyingJudge: llmtest.JudgeLying, CoinJudge: llmtest.JudgeCoin,
	FailingJudge: llmtest.JudgeFailing,
}

// SpeechOptions say how recorded speeches are reviewed.
type SpeechOptions struct {
	Grounding *grounding.Settings // nil: those of a process that sets none
	Judge     SpeechJudge         // "": none
	Claims    bool                // ask the judge about each claim of a long sentence as well
	Verifying app.Verifying       // who reads the sentences
	Without   ablation.Set        // what an experiment leaves out
	Now       func() time.Time
	Heard     func(row int, released []schema.Sentence) // may be nil; told of each speech
}

// Spoken counts the sentences of a label.
type Spoken struct {
	N      int `json:"n"`
	First  int `json:"spoken_first"` // of Spoken, those that were said before any other sentence
	Spoken int `json:"spoken"`       // its words reached the reply
}

// Percent is the share that was spoken.
func (s Spoken) Percent() float64 { return 100 * float64(s.Spoken) / float64(max(1, s.N)) }

// Refusals counts what one cause kept back.
type Refusals struct {
	Cause string `json:"cause"`
	Rule  string `json:"rule,omitempty"` // which rule, where one decided
	True  int    `json:"true"`           // supported sentences, and those without a claim
	False int    `json:"false"`          // unsupported sentences
}

// SpeechResult is what became of the sentences of recorded speeches.
type SpeechResult struct {
	Speeches int               `json:"speeches"`
	Heard    int               `json:"turns_with_model_speech"`
	ByLabel  map[string]Spoken `json:"by_label"`
	ByStyle  map[string]Spoken `json:"by_style"`
	Refused  []Refusals        `json:"refused_by"`
	Calls    float64           `json:"judge_calls_per_turn"`
	Claims   float64           `json:"claim_calls_per_turn"` // of these calls, those about the claims of long sentences
	First    float64           `json:"first_sentence_ms"`    // from its draft to its release, the mean
	Skill    *JudgeSkill       `json:"judge,omitempty"`      // what the judge has shown on the shipped pairs
}

// JudgeSkill is what a judge has shown.
type JudgeSkill struct {
	Qualified   bool    `json:"qualified"`
	Sensitivity float64 `json:"sensitivity"`
	Specificity float64 `json:"specificity"`
}

// Speech lets the review judge recorded speeches, as they stream in production. Each
// row is a turn whose evidence are the row's blocks and whose NPC is the row's, so
// retrieval plays no part. No speech is written a second time.
func Speech(ctx context.Context, rows []llmtest.Speech, o SpeechOptions) (_ SpeechResult, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	out := SpeechResult{ByLabel: map[string]Spoken{}, ByStyle: map[string]Spoken{}, Refused: []Refusals{}}
	p, err := newPlays(ctx, rows, o)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	refused := map[string]*Refusals{}
	for i := range rows {
		heard, err := p.play(ctx, i)
		if err != nil {
			return out, fmt.Errorf("speech %s: %w", rows[i].ID, err)
		}
		out.add(&rows[i], heard, refused)
		if o.Heard != nil {
			o.Heard(i, heard.log.Sentences)
		}
	}
	n := float64(len(rows))
	out.Calls, out.Claims, out.Skill = out.Calls/n, out.Claims/n, p.skill()
	if out.Heard > 0 {
		out.First /= float64(out.Heard)
	}
	for _, r := range refused {
		out.Refused = append(out.Refused, *r)
	}
	slices.SortFunc(out.Refused, func(a, b Refusals) int {
		if n := b.True + b.False - a.True - a.False; n != 0 {
			return n
		}
		return strings.Compare(a.Cause+a.Rule, b.Cause+b.Rule)
	})
	return out, nil
}

// add counts one speech.
func (r *SpeechResult) add(row *llmtest.Speech, h heard, refused map[string]*Refusals) {
	log := h.log
	r.Speeches++
	r.Calls += float64(h.calls)
	r.Claims += float64(h.claims)
	if len(log.Sentences) > 0 {
		r.Heard++
		r.First += float64(h.first.Microseconds()) / 1000
	}
	for i, s := range row.Sentences {
		at := slices.IndexFunc(log.Sentences, func(x schema.Sentence) bool { return sameWords(x.Text, s.Text) })
		said := at >= 0
		for _, count := range []struct {
			of  map[string]Spoken
			key string
		}{{r.ByLabel, s.Label}, {r.ByStyle, row.Style + " " + s.Label}} {
			c := count.of[count.key]
			c.N++
			if said {
				c.Spoken++
			}
			if at == 0 {
				c.First++
			}
			count.of[count.key] = c
		}
		if said {
			continue
		}
		cause, rule := causeOf(log, i+1)
		key := cause + "\n" + rule
		if refused[key] == nil {
			refused[key] = &Refusals{Cause: cause, Rule: rule}
		}
		if s.Label == llmtest.Unsupported {
			refused[key].False++
		} else {
			refused[key].True++
		}
	}
}

// sameWords says whether a sentence was said as it was drafted, but for its letter case
// and a connective that led on from a sentence which was kept back.
func sameWords(said, drafted string) bool {
	folded := text.Fold(drafted)
	return text.Fold(said) == folded || text.Fold(said) == text.Fold(grounding.WithoutConnective(drafted))
}

// causeOf is the type of the first issue by which a sentence was refused with the tier that
// said so, and the rule where it was one: what stands before the colon of its reason.
func causeOf(log *replay.Log, part int) (cause, rule string) {
	for _, r := range log.Records {
		if r.Part != part || len(r.Refused) == 0 {
			continue
		}
		cause = string(r.Refused[0].Type)
		for _, c := range r.Claims {
			if c.Verdict.Label == schema.Supported {
				continue
			}
			if c.Verdict.Tier == entail.TierRule {
				rule, _, _ = strings.Cut(c.Verdict.Why, ":")
			}
			return cause + " by " + c.Verdict.Tier, rule
		}
		return cause, ""
	}
	return "not judged", ""
}
