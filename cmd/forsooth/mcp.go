package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mcp"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/worlds"
)

type mcpCmd struct {
	May    []string `help:"What the assistant may do: play, read, operate." default:"play,read,operate"`
	Player string   `help:"Who speaks where a call names nobody; assistant otherwise." placeholder:"ID"`
}

// Run serves one assistant on standard input and output, until the input ends. It joins the
// mesh of --nats or of the data folder, or starts one.
func (c *mcpCmd) Run(e *env) error {
	caller := &mcp.Local{As: c.Player}
	for _, right := range c.May {
		if !slices.Contains(access.Rights, access.Right(right)) {
			return usage(fmt.Errorf("--may: %q is no right; these are: %s, %s, %s", right,
				access.Play, access.Read, access.Operate))
		}
		caller.Rights = append(caller.Rights, access.Right(right))
	}
	if _, err := caller.Player(""); err != nil {
		return usage(fmt.Errorf("--%w", err))
	}
	t, err := e.open()
	if err != nil {
		return err
	}
	err = c.talk(e, t, caller)
	if closed := t.close(); err == nil {
		err = closed
	}
	return err
}

func (c *mcpCmd) talk(e *env, t *talk, caller mcp.Caller) error {
	address := t.joined
	if address == "" {
		address = t.app.Server.URL()
	}
	backend, err := client.Connect(e.ctx, address, client.Options{Name: "forsooth mcp", Login: client.Login(e.login())})
	if err != nil {
		return dependency(err)
	}
	defer backend.Close()
	server := mcp.New(mcp.Options{Client: backend, Folders: folders(t.worlds), Lore: true,
		Report: func(err error) { e.log.Warn().Err(err).Msg("mcp") }})
	ctx, stop := context.WithCancel(e.ctx)
	defer stop()
	return failed(server.Talk(ctx, e.in, e.out, caller))
}

// folders are the worlds whose files this process has, for the tools that work on them.
func folders(ws []*world.World) map[string]mcp.Folder {
	out := map[string]mcp.Folder{}
	for _, w := range ws {
		dir := w.Dir
		f := mcp.Folder{FS: inFolder(dir), Reject: rejecting(w.Prompts), Lint: func() []world.Problem { return lint(dir) },
			Documents: func() []string { return documents(dir) }}
		if app.IsFolder(dir) {
			f.Dir = dir
		} else if carried, err := fs.Sub(worlds.FS, dir); err == nil {
			f.FS = carried
		}
		out[w.Name] = f
	}
	return out
}

// inFolder is a folder, from which no link leads out.
type inFolder string

// Open opens a file of the folder.
func (f inFolder) Open(name string) (fs.File, error) { return os.OpenInRoot(string(f), name) }

// documents are the paths of a world's documents, each once.
func documents(dir string) []string {
	w, _, err := app.LoadWorld(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, d := range w.Documents {
		out = append(out, d.Path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
