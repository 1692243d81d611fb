package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// wordJudge is a server of MiniCheck as Ollama has it, which knows the shipped pairs.
func wordJudge(t *testing.T) string {
	t.Helper()
	pairs, err := review.Pairs()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct{ Messages []struct{ Content string } }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) != 1 {
			http.Error(w, "another shape", http.StatusBadRequest)
			return
		}
		_, claim, _ := strings.Cut(q.Messages[0].Content, "\nClaim: ")
		word := "No"
		for _, p := range pairs {
			if p.Label == "supported" && strings.HasSuffix(text.Fold(claim), text.Fold(p.Sentence)) {
				word = "Yes"
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"`+
			word+`"}}]}`)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// Doctor tests a judge as a process does, and names in one line why it is not believed.
func TestDoctorTestsTheJudge(t *testing.T) {
	for _, c := range []struct {
		name, kind, url, status string
		words                   []string
	}{
		{"MiniCheck", "minicheck", wordJudge(t), statusFine, []string{"grounder at", "(minicheck) judges speeches: of " +
			"the test pairs it supports 100 %"}},
		{"the speaking model's double, which does not say a word", "granite", scripted(t, llmtest.Options{}), statusNote,
			[]string{"(granite) judges no speeches", "neither Yes nor No"}},
		{"without the model", "minicheck", scripted(t, llmtest.Options{Model: "another"}), statusNote,
			[]string{`no model "grounder"`, "grounding.judge.model"}},
		{"a page", "minicheck", scripted(t, llmtest.Options{FaultRate: 1, Faults: "html"}), statusNote,
			[]string{"a web page", "grounding.judge.url"}},
		{"a page for a chat", "chat", scripted(t, llmtest.Options{FaultRate: 1, Faults: "html"}), statusNote,
			[]string{"a web page", "grounding.judge.url"}},
		{"no JSON", "chat", scripted(t, llmtest.Options{Persona: "prose"}), statusNote,
			[]string{"judges no speeches", "holds no JSON object"}},
		{"gone", "granite", closed(t), statusNote, []string{"nobody listens", "grounding.judge.url"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			s.write("forsooth.yaml", "llm: {url: \""+scripted(t, llmtest.Options{})+"\", model: big}\n"+
				"grounding: {judge: {kind: "+c.kind+", url: \""+c.url+"\", model: grounder}}\n")
			one(t, s.findings(t, exitFine, "judge"), c.status, append(c.words, c.url)...)
		})
	}
}
