package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

type asked struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

// server answers each request by answer; the returned counter counts them.
func server(t *testing.T, answer func(w http.ResponseWriter, r *http.Request, a asked)) (EndpointOptions, *atomic.Int32) {
	t.Helper()
	var requests atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		var a asked
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost {
			t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
		}
		answer(w, r, a)
	}))
	t.Cleanup(s.Close)
	return EndpointOptions{URL: s.URL + "/v1/", Model: "m", Client: s.Client()}, &requests
}

// byLength answers with a vector that tells its text's length, last text first.
func byLength(w http.ResponseWriter, _ *http.Request, a asked) {
	type datum struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var data []datum
	for i, text := range slices.Backward(a.Input) {
		data = append(data, datum{i, []float32{3, float32(len(text)), 0}})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

func TestEndpointKeepsTheOrderOverBatches(t *testing.T) {
	opts, requests := server(t, byLength)
	opts.Batch = 2
	e, err := NewEndpoint(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if e.Dim() != 3 || !strings.HasSuffix(e.ID(), "#m/3") {
		t.Errorf("%s with %d dimensions, want 3", e.ID(), e.Dim())
	}
	requests.Store(0)
	texts := []string{"a", "", "bb", "ccc", " \n", "dddd", "eeeee"}
	for i, v := range embedAll(t, e, texts...) {
		want := []float32{3, float32(len(texts[i])), 0}
		normalise(want)
		if strings.TrimSpace(texts[i]) == "" {
			want = []float32{0, 0, 0}
		}
		if !slices.Equal(v, want) {
			t.Errorf("text %d: %v, want %v", i, v, want)
		}
	}
	if n := requests.Load(); n != 3 {
		t.Errorf("%d requests for five texts in twos", n)
	}
}

func TestEndpointSendsItsKeyAndNeverShowsIt(t *testing.T) {
	opts, _ := server(t, func(w http.ResponseWriter, r *http.Request, _ asked) {
		if got := r.Header.Get("Authorization"); got != "Bearer sesame" {
			t.Errorf("Authorization %q", got)
		}
		http.Error(w, "no such model,\nm", http.StatusNotFound)
	})
	opts.APIKey = "sesame"
	opts.URL = strings.Replace(opts.URL, "http://", "http://user:hush@", 1)
	_, err := NewEndpoint(context.Background(), opts)
	if err == nil || !strings.Contains(err.Error(), "404 Not Found: no such model, m") {
		t.Errorf("error %v, want the server's in one line", err)
	}
	if strings.Contains(fmt.Sprint(err), "sesame") || strings.Contains(fmt.Sprint(err), "hush") {
		t.Errorf("error %v shows a secret", err)
	}
}

func TestEndpointRefusesWhatItCannotUse(t *testing.T) {
	huge := strings.Repeat(" ", maxAnswerBytes+1)
	for name, c := range map[string]struct{ answer, want string }{
		"no JSON":           {"<html>", "no embeddings list"},
		"too few":           {`{"data":[]}`, "0 vectors for 2 texts"},
		"an index twice":    {`{"data":[{"index":0,"embedding":[1,0]},{"index":0,"embedding":[1,0]}]}`, "index 0"},
		"an index beyond":   {`{"data":[{"index":0,"embedding":[1,0]},{"index":2,"embedding":[1,0]}]}`, "index 2"},
		"another dimension": {`{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0,0]}]}`, "3 dimensions, want 2"},
		"an empty vector":   {`{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[1,0]}]}`, "0 dimensions"},
		"a zero vector":     {`{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,0]}]}`, "length one"},
		"endless":           {huge, "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			opts, _ := server(t, func(w http.ResponseWriter, _ *http.Request, _ asked) { _, _ = w.Write([]byte(c.answer)) })
			opts.Dim = 2
			e, err := NewEndpoint(context.Background(), opts)
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Embed(context.Background(), []string{"a", "b"})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line with %q", err, c.want)
			}
		})
	}
}

func TestEndpointDoesNotWaitBeyondItsTimeout(t *testing.T) {
	release := make(chan struct{})
	opts, _ := server(t, func(_ http.ResponseWriter, r *http.Request, _ asked) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	defer close(release)
	opts.Timeout, opts.Dim = 20*time.Millisecond, 2
	e, err := NewEndpoint(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(context.Background(), []string{"a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the deadline", err)
	}
}

func TestEndpointOptionsAreChecked(t *testing.T) {
	for _, opts := range []EndpointOptions{
		{Model: "m"},
		{URL: "localhost:1234", Model: "m"},
		{URL: "ftp://host/v1", Model: "m"},
		{URL: "http://host/v1"},
	} {
		if _, err := NewEndpoint(context.Background(), opts); err == nil {
			t.Errorf("%+v was accepted", opts)
		}
	}
}

func TestEndpointVectorsHaveLengthOne(t *testing.T) {
	opts, _ := server(t, byLength)
	e, err := NewEndpoint(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	if v := embedAll(t, e, "some text")[0]; math.Abs(float64(Dot(v, v))-1) > 1e-5 {
		t.Errorf("length %v", Dot(v, v))
	}
}
