package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// testKey is a key that nothing may print.
const testKey = "sk-secret-0123456789+/abcdef"

// asked is a request as a server read it.
type asked struct {
	Model               string           `json:"model"`
	Messages            []map[string]any `json:"messages"`
	MaxTokens           int              `json:"max_tokens"`
	MaxCompletionTokens int              `json:"max_completion_tokens"`
	Temperature         float64          `json:"temperature"`
	Stream              bool             `json:"stream"`
	StreamOptions       map[string]any   `json:"stream_options"`
	ResponseFormat      struct {
		Type       string         `json:"type"`
		JSONSchema map[string]any `json:"json_schema"`
	} `json:"response_format"`
}

func (a asked) message(i int) string {
	if i >= len(a.Messages) {
		return ""
	}
	s, _ := a.Messages[i]["content"].(string)
	return s
}

// reaction is what a server does with one request.
type reaction func(w http.ResponseWriter, r *http.Request, q asked)

// server is a real HTTP server that reacts to one request after the other; the
// last reaction goes on.
type server struct {
	URL       string
	mu        sync.Mutex
	heard     []asked
	reactions []reaction
}

func serve(t testing.TB, reactions ...reaction) *server {
	t.Helper()
	s := &server{reactions: reactions}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.URL = h.URL + "/v1"
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q asked
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	react := s.reactions[min(len(s.heard), len(s.reactions)-1)]
	s.heard = append(s.heard, q)
	s.mu.Unlock()
	react(w, r, q)
}

func (s *server) requests() []asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]asked(nil), s.heard...)
}

// say answers with a text, as a stream of pieces where one is asked for.
func say(text string) reaction { return saying(text, "stop", true) }

func saying(text, finish string, usage bool) reaction {
	return func(w http.ResponseWriter, _ *http.Request, q asked) {
		if !q.Stream {
			whole(w, text, finish, usage)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for i := 0; i < len(text); i += 7 {
			piece(w, text[i:min(i+7, len(text))], "")
		}
		piece(w, "", finish)
		if usage {
			fmt.Fprint(w, `data: {"model":"small","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20}}`+"\n\n")
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}
}

func whole(w http.ResponseWriter, text, finish string, usage bool) {
	w.Header().Set("Content-Type", "application/json")
	out := map[string]any{"model": "small",
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish,
			"message": map[string]any{"role": "assistant", "content": text}}}}
	if usage {
		out["usage"] = map[string]any{"prompt_tokens": 100, "completion_tokens": 20}
	}
	_ = json.NewEncoder(w).Encode(out)
}

// piece sends one chunk of a stream and sees to it that it leaves.
func piece(w http.ResponseWriter, text, finish string) {
	choice := map[string]any{"index": 0, "delta": map[string]any{"content": text}}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	data, _ := json.Marshal(map[string]any{"model": "small", "choices": []any{choice}})
	fmt.Fprintf(w, "data: %s\n\n", data)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// fail refuses, with a message as OpenAI words it.
func fail(status int, message string, headers ...string) reaction {
	return func(w http.ResponseWriter, _ *http.Request, _ asked) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": "x"}})
	}
}

// hang answers nothing until the caller goes away, and tells when it did.
func hang(gone chan<- struct{}) reaction {
	return func(_ http.ResponseWriter, r *http.Request, _ asked) {
		<-r.Context().Done()
		if gone != nil {
			gone <- struct{}{}
		}
	}
}

// unless reacts otherwise where the request is made in a way that the server does
// not take.
func unless(refused func(asked) string, otherwise reaction) reaction {
	return func(w http.ResponseWriter, r *http.Request, q asked) {
		if message := refused(q); message != "" {
			fail(http.StatusBadRequest, message)(w, r, q)
			return
		}
		otherwise(w, r, q)
	}
}

const speechSchema = `{"type":"object","properties":{"sentences":{"type":"array","items":{"type":"object"` +
	`,"properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}}` +
	`,"required":["sentences"],"additionalProperties":false}`

// good is an answer that fits speechSchema.
const good = `{"sentences":[{"text":"The mill burned in spring."},{"text":"I saw it burn."}]}`

func turnOf(pass schema.Pass) *protocol.Turn {
	return &protocol.Turn{Pass: pass, Passes: []schema.PassRecord{{Pass: pass, Attempt: 1}}}
}

func request(t *protocol.Turn) Request {
	return Request{Name: "speech", Schema: json.RawMessage(speechSchema), System: "You are Mira.",
		User: "Who burned the mill?", World: "hollowmere", Player: "p1", Meter: NewMeter(t)}
}

// events gathers what is reported.
type events struct {
	mu  sync.Mutex
	all []Event
}

func (e *events) add(ev Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, ev)
}

func (e *events) list() []Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Event(nil), e.all...)
}

// client is a client of one or two servers, with what it reports.
func client(t testing.TB, o Options, urls ...string) (*Models, *events) {
	t.Helper()
	c := Config{Primary: Provider{URL: urls[0], Model: "small", Key: testKey, PriceIn: 1, PriceOut: 10}}
	if len(urls) > 1 {
		c.Secondary = Provider{URL: urls[1], Model: "other", Key: testKey}
	}
	return clientOf(t, c, o)
}

func clientOf(t testing.TB, c Config, o Options) (*Models, *events) {
	t.Helper()
	var told events
	o.Report = told.add
	o.Rand = func() float64 { return 0 }
	m, err := New(c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m, &told
}

// within is a context that ends a test which would hang.
func within(t testing.TB, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}
