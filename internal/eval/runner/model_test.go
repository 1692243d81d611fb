package runner

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

// maxCalls is what a turn may cost at most, whatever a model does.
const maxCalls = 15

// On a model of the reader's choice the paper's suite is a measurement, and its
// table is printed (go test -v). How many cases pass is the model's affair; what
// holds with any model is that nothing unsupported is released, that every turn
// ends, and that its calls are bounded.
func TestThePaperOnARealModel(t *testing.T) {
	url := os.Getenv("FORSOOTH_TEST_LLM")
	if url == "" {
		t.Skip("FORSOOTH_TEST_LLM names no model server, such as http://localhost:11434/v1; FORSOOTH_TEST_LLM_MODEL and " +
			"FORSOOTH_TEST_LLM_KEY name the model and the key")
	}
	report := onModel(t, "paper",
		llm.Config{Primary: llm.Provider{Name: "primary", URL: url, Model: os.Getenv("FORSOOTH_TEST_LLM_MODEL"),
			Key: os.Getenv("FORSOOTH_TEST_LLM_KEY")}})
	var table bytes.Buffer
	report.WriteTable(&table)
	t.Log("\n" + table.String())
	if got := report.Metrics["hallucination_rate"]; got > 0 {
		t.Errorf("released without support: %.4f of the sentences", got)
	}
	if got := report.Metrics["evidence_verbatim"]; got < 1 {
		t.Errorf("evidence that stands in its file: %.4f", got)
	}
	if report.Usage.Calls.Max > maxCalls {
		t.Errorf("a turn made %.0f calls", report.Usage.Calls.Max)
	}
	if report.Usage.Calls.Max == 0 {
		t.Error("no turn asked the model")
	}
}

// Whatever a scripted model says, the report counts its calls as the server does,
// and nothing unsupported is released; an honest one is seldom corrected and a
// lying one often.
func TestAReportOnAScriptedModel(t *testing.T) {
	for _, c := range []struct {
		persona string
		honest  bool
	}{{"quote", true}, {"mixed", false}} {
		server, err := llmtest.Start(llmtest.Options{Persona: c.persona, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		r := onModel(t, "paper", llm.Config{Primary: llm.Provider{Name: "primary", URL: server.URL(), Model: "scripted"}})
		calls := 0
		for _, x := range r.Results {
			calls += x.Calls
		}
		if stats := server.Stats(); calls != stats.Calls || calls == 0 {
			t.Errorf("%s: the report counts %d calls, the server %d", c.persona, calls, stats.Calls)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		first := r.Metrics["citation_verification_first_attempt"]
		if r.Metrics["hallucination_rate"] != 0 || r.Metrics["evidence_verbatim"] != 1 || c.honest != (first >= 0.9) ||
			!c.honest && r.Retries["NOT_ENTAILED"].Speech == 0 {
			t.Errorf("%s: first attempt %.2f, retries %v, %v", c.persona, first, r.Retries, r.Metrics)
		}
		if r.Usage.Calls.Max > maxCalls || r.Usage.Asked.N == 0 || r.Usage.Asking.Max <= 0 || r.Usage.Tokens.Max <= 0 {
			t.Errorf("%s: %+v", c.persona, r.Usage)
		}
	}
}

// onModel runs a suite that the binary carries, one case after another, so that
// no time is spent on waiting for another case's call.
func onModel(t *testing.T, name string, models llm.Config) *eval.Report {
	t.Helper()
	data, dir, ok := app.CarriedSuite(name)
	if !ok {
		t.Fatalf("the binary carries no suite %s", name)
	}
	suite, err := eval.Parse(name, data)
	if err != nil {
		t.Fatal(err)
	}
	if dir == "" {
		dir = filepath.Base(suite.World)
	}
	w, _, err := app.LoadWorld(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := suite.Bind(w); err != nil {
		t.Fatal(err)
	}
	outcomes, err := Run(t.Context(), suite, w,
		Options{App: app.Options{LLM: models}, Index: filepath.Join(t.TempDir(), "index.db"), Jobs: 1,
			Done: func(o *eval.Outcome) {
				if o.Reply == nil {
					t.Errorf("%s has no reply", o.Case.Name)
				}
			}})
	if err != nil {
		t.Fatal(err)
	}
	report := eval.Summarise(suite, outcomes)
	report.Model = models.Primary.Model
	return report
}
