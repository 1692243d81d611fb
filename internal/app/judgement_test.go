package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// A judge with an endpoint of its own is tested and asked there; the model that speaks
// judges nothing then. Where no such endpoint is set the model that speaks is the judge.
func TestWhoJudgesSpeeches(t *testing.T) {
	for _, own := range []bool{false, true} {
		speaks, judges := scripted(t, llmtest.JudgeLying), scripted(t, llmtest.JudgeHonest)
		var shown *review.Skill
		o := app.Options{Worlds: []*world.World{village(t)}, Data: t.TempDir(), Meaning: app.MeaningOff, Judge: true,
			LLM:        llm.Config{Primary: llm.Provider{URL: speaks.URL(), Model: "speaker"}},
			JudgeFirst: true, Judged: func(s *review.Skill) { shown = s }}
		if own {
			o.JudgeAt = llm.Provider{URL: judges.URL(), Model: "judge"}
		}
		a, err := app.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
		asked := map[bool]int{false: speaks.Stats().BySchema["judge"], true: judges.Stats().BySchema["judge"]}
		if asked[own] == 0 || asked[!own] != 0 || shown.Qualified() != own {
			t.Errorf("its own endpoint %v: the speaker judged %d times, the judge %d; believed %v",
				own, asked[false], asked[true], shown.Qualified())
		}
	}
}

func scripted(t *testing.T, judge string) *llmtest.Server {
	t.Helper()
	s, err := llmtest.Start(llmtest.Options{Persona: "quote", Judge: judge})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// What a judge has shown is kept: a start within the day tests it no more, and another
// judge, or the same a day later, is tested anew.
func TestWhatAJudgeHasShownIsKept(t *testing.T) {
	server, dir := scripted(t, llmtest.JudgeHonest), t.TempDir()
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	start := func(model string, tested bool) {
		t.Helper()
		before, now, shown := server.Stats().BySchema["judge"], at, make(chan struct{})
		a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{village(t)}, Data: dir, Meaning: app.MeaningOff,
			Judge: true, LLM: llm.Config{Primary: llm.Provider{URL: server.URL(), Model: model}},
			Judged: func(*review.Skill) { close(shown) }, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		if tested {
			select {
			case <-shown:
			case <-time.After(20 * time.Second):
				t.Errorf("%s at %v: it is not tested", model, now)
			}
		}
		a.Close()
		if asked := server.Stats().BySchema["judge"] - before; (asked > 0) != tested {
			t.Errorf("%s at %v: asked about %d pairs, tested %v", model, now, asked, tested)
		}
	}
	start("small", true)
	at = at.Add(time.Hour)
	start("small", false)
	start("large", true)
	at = at.Add(25 * time.Hour)
	start("large", true)
}

// A judge that cannot be asked is tested again soon, and less and less often: each test is
// a call at least. A file that cannot be written costs no further test.
func TestAJudgeThatIsAwayIsAskedLessAndLess(t *testing.T) {
	away := errors.New("nobody listens there")
	for _, c := range []struct {
		err          error
		waited, want time.Duration
	}{
		{nil, time.Hour, 24 * time.Hour}, {away, 0, time.Minute}, {away, time.Minute, 2 * time.Minute},
		{away, time.Hour, 2 * time.Hour}, {away, 12 * time.Hour, 12 * time.Hour},
	} {
		if got := app.AfterTest(c.err, c.waited); got != c.want {
			t.Errorf("%v behind %v: %v, want %v", c.err, c.waited, got, c.want)
		}
	}
}

// A process whose model does not load still says what the evidence says in other words,
// where a sidecar runs the same weights.
func TestASidecarReadsSpeechesWithoutTheModel(t *testing.T) {
	fit, err := review.ShippedFit()
	if err != nil {
		t.Fatal(err)
	}
	without(t, errors.New("the file is cut short"))
	for _, c := range []struct {
		name, weights string
		said          bool
	}{
		{"the same weights", fit.Weighed, true},
		{"other weights", "0", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			side := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var in struct{ Pairs []any }
				_ = json.NewDecoder(r.Body).Decode(&in)
				rows := strings.Repeat(`,{"entailment":0.999,"neutral":0.001,"contradiction":0}`, len(in.Pairs))
				_, _ = fmt.Fprintf(w, `{"model":"m","weights_sha256":%q,"probabilities":[%s]}`, c.weights, rows[1:])
			}))
			t.Cleanup(side.Close)
			client, err := nli.NewSidecar(nli.SidecarOptions{URL: side.URL, Timeout: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(client.Close)
			r, missing := app.Judgement(app.Verifying{}, client)
			_, out, err := r.Review(t.Context(), review.Draft{
				Evidence:  []protocol.Evidence{{ID: "E1", Text: notice}},
				Sentences: []protocol.DraftSentence{{Text: paraphrase, Citations: []protocol.Citation{{EvidenceID: "E1"}}}},
				Level:     grounding.Lively})
			if missing == nil || err != nil || len(out) != 1 || (out[0].Verdict.Label == schema.Supported) != c.said {
				t.Errorf("%+v, %v, missing %v", out, err, missing)
			}
		})
	}
}
