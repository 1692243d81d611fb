package servicetest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Model is a language model that gives one answer to each call, by the call's name. A
// call that it has no answer for fails.
func Model(t testing.TB, answers map[string]string) (url string, asked func(call string) []string) {
	t.Helper()
	var mu sync.Mutex
	prompts := map[string][]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Messages []struct{ Content string } `json:"messages"`
			Format   struct {
				Schema struct{ Name string } `json:"json_schema"`
			} `json:"response_format"`
		}
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || len(q.Messages) == 0 {
			http.Error(w, "no call", http.StatusBadRequest)
			return
		}
		call := q.Format.Schema.Name
		mu.Lock()
		prompts[call] = append(prompts[call], q.Messages[len(q.Messages)-1].Content)
		mu.Unlock()
		answer, ok := answers[call]
		if !ok {
			http.Error(w, "no answer", http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "scripted", "choices": []any{map[string]any{
			"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": answer}}}})
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", func(call string) []string {
		mu.Lock()
		defer mu.Unlock()
		return prompts[call]
	}
}
