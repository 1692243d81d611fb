package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/transformer"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/weights"
)

const (
	notice     = "Teague owns the ferry. A crossing costs two bits."
	verbatim   = "Teague owns the ferry."
	paraphrase = "The ferry belongs to Teague."
	wrong      = "A crossing costs three bits."
)

// without takes the model in process away for a test: it does not load, for this
// reason.
func without(t *testing.T, why error) {
	t.Helper()
	_, _ = app.Encoder() // it is loaded once, and not while the model is away
	load := app.NLI
	app.NLI = func() (*nli.Model, error) { return nil, why }
	t.Cleanup(func() { app.NLI = load })
}

// judged are the verdicts on the three sentences above.
func judged(t *testing.T, o app.Verifying) (word, other, number schema.Verdict, missing error) {
	t.Helper()
	tiers, err := app.NewVerifier(o)
	if err != nil {
		t.Fatal(err)
	}
	defer tiers.Close()
	out, err := tiers.Verify(t.Context(),
		[]entail.Pair{{Premise: notice, Hypothesis: verbatim}, {Premise: notice, Hypothesis: paraphrase},
			{Premise: notice, Hypothesis: wrong}})
	if err != nil || len(out) != 3 {
		t.Fatalf("%v, %v", out, err)
	}
	return out[0], out[1], out[2], tiers.Missing
}

// answering is a sidecar that says the same of every pair.
func answering(t *testing.T, entailment string, wait time.Duration) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Pairs []any }
		_ = json.NewDecoder(r.Body).Decode(&in) // a sidecar that cannot read answers nothing of use
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return
		}
		one := fmt.Sprintf(`{"entailment":%s,"neutral":0.02,"contradiction":0.01}`, entailment)
		fmt.Fprintf(w, `{"model":"m","probabilities":[%s]}`, strings.TrimSuffix(strings.Repeat(one+",", len(in.Pairs)), ","))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func fixed(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A sidecar with the weights of this binary is judged by their calibration, one with
// another model by its own probabilities.
func TestTheSidecarsScoresMeanWhatTheModelsDo(t *testing.T) {
	model, err := app.NLI()
	if err != nil {
		t.Fatal(err)
	}
	ours := model.Calibration()
	for _, c := range []struct {
		name, weights string
		want          entail.Scale
		at            float64 // from which a pair is supported
	}{
		{"our weights", ours.Weights, ours.Scale, ours.Thresholds.Entailment},
		{"other weights", strings.Repeat("0", 64), entail.Scale{Slope: 1}, 0.7},
		{"no word of weights", "", entail.Scale{Slope: 1}, 0.7},
	} {
		for _, entailed := range []float64{0.3, 0.6, 0.75, 0.8, 0.9, 0.97} {
			url := fixed(t, 200, fmt.Sprintf(`{"model":"m","weights_sha256":%q,"probabilities":[{"entailment":%g`+
				`,"neutral":%g,"contradiction":0}]}`, c.weights, entailed, 1-entailed))
			tiers, err := app.NewVerifier(app.Verifying{Sidecar: url, Timeout: time.Minute, NoModel: true})
			if err != nil {
				t.Fatal(err)
			}
			out, err := tiers.Verify(t.Context(), []entail.Pair{{Premise: notice, Hypothesis: paraphrase}})
			tiers.Close()
			if err != nil || len(out) != 1 || out[0].Tier != entail.TierSidecar {
				t.Fatalf("%s: %+v, %v", c.name, out, err)
			}
			score := c.want.Score(entail.Probability{Entailed: entailed}, schema.Verdict{})
			if v := out[0]; math.Abs(v.Score-score) > 1e-6 || (v.Label == schema.Supported) != (score >= c.at) {
				t.Errorf("%s at %v: %+v, want score %v and supported from %v", c.name, entailed, v, score, c.at)
			}
		}
	}
}

// Without the model the sidecar decides; without both, the rules: what is word for
// word stands, what is not does not, and no sidecar is above a rule.
func TestWithoutTheModelTheOtherTiersDecide(t *testing.T) {
	without(t, errors.New("weights: the file is cut short"))
	for _, c := range []struct {
		name    string
		sidecar string
		says    schema.Label // of the paraphrase
		tier    string
	}{
		{"no sidecar", "", schema.Unverifiable, entail.TierRule},
		{"a sidecar that is sure", answering(t, "0.97", 0), schema.Supported, entail.TierSidecar},
		{"a sidecar that is not", answering(t, "0.5", 0), schema.Unverifiable, ""},
		{"a sidecar that is down", "http://127.0.0.1:1", schema.Unverifiable, entail.TierRule},
		{"a sidecar that is slow", answering(t, "0.97", 5*time.Second), schema.Unverifiable, entail.TierRule},
		{"a sidecar without numbers", fixed(t, 200, `{"model":"m","probabilities":[{"entailment":NaN}]}`),
			schema.Unverifiable, entail.TierRule},
		{"a sidecar that counts wrongly", fixed(t, 200, `{"model":"m","probabilities":[]}`), schema.Unverifiable,
			entail.TierRule},
		{"a sidecar with another model's labels", fixed(t, 200, `{"model":"m","probabilities":[{"LABEL_0":0.99}]}`),
			schema.Unverifiable, entail.TierRule},
		{"a sidecar that gives logits", answering(t, "7.3", 0), schema.Unverifiable, entail.TierRule},
		{"a sidecar that fails", fixed(t, 500, "out of memory"), schema.Unverifiable, entail.TierRule},
		{"a page of another server", fixed(t, 200, "<html>It works!</html>"), schema.Unverifiable, entail.TierRule},
	} {
		t.Run(c.name, func(t *testing.T) {
			word, other, number, missing := judged(t, app.Verifying{Sidecar: c.sidecar, Timeout: 200 * time.Millisecond})
			if word.Label != schema.Supported || word.Tier != entail.TierRule {
				t.Errorf("word for word: %+v", word)
			}
			if other.Label != c.says || c.tier != "" && other.Tier != c.tier || other.Why == "" {
				t.Errorf("in other words: %+v", other)
			}
			if number.Label == schema.Supported || number.Tier != entail.TierRule {
				t.Errorf("another number: %+v", number)
			}
			if missing == nil {
				t.Error("nobody learns that the model is missing")
			}
		})
	}
}

// With the model a sidecar that fails changes nothing.
func TestWithoutTheSidecarTheModelDecides(t *testing.T) {
	_, alone, _, missing := judged(t, app.Verifying{})
	if missing != nil {
		t.Fatal(missing)
	}
	word, other, number, _ := judged(t, app.Verifying{Sidecar: "http://127.0.0.1:1", Timeout: 200 * time.Millisecond})
	if other.Label != alone.Label || other.Score != alone.Score || other.Tier != alone.Tier {
		t.Errorf("alone %+v, with a sidecar that is down %+v", alone, other)
	}
	if word.Label != schema.Supported || number.Label == schema.Supported {
		t.Errorf("%+v, %+v", word, number)
	}
	if _, other, _, missing := judged(t, app.Verifying{NoModel: true}); missing != nil || other.Tier != entail.TierRule {
		t.Errorf("left out on purpose: %+v, %v", other, missing)
	}
}

func TestASidecarThatCannotBe(t *testing.T) {
	if _, err := app.NewVerifier(app.Verifying{NoModel: true, Sidecar: "somewhere"}); err == nil ||
		!strings.Contains(err.Error(), "grounding.nli.url") {
		t.Errorf("it says %v", err)
	}
}

// Each way in which weights can be wrong takes the model away and nothing else: a
// process starts, is told why, and releases what is word for word.
func TestWeightsThatDoNotLoad(t *testing.T) {
	vocab, err := transformer.LoadVocab(weights.Vocab)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(weights.Verifier)
	changed[len(changed)-1] ^= 1
	for _, c := range []struct {
		name string
		file []byte
		want string
	}{
		{"cut short", weights.Verifier[:len(weights.Verifier)/2], "weights: "},
		{"cut to nothing", nil, "cut short"},
		{"a byte changed", changed, "hash"},
		{"another version", bytes.Replace(weights.Verifier, []byte(`"version":"2"`), []byte(`"version":"9"`), 1),
			`version "9"`},
		{"no weights of ours", bytes.Replace(weights.Verifier, []byte(`"__metadata__"`), []byte(`"__metadatx__"`), 1),
			"weights: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := nli.Open(vocab, c.file)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("it says %v, want %q", err, c.want)
			}
			without(t, err)
			alerts, reply := turnOffMesh(t)
			if len(alerts) == 0 || !strings.HasPrefix(alerts[0], reviewer.AlertNoModel) ||
				!strings.Contains(alerts[0], err.Error()) {
				t.Errorf("alerts %q", alerts)
			}
			if reply.Text != verbatim {
				t.Errorf("%s: %q", reply.Status, reply.Text)
			}
		})
	}
	t.Run("whole", func(t *testing.T) {
		if alerts, _ := turnOffMesh(t); len(alerts) > 0 && strings.HasPrefix(alerts[0], reviewer.AlertNoModel) {
			t.Errorf("alerts %q", alerts)
		}
	})
}

// The alert of a missing model says what is released all the same, whoever else is there.
func TestTheAlertSaysWhoJudgesWithoutTheModel(t *testing.T) {
	without(t, errors.New("the file is cut short"))
	big := llm.Config{Primary: llm.Provider{URL: "http://127.0.0.1:1/v1", Model: "big"}}
	for _, c := range []struct {
		name string
		o    app.Options
		want string
	}{
		{"nobody", app.Options{}, app.Released},
		{"a sidecar", app.Options{Verifying: app.Verifying{Sidecar: "http://127.0.0.1:1"}}, app.Released},
		{"a judge", app.Options{Judge: true, LLM: big}, app.Released},
		{"a judge without a language model", app.Options{Judge: true}, app.Released},
		{"both", app.Options{Judge: true, LLM: big, Verifying: app.Verifying{Sidecar: "http://127.0.0.1:1"}},
			app.Released},
	} {
		t.Run(c.name, func(t *testing.T) {
			var alerts []string
			c.o.Worlds, c.o.Data = []*world.World{village(t)}, t.TempDir()
			c.o.Alert = func(kind, _, detail string) { alerts = append(alerts, kind+": "+detail) }
			a, err := app.Start(t.Context(), c.o)
			if err != nil {
				t.Fatal(err)
			}
			a.Close()
			want := reviewer.AlertNoModel + ": the verifier in process does not load, so " + c.want + ": the file is cut short"
			if len(alerts) != 1 || alerts[0] != want {
				t.Errorf("alerts %q, want %q", alerts, want)
			}
		})
	}
}

// turnOffMesh starts the services as a process does and asks who owns the ferry.
func turnOffMesh(t *testing.T) (alerts []string, reply *schema.Reply) {
	t.Helper()
	a, err := app.Start(t.Context(), app.Options{Worlds: []*world.World{village(t)}, Data: t.TempDir(),
		Alert: func(kind, _, detail string) { alerts = append(alerts, kind+": "+detail) }})
	if err != nil {
		t.Fatal(err)
	}
	stop := run(t, a)
	reply = ask(t, a, "t1", "Who owns the ferry?")
	stop()
	return alerts, reply
}

// Every tier of a process refuses to be hurried into a yes: with no time left there
// is no support beyond what the rules had read.
func TestTiersOutOfTime(t *testing.T) {
	tiers, err := app.NewVerifier(app.Verifying{})
	if err != nil {
		t.Fatal(err)
	}
	defer tiers.Close()
	// What the process has judged before it still knows without time: this it has not.
	fresh := []entail.Pair{{Premise: fmt.Sprintf("%s It has %d planks.", notice, 1000+rand.IntN(9000)),
		Hypothesis: paraphrase}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	out, err := tiers.Verify(ctx, fresh)
	if err != nil || len(out) != 1 || out[0].Label == schema.Supported {
		t.Errorf("%+v, %v", out, err)
	}
	if out, err = tiers.Verify(t.Context(), fresh); err != nil || len(out) != 1 || out[0].Label != schema.Supported {
		t.Errorf("with time: %+v, %v", out, err)
	}
}

// Whatever a process, a world or an NPC sets, no threshold lets out more than the loosest
// policy; where none is set the policy's own line stands.
func TestNoThresholdLetsOutMoreThanThePolicies(t *testing.T) {
	own := grounding.DefaultSettings()
	own.Thresholds.Entailment = 0.01
	x := &lore.Lore{World: village(t), Grounding: app.GroundingOf(app.Options{Grounding: &own})}
	floor := x.Grounding.Floor
	if got := x.SettingsFor(x.World.NPCs["mira"]).Thresholds.Entailment; floor < 0.5 || got != floor {
		t.Errorf("the threshold is %v, the floor %v", got, floor)
	}
	x.Grounding = app.GroundingOf(app.Options{})
	if got := x.SettingsFor(x.World.NPCs["mira"]).Thresholds.Entailment; got != 0 {
		t.Errorf("the threshold is %v, and none was set", got)
	}
}
