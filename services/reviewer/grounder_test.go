package reviewer_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// grounder is a server of a model that takes one claim a call and says a word.
type grounder struct {
	kind     prompt.JudgeKind
	supports func(claim string) bool
	fault    func(w http.ResponseWriter, r *http.Request) (answered bool)
	odds     bool // it gives the probabilities of its tokens
	says     string
	calls    atomic.Int32
}

// question is what a grounder is asked.
type question struct {
	Model       string         `json:"model"`
	Messages    []prompt.Part  `json:"messages"`
	LogProbs    bool           `json:"logprobs"`
	TopLogProbs int            `json:"top_logprobs"`
	Format      map[string]any `json:"response_format"`
}

func (q question) claim() string {
	last := q.Messages[len(q.Messages)-1].Content
	if _, after, ok := strings.Cut(last, "\nClaim: "); ok {
		return after
	}
	return last
}

func (g *grounder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.calls.Add(1)
	if g.fault != nil && g.fault(w, r) {
		return
	}
	var q question
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 || q.Format != nil {
		http.Error(w, "another shape", http.StatusBadRequest)
		return
	}
	yes := g.supports(q.claim()) == (g.kind == prompt.JudgeMiniCheck)
	word := map[bool]string{true: "Yes", false: "No"}[yes]
	said, tokens := word, []any{token(word, 0.96)}
	if g.kind == prompt.JudgeGranite {
		word = strings.ToLower(word)
		said, tokens = "<score> "+word+" </score>", []any{token("<score>", 1), token(" "+word, 0.96), token(" </score>", 1)}
	}
	if g.says != "" {
		said, tokens = g.says, nil
	}
	choice := map[string]any{"index": 0, "finish_reason": "stop",
		"message": map[string]any{"role": "assistant", "content": said}}
	if g.odds && q.LogProbs && tokens != nil {
		choice["logprobs"] = map[string]any{"content": tokens}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"model": q.Model, "choices": []any{choice}})
}

// token is a token of an answer with its probability, and the other word beside it.
func token(said string, p float64) map[string]any {
	top := []any{map[string]any{"token": said, "logprob": math.Log(p)}}
	if p < 1 {
		other := map[string]string{"yes": "No", "no": "Yes"}[strings.ToLower(strings.TrimSpace(said))]
		top = append(top, map[string]any{"token": other, "logprob": math.Log(1 - p)})
	}
	return map[string]any{"token": said, "logprob": math.Log(p), "top_logprobs": top}
}

// at is the model behind a server of this kind. No call waits for long.
func (g *grounder) at(t *testing.T, w *world.World, url string) *model.Model {
	t.Helper()
	models, err := llm.New(llm.Config{Primary: llm.Provider{URL: url, Model: "grounder"},
		Calls: map[string]llm.Limits{prompt.Judge: {Timeout: 2 * time.Second}}}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(models.Close)
	m, err := model.New(models, []*world.World{w}, model.Options{Judge: g.kind})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func page(w http.ResponseWriter, _ *http.Request) bool {
	w.Header().Set("Content-Type", "text/html")
	_, _ = w.Write([]byte("<html><body>Welcome</body></html>"))
	return true
}

func refusing(status int, message string) func(http.ResponseWriter, *http.Request) bool {
	return func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message}})
		return true
	}
}

// refusesOdds takes a request only where no probabilities are asked for.
func refusesOdds(w http.ResponseWriter, r *http.Request) bool {
	var q map[string]any
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q["logprobs"] != nil {
		return refusing(http.StatusBadRequest, "logprobs is not supported by this model")(w, r)
	}
	data, _ := json.Marshal(q)
	*r = *r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(data))
	return false
}

// labelled says of each shipped pair whether its sentence is supported.
func labelled(t *testing.T) func(claim string) bool {
	t.Helper()
	pairs, err := review.Pairs()
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]bool{}
	for _, p := range pairs {
		labels[text.Fold(prompt.Claim(p.Question, p.Sentence))] = p.Label == "supported"
	}
	return func(claim string) bool {
		label, known := labels[text.Fold(claim)]
		if !known {
			t.Errorf("asked about %q, which is none of the pairs", claim)
		}
		return label
	}
}

// Judges that take one claim a call qualify as any judge does: with and without the
// probabilities of their words, and never where they cannot be read.
func TestGroundingModelsQualify(t *testing.T) {
	everything := func(string) bool { return true }
	for _, kind := range []prompt.JudgeKind{prompt.JudgeMiniCheck, prompt.JudgeGranite} {
		for _, c := range []struct {
			name      string
			grounder  *grounder
			qualified bool
			fails     string
		}{
			{name: "right, with odds", grounder: &grounder{odds: true}, qualified: true},
			{name: "right, a bare word", grounder: &grounder{}, qualified: true},
			{name: "refuses to give odds", grounder: &grounder{fault: refusesOdds}, qualified: true},
			{name: "supports everything", grounder: &grounder{odds: true, supports: everything}},
			{name: "garbage", grounder: &grounder{says: "As an assistant I should say that it depends."},
				fails: "neither Yes nor No"},
			{name: "a web page", grounder: &grounder{fault: page}, fails: "web page"},
			{name: "without the model", grounder: &grounder{fault: refusing(http.StatusNotFound, `model "grounder" not found`)},
				fails: `no model "grounder"`},
			{name: "failing", grounder: &grounder{fault: refusing(http.StatusInternalServerError, "out of memory")},
				fails: "out of memory"},
			{name: "gone", fails: "nobody listens"},
		} {
			t.Run(string(kind)+", "+c.name, func(t *testing.T) {
				g, url := c.grounder, "http://127.0.0.1:1"
				if g == nil {
					g = &grounder{}
				} else {
					if g.supports == nil {
						g.supports = labelled(t)
					}
					server := httptest.NewServer(g)
					t.Cleanup(server.Close)
					url = server.URL
				}
				g.kind = kind
				w := servicetest.New(t, servicetest.Village()).Library.Get("village").World
				skill, err := reviewer.Qualify(t.Context(), g.at(t, w, url+"/v1"))
				if skill.Qualified() != c.qualified {
					t.Errorf("of the true %.2f, of the false %.2f refused", skill.Sensitivity(), skill.Specificity())
				}
				switch {
				case c.fails == "" && (err != nil || answers(skill) != 64):
					t.Errorf("%d answers: %v", answers(skill), err)
				case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails) ||
					strings.Contains(err.Error(), "\n")):
					t.Errorf("failed with %v, want %q in one line", err, c.fails)
				}
			})
		}
	}
}

// A judge that is slower than a turn has time for is left alone, and the turn goes on.
func TestAGroundingModelDecidesInATurn(t *testing.T) {
	hangs := func(_ http.ResponseWriter, r *http.Request) bool {
		_, _ = io.Copy(io.Discard, r.Body) // a server notices that its caller has gone only behind the body
		<-r.Context().Done()
		return true
	}
	for _, kind := range []prompt.JudgeKind{prompt.JudgeMiniCheck, prompt.JudgeGranite} {
		for _, c := range []struct {
			name     string
			grounder *grounder
			said     bool
			tier     string
		}{
			{"yes", &grounder{odds: true, supports: func(string) bool { return true }}, true, entail.TierJudge},
			{"no", &grounder{odds: true, supports: func(string) bool { return false }}, false, entail.TierJudge},
			{"garbage", &grounder{says: "{}"}, false, entail.TierModel},
			{"a web page", &grounder{fault: page}, false, entail.TierModel},
			{"slow", &grounder{fault: hangs}, false, entail.TierModel},
		} {
			t.Run(string(kind)+", "+c.name, func(t *testing.T) {
				c.grounder.kind = kind
				server := httptest.NewServer(c.grounder)
				t.Cleanup(server.Close)
				b, _ := staged(t, stage{grounder: func(w *world.World) *model.Model {
					return c.grounder.at(t, w, server.URL+"/v1")
				}})
				turn := draft(t, b, cite(paraphrase, "ferry"), cite(toll, "ferry"))
				turn.SpeechReview = nil
				reviewing(turn)
				if _, err := b.Handlers[schema.PassReviewSpeech](t.Context(), turn); err != nil {
					t.Fatal(err)
				}
				if said := len(turn.Released) == 2; said != c.said {
					t.Errorf("released %+v", turn.Released)
				}
				for _, claim := range turn.SpeechReview.Claims {
					if claim.Verdict.Tier != c.tier {
						t.Errorf("the verdict of %q is %+v", claim.Claim, claim.Verdict)
					}
				}
				if n := c.grounder.calls.Load(); n < 2 {
					t.Errorf("it was asked %d times about two claims", n)
				}
				if calls := turn.Passes[len(turn.Passes)-1].LLMCalls; calls != 1 {
					t.Errorf("the turn counts %d calls", calls)
				}
			})
		}
	}
}
