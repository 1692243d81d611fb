package llm

import (
	"errors"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// endOfStream marks the message behind the sentences of a streamed speech.
const endOfStream = -1

// A pass may make so many calls, and the meter refuses the next.
func TestAPassHasSoManyCalls(t *testing.T) {
	for _, c := range []struct {
		name    string
		pass    schema.Pass
		attempt int
		before  []schema.PassRecord
		want    int
		part    int // of a speech under way
	}{
		{"retrieve", schema.PassRetrieve, 1, nil, 3, 0},
		{"think", schema.PassThink, 1, nil, 4, 0},
		{"decide", schema.PassDecide, 1, nil, 1, 0},
		{"speak", schema.PassSpeak, 1, nil, 4, 0},
		{"act", schema.PassAct, 1, nil, 1, 0},
		{"a review", schema.PassReviewSpeech, 1, nil, 4, 0},
		{"a pass that makes none", schema.Pass("dream"), 1, nil, 0, 0},
		{"thoughts again, after a review", schema.PassThink, 1,
			[]schema.PassRecord{{Pass: schema.PassThink, LLMCalls: 3}, {Pass: schema.PassReviewThought, LLMCalls: 2}}, 1, 0},
		{"the second review shares with the first", schema.PassReviewSpeech, 1,
			[]schema.PassRecord{{Pass: schema.PassReviewThought, LLMCalls: 1}}, 3, 0},
		{"speech after a run that died", schema.PassSpeak, 2, nil, 3, 0},
		{"speech after runs that died", schema.PassSpeak, 9, nil, 0, 0},
		{"speech of a turn that has made 13", schema.PassSpeak, 1,
			[]schema.PassRecord{{Pass: schema.PassRetrieve, LLMCalls: 3}, {Pass: schema.PassThink, LLMCalls: 10}}, 2, 0},
		{"a sentence that has waited for the one before", schema.PassReviewSpeech, 9, nil, 4, 2},
		{"a review after a run that died", schema.PassReviewSpeech, 2, nil, 3, 0},
		{"the end of a stream that waited as it may", schema.PassReviewSpeech, 1 + MaxWaits, nil, 4, endOfStream},
		{"the end of a stream that came more often", schema.PassReviewSpeech, 3 + MaxWaits, nil, 2, endOfStream},
		{"a sentence that was delivered as often as a turn may call", schema.PassReviewSpeech, 16, nil, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := &protocol.Turn{Pass: c.pass, Part: c.part,
				Passes: append(c.before, schema.PassRecord{Pass: c.pass, Attempt: c.attempt})}
			if c.part == endOfStream {
				turn.Part, turn.Speech = 0, &protocol.Speech{Run: "1.1"}
			}
			m := NewMeter(turn)
			calls := 0
			for ; calls <= MaxCalls; calls++ {
				if err := m.take(); err != nil {
					if !errors.Is(err, ErrSpent) {
						t.Error(err)
					}
					break
				}
			}
			if last := turn.Passes[len(turn.Passes)-1]; calls != c.want || last.LLMCalls != c.want {
				t.Errorf("%d calls, %d recorded; want %d", calls, last.LLMCalls, c.want)
			}
		})
	}
}

// Calls about claims have a limit of their own, and leave a turn the calls that its drafts and
// their reviews may still need.
func TestCallsAboutClaimsAreCountedApart(t *testing.T) {
	review := schema.PassReviewSpeech
	for _, c := range []struct {
		name    string
		attempt int
		before  []schema.PassRecord
		here    schema.PassRecord // what the pass has asked so far
		want    int
		left    int // to the pass itself, after them
	}{
		{"a lean turn", 1, []schema.PassRecord{{Pass: schema.PassSpeak, LLMCalls: 1}}, schema.PassRecord{LLMCalls: 1}, 4, 3},
		{"a full turn", 1, []schema.PassRecord{{Pass: schema.PassThink, LLMCalls: 1}, {Pass: schema.PassDecide, LLMCalls: 1},
			{Pass: schema.PassSpeak, LLMCalls: 1}}, schema.PassRecord{LLMCalls: 1}, 4, 3},
		{"a turn that has thought for long", 1, []schema.PassRecord{{Pass: schema.PassThink, LLMCalls: 4},
			{Pass: schema.PassSpeak, LLMCalls: 1}}, schema.PassRecord{LLMCalls: 1}, 2, 3},
		{"one that has searched too", 1, []schema.PassRecord{{Pass: schema.PassRetrieve, LLMCalls: 3},
			{Pass: schema.PassThink, LLMCalls: 4}, {Pass: schema.PassSpeak, LLMCalls: 1}}, schema.PassRecord{LLMCalls: 1}, 0, 3},
		{"after another review", 1, []schema.PassRecord{{Pass: schema.PassSpeak, LLMCalls: 1},
			{Pass: review, LLMCalls: 4, ClaimCalls: 3}}, schema.PassRecord{LLMCalls: 1}, 1, 2},
		{"a run that died", 3, []schema.PassRecord{{Pass: schema.PassSpeak, LLMCalls: 1}}, schema.PassRecord{}, 4, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.here.Pass, c.here.Attempt = review, c.attempt
			turn := &protocol.Turn{Pass: review, Passes: append(c.before, c.here)}
			m := NewMeter(turn)
			aside, calls := m.Aside(), 0
			for ; calls <= MaxCalls && aside.take() == nil; calls++ {
			}
			r := turn.Passes[len(turn.Passes)-1]
			if calls != c.want || r.ClaimCalls != c.want || r.LLMCalls != c.here.LLMCalls+c.want || aside.Left() != 0 {
				t.Errorf("%d calls, recorded %+v", calls, r)
			}
			if m.Left() != c.left {
				t.Errorf("%d calls are left to the review, want %d", m.Left(), c.left)
			}
			if aside.giveBack(); calls > 0 && turn.Passes[len(turn.Passes)-1].ClaimCalls != calls-1 {
				t.Error("a call that reached no model counts")
			}
		})
	}
}

// Whatever the passes may make on their own, a turn makes no more than 15.
func TestATurnHasSoManyCalls(t *testing.T) {
	turn := &protocol.Turn{}
	calls := 0
	for _, p := range []schema.Pass{schema.PassRetrieve, schema.PassThink, schema.PassReviewThought, schema.PassDecide,
		schema.PassSpeak, schema.PassReviewSpeech, schema.PassAct} {
		turn.Passes = append(turn.Passes, schema.PassRecord{Pass: p, Attempt: 1})
		for m := NewMeter(turn); m.take() == nil; calls++ {
		}
	}
	if calls != MaxCalls {
		t.Errorf("%d calls, want %d", calls, MaxCalls)
	}
}

// A call that reached no model is given back.
func TestACallIsGivenBack(t *testing.T) {
	turn := turnOf(schema.PassDecide)
	m := NewMeter(turn)
	for range 3 {
		if err := m.take(); err != nil {
			t.Fatal(err)
		}
		m.giveBack()
	}
	m.add(100, 20, 0.5)
	m.add(10, 2, 0.25)
	if got := turn.Passes[0]; got.LLMCalls != 0 || got.Tokens != 132 || got.TokensOut != 22 || got.Cost != 0.75 {
		t.Errorf("recorded %+v", got)
	}
}
