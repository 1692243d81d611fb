package reviewer_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// These say what the ferry's notice says in other words.
const (
	paraphrase = "The ferry belongs to Teague."
	toll       = "One pays two bits to get over."
	dawn       = "At dawn it goes over the water."
	twice      = "Twice a day it goes."
)

// Without sources nothing of the world is said, and a check says why.
func TestWithoutSourcesWorldClaimsAreStripped(t *testing.T) {
	const claim = "Teague stole the chapel bell."
	b, _ := staged(t, stage{})
	for name, said := range map[string]protocol.DraftSentence{
		"a citation of nothing": cite(claim, "E1"),
		"no citation":           {Text: claim},
		"self":                  cite(claim, "self"),
	} {
		t.Run(name, func(t *testing.T) {
			turn := draft(t, b, said)
			turn.Evidence = nil
			turn.Speech.Sentences[0] = said
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if len(r.Stripped) == 0 || r.Stripped[0].Text != claim {
				t.Errorf("stripped %+v", r.Stripped)
			}
			for _, s := range r.Sentences {
				if !s.Authored {
					t.Errorf("released: %q", s.Text)
				}
			}
		})
	}
	checker := grounding.Checker{Verifier: app.Verifier()}
	got, err := checker.Check(t.Context(), schema.CheckQuery{Text: owner + " " + crossing})
	if err != nil || got.Grounded || got.Reason != protocol.GroundingNoSources || got.Unverifiable != got.Total ||
		got.Total != 2 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = checker.Check(t.Context(), schema.CheckQuery{Text: "Good day to you!"})
	if err != nil || !got.Grounded || got.Total != 0 {
		t.Errorf("a greeting: %+v, %v", got, err)
	}
}

// What claims nothing passes, and is no claim.
func TestASpeechWithoutClaimsPasses(t *testing.T) {
	const greeting = "Good day to you!"
	b, _ := staged(t, stage{reader: &servicetest.Reader{Social: []string{greeting}}})
	turn := draft(t, b, protocol.DraftSentence{Text: greeting})
	turn.Decision.Share = nil // there is nothing that it evades
	r := b.Walk(t, turn, schema.PassReviewSpeech)
	if r.Text != greeting || len(r.Stripped) != 0 {
		t.Errorf("%q, stripped %+v", r.Text, r.Stripped)
	}
	if v := turn.SpeechReview; v.Verdict != protocol.Approved || len(v.Claims) != 0 || len(v.Codes) != 0 {
		t.Errorf("review %+v", v)
	}
}

// No speech is empty: where nothing was drafted the NPC quotes, or says a line that
// was written for it.
func TestAnEmptySpeechIsAnAuthoredLine(t *testing.T) {
	for _, c := range []struct {
		name     string
		speaker  string
		evidence bool
		said     []string
		authored bool
	}{
		{"the extractive speaker has nothing to say", protocol.SpeakerExtractive, true, nil, true},
		{"a model says nothing", "test", true, nil, false},
		{"a model says nothing, of nothing", "test", false, nil, true},
		{"blanks", "test", false, []string{" \t", "\u200b\u200d\ufeff"}, true},
		{"marks", "test", false, []string{"…"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := staged(t, stage{})
			turn := draft(t, b)
			turn.Speech.Speaker = c.speaker
			for _, s := range c.said {
				turn.Speech.Sentences = append(turn.Speech.Sentences, protocol.DraftSentence{Text: s})
			}
			if !c.evidence {
				turn.Evidence = nil
			}
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if len(r.Sentences) == 0 || strings.TrimSpace(r.Text) == "" {
				t.Fatalf("the reply is empty: %+v", r)
			}
			if bad := unquoted(r); len(bad) > 0 || c.authored && !r.Sentences[0].Authored {
				t.Errorf("%+v", r.Sentences)
			}
		})
	}
}

// down is a reader that fails in one way.
type down func(ctx context.Context, all []entail.Sentence) ([]entail.Reading, error)

func (f down) Read(ctx context.Context, all []entail.Sentence) ([]entail.Reading, error) {
	return f(ctx, all)
}

// readings are n of them, all alike.
func readings(r entail.Reading, n int) []entail.Reading { return slices.Repeat([]entail.Reading{r}, n) }

// However the reader fails, a whole turn goes on: what is word for word in the evidence
// is said, and nothing else.
func TestAReaderThatFailsSupportsNothing(t *testing.T) {
	sure := servicetest.Claim(0.999)
	for name, reader := range map[string]down{
		"an error": func(context.Context, []entail.Sentence) ([]entail.Reading, error) { return nil, errors.New("down") },
		"a panic":  func(context.Context, []entail.Sentence) ([]entail.Reading, error) { panic("out of range") },
		"a timeout": func(ctx context.Context, _ []entail.Sentence) ([]entail.Reading, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Nanosecond)
			defer cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		},
		"a reading too few": func(_ context.Context, all []entail.Sentence) ([]entail.Reading, error) {
			return readings(sure, len(all)-1), nil
		},
		"a reading too many": func(_ context.Context, all []entail.Sentence) ([]entail.Reading, error) {
			return readings(sure, len(all)+1), nil
		},
		"no number": func(_ context.Context, all []entail.Sentence) ([]entail.Reading, error) {
			return readings(servicetest.Claim(math.NaN()), len(all)), nil
		},
		"readings and an error": func(_ context.Context, all []entail.Sentence) ([]entail.Reading, error) {
			return readings(sure, len(all)), errors.New("half of it")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, _ := staged(t, stage{reader: reader})
			turn := draft(t, b, cite(owner, "ferry"), cite(paraphrase, "ferry"))
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if r.Text != owner {
				t.Errorf("the reply is %q", r.Text)
			}
			if !slices.ContainsFunc(r.Stripped, func(s schema.Stripped) bool {
				return s.Text == paraphrase && s.Issue.Type == schema.IssueNotEntailed
			}) {
				t.Errorf("stripped %+v", r.Stripped)
			}
			if !slices.ContainsFunc(b.Alerts, func(a string) bool {
				return strings.HasPrefix(a, reviewer.AlertStripped) && strings.Contains(a, paraphrase)
			}) {
				t.Errorf("nobody is told: %q", b.Alerts)
			}
		})
	}
}

// A verdict is stored and sent, so it is written as JSON, whatever a reader gave.
func TestWhatAReaderGivesCanBeWritten(t *testing.T) {
	noNumber := map[string]entail.Reading{paraphrase: servicetest.Claim(math.NaN())}
	b, _ := staged(t, stage{reader: &servicetest.Reader{Says: noNumber}})
	turn := draft(t, b, cite(paraphrase, "ferry"))
	turn.SpeechReview = nil // a first attempt: its review goes back with all verdicts
	if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(turn.SpeechReview); err != nil || len(turn.SpeechReview.Claims) != 1 {
		t.Errorf("%+v: %v", turn.SpeechReview, err)
	}
}

// A paraphrase is said where the reader supports it, by the line of the level in force.
// What a check refuses no reader can support.
func TestTheReaderDecidesAboutAParaphrase(t *testing.T) {
	const stranger = "Old Petra owns the ferry."
	for _, c := range []struct {
		name     string
		entailed float64
		level    string // of the world; "": none is set
		said     bool
	}{
		{"above the strict line", 0.995, "", true},
		{"below the strict line", 0.97, "", false},
		{"above the balanced line", 0.97, "balanced", true},
		{"below the lively line", 0.7, "lively", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			reading := servicetest.Claim(c.entailed)
			set := func(s *grounding.Settings) { s.Level = grounding.Level(c.level) }
			b, _ := staged(t, stage{settings: set, reader: &servicetest.Reader{
				Says: map[string]entail.Reading{paraphrase: reading, stranger: servicetest.Claim(0.999)}}})
			turn := draft(t, b, cite(owner, "ferry"), cite(paraphrase, "ferry"), cite(stranger, "ferry"))
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			want := owner
			if c.said {
				want += " " + paraphrase
			}
			if r.Text != want {
				t.Errorf("the reply is %q", r.Text)
			}
		})
	}
}
