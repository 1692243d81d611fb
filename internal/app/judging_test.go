package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory/extract"
	"github.com/forsooth-npc/forsooth/internal/memory/write"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// judgeServer is a language model that judges, and keeps which model was asked.
type judgeServer struct {
	mu     sync.Mutex
	models []string
}

func (j *judgeServer) asked() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.models)
}

const (
	says  = `{"verdicts":[{"n":1,"kind":"world","verdict":"supported","difference":"","confidence":0.95}]}`
	mum   = `{"verdicts":[{"n":1,"kind":"world","verdict":"unverifiable","difference":"all of it","confidence":0.95}]}`
	prose = "I should think so."
)

func judgingServer(t *testing.T, answer string) (*judgeServer, string) {
	t.Helper()
	j := &judgeServer{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&q) // what cannot be read names no model, and the test sees it
		j.mu.Lock()
		j.models = append(j.models, q.Model)
		j.mu.Unlock()
		said, _ := json.Marshal(answer)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant"`+
			`,"content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`, said)
	}))
	t.Cleanup(s.Close)
	return j, s.URL + "/v1"
}

// juggler is a memory in other words than those that were said, which no rule can
// decide.
func juggler() (extract.Candidate, []extract.Utterance, extract.Context) {
	at := time.Date(1402, 5, 1, 10, 0, 0, 0, time.UTC)
	said := "I juggle knives at the fairs in spring."
	m := schema.Memory{World: "village", NPC: "mira", Player: "p1", Kind: schema.MemoryOccurrence, Subject: "player:p1",
		Pred: "said", Object: "performs with knives at fairs in spring",
		Content: "Ansel told me that they perform with knives at the fairs in spring.", Confidence: 0.82,
		Source: schema.OriginUser, TurnID: "t1", CreatedAt: at, EventTime: at, ValidFrom: at,
		Spans: []schema.MemorySpan{{TurnID: "t1", Speaker: extract.SpeakerPlayer, Text: said, At: at}}}
	return extract.Candidate{Memory: m, Claim: "I perform with knives at the fairs in spring."},
		[]extract.Utterance{{TurnID: "t1", Speaker: extract.SpeakerPlayer, Text: said, At: at}},
		extract.Context{NPCName: "Mira", PlayerName: "Ansel", Wall: at}
}

// Whoever verifier_model names gives the verdict of what the rules leave open: what the
// one supports is stored whole, what he does not is kept in part, and what he gives no
// verdict of waits.
func TestWhoGroundsAMemory(t *testing.T) {
	for _, c := range []struct {
		name, verifier, sidecar, judgement string
		label                              schema.GroundingLabel
		tier, asked                        string
	}{
		{"rules", "rules", "", "", schema.GroundingPartial, entail.TierRule, ""},
		{"a sidecar that supports it", "sidecar", "0.97", "", schema.GroundingSupported, entail.TierSidecar, ""},
		{"a sidecar that does not", "sidecar", "silent", "", schema.GroundingPartial, entail.TierSidecar, ""},
		{"a sidecar that is away", "sidecar", "away", "", schema.GroundingUnknown, entail.TierNone, ""},
		{"a model by its name that supports it", "small-1", "", says, schema.GroundingSupported, entail.TierJudge, "small-1"},
		{"a model by its name that does not", "small-1", "", mum, schema.GroundingPartial, entail.TierJudge, "small-1"},
		{"the model of the calls", "llm", "", says, schema.GroundingSupported, entail.TierJudge, "large"},
		{"a model that says nothing of use", "llm", "", prose, schema.GroundingUnknown, entail.TierNone, "large"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := guards.Default()
			g.Grounding.VerifierModel = c.verifier
			o := app.Options{Worlds: []*world.World{village(t)}, Guards: &g,
				Verifying: app.Verifying{NoModel: c.verifier != "sidecar"}}
			switch c.sidecar {
			case "":
			case "away":
				o.Verifying.Sidecar = fixed(t, http.StatusInternalServerError, "no")
			case "silent":
				o.Verifying.Sidecar = fixed(t, http.StatusOK, `{"model":"m","probabilities":[{"entailment":0.05,"neutral":0.93`+
					`,"contradiction":0.02}]}`)
			default:
				o.Verifying.Sidecar = answering(t, c.sidecar, 0)
			}
			a := &app.App{}
			t.Cleanup(a.Close)
			var server *judgeServer
			if c.judgement != "" {
				var url string
				server, url = judgingServer(t, c.judgement)
				o.LLM = llm.Config{Primary: llm.Provider{URL: url, Model: "large"}}
			}
			must(t, app.Models(a, o))
			tiers, err := app.NewVerifier(o.Verifying)
			must(t, err)
			t.Cleanup(tiers.Close)
			guard, err := app.WriteGuard(o, tiers, a.Model, &lore.Library{})
			must(t, err)
			candidate, words, x := juggler()
			v := guard.Judge(t.Context(), candidate, words, x)
			if v.Verdict.Label != c.label || v.Verdict.Tier != c.tier {
				t.Errorf("%s by %s: %s; want %s by %s", v.Verdict.Label, v.Verdict.Tier, v.Verdict.Why, c.label, c.tier)
			}
			if (v.Fate == write.Wait) != (c.label == schema.GroundingUnknown) {
				t.Errorf("it becomes %s", v.Fate)
			}
			if server != nil {
				if asked := server.asked(); len(asked) == 0 || asked[0] != c.asked {
					t.Errorf("asked were %q", asked)
				}
				// At night the judge is not asked again of what he had the word of.
				before := len(server.asked())
				if again := guard.Reprove(t.Context(), &v.Memory, x); again.Label == schema.GroundingNotSupported ||
					len(server.asked()) != before {
					t.Errorf("the scan says %s: %s", again.Label, again.Why)
				}
			}
		})
	}
}

// judge_model says who looks at what rules leave unclear in the scan.
func TestWhoJudgesAtNight(t *testing.T) {
	server, url := judgingServer(t, `{"verdict":"DISTINCT","reasoning":"Two matters."}`)
	for _, c := range []struct {
		word            string
		judge           bool // grounding.judge
		entails, judges bool
		asked           string
	}{
		{"", false, true, false, ""},
		{"", true, true, true, "large"},
		{"rules", true, false, false, ""},
		{"inprocess", true, true, false, ""},
		{"llm", false, true, true, "large"},
		{"small-1", false, true, true, "small-1"},
	} {
		g := guards.Default()
		g.Consistency.JudgeModel = c.word
		o := app.Options{Worlds: []*world.World{village(t)}, Guards: &g, Judge: c.judge,
			LLM: llm.Config{Primary: llm.Provider{URL: url, Model: "large"}}}
		a := &app.App{}
		must(t, app.Models(a, o))
		entails, judge := app.ScanTiers(o, a.Model)
		if (entails != nil) != c.entails || (judge != nil) != c.judges {
			t.Errorf("%q: a verifier %v, a judge %v", c.word, entails != nil, judge != nil)
		}
		if judge != nil {
			m, _, _ := juggler()
			if _, _, err := judge.Judge(t.Context(), []schema.Memory{m.Memory, m.Memory}); err != nil {
				t.Errorf("%q: %v", c.word, err)
			}
			if asked := server.asked(); asked[len(asked)-1] != c.asked {
				t.Errorf("%q: asked is %q", c.word, asked)
			}
		}
		a.Close()
	}
}

// Nobody is chosen who is not there.
func TestAJudgeThatIsNotThereIsRefusedAtTheStart(t *testing.T) {
	for _, change := range []func(*guards.Settings){
		func(s *guards.Settings) { s.Grounding.VerifierModel = "sidecar" },
		func(s *guards.Settings) { s.Consistency.JudgeModel = "small-1" },
		func(s *guards.Settings) { s.Faithfulness.Model = "llm" },
	} {
		g := guards.Default()
		change(&g)
		a, err := app.Start(t.Context(),
			app.Options{Worlds: []*world.World{village(t)}, Data: t.TempDir(), Meaning: app.MeaningOff, Guards: &g})
		if err == nil {
			a.Close()
			t.Errorf("started with %+v", g)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
