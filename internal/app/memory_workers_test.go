package app_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// held is a model that answers at once, but for what is worth remembering: that waits until
// the test lets it go.
type held struct {
	next http.Handler
	came chan struct{} // one for each that waits
	let  chan struct{} // one for each that may go on

	mu        sync.Mutex
	now, most int // that wait at the same time
}

func holdMemories(t *testing.T) (*held, string) {
	t.Helper()
	scripted, err := llmtest.Start(llmtest.Options{Addr: "127.0.0.1:0", Persona: "honest", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = scripted.Close() })
	to, err := url.Parse(scripted.URL())
	if err != nil {
		t.Fatal(err)
	}
	h := &held{came: make(chan struct{}, 1024), let: make(chan struct{}, 1024)}
	h.next = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
	}}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return h, server.URL + to.Path
}

func (h *held) count(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now += n
	h.most = max(h.most, h.now)
}

func (h *held) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if bytes.Contains(body, []byte(`"name":"memories"`)) {
		h.count(1)
		h.came <- struct{}{}
		select {
		case <-h.let:
		case <-r.Context().Done():
		}
		h.count(-1)
	}
	h.next.ServeHTTP(w, r)
}

// Where a model says what is worth remembering, its workers wait for it and need no
// processor: replies of many players are remembered at once, as many as the setting says.
func TestRepliesAreRememberedAtOnceWhereTheModelWaits(t *testing.T) {
	const players = 24
	for _, c := range []struct {
		name    string
		workers int
		want    int
	}{
		{"by default", 0, players},
		{"three, as it is set", 3, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, at := holdMemories(t)
			tb := &table{t: t, dir: t.TempDir()}
			a, err := app.Start(t.Context(), app.Options{
				Worlds: []*world.World{village(t)}, Data: tb.dir, Meaning: app.MeaningOff, MemoryWorkers: c.workers,
				LLM:    llm.Config{Primary: llm.Provider{URL: at, Model: "scripted"}},
				Asking: model.Options{Memories: true}, Notice: func(s string) { t.Log(s) },
			})
			if err != nil {
				t.Fatal(err)
			}
			tb.app, tb.stop = a, run(t, a)
			for p := range players {
				tb.turn("mira", fmt.Sprintf("p%d", p), "Ansel", "I come from Oakham.", dayOne, nil)
			}
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
			defer stop()
			for n := range players {
				if n >= c.want { // nobody else comes before one goes
					h.let <- struct{}{}
				}
				select {
				case <-h.came:
				case <-ctx.Done():
					t.Fatalf("%d replies of %d are remembered at once; one waits for the model of another", n, c.want)
				}
			}
			for range players {
				h.let <- struct{}{}
			}
			tb.settle()
			if h.most != c.want {
				t.Errorf("%d replies at once, want %d", h.most, c.want)
			}
		})
	}
}
