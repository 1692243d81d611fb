// Package mcp lets an assistant in by the Model Context Protocol: tools to ask an NPC, to
// look at what it knows and remembers, to check a text, and to propose lore. It speaks to
// the mesh by pkg/client alone, and holds no session. Who calls, and what the caller may do,
// is said by whoever serves it. No other package imports the SDK of the protocol.
package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Caller is who calls a tool.
type Caller interface {
	// May says whether the caller has a right in a world; an empty world asks for any.
	May(right access.Right, world string) error
	// Player is who speaks: the player that the caller is kept to, else the one it names.
	Player(named string) (string, error)
	// Bound is the player that the caller is kept to; empty: none.
	Bound() string
	// With says whether the caller may talk to an NPC.
	With(npc string) error
	// Turn counts a turn against the limits of the caller and the player.
	Turn(world, player string) error
	// Evidence says whether the caller is shown the passages behind a sentence.
	Evidence() bool
}

// Folder is a world whose files this process has.
type Folder struct {
	Dir  string // of its files; empty where they are carried by the binary, and cannot be written
	FS   fs.FS
	Lint func() []world.Problem
	// Documents are the paths of its lore and of what its NPCs have.
	Documents func() []string
	Reject    world.Reject // what could never be evidence
}

// Options of a server.
type Options struct {
	Client  *client.Client
	Folders map[string]Folder // by the names of their worlds; empty: no tool that needs one
	Lore    bool              // the files of the worlds may be read as resources
	Now     func() time.Time
	Told    func(error) string // what a caller is told of an error; nil: its text
	Report  func(error)        // what nobody else is told: a fault of this process
}

// Server serves the tools to any number of callers.
type Server struct {
	o       Options
	schemas *sdk.SchemaCache
	handler handler
}

// New makes a server over a client, which stays its caller's.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Told == nil {
		o.Told = func(err error) string { return err.Error() }
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	s := &Server{o: o, schemas: sdk.NewSchemaCache()}
	s.handler = newHandler()
	return s
}

const instructions = "Forsooth runs NPCs of game worlds. An NPC says only what documents of its world support. " +
	"list_worlds names the worlds and their NPCs. A draft that you add is no lore until a person promotes it."

// desk is the server of one caller.
type desk struct {
	*Server
	caller Caller
	server *sdk.Server
}

// open makes the server of a caller, with the tools that it has a right to.
func (s *Server) open(caller Caller) *sdk.Server {
	// Tools and resources stay as they are while a caller is served.
	can := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}
	if s.o.Lore {
		can.Resources = &sdk.ResourceCapabilities{}
	}
	d := &desk{Server: s, caller: caller, server: sdk.NewServer(
		&sdk.Implementation{Name: "forsooth", Title: "Forsooth", Version: schema.Version},
		&sdk.ServerOptions{Instructions: instructions, SchemaCache: s.schemas, Capabilities: can})}
	d.play()
	d.look()
	if len(s.o.Folders) > 0 {
		d.tend()
	}
	return d.server
}

// add adds a tool where the caller has the right in any world. Its handler gives one error
// at most, which becomes the result of the call: an assistant can read it and mend its call.
func add[In, Out any](d *desk, right access.Right, t *sdk.Tool, handle func(context.Context, In) (Out, error)) {
	if d.caller.May(right, "") != nil {
		return
	}
	sdk.AddTool(d.server, t, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (_ *sdk.CallToolResult, out Out,
		err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
				d.o.Report(fmt.Errorf("tool %s: %w", t.Name, err))
				err = errors.New("the tool failed; the log of Forsooth says why")
			}
		}()
		out, err = handle(ctx, in)
		if err != nil {
			err = errors.New(strings.Join(strings.Fields(d.o.Told(err)), " "))
		}
		return nil, out, err
	})
}

// reading is what a client is told of a tool that changes nothing.
func reading(title string) *sdk.ToolAnnotations {
	closed := false
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, OpenWorldHint: &closed}
}

// adding is what it is told of one that only adds something.
func adding(title string) *sdk.ToolAnnotations {
	no := false
	return &sdk.ToolAnnotations{Title: title, DestructiveHint: &no, OpenWorldHint: &no}
}

// askFor is how long an answer of the mesh is waited for, and checkFor one about a text.
const (
	askFor   = 5 * time.Second
	checkFor = 30 * time.Second
	grace    = 5 * time.Second // behind the deadline of a turn
)

// world is one that is served, and in which the caller has a right. No name is the only
// one there is.
func (d *desk) world(ctx context.Context, right access.Right, name string) (*schema.WorldInfo, error) {
	if name == "" {
		all, err := d.worlds(ctx)
		if err != nil {
			return nil, err
		}
		if len(all) != 1 {
			return nil, &schema.FieldError{Field: "world", Reason: "name one of " + names(all)}
		}
		name = all[0].Name
	}
	if err := schema.CheckToken("world", name); err != nil {
		return nil, err
	}
	if err := d.caller.May(right, name); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	info, err := d.o.Client.World(ctx, name)
	if errors.Is(err, client.ErrNotFound) {
		all, _ := d.worlds(ctx) // the names are a help alone
		return nil, &schema.FieldError{Field: "world", Reason: fmt.Sprintf("%s is not served; there is %s", name,
			names(all))}
	}
	return info, err
}

// worlds are those in which the caller may do anything.
func (d *desk) worlds(ctx context.Context) ([]schema.WorldInfo, error) {
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	all, err := d.o.Client.Worlds(ctx)
	return slices.DeleteFunc(all, func(w schema.WorldInfo) bool {
		return !slices.ContainsFunc(access.Rights, func(r access.Right) bool { return d.caller.May(r, w.Name) == nil })
	}), err
}

// npc is an NPC of a world. No handle is the world's default.
func (d *desk) npc(info *schema.WorldInfo, handle string) (*schema.NPCInfo, error) {
	if handle == "" {
		handle = info.DefaultNPC
	}
	if n := info.NPC(handle); n != nil {
		return n, d.caller.With(n.Handle)
	}
	var all []string
	for i := range info.NPCs {
		all = append(all, info.NPCs[i].Handle)
	}
	return nil, &schema.FieldError{Field: "npc", Reason: fmt.Sprintf("%.64q is no NPC of %s; there is %s", handle,
		info.Name, listed(all))}
}

func names(all []schema.WorldInfo) string {
	var out []string
	for i := range all {
		out = append(out, all[i].Name)
	}
	return listed(out)
}

// mostListed is how many names an error lists.
const mostListed = 30

func listed(all []string) string {
	switch {
	case len(all) == 0:
		return "none"
	case len(all) > mostListed:
		return fmt.Sprintf("%s and %d more", strings.Join(all[:mostListed], ", "), len(all)-mostListed)
	}
	return strings.Join(all, ", ")
}

// DefaultPlayer is who speaks where an assistant of this machine names nobody.
const DefaultPlayer = "assistant"

// Local is a caller that the operator of this process has let in, with these rights in
// every world.
type Local struct {
	Rights []access.Right
	As     string // the player where a call names none; empty: DefaultPlayer
}

// May says whether the operator gave the right.
func (l *Local) May(right access.Right, _ string) error {
	if !slices.Contains(l.Rights, right) {
		return fmt.Errorf("this takes the right %q, which --may does not give", right)
	}
	return nil
}

// Player is the one that is named, else the default.
func (l *Local) Player(named string) (string, error) {
	named = cmp.Or(named, l.As, DefaultPlayer)
	return named, schema.CheckToken("player", named)
}

// Bound is nobody.
func (l *Local) Bound() string { return "" }

// With lets the caller talk to everybody.
func (l *Local) With(string) error { return nil }

// Turn sets no limit of its own: those of the mesh stand.
func (l *Local) Turn(string, string) error { return nil }

// Evidence is shown.
func (l *Local) Evidence() bool { return true }

// maxMessage bounds a message: a check may hold 64 sources.
const maxMessage = 8 << 20

// Talk serves one caller over a pair of streams, one JSON-RPC message a line, until the
// input has ended and every call is answered, or the context ends.
func (s *Server) Talk(ctx context.Context, in io.Reader, out io.Writer, caller Caller) error {
	l := newLines(ctx, in, out)
	err := s.open(caller).Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(l), Writer: unclosed{l}})
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil
	}
	return err
}

// unclosed leaves a stream open that is not ours to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// handler serves a request by the server that its context holds.
type handler struct{ http *sdk.StreamableHTTPHandler }

type openedKey struct{}

// newHandler answers in one JSON object: nothing is said while a tool runs, and a stream
// would be cut by the limit of a connection.
func newHandler() handler {
	return handler{sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		opened, _ := r.Context().Value(openedKey{}).(*sdk.Server)
		return opened
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		MaxRequestBodyBytes: maxMessage,
		// Whoever serves this knows which hosts and pages may call.
		DisableLocalhostProtection: true})}
}

// ServeHTTP answers one request of a caller. Nothing is kept between requests.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request, caller Caller) {
	s.handler.http.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), openedKey{}, s.open(caller))))
}
