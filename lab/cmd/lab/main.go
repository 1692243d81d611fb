// Command lab breaks, cheats and measures Forsooth: what its developers run and its
// users do not need. It stands in a module of its own, so that the shipped binary holds
// none of it.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/console"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// Exit codes, as those of forsooth.
const (
	exitFine       = console.ExitFine
	exitFailed     = console.ExitFailed
	exitUsage      = console.ExitUsage
	exitDependency = console.ExitDependency
)

func usage(err error) error      { return console.WithExit(exitUsage, err) }
func dependency(err error) error { return console.WithExit(exitDependency, err) }

// errFound says that a run found what must not be; the output tells it already.
var errFound = errors.New("")

type cli struct {
	Config   string   `help:"Settings file." placeholder:"FILE" type:"path"`
	World    []string `help:"Folder of a world, or one of the binary; again for more." placeholder:"DIR" sep:"none"`
	Forsooth string   `help:"The forsooth whose processes are started." default:"bin/forsooth" type:"path"`
	JSON     bool     `name:"json" help:"Print JSON alone on standard output."`

	Chaos    chaosCmd    `cmd:"" help:"A mesh that is broken on purpose: which of its promises did not hold."`
	Honesty  honestyCmd  `cmd:"" help:"Lying models against the reviews: what of their lies is released."`
	Security securityCmd `cmd:"" help:"Hidden orders against a model that obeys, and harmless prompts."`
	Secrets  secretsCmd  `cmd:"" help:"Every secret in every spelling, to the review and to the guard."`
	Memory   memoryCmd   `cmd:"" help:"The guards of memory: what gets past them, what they keep, what they cost."`
	Sayings  sayingsCmd  `cmd:"" help:"What extraction and Guard 1 keep of sayings, and what they invent."`
	Reader   readerCmd   `cmd:"" help:"The reader on stories that it was not trained on: right window first, AUROC."`
	Scan     scanCmd     `cmd:"" help:"The nightly scan of memories: compute on one core for 1,000 to 100,000 of them."`
	Mesh     meshCmd     `cmd:"" help:"The mesh without its passes beside a bare chain, by workers and copies."`
	Node     nodeCmd     `cmd:"" hidden:"" help:"A process of mesh."`
	Rolling  rollingCmd  `cmd:"" help:"What players lose while a fleet is restarted process by process."`
	Scenes   scenesCmd   `cmd:"" help:"Whether a scene keeps its promises while the mesh is killed under it."`
	Faults   faultsCmd   `cmd:"" help:"How much more a model is asked that fails now and then."`
	Sockets  socketsCmd  `cmd:"" help:"One gateway and many open sockets, each with a turn: what one takes of memory."`
	Overload overloadCmd `cmd:"" help:"More turns than a mesh can do: what becomes of them and of its memory."`
}

// env is what the commands work with.
type env struct {
	ctx      context.Context
	settings *config.Settings
	forsooth string
	json     bool
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	var c cli
	exited := -1
	parser, err := kong.New(&c, kong.Name("lab"), kong.Writers(out, errOut),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Vars{"struck": struckPlaces},
		kong.Description("The laboratory of Forsooth."), kong.Exit(func(code int) { exited = code }))
	if err != nil {
		panic(err) // the command line's own declaration is wrong
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help has been printed
		return exited
	}
	if err != nil {
		fmt.Fprintf(errOut, "lab: %v; lab --help lists the commands\n", err)
		return exitUsage
	}
	flags := map[string]any{}
	if len(c.World) > 0 {
		flags["world"] = c.World
	}
	settings, err := config.Load(c.Config, flags)
	if err != nil {
		err = usage(err)
	} else {
		err = parsed.Run(&env{ctx: ctx, settings: settings, forsooth: c.Forsooth, json: c.JSON, out: out, err: errOut})
	}
	return console.ExitCode("lab", err, errOut)
}

// worlds loads the worlds of the settings.
func (e *env) worlds() ([]*world.World, error) {
	ws, _, err := app.LoadWorlds(e.settings.World)
	if err != nil {
		return nil, usage(err)
	}
	return ws, nil
}

// worldName is the folder or name of the first world.
func (e *env) worldName() string {
	if len(e.settings.World) > 0 {
		return e.settings.World[0]
	}
	return app.DefaultWorld
}

func (e *env) printJSON(v any) error {
	enc := json.NewEncoder(e.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

func (e *env) measured(m bench.Measured) error {
	return m.Print(e.out, e.json, m.Bench+" "+m.World, time.Now())
}

func (e *env) heading(of string) {
	bench.Heading(e.out, of, time.Now())
}

// said tells how far a run is.
func (e *env) said(format string, args ...any) { fmt.Fprintf(e.err, format+"\n", args...) }
