package retriever_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

const invented = "Teague drowned the miller under the ferry."

// liar is a model whose compaction invents, and whose thoughts and speech believe
// it. It keeps the prompts that it was sent, by call.
func liar(t *testing.T) (string, func(call string) string) {
	t.Helper()
	var mu sync.Mutex
	prompts := map[string]string{}
	answers := map[string]string{
		"compact":   `{"summary":"` + invented + ` [1]"}`,
		"monologue": `{"thoughts":[{"text":"` + invented + `","citations":["1"]}]}`,
		"decision":  `{"plan":["Tell it."],"share":["E1"],"withhold":[],"tone":"","ask":"","actions":[]}`,
		"speech":    `{"sentences":[{"text":"` + invented + `","citations":[{"claim":"","evidence_id":"E1"}]}]}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Messages []struct{ Content string } `json:"messages"`
			Format   struct {
				Schema struct{ Name string } `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		prompts[q.Format.Schema.Name] = q.Messages[len(q.Messages)-1].Content
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "liar", "choices": []any{map[string]any{"finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": answers[q.Format.Schema.Name]}}}})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", func(call string) string { mu.Lock(); defer mu.Unlock(); return prompts[call] }
}

// Pass 1.5 stands in prompts only: a compactor that lies adds no evidence.
func TestACompactorThatLiesAddsNoEvidence(t *testing.T) {
	files := servicetest.Village()
	npc := string(files["npcs/mira/npc.yaml"].Data)
	long := strings.Repeat("Patient with iron and short with people. ", 450)
	files["npcs/mira/npc.yaml"] = &fstest.MapFile{Data: []byte(strings.Replace(npc, `personality: "dry and patient"`, `personality: "`+long+`"`, 1))}
	url, prompt := liar(t)
	b := servicetest.NewWithModel(t, files, url)
	turn := b.Turn("mira", "who owns the ferry?")
	reply := b.Walk(t, turn, schema.PassRetrieve)
	if prompt("compact") == "" || !strings.Contains(prompt("monologue"), invented) || strings.Contains(prompt("monologue"), "<sources>") {
		t.Fatal("the sources were not compacted, so this shows nothing")
	}
	if strings.Contains(reply.Text, "drowned") || len(reply.Stripped) == 0 {
		t.Errorf("reply %q, stripped %+v", reply.Text, reply.Stripped)
	}
	for _, e := range turn.Evidence {
		if strings.Contains(e.Text, "drowned") && strings.Contains(e.Text, "miller") {
			t.Errorf("the summary became evidence: %+v", e)
		}
	}
	if reply.Status != schema.StatusExtractive || reply.Reason != schema.GroundingUnverifiable {
		t.Errorf("%s, %s: %q", reply.Status, reply.Reason, reply.Text)
	}
}
