package chaos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/lab/invariant"
)

// served is an HTTP server of the run.
type served struct {
	listener net.Listener
	server   *http.Server
	wait     sync.WaitGroup
}

func serve(h http.Handler) (*served, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &served{listener: l, server: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}}
	s.wait.Go(func() { _ = s.server.Serve(l) }) // ends with ErrServerClosed
	return s, nil
}

func (s *served) address() string { return "http://" + s.listener.Addr().String() }

func (s *served) close() error {
	err := s.server.Close()
	s.wait.Wait()
	return err
}

// modelFaults are the ways in which the scripted model spoils a call.
var modelFaults = []string{"429", "500", "hang", "cut", "malformed", "empty"}

// faultRate is the share of calls that are spoiled.
const faultRate = 0.1

// models are the language models of a run: one that is spoiled, one that is not, and
// a record of what they were asked.
type models struct {
	*served
	seed        uint64
	sound       *llmtest.Server
	down, spoil atomic.Bool

	mu      sync.Mutex
	spoilt  []*llmtest.Server // the last of them counts
	prompts []invariant.Prompt
}

func startModels(seed uint64, allowed func(kind string) bool) (*models, error) {
	m := &models{}
	m.spoil.Store(true)
	m.seed = seed
	var err error
	if m.sound, err = llmtest.New(m.options()); err != nil {
		return nil, err
	}
	if err := m.spoilBy(allowed, faultRate); err != nil {
		return nil, err
	}
	m.served, err = serve(m)
	return m, err
}

func (m *models) options() llmtest.Options {
	return llmtest.Options{Persona: "quote,paraphrase,mixed", Seed: m.seed,
		Pace: llmtest.Pace{First: 5 * time.Millisecond}}
}

// spoilBy has calls spoiled in the ways that are allowed, so many of them.
func (m *models) spoilBy(allowed func(kind string) bool, rate float64) error {
	kinds := slices.DeleteFunc(slices.Clone(modelFaults), func(f string) bool { return !allowed("llm-" + f) })
	o := m.options()
	if len(kinds) > 0 {
		o.FaultRate, o.Faults = rate, strings.Join(kinds, ",")
	}
	next, err := llmtest.New(o)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spoilt = append(m.spoilt, next)
	m.spoil.Store(true)
	return nil
}

// now is the model that spoils calls at present.
func (m *models) now() *llmtest.Server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spoilt[len(m.spoilt)-1]
}

func (m *models) url() string { return m.address() + "/v1" }

// struck are the faults of the models by kind.
func (m *models) struck() map[string]int {
	out := map[string]int{}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.spoilt {
		for name, n := range s.Stats().ByPersona {
			if slices.Contains(modelFaults, name) {
				out["llm-"+name] += n
			}
		}
	}
	return out
}

func (m *models) close() error {
	err := errors.Join(m.served.close(), m.sound.Close())
	for _, s := range m.spoilt {
		err = errors.Join(err, s.Close())
	}
	return err
}

func (m *models) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(io.LimitReader(q.Body, 8<<20))
	if err != nil {
		return // the caller went away
	}
	if q.Method == http.MethodPost {
		m.record(body)
	}
	if m.down.Load() {
		http.Error(w, `{"error":{"message":"down","type":"server_error"}}`, http.StatusServiceUnavailable)
		return
	}
	q.Body = io.NopCloser(bytes.NewReader(body))
	if m.spoil.Load() {
		m.now().ServeHTTP(w, q)
		return
	}
	m.sound.ServeHTTP(w, q)
}

// turnOf finds the turn of a prompt: the message's player is named after it.
var turnOf = regexp.MustCompile(`<message from="(zq\d{3}n\d+)"`)

func (m *models) record(body []byte) {
	var asked struct {
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if json.Unmarshal(body, &asked) != nil {
		return
	}
	var all []string
	for _, x := range asked.Messages {
		var text string
		if json.Unmarshal(x.Content, &text) != nil {
			text = string(x.Content)
		}
		all = append(all, text)
	}
	p := invariant.Prompt{Text: strings.Join(all, "\n")}
	if named := turnOf.FindStringSubmatch(p.Text); named != nil {
		p.Turn = named[1]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prompts = append(m.prompts, p)
}

func (m *models) asked() []invariant.Prompt {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.prompts
}

// verifier is a sidecar that supports nothing when it is well, so that no word of it
// releases anything, and fails in three ways.
type verifier struct {
	*served
	mode atomic.Value
}

func startVerifier() (*verifier, error) {
	v := &verifier{}
	v.become("")
	var err error
	v.served, err = serve(v)
	return v, err
}

func (v *verifier) url() string        { return v.address() }
func (v *verifier) become(mode string) { v.mode.Store(mode) }

func (v *verifier) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var in struct {
		Pairs []json.RawMessage `json:"pairs"`
	}
	if json.NewDecoder(io.LimitReader(q.Body, 8<<20)).Decode(&in) != nil && q.Method == http.MethodPost {
		http.Error(w, `{"detail":"no JSON"}`, http.StatusBadRequest)
		return
	}
	switch v.mode.Load() {
	case "down":
		http.Error(w, `{"detail":"down"}`, http.StatusServiceUnavailable)
		return
	case "slow":
		sleep(q.Context(), 3*time.Second)
		return
	case "garbage":
		_, _ = io.WriteString(w, `{"probabilities":[{"entailment":7}]}`)
		return
	}
	type probability struct {
		Entailment    float64 `json:"entailment"`
		Neutral       float64 `json:"neutral"`
		Contradiction float64 `json:"contradiction"`
	}
	says := probability{0.01, 0.98, 0.01}
	if v.mode.Load() == "wrong" { // it contradicts whatever it is asked
		says = probability{0.01, 0.01, 0.98}
	}
	out := make([]probability, len(in.Pairs))
	for i := range out {
		out[i] = says
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"model": "chaos", "probabilities": out}) // the caller went away
}

// moderator allows everything when it is well.
type moderator struct {
	*served
	mode atomic.Value
}

func startModerator() (*moderator, error) {
	m := &moderator{}
	m.become("")
	var err error
	m.served, err = serve(m)
	return m, err
}

func (m *moderator) become(mode string) { m.mode.Store(mode) }

// moderate gives a world this hook.
func (m *moderator) moderate(w *world.World) *world.World {
	moderated := *w
	moderated.Moderation = fmt.Appendf(nil, `{"url":%q,"timeout_ms":300}`, m.address())
	return &moderated
}

func (m *moderator) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	switch m.mode.Load() {
	case "down":
		http.Error(w, "down", http.StatusServiceUnavailable)
		return
	case "slow":
		sleep(q.Context(), 2*time.Second)
		return
	}
	_, _ = io.WriteString(w, `{"verdict":"allow"}`) // the caller went away
}
