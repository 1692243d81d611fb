package moderation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/moderation"
)

// serve is a hook over real HTTP, and a Moderator that asks it.
func serve(t *testing.T, h http.HandlerFunc) (*moderation.Moderator, moderation.Settings) {
	t.Helper()
	server := httptest.NewServer(h)
	m := moderation.New(moderation.Options{})
	t.Cleanup(func() { m.Close(); server.Close() })
	return m, settings(server.URL)
}

func settings(url string) moderation.Settings {
	return moderation.Settings{URL: url, Timeout: 5 * time.Second, OnFailure: moderation.OnFailureAuthored}
}

func answer(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func TestVerdicts(t *testing.T) {
	for body, want := range map[string]moderation.Verdict{
		`{"verdict":"allow"}`:                                           {Action: moderation.Allow},
		`{"verdict":"allow","text":"ignored","model":"x"}`:              {Action: moderation.Allow},
		`{"verdict":"block","text":"ignored","reason":"hate\n speech"}`: {Action: moderation.Block, Reason: "hate speech"},
		`{"verdict":"replace","text":" Well met. ","reason":"mild"}`: {Action: moderation.Replace, Text: "Well met.",
			Reason: "mild"},
		`{"verdict":"allow","reason":"` + strings.Repeat("é", 300) + `"}`: {
			Action: moderation.Allow, Reason: strings.Repeat("é", 200) + "…"},
	} {
		m, s := serve(t, answer(body))
		got, err := m.Check(t.Context(), s, moderation.Item{Kind: moderation.KindMessage, Text: "x"})
		if err != nil || got != want {
			t.Errorf("%s = %+v, %v; want %+v", body, got, err, want)
		}
	}
}

// What is not a clear verdict allows nothing, and says in one line what to mend.
func TestFailures(t *testing.T) {
	redirected := atomic.Bool{}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		redirected.Store(true)
		_, _ = io.WriteString(w, `{"verdict":"allow"}`)
	}))
	defer other.Close()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"verdict":"allow"}`)
		}
	}
	for name, c := range map[string]struct {
		hook http.HandlerFunc
		want string
	}{
		"unknown verdict":      {answer(`{"verdict":"maybe"}`), `the verdict "maybe"; there are allow, replace and block`},
		"upper case":           {answer(`{"verdict":"ALLOW"}`), `the verdict "ALLOW"`},
		"no verdict":           {answer(`{}`), "without a verdict"},
		"replace without text": {answer(`{"verdict":"replace"}`), "gives no text"},
		"replace with blanks":  {answer(`{"verdict":"replace","text":" \n"}`), "gives no text"},
		"empty":                {answer(``), "not the JSON of a verdict"},
		"prose":                {answer(`allow`), "not the JSON of a verdict"},
		"two answers":          {answer(`{"verdict":"allow"}{"verdict":"block"}`), "not the JSON of a verdict"},
		"a list":               {answer(`[{"verdict":"allow"}]`), "not the JSON of a verdict"},
		"wrong kind":           {answer(`{"verdict":true}`), "not the JSON of a verdict"},
		"not UTF-8":            {answer("{\"verdict\":\"allow\",\"reason\":\"\xff\"}"), "not UTF-8"},
		"HTML":                 {answer("<!doctype html><p>allow"), "a web page"},
		"said to be HTML": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, `{"verdict":"allow"}`)
		}, "a web page"},
		"too long":   {answer(`{"verdict":"allow","reason":"` + strings.Repeat("x", 64<<10) + `"}`), "more than 64 KiB"},
		"created":    {status(201), "answers 201"},
		"no content": {status(204), "answers 204"},
		"refused":    {status(403), "answers 403"},
		"busy":       {status(429), "answers 429"},
		"broken":     {status(500), "answers 500"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "a redirect, which is not followed"},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"verdict":"allow"}`)
		}, "breaks off"},
		"hangs up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
	} {
		m, s := serve(t, c.hook)
		v, err := m.Check(t.Context(), s, moderation.Item{Kind: moderation.KindSentence, Text: "x"})
		if !errors.Is(err, moderation.ErrFailed) || v != (moderation.Verdict{}) {
			t.Errorf("%s: %+v, %v", name, v, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %q, want %q in one line", name, err, c.want)
		}
	}
	if redirected.Load() {
		t.Error("the text went to an address that the world does not name")
	}
}

func TestAHookThatIsDown(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := settings("http://" + l.Addr().String() + "/check?token=hunter2")
	l.Close()
	m := moderation.New(moderation.Options{Key: "sesame"})
	defer m.Close()
	_, err = m.Check(t.Context(), s, moderation.Item{Text: "x"})
	if !errors.Is(err, moderation.ErrFailed) || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v", err)
	}
	if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "sesame") {
		t.Errorf("a secret stands in %q", err)
	}
}

// A hook that hangs costs its timeout; one that trickles, no more; a turn that is
// over ends the call at once, and the hook sees it end.
func TestASlowHook(t *testing.T) {
	ended := make(chan struct{}, 3)
	hang := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, `{"verdict":`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		ended <- struct{}{}
	}
	m, s := serve(t, hang)
	s.Timeout = 20 * time.Millisecond
	_, err := m.Check(t.Context(), s, moderation.Item{Text: "x"})
	if !errors.Is(err, moderation.ErrFailed) || !strings.Contains(err.Error(), "longer than 20 ms") {
		t.Errorf("%v", err)
	}
	<-ended

	s.Timeout = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err = m.Check(ctx, s, moderation.Item{Text: "x"}); !errors.Is(err, context.DeadlineExceeded) ||
		!errors.Is(err, moderation.ErrFailed) {
		t.Errorf("%v", err)
	}
	<-ended
}

func TestWhatTheHookGets(t *testing.T) {
	var got map[string]any
	var header http.Header
	var method string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method, header = r.Method, r.Header
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"verdict":"allow"}`)
	}))
	defer server.Close()
	m := moderation.New(moderation.Options{Key: "sesame"})
	defer m.Close()
	item := moderation.Item{Kind: moderation.KindSentence, World: "hollowmere", NPC: "mira", Player: "p42", TurnID: "t1",
		Seq: 2, Text: "The <mill> burned — “in spring”."}
	if _, err := m.Check(t.Context(), settings(server.URL), item); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"kind": "sentence", "world": "hollowmere", "npc": "mira", "player": "p42", "turn_id": "t1",
		"seq": 2., "text": item.Text}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if method != http.MethodPost || header.Get("Content-Type") != "application/json" ||
		header.Get("Authorization") != "Bearer sesame" {
		t.Errorf("%s %v", method, header)
	}
}

func TestWithoutAHookEverythingIsAllowed(t *testing.T) {
	m := moderation.New(moderation.Options{Transport: noTransport{t}})
	v, err := m.Check(t.Context(), moderation.Settings{}, moderation.Item{Text: "x"})
	if err != nil || v.Action != moderation.Allow {
		t.Errorf("%+v, %v", v, err)
	}
}

type noTransport struct{ t *testing.T }

func (n noTransport) RoundTrip(*http.Request) (*http.Response, error) {
	n.t.Error("a call was made")
	return nil, errors.New("no network here")
}

// Many workers share one Moderator: each gets the verdict of its own text, over
// at most as many connections as there are workers.
func TestManyAtOnce(t *testing.T) {
	var opened atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var item moderation.Item
		if err := json.NewDecoder(r.Body).Decode(&item); err != nil {
			t.Error(err)
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"verdict": "replace", "text": "not " + item.Text})
	}))
	server.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	m := moderation.New(moderation.Options{})
	defer m.Close()
	const workers, each = 16, 20
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			for i := range each {
				text := fmt.Sprintf("%d/%d", w, i)
				v, err := m.Check(t.Context(), settings(server.URL), moderation.Item{Text: text})
				if err != nil || v.Text != "not "+text {
					t.Errorf("%s: %+v, %v", text, v, err)
				}
			}
		})
	}
	wait.Wait()
	if n := opened.Load(); n > 2*workers {
		t.Errorf("%d connections for %d workers", n, workers)
	}
}
