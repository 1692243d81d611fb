package reviewer_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

const (
	sold    = "Teague sold his sister's boat."
	unknown = "That I could not tell you." // mira's own line
)

func policy(name string) guards.Faithfulness {
	return guards.Faithfulness{Enabled: true, Policy: name, Risk: guards.Default().Faithfulness.Risk}
}

// tally is a meter that a test reads.
type tally struct {
	mu    sync.Mutex // of the claims and what is cited: sentences are judged beside each other
	risks []faithful.Risk
	steps []faithful.Step
	calls int

	claims map[schema.Label]int
	split  map[string]int // "by/verdict"
	cited  map[string]int // "source/kind"
}

func (m *tally) Claimed(_ schema.ClaimKind, verdict schema.Label) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.claims == nil {
		m.claims = map[schema.Label]int{}
	}
	m.claims[verdict]++
}

func (m *tally) Split(by schema.SplitBy, verdict schema.Label) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.split == nil {
		m.split = map[string]int{}
	}
	m.split[string(by)+"/"+string(verdict)]++
}

func (m *tally) Skilled(float64, float64, bool) {}

func (m *tally) Cited(source schema.Origin, kind schema.ClaimKind) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cited == nil {
		m.cited = map[string]int{}
	}
	m.cited[string(source)+"/"+string(kind)]++
}

func (m *tally) Scored(r faithful.Risk, _ time.Duration) { m.risks = append(m.risks, r) }
func (m *tally) Applied(s faithful.Step)                 { m.steps = append(m.steps, s) }
func (m *tally) Called(_ string, n int, _ float64)       { m.calls += n }

// spoken is a speech as a model writes it, all of it on the ferry's notice.
func spoken(said ...string) string {
	type citation struct {
		Claim    string `json:"claim"`
		Evidence string `json:"evidence_id"`
	}
	type sentence struct {
		Text      string     `json:"text"`
		Citations []citation `json:"citations"`
	}
	var out struct {
		Sentences []sentence `json:"sentences"`
	}
	out.Sentences = []sentence{}
	for _, s := range said {
		out.Sentences = append(out.Sentences, sentence{s, []citation{{Evidence: "E1"}}})
	}
	data, _ := json.Marshal(out)
	return string(data)
}

// What each policy does with a draft that is wholly true, a little false and false
// enough, and what it leaves in the record of each sentence, the reply and the
// counters. The words of a reply are those without the guard, but where it blocks
// or a second try is better.
func TestWhatGuardThreeDoesWithADraft(t *testing.T) {
	all := []string{owner, crossing}
	little := []string{owner, crossing, "The ferry crosses the river at dawn and at dusk.",
		"The river crossing is a wonder."}
	medium := []string{owner, crossing, "The ferry crosses the river at dawn and at dusk.", invented}
	high := []string{owner, invented}
	cases := []struct {
		name, policy string
		said, then   []string // the last draft, and what the model says when asked once more
		text         string   // of the reply
		status       schema.Status
		reason       string
		risk, action string
		spoke        int // times that the model was asked once more
		kept         int
	}{
		{name: "warn, wholly true", policy: "warn", said: all, text: owner + " " + crossing, status: schema.StatusAnswered,
			risk: "none", action: "release"},
		{name: "warn, a little", policy: "warn", said: little, text: strings.Join(little[:3], " "),
			status: schema.StatusAnswered, risk: "low", action: "release"},
		{name: "warn, medium", policy: "warn", said: medium, text: strings.Join(medium[:3], " "),
			status: schema.StatusAnswered, risk: "medium", action: "warn"},
		{name: "warn, high", policy: "warn", said: high, text: owner, status: schema.StatusAnswered, risk: "high",
			action: "warn"},
		{name: "block, wholly true", policy: "block", said: all, text: owner + " " + crossing, status: schema.StatusAnswered,
			risk: "none", action: "release"},
		{name: "block, a little", policy: "block", said: little, text: unknown, status: schema.StatusUnknown,
			reason: schema.ReasonUnfaithful, risk: "low", action: "block"},
		{name: "block, high", policy: "block", said: high, text: unknown, status: schema.StatusUnknown,
			reason: schema.ReasonUnfaithful, risk: "high", action: "block"},
		{name: "block, nothing but lies", policy: "block", said: []string{invented, sold}, text: unknown,
			status: schema.StatusUnknown, reason: schema.ReasonUnfaithful, risk: "high", action: "block"},
		{name: "regenerate, medium", policy: "regenerate", said: medium, text: strings.Join(medium[:3], " "),
			status: schema.StatusAnswered, risk: "medium", action: "release"},
		{name: "regenerate, and it is better", policy: "regenerate", said: high, then: all, text: owner + " " + crossing,
			status: schema.StatusAnswered, risk: "none", action: "regenerate", spoke: 1, kept: 2},
		{name: "regenerate, and it is worse", policy: "regenerate", said: high, then: []string{crossing, invented, sold},
			text: owner, status: schema.StatusAnswered, risk: "high", action: "regenerate", spoke: 1, kept: 1},
		{name: "regenerate, and it is as bad", policy: "regenerate", said: high, then: []string{crossing, sold}, text: owner,
			status: schema.StatusAnswered, risk: "high", action: "regenerate", spoke: 1, kept: 1},
		{name: "off", said: high, text: owner, status: schema.StatusAnswered},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			meter := &tally{}
			guard := policy(c.policy)
			guard.Enabled = c.policy != ""
			b, court := staged(t, stage{guard: guard, meter: meter, speech: spoken(c.then...)})
			var said []protocol.DraftSentence
			for _, s := range c.said {
				said = append(said, cite(s, "ferry"))
			}
			turn := draft(t, b, said...)
			turn.Class = protocol.ClassComplex
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if r.Text != c.text || r.Status != c.status || r.Reason != c.reason {
				t.Errorf("%s, %s: %q, want %s, %s: %q", r.Status, r.Reason, r.Text, c.status, c.reason, c.text)
			}
			if court.spoke != c.spoke {
				t.Errorf("the model was asked %d times more, want %d", court.spoke, c.spoke)
			}
			if c.policy == "" {
				if r.Faithfulness != nil || len(meter.risks) > 0 {
					t.Errorf("it is off, and scored %+v", r.Faithfulness)
				}
				return
			}
			f := r.Faithfulness
			if f == nil || f.Risk != c.risk || f.Action != c.action || f.Policy != c.policy || f.Kept != c.kept {
				t.Fatalf("the reply's mark: %+v, want %s, %s", f, c.risk, c.action)
			}
			for _, record := range b.Releases.Of(turn.TurnID).Records {
				if record.Faithfulness == nil || record.Faithfulness.Risk != c.risk || record.Faithfulness.Action != c.action {
					t.Errorf("the record of sentence %d: %+v", record.Seq, record.Faithfulness)
				}
			}
			if want := []faithful.Risk{faithful.Risk(c.risk)}; !slices.Equal(meter.risks, want) {
				t.Errorf("counted %v, want %v", meter.risks, want)
			}
			if want := []faithful.Step{faithful.Step(c.action)}; !slices.Equal(meter.steps, want) {
				t.Errorf("counted %v, want %v", meter.steps, want)
			}
			told := slices.ContainsFunc(b.Alerts, func(a string) bool { return strings.HasPrefix(a, reviewer.AlertUnfaithful) })
			if told != (c.action != "release") {
				t.Errorf("alerts %q", b.Alerts)
			}
		})
	}
}

// The second try is told what was wrong with the first.
func TestASecondTryIsToldWhatWasWrong(t *testing.T) {
	b, _ := staged(t, stage{guard: policy("regenerate"), speech: spoken(owner)})
	turn := draft(t, b, cite(owner, "ferry"), cite(invented, "ferry"))
	next, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn)
	if err != nil || next != schema.PassSpeak || turn.FirstTry == nil {
		t.Fatalf("next %s, %v", next, err)
	}
	if i := turn.SpeechReview.Issues; len(i) != 1 || i[0].Claim != invented ||
		!strings.Contains(i[0].Correction, "leave it out") {
		t.Errorf("the feedback: %+v", i)
	}
	if len(b.Releases.Of(turn.TurnID).Sentences) > 0 {
		t.Errorf("released before the second try: %v", b.Releases.Of(turn.TurnID).Sentences)
	}
	if r := b.Walk(t, turn, next); r.Text != owner || turn.FirstTry != nil {
		t.Errorf("%q, first try %+v", r.Text, turn.FirstTry)
	}
}

// A speech that streams from a process that does not hold is held here; the guard
// marks one that is reviewed sentence by sentence, and changes none of its words.
func TestGuardThreeAndStreaming(t *testing.T) {
	speech := spoken(owner, invented, sold)
	plain, _ := staged(t, stage{speech: speech})
	want := plain.Say(t, "mira", "who owns the ferry?")
	for _, name := range []string{"warn", "block", "regenerate"} {
		t.Run(name, func(t *testing.T) {
			meter := &tally{}
			b, _ := staged(t, stage{guard: policy(name), meter: meter, speech: speech})
			var parts atomic.Int32
			beside(b, func(turn *protocol.Turn, handle func() (schema.Pass, error)) (schema.Pass, error) {
				if turn.Part > 0 {
					parts.Add(1)
				}
				return handle()
			})
			r := b.Say(t, "mira", "who owns the ferry?")
			if parts.Load() == 0 {
				t.Fatal("the speaker did not stream")
			}
			early := 0
			for _, record := range b.Releases.Of(r.TurnID).Records {
				early += record.Part // only what is reviewed by itself is a part
			}
			if (early > 0) != (name == "warn") {
				t.Errorf("%d sentences were released before the reply was scored", early)
			}
			if len(meter.risks) != 1 || r.Faithfulness == nil || r.Faithfulness.Claims != 3 || r.Faithfulness.Supported != 1 ||
				r.Faithfulness.Risk != "high" {
				t.Errorf("%v: %+v", meter.risks, r.Faithfulness)
			}
			switch name {
			case "block":
				if r.Text != unknown || r.Reason != schema.ReasonUnfaithful {
					t.Errorf("%s: %q", r.Reason, r.Text)
				}
			case "warn":
				if r.Text != want.Text || r.Status != want.Status {
					t.Errorf("%s %q, and without the guard %s %q", r.Status, r.Text, want.Status, want.Text)
				}
				marks := 0
				for _, record := range b.Releases.Of(r.TurnID).Records {
					if record.Faithfulness != nil {
						marks++
					}
				}
				if marks != 1 {
					t.Errorf("%d records are marked, want one at the end of the run", marks)
				}
			}
		})
	}
}

// Nothing is blocked once something is released, by whomever: what a player has
// read stays, and the worker that comes after concludes what the first did.
func TestNothingIsBlockedBehindARelease(t *testing.T) {
	scored := &schema.Faithfulness{Score: 1, Claims: 2, Supported: 2, Risk: "none", Policy: "block", Action: "release"}
	refused := &schema.Faithfulness{Score: 0.5, Claims: 2, Supported: 1, Risk: "high", Policy: "block", Action: "block"}
	cases := []struct {
		name     string
		released string
		authored bool
		mark     *schema.Faithfulness // in the record of what was released
		draft    []string
		text     string
		status   schema.Status
		reason   string
		action   string
		counted  int
	}{
		{"the first worker let it be", owner, false, scored, []string{owner, invented}, owner, schema.StatusAnswered, "",
			"release", 0},
		{"the first worker blocked it", unknown, true, refused, []string{owner, crossing}, unknown, schema.StatusUnknown,
			schema.ReasonUnfaithful, "block", 0},
		{"the first worker blocked it, and so would this one", unknown, true, refused, []string{owner, invented}, unknown,
			schema.StatusUnknown, schema.ReasonUnfaithful, "block", 0},
		{"the first worker had no guard", owner, false, nil, []string{owner, invented}, owner, schema.StatusAnswered, "",
			"warn", 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			meter := &tally{}
			b, _ := staged(t, stage{guard: policy("block"), meter: meter})
			var said []protocol.DraftSentence
			for _, s := range c.draft {
				said = append(said, cite(s, "ferry"))
			}
			turn := draft(t, b, said...)
			s := schema.Sentence{Seq: 1, Text: c.released, Authored: c.authored, Hash: protocol.HashText(c.released),
				Evidence: []schema.EvidenceRef{}}
			if !c.authored {
				s.Evidence = []schema.EvidenceRef{{ID: "E1", Source: schema.OriginCorpus}}
			}
			b.Releases.Of(turn.TurnID).Sentences = []schema.Sentence{s}
			b.Releases.Of(turn.TurnID).Records = []protocol.ReviewRecord{
				{TurnID: turn.TurnID, Seq: 1, Hash: s.Hash, Faithfulness: c.mark}}
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if r.Text != c.text || r.Status != c.status || r.Reason != c.reason {
				t.Errorf("%s, %s: %q", r.Status, r.Reason, r.Text)
			}
			if r.Faithfulness == nil || r.Faithfulness.Action != c.action || len(meter.steps) != c.counted {
				t.Errorf("%+v, counted %v", r.Faithfulness, meter.steps)
			}
		})
	}
}

// overtaken is a releaser behind which another worker has released a sentence
// while this one was scoring.
type overtaken struct {
	*servicetest.Releases
	first schema.Sentence
	mark  *schema.Faithfulness
}

func (o *overtaken) Release(_ context.Context, t *protocol.Turn, _ protocol.ReviewRecord, _ schema.Sentence) error {
	o.Of(t.TurnID).Records = []protocol.ReviewRecord{{TurnID: t.TurnID, Seq: 1, Hash: o.first.Hash, Faithfulness: o.mark}}
	o.Of(t.TurnID).Sentences = []schema.Sentence{o.first}
	t.Released = o.Of(t.TurnID).Sentences
	return mesh.ErrConflict
}

func TestABlockThatCameTooLateIsNone(t *testing.T) {
	o := &overtaken{
		first: schema.Sentence{Seq: 1, Text: owner, Hash: protocol.HashText(owner),
			Evidence: []schema.EvidenceRef{{ID: "E1", Source: schema.OriginCorpus}}},
		mark: &schema.Faithfulness{Score: 1, Claims: 1, Supported: 1, Risk: "none", Policy: "warn", Action: "release"}}
	b, _ := staged(t, stage{guard: policy("block"), releases: func(kept *servicetest.Releases) reviewer.Releaser {
		o.Releases = kept
		return o
	}})
	r := b.Walk(t, draft(t, b, cite(owner, "ferry"), cite(invented, "ferry")), schema.PassReviewSpeech)
	if r.Text != owner || r.Status != schema.StatusAnswered || r.Reason != "" || r.Faithfulness == nil ||
		r.Faithfulness.Action != "release" {
		t.Errorf("%s, %s: %q, %+v", r.Status, r.Reason, r.Text, r.Faithfulness)
	}
}

// asking counts what a reader is asked.
type asking struct {
	servicetest.Reader
	sentences atomic.Int32
}

func (a *asking) Read(ctx context.Context, all []entail.Sentence) ([]entail.Reading, error) {
	a.sentences.Add(int32(len(all)))
	return a.Reader.Read(ctx, all)
}

func TestGuardThreeAsksTheReaderNothing(t *testing.T) {
	asked := map[string]int32{}
	for _, name := range []string{"", "warn", "block"} {
		r := &asking{}
		guard := policy(name)
		guard.Enabled = name != ""
		b, _ := staged(t, stage{guard: guard, reader: r})
		b.Walk(t, draft(t, b, cite(owner, "ferry"), cite(invented, "ferry")), schema.PassReviewSpeech)
		asked[name] = r.sentences.Load()
	}
	if asked["warn"] != asked[""] || asked["block"] > asked[""] || asked[""] == 0 {
		t.Errorf("asked %v", asked)
	}
}

// What a review disputes is not supported, though its words stand in the evidence; and a
// promise that no action keeps counts, whatever kind the reader takes it for.
func TestWhatIsDisputedIsNotSupported(t *testing.T) {
	const sword = "Take this sword, it is yours."
	for _, c := range []struct {
		name   string
		said   protocol.DraftSentence
		reader *servicetest.Reader
	}{
		{"a rumour told as a fact", cite("A drowned horse walks the lake at night.", "lake"), &servicetest.Reader{}},
		{"a promise", protocol.DraftSentence{Text: sword}, &servicetest.Reader{}},
		{"a promise like a courtesy", protocol.DraftSentence{Text: sword}, &servicetest.Reader{Social: []string{sword}}},
		{"a promise like a feeling", protocol.DraftSentence{Text: sword},
			&servicetest.Reader{Says: map[string]entail.Reading{sword: servicetest.Feeling()}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := staged(t, stage{guard: policy("block"), reader: c.reader})
			turn := prepared(t, b, "mira", "what walks the lake?")
			turn.SpeechReview = &protocol.Review{Attempt: 2}
			turn.Speech = &protocol.Speech{Attempt: 3, Speaker: "test", Sentences: []protocol.DraftSentence{bound(turn, c.said)}}
			r := b.Walk(t, turn, schema.PassReviewSpeech)
			if f := r.Faithfulness; f == nil || f.Claims != 1 || f.Supported != 0 || f.Action != "block" || r.Text != unknown {
				t.Errorf("%q, %+v", r.Text, f)
			}
		})
	}
}

// A reply that claims nothing is not scored: it would only thin the rates.
func TestAGreetingIsNotScored(t *testing.T) {
	meter := &tally{}
	b, _ := staged(t, stage{guard: policy("block"), meter: meter, reader: &servicetest.Reader{Social: []string{unknown}},
		speech: `{"sentences":[{"text":"` + unknown + `","citations":[]}]}`})
	for _, said := range []string{"hello", "thank you", "what is the capital of the moon?"} {
		if r := b.Say(t, "mira", said); r.Faithfulness != nil || r.Text == "" {
			t.Errorf("%s: %q, %+v", said, r.Text, r.Faithfulness)
		}
	}
	if len(meter.risks) > 0 {
		t.Errorf("counted %v", meter.risks)
	}
}
