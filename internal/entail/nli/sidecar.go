package nli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/limits"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// SidecarOptions of a client. URL is wanted, the rest has defaults.
type SidecarOptions struct {
	URL     string        // of the sidecar, without a path
	Timeout time.Duration // of one request; default 800 ms
	Pairs   int           // of one request; default 64, at most 256
	// Own are weights that were measured: answers that name them are judged by what
	// was. Thresholds and Scale judge those of any other model; by default they are
	// taken as they are, at the papers' 0.7.
	Own        Measured
	Thresholds entail.Thresholds
	Scale      entail.Scale
	HTTP       *http.Client // default one of its own
	Hosts      limits.Hosts // that may be asked
}

// Measured is what the probabilities of one weights file are worth.
type Measured struct {
	Weights    string // sha256 of the file
	Scale      entail.Scale
	Thresholds entail.Thresholds
}

// Sidecar asks one sidecar. It is safe for concurrent use.
type Sidecar struct {
	o       SidecarOptions
	breaker *gobreaker.CircuitBreaker[judgement]
}

// The breaker opens after so many failures in a row and tries again after a while.
const (
	failures = 3
	rest     = 5 * time.Second
)

// NewSidecar makes a client. It sends nothing yet.
func NewSidecar(o SidecarOptions) (*Sidecar, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("nli url %q is none; write one such as http://127.0.0.1:8400", o.URL)
	}
	o.URL = strings.TrimRight(o.URL, "/")
	if o.Timeout <= 0 {
		o.Timeout = 800 * time.Millisecond
	}
	if o.Pairs <= 0 {
		o.Pairs = 64
	}
	o.Pairs = min(o.Pairs, maxPairs)
	if o.HTTP == nil {
		o.HTTP = &http.Client{Transport: o.Hosts.Over(&http.Transport{MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute}),
			CheckRedirect: limits.NoRedirect}
	}
	if o.Scale.Slope == 0 {
		o.Scale = entail.Scale{Slope: 1}
	}
	o.Thresholds = o.Thresholds.Or(entail.Thresholds{Entailment: 0.7, Contradiction: 0.7, Ambiguous: 0.25, Doubted: 0.9})
	c := &Sidecar{o: o}
	c.breaker = gobreaker.NewCircuitBreaker[judgement](gobreaker.Settings{
		Name: "nli", Timeout: rest,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= failures },
		IsExcluded:  saysNothing,
	})
	return c, nil
}

// Close ends idle connections.
func (c *Sidecar) Close() { c.o.HTTP.CloseIdleConnections() }

// Verify judges each pair.
func (c *Sidecar) Verify(ctx context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	return c.VerifyAfter(ctx, pairs, make([]schema.Verdict, len(pairs)))
}

// VerifyAfter wants more of a pair that the rules doubt.
func (c *Sidecar) VerifyAfter(
	ctx context.Context, pairs []entail.Pair, before []schema.Verdict,
) ([]schema.Verdict, error) {
	parts, err := c.judgements(ctx, pairs)
	if err != nil {
		return nil, err
	}
	out := make([]schema.Verdict, 0, len(pairs))
	for _, said := range parts {
		known := c.worth(said.weights)
		for _, p := range said.probabilities {
			asked := pairs[len(out)]
			out = append(out, asked.At.Or(known.Thresholds).Judge(entail.TierSidecar, known.Scale.Score(p, before[len(out)]), p,
				asked, before[len(out)]))
		}
	}
	return out, nil
}

// judgements asks about pairs, in as many requests as they need.
func (c *Sidecar) judgements(ctx context.Context, pairs []entail.Pair) ([]judgement, error) {
	parts, err := requests(pairs, c.o.Pairs)
	out := make([]judgement, len(parts))
	for i := 0; i < len(parts) && err == nil; i++ {
		out[i], err = c.breaker.Execute(func() (judgement, error) { return c.ask(ctx, parts[i]) })
	}
	if err != nil {
		return nil, fmt.Errorf("nli sidecar %s: %w", c.o.URL, err)
	}
	return out, nil
}

// worth is what is known of some weights. It is asked for each answer, for a sidecar
// may be started again with others.
func (c *Sidecar) worth(weights string) Measured {
	if weights != "" && weights == c.o.Own.Weights {
		return c.o.Own
	}
	return Measured{Weights: weights, Scale: c.o.Scale, Thresholds: c.o.Thresholds}
}

// judgement is a sound answer: a probability for each pair, and whose they are.
type judgement struct {
	weights       string // sha256; empty where the sidecar does not say
	probabilities []entail.Probability
}

type answer struct {
	Model         string `json:"model"`
	Weights       string `json:"weights_sha256"`
	Probabilities []struct {
		Entailment    *float64 `json:"entailment"`
		Neutral       *float64 `json:"neutral"`
		Contradiction *float64 `json:"contradiction"`
	} `json:"probabilities"`
	Detail any `json:"detail"` // of an error
}

func (c *Sidecar) ask(ctx context.Context, in request) (judgement, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	body, err := json.Marshal(in)
	if err != nil {
		return judgement{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.URL+"/v1/entail", bytes.NewReader(body))
	if err != nil {
		return judgement{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	var out answer
	if err := c.do(req, &out); err != nil {
		return judgement{}, err
	}
	probabilities, err := read(out, len(in.Pairs))
	return judgement{out.Weights, probabilities}, err
}

func (c *Sidecar) do(req *http.Request, into any) error {
	res, err := c.o.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return err
	}
	switch {
	case res.StatusCode != http.StatusOK:
		return &refusal{res.StatusCode, res.Status, strings.Join(strings.Fields(string(data)), " ")}
	case len(data) > maxBody:
		return fmt.Errorf("answers with more than %d bytes", maxBody)
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("does not answer as a sidecar does: %w", err)
	}
	return nil
}

// refusal is an answer with another status than 200.
type refusal struct {
	code         int
	status, body string
}

func (r *refusal) Error() string { return fmt.Sprintf("answers %s: %.200s", r.status, r.body) }

// saysNothing says which errors are none of the sidecar's: a caller who gave up, and
// a request that it rightly refuses, for the next one may be fine. Of the refusals,
// 429 alone is about the sidecar: it has too much to do.
func saysNothing(err error) bool {
	var r *refusal
	return errors.Is(err, context.Canceled) || errors.As(err, &r) && r.code >= 400 && r.code < 500 &&
		r.code != http.StatusTooManyRequests
}

// read checks an answer's shape: one sound probability a pair.
func read(a answer, want int) ([]entail.Probability, error) {
	if len(a.Probabilities) != want {
		return nil, fmt.Errorf("answers %d of %d pairs", len(a.Probabilities), want)
	}
	out := make([]entail.Probability, want)
	for i, p := range a.Probabilities {
		if p.Entailment == nil || p.Neutral == nil || p.Contradiction == nil {
			return nil, fmt.Errorf("answers pair %d without entailment, neutral and contradiction", i)
		}
		out[i] = entail.Probability{Entailed: *p.Entailment, Neutral: *p.Neutral, Contradicted: *p.Contradiction}
		if !out[i].Sound() {
			return nil, fmt.Errorf("answers pair %d with %v, which are no probabilities", i, out[i])
		}
	}
	return out, nil
}

// SidecarHealth is what a sidecar says of itself.
type SidecarHealth struct {
	Status string `json:"status"`
	Model  string `json:"model"`
	SHA256 string `json:"weights_sha256"`
}

// Health asks a sidecar what it runs.
func (c *Sidecar) Health(ctx context.Context) (SidecarHealth, error) {
	ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
	defer cancel()
	var h SidecarHealth
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.o.URL+"/healthz", nil)
	if err != nil {
		return h, err
	}
	if err := c.do(req, &h); err != nil {
		return h, fmt.Errorf("nli sidecar %s: %w", c.o.URL, err)
	}
	if h.Status != "ok" {
		return h, fmt.Errorf("nli sidecar %s says %q of itself", c.o.URL, h.Status)
	}
	return h, nil
}

// Bounds of what a sidecar takes: those of sidecar/nli. What is beyond them is never
// sent, for it would be refused with all that stands beside it.
const (
	maxPairs = 256
	maxText  = 64 << 10 // bytes; where the model in process cuts a text too
	maxBody  = 8 << 20  // of a request, and of an answer
)

type request struct {
	Pairs []json.RawMessage `json:"pairs"`
}

type pair struct {
	Premise    string `json:"premise"`
	Hypothesis string `json:"hypothesis"`
}

// requests puts pairs into requests of so many at most, in order.
func requests(pairs []entail.Pair, most int) ([]request, error) {
	var out []request
	size := 0
	for _, p := range pairs {
		premise, hypothesis := p.Spoken()
		row, err := json.Marshal(pair{cut(premise), cut(hypothesis)})
		if err != nil {
			return nil, err
		}
		if len(out) == 0 || len(out[len(out)-1].Pairs) == most || size+len(row) > maxBody {
			out, size = append(out, request{}), len(`{"pairs":[]}`)
		}
		last := &out[len(out)-1]
		last.Pairs = append(last.Pairs, row)
		size += len(row) + len(",")
	}
	return out, nil
}

// cut is what a sidecar reads of a text. Bytes that are no text are left out, as the
// tokeniser leaves them out: JSON would make three of each.
func cut(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}

// SidecarReader reads the sentences of speeches by a sidecar that runs weights whose scores on
// speech were measured. A request has a premise and one sentence: what was said before it
// is not read, nor is its kind.
type SidecarReader struct {
	*Sidecar
	Weights string // sha256 of the file
}

var errUnmeasured = errors.New("its weights were never measured on speech")

// Read gives a reading a sentence. Other weights give none: a score of theirs would be a guess.
func (r *SidecarReader) Read(ctx context.Context, sentences []entail.Sentence) ([]entail.Reading, error) {
	pairs := make([]entail.Pair, len(sentences))
	for i, s := range sentences {
		pairs[i] = entail.Pair{Premise: s.Premise, Hypothesis: s.Text}
	}
	said, err := r.judgements(ctx, pairs)
	if err != nil {
		return nil, err
	}
	var out []entail.Reading
	for _, part := range said {
		if part.weights != r.Weights {
			return nil, fmt.Errorf("nli sidecar %s: %w", r.o.URL, errUnmeasured)
		}
		for _, p := range part.probabilities {
			out = append(out, entail.Reading{Probability: p})
		}
	}
	return out, nil
}
