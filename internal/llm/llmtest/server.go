// Package llmtest is a scripted language model behind a real HTTP server that
// speaks OpenAI's protocol, for tests and measures: honest or lying, quick or
// slow, whole or broken, by persona. It writes down every sentence it says with
// its truth, and judges from that record, by text alone, what was released of
// it. It holds no model and is never used to answer players.
package llmtest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Options are how a server answers.
type Options struct {
	Addr      string // to listen on; empty: a free port of this machine
	Persona   string // one, or several with commas between; empty: quote
	Pace      Pace
	Seed      uint64
	FaultRate float64       // the share of calls that a fault spoils
	Faults    string        // which faults spoil them; empty: Spoilers
	Key       string        // the key a caller must show; empty: none
	Model     string        // the only model there is; empty: any name will do
	RetryIn   time.Duration // what a refusal asks the caller to wait; 0: a second
	Orders    []Order       // what the persona "puppet" carries out where it reads it
	Judge     string        // how it judges; empty: as its persona does
	Rows      []Speech      // what the persona "recorded" says, and an honest judge knows
	Log       io.Writer     // gets each entry as a line of JSON; nil: none
	Now       func() time.Time
}

// Server answers until it is closed.
type Server struct {
	options  Options
	personas []persona
	faults   []string
	book     *book
	orders   *orderBook
	known    *known
	judgings atomic.Int64
	mux      *http.ServeMux

	http   *http.Server
	addr   net.Addr
	ctx    context.Context // ends when the server closes, and with it every answer
	cancel context.CancelFunc
	served sync.WaitGroup
}

// Check says what is wrong with the names in the options.
func (o Options) Check() error {
	_, err := New(o)
	return err
}

// New is a server that does not listen yet: a handler.
func New(o Options) (*Server, error) {
	if o.RetryIn <= 0 {
		o.RetryIn = time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{options: o, book: newBook(o.Log), orders: newOrderBook(o.Orders), mux: http.NewServeMux()}
	var err error
	if err := checkJudge(o.Judge); err != nil {
		return nil, err
	}
	if s.known, err = newKnown(o.Rows); err != nil {
		return nil, err
	}
	if s.personas, err = castOf(cmp.Or(o.Persona, "quote")); err != nil {
		return nil, err
	}
	if s.faults, err = faultsOf(cmp.Or(o.Faults, strings.Join(Spoilers, ","))); err != nil {
		return nil, err
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.mux.HandleFunc("POST /v1/chat/completions", s.complete)
	s.mux.HandleFunc("GET /v1/models", s.models)
	s.mux.HandleFunc("GET /log", s.log)
	s.mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, s.Stats()) })
	return s, nil
}

// Start is a server that listens. The caller closes it.
func Start(o Options) (*Server, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", o.Addr)
	if err != nil {
		s.cancel()
		return nil, fmt.Errorf("scripted model: %w", err)
	}
	s.addr = l.Addr()
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return s.ctx }}
	s.served.Go(func() { _ = s.http.Serve(l) }) // ends with ErrServerClosed, from Close
	return s, nil
}

// URL is the base that a client is configured with.
func (s *Server) URL() string { return "http://" + s.addr.String() + "/v1" }

// Close ends every answer under way and stops listening.
func (s *Server) Close() error {
	s.cancel()
	var err error
	if s.http != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err = s.http.Shutdown(ctx); err != nil {
			err = errors.Join(err, s.http.Close())
		}
		s.served.Wait()
	}
	return errors.Join(err, s.book.err)
}

// Entries are the sentences sent so far.
func (s *Server) Entries() []Entry { return s.book.after(0) }

// Stats is what was done so far.
func (s *Server) Stats() Stats { return s.book.snapshot() }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// request is what the server reads of a call.
type request struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	ResponseFormat struct {
		Type       string `json:"type"`
		JSONSchema struct {
			Name string `json:"name"`
		} `json:"json_schema"`
	} `json:"response_format"`
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
}

// text is the words of the messages of a role.
func (r request) text(role string) string {
	var out []string
	for _, m := range r.Messages {
		if m.Role != role {
			continue
		}
		var whole string
		var parts []struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(m.Content, &whole) != nil && json.Unmarshal(m.Content, &parts) == nil {
			for _, p := range parts {
				whole += p.Text
			}
		}
		out = append(out, whole)
	}
	return strings.Join(out, "\n")
}

// maxBody bounds a request.
const maxBody = 4 << 20

func (s *Server) complete(w http.ResponseWriter, r *http.Request) {
	came := s.options.Now()
	var q request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&q); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "the body is no JSON of a chat completion: "+err.Error())
		return
	}
	// The background read that notices a caller who goes away starts at the end of
	// the body.
	_, _ = io.Copy(io.Discard, r.Body)
	if s.options.Key != "" && r.Header.Get("Authorization") != "Bearer "+s.options.Key {
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided.")
		return
	}
	if s.options.Model != "" && q.Model != s.options.Model {
		refuse(w, http.StatusNotFound, "model_not_found", fmt.Sprintf("The model %q does not exist.", q.Model))
		return
	}
	ask := ReadPrompt(q.ResponseFormat.JSONSchema.Name, q.text("system"), q.text("user"))
	key := s.digest(ask)
	number, again := s.book.open(ask.Name, key)
	c := &call{server: s, w: w, r: r, request: q, came: came, number: number, pace: s.options.Pace,
		prompt: Tokens(ask.System) + Tokens(ask.User),
		scene:  &scene{Ask: ask, orders: s.orders, dice: rand.New(rand.NewPCG(key, s.options.Seed))}}
	c.persona = s.personas[c.scene.dice.IntN(len(s.personas))]
	// A fault strikes by the call and not by the prompt, so that a retry may go well.
	chance := rand.New(rand.NewPCG(key, s.options.Seed+uint64(again)+1))
	fault := c.persona.fault
	if chance.Float64() < s.options.FaultRate {
		fault = s.faults[chance.IntN(len(s.faults))]
	}
	if ask.Name == "judge" && s.options.Judge == JudgeFailing && s.judgings.Add(1)%3 == 0 {
		fault = "500"
	}
	defer func() { s.book.close(r.Context().Err() != nil) }()
	c.respond(fault)
}

// digest is a number for a prompt, the same for the same words.
func (s *Server) digest(a Ask) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d\x00%s\x00%s\x00%s", s.options.Seed, a.Name, a.System, a.User)
	return h.Sum64()
}

func (s *Server) models(w http.ResponseWriter, _ *http.Request) {
	id := s.options.Model
	if id == "" {
		id = "scripted"
	}
	reply(w, http.StatusOK, map[string]any{"object": "list",
		"data": []any{map[string]any{"id": id, "object": "model", "owned_by": "forsooth"}}})
}

// log gives the truth log as lines of JSON; ?after=N leaves out the first N.
func (s *Server) log(w http.ResponseWriter, r *http.Request) {
	n := 0
	if at := r.URL.Query().Get("after"); at != "" {
		if _, err := fmt.Sscanf(at, "%d", &n); err != nil {
			refuse(w, http.StatusBadRequest, "invalid_request_error", "after: a number of entries is wanted")
			return
		}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	enc := json.NewEncoder(w)
	for _, e := range s.book.after(n) {
		if enc.Encode(e) != nil {
			return // the reader went away
		}
	}
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the reader went away; nobody is left to tell
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	reply(w, status, map[string]any{"error": map[string]any{"message": message, "type": code, "code": code}})
}
