package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/entail/nli"
)

// healthy is a sidecar that runs.
func healthy(t *testing.T) string { return healthyWith(t, "large", "ab") }

func healthyWith(t *testing.T, model, sha256 string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"status":"ok","model":%q,"weights_sha256":%q}`, model, sha256)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// The weights are in the binary, so that a test takes them away in its own process.
func TestDoctorLooksAtTheVerifier(t *testing.T) {
	if _, err := app.Encoder(); err != nil { // it is loaded once, and not while the weights are away
		t.Fatal(err)
	}
	load := app.NLI
	t.Cleanup(func() { app.NLI = load })
	own, err := load()
	if err != nil {
		t.Fatal(err)
	}
	missing := func() (*nli.Model, error) { return nil, errors.New("weights: the file is cut short") }
	nobody := strings.TrimSuffix(closed(t), "/v1")
	type found struct {
		status string
		words  []string
	}
	whole := found{statusFine, []string{"rules and ", " in process, kernel ", "false accepts"}}
	gone := func(released string) found {
		return found{statusBad, []string{"does not load: weights: the file is cut short",
			"take a binary that was built whole; " + released}}
	}
	for _, c := range []struct {
		name     string
		load     func() (*nli.Model, error)
		sidecar  string
		judge    bool
		llm      string
		verifier found
		nli      found // none: no finding
	}{
		{name: "weights fine", load: load, verifier: whole},
		{name: "weights missing", load: missing, verifier: gone(app.Released)},
		{name: "weights missing, the judge without a language model", load: missing, judge: true,
			verifier: gone(app.Released)},
		{name: "weights missing, a judge", load: missing, judge: true, llm: "http://127.0.0.1:1/v1",
			verifier: gone(app.Released)},
		{name: "a sidecar with weights of another version", load: load, sidecar: healthyWith(t, "forsooth-nli-1", "ab"),
			verifier: whole,
			nli:      found{statusBad, []string{"forsooth-nli-1 at http://", "another version", "restart it"}}},
		{name: "a sidecar with the binary's own weights", load: load,
			sidecar: healthyWith(t, own.Name(), own.Calibration().Weights), verifier: whole,
			nli: found{statusFine, []string{own.Name() + " at http://"}}},
		{name: "weights fine, with a sidecar", load: load, sidecar: healthy(t), verifier: whole,
			nli: found{statusFine, []string{"large at http://"}}},
		{name: "weights missing, with a sidecar", load: missing, sidecar: healthy(t),
			verifier: gone(app.Released),
			nli:      found{statusFine, []string{"large at http://"}}},
		{name: "sidecar unreachable", load: load, sidecar: nobody, verifier: whole,
			nli: found{statusBad, []string{"nli sidecar " + nobody, "start it, or leave grounding.nli.url out: the model " +
				"in process decides"}}},
		{name: "weights missing, sidecar unreachable", load: missing, sidecar: nobody,
			verifier: gone(app.Released),
			nli:      found{statusBad, []string{"nli sidecar " + nobody, "start it: the model in process is missing too"}}},
		{name: "sidecar without an address", load: load, sidecar: "somewhere", verifier: whole,
			nli: found{statusBad, []string{`"somewhere"`, "write grounding.nli.url as http://HOST:PORT"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			app.NLI = c.load
			s := &config.Settings{}
			s.Grounding.NLI.URL, s.Grounding.Judge = c.sidecar, config.Judge{On: c.judge}
			s.LLM.URL = c.llm
			d := &diagnosis{env: &env{ctx: t.Context(), settings: s}, Fit: true}
			d.verifiers()
			said := map[string][]Finding{}
			for _, f := range d.Findings {
				said[f.Check] = append(said[f.Check], f)
				if strings.Contains(f.Detail+f.Mend, "\n") {
					t.Errorf("not one line: %+v", f)
				}
			}
			one(t, said["verifier"], c.verifier.status, c.verifier.words...)
			one(t, said["embedder"], statusFine, "both in process")
			if c.nli.status == "" && len(said["nli"]) > 0 {
				t.Errorf("of a sidecar that nobody named: %+v", said["nli"])
			} else if c.nli.status != "" {
				one(t, said["nli"], c.nli.status, c.nli.words...)
			}
		})
	}
}

// The binary itself has its weights.
func TestDoctorOfABinaryThatIsWhole(t *testing.T) {
	s := newSite(t)
	one(t, s.findings(t, exitFine, "verifier"), statusFine, "in process, kernel")
	one(t, s.findings(t, exitFine, "embedder"), statusFine, "both in process")
	s.extra = []string{"FORSOOTH_GROUNDING_NLI_URL=" + strings.TrimSuffix(closed(t), "/v1")}
	one(t, s.findings(t, exitDependency, "nli"), statusBad, "start it")
}
