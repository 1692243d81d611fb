// Command forsooth runs the mesh, talks to its NPCs, and tends their worlds. It
// only parses, prints and exits: the work is done by the packages it calls.
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
	_ "time/tzdata"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"

	"github.com/forsooth-npc/forsooth/internal/config"
	"github.com/forsooth-npc/forsooth/internal/console"
)

// Exit codes.
const (
	exitFine       = console.ExitFine
	exitFailed     = console.ExitFailed
	exitUsage      = console.ExitUsage
	exitDependency = console.ExitDependency
)

func failed(err error) error     { return console.WithExit(exitFailed, err) }
func usage(err error) error      { return console.WithExit(exitUsage, err) }
func dependency(err error) error { return console.WithExit(exitDependency, err) }

// errSilent ends a command that has printed what there is to say.
var errSilent = errors.New("")

// common are the flags that every command takes.
type common struct {
	Config  string   `help:"Settings file." placeholder:"FILE" type:"path"`
	Profile string   `help:"Profile of defaults: dev or prod."`
	Data    string   `help:"Data folder." placeholder:"DIR" type:"path"`
	World   []string `help:"Folder of a world, or one of the binary; again for more." placeholder:"DIR" sep:"none"`
	NATS    string   `name:"nats" help:"URL of a NATS server with JetStream, instead of one in process." placeholder:"URL"`
	Guards  string   `help:"Settings of the guards of memory: a file or a preset." placeholder:"FILE"`
	Creds   string   `name:"nats-creds" help:"File with a user's JWT and seed." placeholder:"FILE" type:"path"`
	Qdrant  string   `name:"qdrant" help:"URL (gRPC) of a Qdrant server for memories and index." placeholder:"URL"`
	LLMURL  string   `name:"llm-url" help:"OpenAI-compatible endpoint: http://localhost:11434/v1." placeholder:"URL"`
	LLMName string   `name:"llm-model" help:"Model to ask there." placeholder:"NAME"`
	JSON    bool     `name:"json" help:"Print JSON alone on standard output."`
	LogTo   string   `name:"log-level" help:"debug, info, warn or error." placeholder:"LEVEL"`
}

// flags are the settings that were given as flags.
func (c *common) flags() map[string]any {
	out := map[string]any{}
	for key, value := range map[string]string{"profile": c.Profile, "data": c.Data, "nats.url": c.NATS,
		"nats.creds": c.Creds, "log.level": c.LogTo, "guards.file": c.Guards,
		"qdrant.url": c.Qdrant, "llm.url": c.LLMURL, "llm.model": c.LLMName} {
		if value != "" {
			out[key] = value
		}
	}
	if len(c.World) > 0 {
		out["world"] = c.World
	}
	return out
}

type cli struct {
	common
	Up       upCmd       `cmd:"" help:"Run the whole mesh in one process."`
	Serve    serveCmd    `cmd:"" help:"Run chosen services against a NATS server."`
	Chat     chatCmd     `cmd:"" help:"Talk to an NPC."`
	Lore     loreCmd     `cmd:"" help:"Check, index, search and extend a world."`
	Eval     evalCmd     `cmd:"" help:"Run an evaluation suite through the whole mesh."`
	Verify   verifyCmd   `cmd:"" help:"Judge whether a premise supports a claim."`
	Check    checkCmd    `cmd:"" help:"Say which claims of a text its sources support."`
	MCP      mcpCmd      `cmd:"" name:"mcp" help:"Let an assistant in, over standard input and output."`
	Memory   memoryCmd   `cmd:"" help:"What NPCs remember."`
	Trace    traceCmd    `cmd:"" help:"Print every pass of a turn."`
	Audit    auditCmd    `cmd:"" help:"Check the evidence of stored replies again, against the lore as it is now."`
	Replay   replayCmd   `cmd:"" help:"Run a turn again with other settings, changing nothing."`
	Bench    benchCmd    `cmd:"" help:"Measure, each figure beside its baseline."`
	LLM      llmCmd      `cmd:"" name:"llm" help:"Switch all language models on or off."`
	Migrate  migrateCmd  `cmd:"" help:"Bring streams and stores of an older version to this one."`
	Accounts accountsCmd `cmd:"" name:"nats-accounts" help:"Print the rights of users, for a NATS server."`
	Dev      devCmd      `cmd:"" help:"The whole mesh with HTTP open, and tools for work on worlds and on Forsooth."`
	Keys     keysCmd     `cmd:"" help:"Keys for the doors for HTTP: who may come in, and do what."`
	Doctor   doctorCmd   `cmd:"" help:"Say what is configured, reachable and missing, and how to mend it."`
}

// env is what a command runs with.
type env struct {
	ctx      context.Context
	settings *config.Settings
	json     bool
	llmFlags bool // the models were named as flags
	in       io.Reader
	out, err io.Writer
	log      zerolog.Logger
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is main without the process: it returns the exit code.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	var c cli
	exited := -1
	parser, err := kong.New(&c, kong.Name("forsooth"), kong.Writers(out, errOut),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Description("NPCs that say only what they may know."), kong.Exit(func(code int) { exited = code }))
	if err != nil {
		panic(err) // the command line's own declaration is wrong
	}
	parsed, err := parser.Parse(args)
	if exited >= 0 { // --help has been printed
		return exited
	}
	if err != nil {
		fmt.Fprintf(errOut, "forsooth: %v; forsooth --help lists the commands\n", err)
		return exitUsage
	}
	settings, err := config.Load(c.Config, c.flags())
	if err == nil {
		e := &env{ctx: ctx, settings: settings, json: c.JSON, llmFlags: c.LLMURL+c.LLMName != "", in: in, out: out,
			err: errOut, log: logger(settings.Log, errOut)}
		err = parsed.Run(e)
	} else {
		err = usage(err)
	}
	return console.ExitCode("forsooth", err, errOut)
}

func logger(l config.Log, w io.Writer) zerolog.Logger {
	level, err := zerolog.ParseLevel(l.Level)
	if err != nil {
		level = zerolog.WarnLevel
	}
	if l.Format == "text" {
		w = zerolog.ConsoleWriter{Out: w, TimeFormat: "15:04:05", NoColor: true}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger()
}

// printJSON prints one object, without escaping what a reader wants to see.
func (e *env) printJSON(v any) error {
	enc := json.NewEncoder(e.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
