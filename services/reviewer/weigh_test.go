package reviewer_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

const (
	denied   = "Teague does not own the ferry." // the notice says otherwise
	invented = "Teague drowned a man once."     // nothing says so
)

// What a speech with a lie in it becomes, by the settings. Its true sentences stay,
// or the whole gives way to the extractive answer or to an authored line; the lie is
// never said.
func TestWhatBecomesOfASpeechWithALie(t *testing.T) {
	block := func(s *grounding.Settings) { s.OnUnverifiable = grounding.Block }
	for _, c := range []struct {
		name     string
		said     []string
		settings func(*grounding.Settings)
		world    string
		reason   string   // of the reply; "": none
		codes    []string // of the review
		keeps    bool     // the model's true sentences are the reply
		authored bool     // the reply is an authored line
	}{
		{name: "nothing is wrong", said: []string{owner, crossing}, keeps: true},
		{name: "flag: an invention is stripped", said: []string{owner, crossing, invented},
			codes: []string{protocol.GroundingUnverifiable}, keeps: true},
		{name: "flag: a contradiction is stripped", said: []string{owner, crossing, denied},
			codes: []string{protocol.GroundingContradiction}, keeps: true},
		{name: "block at an invention", said: []string{owner, crossing, invented}, settings: block,
			reason: protocol.GroundingUnverifiable, codes: []string{protocol.GroundingUnverifiable}},
		{name: "block at a contradiction", said: []string{owner, crossing, denied},
			settings: func(s *grounding.Settings) { s.OnContradiction = grounding.Block },
			reason:   protocol.GroundingContradiction, codes: []string{protocol.GroundingContradiction}},
		{name: "block at what is unverifiable alone lets a contradiction be stripped",
			said: []string{owner, crossing, denied}, settings: block,
			codes: []string{protocol.GroundingContradiction}, keeps: true},
		{name: "both, and a block at each", said: []string{owner, crossing, denied, invented},
			settings: func(s *grounding.Settings) { s.OnContradiction, s.OnUnverifiable = grounding.Block, grounding.Block },
			reason:   protocol.GroundingContradiction,
			codes:    []string{protocol.GroundingContradiction, protocol.GroundingUnverifiable}},
		{name: "half is not above half", said: []string{owner, invented}, codes: []string{protocol.GroundingUnverifiable},
			keeps: true},
		{name: "more than half", said: []string{owner, invented, "Teague sold his sister's boat."},
			reason: protocol.GroundingUnverifiable, codes: []string{protocol.GroundingUnverifiable}},
		{name: "more than half where all may be", said: []string{owner, invented, "Teague sold his sister's boat."},
			settings: func(s *grounding.Settings) { s.MaxUnverifiable = 1 },
			codes:    []string{protocol.GroundingUnverifiable}, keeps: true},
		{name: "one where none may be", said: []string{owner, crossing, invented},
			settings: func(s *grounding.Settings) { s.MaxUnverifiable = 0 },
			reason:   protocol.GroundingUnverifiable, codes: []string{protocol.GroundingUnverifiable}},
		{name: "strict", said: []string{owner, crossing, invented}, world: "strict: true", reason: schema.ReasonNotEntailed,
			codes: []string{protocol.GroundingUnverifiable}},
		{name: "a strict process", said: []string{owner, crossing, invented},
			settings: func(s *grounding.Settings) { s.Strict = true }, reason: schema.ReasonNotEntailed,
			codes: []string{protocol.GroundingUnverifiable}},
		{name: "block, and nothing may be quoted", said: []string{owner, crossing, invented},
			settings: func(s *grounding.Settings) { block(s); s.ExtractiveFallback = false },
			codes:    []string{protocol.GroundingUnverifiable}, authored: true},
		{name: "lies alone, and nothing may be quoted", said: []string{invented},
			settings: func(s *grounding.Settings) { s.ExtractiveFallback = false },
			codes:    []string{protocol.GroundingUnverifiable}, authored: true},
		{name: "strict, and nothing may be quoted", said: []string{owner, crossing, invented},
			settings: func(s *grounding.Settings) { s.ExtractiveFallback = false }, world: "strict: true",
			codes: []string{protocol.GroundingUnverifiable}, authored: true},
		{name: "nothing is wrong where nothing may be quoted", said: []string{owner},
			settings: func(s *grounding.Settings) { s.ExtractiveFallback = false }, keeps: true},
		{name: "the world's own ratio", said: []string{owner, crossing, invented},
			world: "thresholds: {max_unverifiable_ratio: 0}", reason: protocol.GroundingUnverifiable,
			codes: []string{protocol.GroundingUnverifiable}},
	} {
		t.Run(c.name, func(t *testing.T) {
			reader := &servicetest.Reader{Says: map[string]entail.Reading{denied: servicetest.Denied()}}
			b, _ := staged(t, stage{settings: c.settings, world: c.world, reader: reader})
			var said []protocol.DraftSentence
			for _, s := range c.said {
				said = append(said, cite(s, "ferry"))
			}
			turn := draft(t, b, said...)
			codes := first(b, turn)
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if !slices.Equal(*codes, c.codes) {
				t.Errorf("codes %q, want %q", *codes, c.codes)
			}
			for _, lie := range c.said {
				if lie != owner && lie != crossing && strings.Contains(r.Text, lie) {
					t.Errorf("the lie is said: %q", r.Text)
				}
			}
			var truths []string
			for _, s := range c.said {
				if s == owner || s == crossing {
					truths = append(truths, s)
				}
			}
			if kept := r.Status == schema.StatusAnswered && r.Text == strings.Join(truths, " "); kept != c.keeps {
				t.Errorf("%s, %s: %q", r.Status, r.Reason, r.Text)
			}
			if !c.keeps && !c.authored && (r.Status != schema.StatusExtractive || r.Reason != c.reason) {
				t.Errorf("%s, %s: %q, want the extractive answer for %s", r.Status, r.Reason, r.Text, c.reason)
			}
			if authored := len(r.Sentences) == 1 && r.Sentences[0].Authored; authored != c.authored {
				t.Errorf("%s, %s: %+v", r.Status, r.Reason, r.Sentences)
			}
			if bad := unquoted(r); len(bad) > 0 {
				t.Errorf("released %q", bad)
			}
		})
	}
}

// first keeps the codes of the review that judges a turn's draft; the extractive
// answer that may take its place has a review of its own.
func first(b *servicetest.Bench, turn *protocol.Turn) *[]string {
	codes, seen, review := &[]string{}, false, b.Handlers[schema.PassReviewSpeech]
	b.Handlers[schema.PassReviewSpeech] = func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
		next, err := review(ctx, t)
		if t == turn && !seen && t.SpeechReview != nil {
			seen, *codes = true, t.SpeechReview.Codes
		}
		return next, err
	}
	return codes
}

// Whole turns with models that lie, in every setting: what is released is true of
// its evidence, or authored.
func TestLyingModelsInEverySetting(t *testing.T) {
	settings := map[string]func(*grounding.Settings){
		"as set":      func(*grounding.Settings) {},
		"block":       func(s *grounding.Settings) { s.OnContradiction, s.OnUnverifiable = grounding.Block, grounding.Block },
		"no ratio":    func(s *grounding.Settings) { s.MaxUnverifiable = 0 },
		"no fallback": func(s *grounding.Settings) { s.ExtractiveFallback = false },
		"strict":      func(s *grounding.Settings) { s.Strict = true },
		"held":        func(s *grounding.Settings) { s.Streaming = false },
		"held and block": func(s *grounding.Settings) {
			s.Streaming, s.OnContradiction, s.OnUnverifiable = false, grounding.Block, grounding.Block
		},
	}
	for _, persona := range []string{"invent-detail", "swap", "upgrade", "hedge", "mixed"} {
		for name, set := range settings {
			t.Run(persona+", "+name, func(t *testing.T) {
				b, court := staged(t, stage{persona: persona, settings: set})
				for _, q := range []string{"who owns the ferry?", "what was lost when the mill burned?"} {
					turn := b.Turn("mira", q)
					r := b.Walk(t, turn, schema.PassRetrieve)
					npc := b.Library.Get("village").World.NPCs["mira"]
					if told := llmtest.Judge(court.persona.Entries(),
						llmtest.Told{Reply: *r, Evidence: turn.Evidence, Lines: llmtest.Lines(npc, ""),
							Person: b.Library.Get("village").Person(npc)}); len(told.Unsupported) > 0 {
						t.Errorf("unsupported: %+v", told.Unsupported)
					}
					if len(r.Sentences) == 0 {
						t.Error("an empty reply")
					}
					if name == "no fallback" && r.Status == schema.StatusExtractive {
						t.Errorf("the reply is quoted: %q", r.Text)
					}
				}
			})
		}
	}
}

// A speech streams sentence by sentence, or is held until all of it is reviewed.
func TestASpeechIsHeldWhereItDoesNotStream(t *testing.T) {
	const speech = `{"sentences":[{"text":"Teague owns the ferry.","citations":[{"claim":"","evidence_id":"E1"}]}` +
		`,{"text":"A crossing costs two bits.","citations":[{"claim":"","evidence_id":"E1"}]}]}`
	no := func(s *grounding.Settings) { s.Streaming = false }
	for _, c := range []struct {
		name, world string
		settings    func(*grounding.Settings)
		streams     bool
	}{
		{"by default", "", nil, true},
		{"a world that holds", "streaming: false", nil, false},
		{"a process that holds", "", no, false},
		{"a process that holds, a world that does not", "streaming: true", no, true},
		{"strict", "strict: true", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := staged(t, stage{speech: speech, world: c.world, settings: c.settings})
			var parts atomic.Int32
			beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
				if turn.Part > 0 {
					parts.Add(1)
				}
				return handle()
			})
			r := b.Say(t, "mira", "who owns the ferry?")
			if (parts.Load() > 0) != c.streams {
				t.Errorf("%d sentences were reviewed by themselves", parts.Load())
			}
			if r.Text != owner+" "+crossing || r.Status != schema.StatusAnswered {
				t.Errorf("%s: %q", r.Status, r.Text)
			}
		})
	}
}
