package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	defaultTimeout  = 10 * time.Second
	defaultBatch    = 64
	maxAnswerBytes  = 64 << 20
	maxComplaint    = 300 // bytes of a server's error text worth a line
	probeOfNumbers  = "dimensions"
	embeddingsRoute = "/embeddings"
)

// EndpointOptions says which server and model to ask.
type EndpointOptions struct {
	// URL is the API's base, such as http://127.0.0.1:11434/v1.
	URL   string
	Model string
	// APIKey is sent as a bearer token where it is set.
	APIKey string
	// Timeout bounds one request; 10 s where zero.
	Timeout time.Duration
	// Batch is the number of texts in one request; 64 where zero.
	Batch int
	// Dim is the expected number of dimensions; zero asks the server once.
	Dim int
	// Client sends the requests; http.DefaultClient where nil.
	Client *http.Client
}

// Endpoint embeds by a server with the OpenAI embeddings API. It does not retry:
// whoever asks has the deadline and knows what else could answer. Safe for
// concurrent use.
type Endpoint struct {
	opts EndpointOptions
	at   string
}

// NewEndpoint checks the options and, where no dimension is given, asks the server
// for one.
func NewEndpoint(ctx context.Context, opts EndpointOptions) (*Endpoint, error) {
	base, err := url.Parse(opts.URL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("embeddings URL %q: want http(s)://host/v1", opts.URL)
	}
	if opts.Model == "" {
		return nil, fmt.Errorf("embeddings at %s: no model named", base.Redacted())
	}
	if opts.Timeout <= 0 {
		opts.Timeout = defaultTimeout
	}
	if opts.Batch <= 0 {
		opts.Batch = defaultBatch
	}
	if opts.Client == nil {
		opts.Client = http.DefaultClient
	}
	opts.URL = strings.TrimSuffix(opts.URL, "/")
	e := &Endpoint{opts: opts, at: strings.TrimSuffix(base.Redacted(), "/")}
	if e.opts.Dim > 0 {
		return e, nil
	}
	vectors, err := e.Embed(ctx, []string{probeOfNumbers})
	if err != nil {
		return nil, err
	}
	e.opts.Dim = len(vectors[0])
	return e, nil
}

// Dim is the number of dimensions.
func (e *Endpoint) Dim() int { return e.opts.Dim }

// ID names the server, the model and the number of dimensions.
func (e *Endpoint) ID() string { return fmt.Sprintf("%s#%s/%d", e.at, e.opts.Model, e.opts.Dim) }

// Embed sends the texts in batches. A text of white space alone is not sent and
// has the zero vector, for servers differ on what they make of it.
func (e *Endpoint) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var places []int
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			out[i] = make([]float32, e.opts.Dim)
			continue
		}
		places = append(places, i)
	}
	for len(places) > 0 {
		batch := places[:min(len(places), e.opts.Batch)]
		places = places[len(batch):]
		input := make([]string, len(batch))
		for i, place := range batch {
			input[i] = strings.ToValidUTF8(texts[place], "")
		}
		vectors, err := e.ask(ctx, input)
		if err != nil {
			return nil, fmt.Errorf("embed by %s at %s: %w", e.opts.Model, e.at, err)
		}
		for i, place := range batch {
			out[place] = vectors[i]
		}
	}
	return out, nil
}

func (e *Endpoint) ask(ctx context.Context, input []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, e.opts.Timeout)
	defer cancel()
	body, err := json.Marshal(map[string]any{"model": e.opts.Model, "input": input, "encoding_format": "float"})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.opts.URL+embeddingsRoute, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if e.opts.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+e.opts.APIKey)
	}
	answer, err := e.send(req)
	if err != nil {
		return nil, err
	}
	return e.vectors(answer, len(input))
}

func (e *Endpoint) send(req *http.Request) ([]byte, error) {
	resp, err := e.opts.Client.Do(req)
	if err != nil {
		var inner *url.Error
		if errors.As(err, &inner) {
			err = inner.Err // its text holds the URL, and that may hold a password
		}
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(answer) > maxAnswerBytes {
		return nil, fmt.Errorf("the answer is longer than %d bytes; ask with a smaller batch", maxAnswerBytes)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", resp.Status, oneLine(answer))
	}
	return answer, nil
}

// vectors reads an answer for n texts; servers may give the vectors in any order.
func (e *Endpoint) vectors(answer []byte, n int) ([][]float32, error) {
	var parsed struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &parsed); err != nil {
		return nil, fmt.Errorf("the answer is no embeddings list: %w", err)
	}
	if len(parsed.Data) != n {
		return nil, fmt.Errorf("%d vectors for %d texts", len(parsed.Data), n)
	}
	out := make([][]float32, n)
	dim := e.opts.Dim
	for _, d := range parsed.Data {
		if d.Index < 0 || d.Index >= n || out[d.Index] != nil {
			return nil, fmt.Errorf("index %d in an answer for %d texts", d.Index, n)
		}
		if dim == 0 {
			dim = len(d.Embedding)
		}
		if len(d.Embedding) == 0 || len(d.Embedding) != dim {
			return nil, fmt.Errorf("a vector of %d dimensions, want %d; set dim to what the model gives", len(d.Embedding), dim)
		}
		normalise(d.Embedding)
		if length := Dot(d.Embedding, d.Embedding); math.Abs(float64(length)-1) > 0.01 {
			return nil, fmt.Errorf("vector %d cannot be brought to length one", d.Index)
		}
		out[d.Index] = d.Embedding
	}
	return out, nil
}

func oneLine(b []byte) string {
	return strings.ToValidUTF8(strings.Join(strings.Fields(string(b[:min(len(b), maxComplaint)])), " "), "")
}
