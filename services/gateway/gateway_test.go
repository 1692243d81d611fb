package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/services/gateway"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a whole mesh with a gateway before it.
type site struct {
	t      *testing.T
	url    string
	mesh   string
	app    *app.App
	client *client.Client
	key    string // shown with each request; empty: none
	http   *http.Client

	options app.Options
	results string // the folder of results of suites
}

// open starts a mesh over the village of the services' tests, and a gateway.
func open(t *testing.T, set ...func(*gateway.Options)) *site {
	t.Helper()
	return openWith(t, func(*app.Options) {}, set...)
}

// gift is an action that the NPC takes without a model.
const gift = `  - name: give_item
    parameters: {type: object, properties: {item: {enum: [salve]}}, required: [item]}
    speech_acts: ["Take this salve."]
`

func openWith(t *testing.T, configure func(*app.Options), set ...func(*gateway.Options)) *site {
	t.Helper()
	village := servicetest.Village()
	mira := village["npcs/mira/npc.yaml"]
	mira.Data = []byte(strings.Replace(string(mira.Data), "actions:\n", "actions:\n"+gift, 1))
	w, problems, err := world.Load(village, ".")
	if err != nil || len(world.Errors(problems)) > 0 {
		t.Fatal(err, problems)
	}
	o := app.Options{Worlds: []*world.World{w}, Data: t.TempDir(), Meaning: app.MeaningOff}
	configure(&o)
	a, err := app.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	<-a.Mesh.Bound()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		a.Close()
	})
	s := &site{t: t, app: a, mesh: a.Server.URL(), http: &http.Client{Transport: &http.Transport{}}, options: o,
		results: t.TempDir()}
	t.Cleanup(s.http.CloseIdleConnections)
	s.client, err = client.Connect(t.Context(), s.mesh, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.client.Close)
	s.url, _ = s.gateway(set...)
	return s
}

// gateway starts one more before the same mesh.
func (s *site) gateway(set ...func(*gateway.Options)) (url string, stop func()) {
	s.t.Helper()
	o := gateway.Options{Client: s.client, Inside: s.app.Inside(s.options), Results: s.results, Report: func(err error) {
		if !strings.Contains(err.Error(), "TLS handshake") {
			s.t.Errorf("the gateway reports: %v", err)
		}
	}}
	for _, f := range set {
		f(&o)
	}
	g, err := gateway.New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(s.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- g.Serve(ctx, listener) }()
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		end()
		if err := <-served; err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.t.Error(err)
		}
	}
	s.t.Cleanup(stop)
	return "http://" + listener.Addr().String(), stop
}

// scripted has a model speak.
func scripted(url string) func(*app.Options) {
	return func(o *app.Options) { o.LLM = llm.Config{Primary: llm.Provider{URL: url, Model: "scripted"}} }
}

// withKeys gives a gateway keys, and gives their texts by their names.
func withKeys(t *testing.T, all ...access.Key) (func(*gateway.Options), map[string]string, *access.Ring) {
	t.Helper()
	ring, err := access.OpenRing(t.TempDir()+"/keys.json", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, k := range all {
		made, text, err := access.Make(k, randomness{}, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if err := ring.Add(made); err != nil {
			t.Fatal(err)
		}
		texts[k.Name] = text
	}
	return func(o *gateway.Options) { o.Keys = ring }, texts, ring
}

// answer is what a door says.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a *answer) json(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), into); err != nil {
		t.Fatalf("%d %s: %v", a.status, a.body, err)
	}
}

func (s *site) request(method, path, body string, headers ...string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.key != "" {
		r.Header.Set("Authorization", "Bearer "+s.key)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func (s *site) do(method, path, body string, headers ...string) *answer {
	s.t.Helper()
	resp, err := s.http.Do(s.request(method, path, body, headers...))
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return &answer{resp.StatusCode, resp.Header, string(data)}
}

// event is a server-sent event.
type event struct {
	name, id, data string
}

// events reads a stream of them until it ends or f says false.
func readEvents(t *testing.T, body io.Reader, f func(event) bool) {
	t.Helper()
	scan := bufio.NewScanner(body)
	scan.Buffer(nil, 1<<20)
	var e event
	for scan.Scan() {
		line := scan.Text()
		switch name, value, _ := strings.Cut(line, ": "); {
		case line == "":
			if e.data != "" && !f(e) {
				return
			}
			e = event{}
		case name == "event":
			e.name = value
		case name == "id":
			e.id = value
		case name == "data":
			e.data = value
		}
	}
}

// stream posts something and reads its events.
func (s *site) stream(method, path, body string, headers ...string) []event {
	s.t.Helper()
	resp, err := s.http.Do(
		s.request(method, path, body, append([]string{"Accept", "text/event-stream"}, headers...)...),
	)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		data, _ := io.ReadAll(resp.Body)
		s.t.Fatalf("%d %s: %s", resp.StatusCode, kind, data)
	}
	var out []event
	readEvents(s.t, resp.Body, func(e event) bool { out = append(out, e); return true })
	return out
}
