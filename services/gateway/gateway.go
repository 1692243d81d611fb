// Package gateway is the door for whoever speaks HTTP: a game's engine or backend over
// /v1, and whatever speaks OpenAI's protocol over /openai/v1. It keeps nothing: all
// that it knows it asks the mesh for by pkg/client, so that any number of replicas may
// stand behind a balancer, and one that dies takes no turn with it.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/mcp"
	"github.com/forsooth-npc/forsooth/internal/telemetry"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/services/gateway/studio"
)

// Options of a gateway.
type Options struct {
	Client  *client.Client
	Keys    *access.Ring // without one, or without a key in it, loopback alone is let in
	Origins []string     // of web pages that may call, such as https://game.example; "*": all
	Eraser  Eraser       // nil: this process cannot erase
	Inside  Inside       // nil: this process runs no mesh
	Results string       // the folder of results of suites; empty: none are shown
	Now     func() time.Time
	Report  func(error) // what nobody else is told: a fault of this process
	// Silence is how long whoever listens is taken at its word: then it is pinged, and its key
	// looked at again. Zero: 15 seconds and two minutes.
	Silence Silence
	// Folders are worlds whose files this process has, by their names; for assistants.
	Folders map[string]mcp.Folder
	Meters  *telemetry.Meters // counts requests and sockets; nil: nobody does
}

// Silence is that of a stream without an end of its own, and that of a socket.
type Silence struct{ Stream, Socket time.Duration }

// Gateway serves the doors.
type Gateway struct {
	client  *client.Client
	keys    *access.Ring
	origins map[string]bool
	eraser  Eraser
	inside  Inside
	results string
	now     func() time.Time
	report  func(error)
	silence Silence
	catalog *catalog
	limits  *limits
	folders map[string]mcp.Folder
	tools   *mcp.Server
	mux     *http.ServeMux
	meters  *telemetry.Meters

	proposals *proposals
	*lasting
}

// New makes a gateway over a client, which stays its caller's.
func New(o Options) (*Gateway, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	g := &Gateway{client: o.Client, keys: o.Keys, now: o.Now, report: o.Report, origins: map[string]bool{},
		eraser: o.Eraser, inside: o.Inside, results: o.Results, folders: o.Folders, meters: o.Meters,
		silence: Silence{cmp.Or(o.Silence.Stream, pingEvery), cmp.Or(o.Silence.Socket, quietFor)},
		catalog: newCatalog(o.Client, o.Now), limits: newLimits(o.Now), lasting: newLasting()}
	g.proposals = &proposals{client: o.Client, now: o.Now, report: o.Report, begin: g.begin,
		worlds: map[string]*proposed{}}
	for _, origin := range o.Origins {
		if err := checkOrigin(origin); err != nil {
			return nil, err
		}
		g.origins[origin] = true
	}
	g.tools = g.newTools(o.Folders)
	g.mux = g.routes()
	return g, nil
}

// Close ends what lasts: streams and sockets. Turns go on without it.
func (g *Gateway) Close() { g.end() }

// routes are all doors. What a caller may do is checked before a handler runs.
func (g *Gateway) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", g.readiness)
	mux.HandleFunc("GET /v1/openapi.json", serveDocument)
	mux.Handle("GET "+studio.Path, studio.Handler())
	mux.Handle("GET "+strings.TrimSuffix(studio.Path, "/"), http.RedirectHandler(studio.Path, http.StatusMovedPermanently))
	for pattern, d := range g.v1() {
		mux.Handle(pattern, g.guarded(d, writeProblem))
	}
	g.openai(mux)
	return mux
}

// v1 are the doors of Forsooth's own protocol, and that for assistants.
func (g *Gateway) v1() map[string]door {
	const world, npc, scene = "/v1/worlds/{world}", "/v1/worlds/{world}/npcs/{npc}", "/v1/worlds/{world}/scenes/{scene}"
	return g.insights(map[string]door{
		"POST " + npc + "/turns":                          {access.Play, g.postTurn},
		"GET " + npc + "/turns/{turn}":                    {access.Play, g.getTurn},
		"DELETE " + npc + "/turns/{turn}":                 {access.Play, g.cancelTurn},
		"POST " + npc + "/turns/{turn}/actions/{index}":   {access.Play, g.answerAction},
		"GET " + npc + "/conversations/{player}":          {access.Read, g.showConversation},
		"DELETE " + npc + "/conversations/{player}":       {access.Operate, g.resetConversation},
		"POST " + scene + "/turns":                        {access.Play, g.postToScene},
		"GET " + scene + "/turns/{turn}":                  {access.Play, g.getTurn},
		"DELETE " + scene + "/turns/{turn}":               {access.Play, g.cancelTurn},
		"POST " + scene + "/turns/{turn}/actions/{index}": {access.Play, g.answerAction},
		"GET " + scene:                                    {access.Play, g.showScene},
		"GET " + npc:                                      {access.Play, g.showNPC},
		"GET " + world + "/npcs":                          {access.Play, g.listNPCs},
		"GET " + world:                                    {access.Play, g.showWorld},
		"GET /v1/worlds":                                  {access.Play, g.listWorlds},
		"GET " + world + "/memories":                      {access.Read, g.listMemories},
		"GET " + world + "/memories/{memory}":             {access.Read, g.listMemories},
		"POST " + world + "/events":                       {access.Play, g.tellEvent},
		"GET " + world + "/actions":                       {access.Play, g.streamActions},
		"POST /v1/check":                                  {access.Read, g.check},
		"POST /v1/tokens":                                 {access.Play, g.mint},
		"GET /v1/ws":                                      {access.Play, g.socket},
		"POST " + mcpPath:                                 {"", g.assist}, // each tool takes a right
	})
}

// Bounds of the server.
const (
	headerLimit = 5 * time.Second  // for the head of a request
	bodyLimit   = 15 * time.Second // for its body
	writeLimit  = 90 * time.Second // for an answer that is no stream: longer than any turn lasts
	eventLimit  = 10 * time.Second // for each event of a stream
	idleLimit   = 2 * time.Minute
	maxHeader   = 16 << 10
	closing     = 5 * time.Second
)

// Serve answers at a listener until the context ends.
func (g *Gateway) Serve(ctx context.Context, listener net.Listener) error {
	if err := g.MayListen(listener.Addr()); err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{
		Handler: g, ReadHeaderTimeout: headerLimit, ReadTimeout: headerLimit + bodyLimit, WriteTimeout: writeLimit,
		IdleTimeout: idleLimit, MaxHeaderBytes: maxHeader,
		ErrorLog: quiet(g.report),
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	// Streams end with the gateway; what is being answered has a moment to be.
	last, stop := context.WithTimeout(context.WithoutCancel(ctx), closing)
	defer stop()
	server.RegisterOnShutdown(g.end)
	err := server.Shutdown(last)
	g.end()
	if err != nil {
		err = server.Close()
	}
	if served := <-done; err == nil && !errors.Is(served, http.ErrServerClosed) {
		err = served
	}
	return err
}

// Ready says whether turns can be taken: the mesh answers.
func (g *Gateway) Ready(ctx context.Context) (ready bool, detail string) {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	switch {
	case !g.client.Connected():
		return false, "the broker is out of reach"
	case g.client.Health(ctx) != nil:
		return false, "no service of the mesh answers"
	}
	return true, "the mesh answers"
}

func (g *Gateway) readiness(w http.ResponseWriter, r *http.Request) {
	ready, detail := g.Ready(r.Context())
	status := http.StatusOK
	if !ready {
		status = http.StatusServiceUnavailable
	}
	writeJSON(w, status, struct {
		Ready  bool   `json:"ready"`
		Detail string `json:"detail"`
	}{ready, detail})
}
