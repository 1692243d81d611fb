package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/prompt"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/retriever"
)

type loreCmd struct {
	Lint    lintCmd    `cmd:"" help:"Say what is wrong with a world, with file and line."`
	Index   indexCmd   `cmd:"" help:"Bring the index of the data folder up to a world."`
	Search  searchCmd  `cmd:"" help:"What an NPC may know about a question."`
	Promote promoteCmd `cmd:"" help:"Make a text that a turn or a backend wrote lore, in a person's name."`
}

// rejecting is the provenance filter on what an author can mend; prompts are those of
// the world's own.
func rejecting(prompts map[string]string) world.Reject {
	lines := prompt.Lines(prompts)
	return func(c protocol.Chunk) (string, bool) {
		reason := grounding.Signature(c.Text, lines...)
		return reason, reason != ""
	}
}

// lintPrompts says of each prompt of a world's own why it cannot be used.
func lintPrompts(w *world.World) (out []world.Problem) {
	for _, name := range slices.Sorted(maps.Keys(w.Prompts)) {
		if _, err := prompt.NewBook(map[string]string{name: w.Prompts[name]}); err != nil {
			file := "prompts/" + name + ".txt"
			out = append(out, world.Problem{Severity: world.SeverityError, File: file,
				Message: strings.TrimPrefix(err.Error(), file+": ")})
		}
	}
	return out
}

type lintCmd struct {
	Dir string `arg:"" optional:"" help:"Folder of the world; --world otherwise." placeholder:"DIR"`
}

// Findings are what lint found in a world.
type Findings struct {
	World    string          `json:"world"`
	Errors   int             `json:"errors"`
	Warnings int             `json:"warnings"`
	Findings []world.Problem `json:"findings"`
}

// Run lints a world: errors end with 1, warnings with 0.
func (c *lintCmd) Run(e *env) error {
	dir := e.worldDir(c.Dir)
	if _, _, err := app.LoadWorld(dir); errors.Is(err, app.ErrNoWorld) {
		return usage(err)
	}
	problems := lint(dir)
	f := Findings{World: dir, Findings: problems}
	if problems == nil {
		f.Findings = []world.Problem{}
	}
	f.Errors = len(world.Errors(problems))
	f.Warnings = len(problems) - f.Errors
	if e.json {
		if err := e.printJSON(f); err != nil {
			return err
		}
	} else {
		for _, p := range problems {
			fmt.Fprintln(e.out, p)
		}
		fmt.Fprintf(e.out, "%s: %s, %s\n", dir, count(f.Errors, "error"), count(f.Warnings, "warning"))
	}
	if f.Errors > 0 {
		return failed(errSilent)
	}
	return nil
}

// lint is what is wrong with a world.
func lint(dir string) []world.Problem {
	w, problems, err := app.LoadWorld(dir)
	switch {
	case err == nil:
		problems = append(world.Lint(w, problems, rejecting(w.Prompts)), lintPrompts(w)...)
	case len(world.Errors(problems)) == 0:
		problems = append(problems, world.Problem{Severity: world.SeverityError, File: dir, Message: err.Error()})
	}
	return problems
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// worldDir is the argument, else the first of --world, else the binary's own.
func (e *env) worldDir(arg string) string {
	switch {
	case arg != "":
		return arg
	case len(e.settings.World) > 0:
		return e.settings.World[0]
	}
	return app.DefaultWorld
}

type indexCmd struct {
	Dir string `arg:"" optional:"" help:"Folder of the world; --world otherwise." placeholder:"DIR"`
}

// Indexed is what an index holds of a world.
type Indexed struct {
	World    string  `json:"world"`
	Index    string  `json:"index"`
	Files    int     `json:"files"`
	Passages int     `json:"passages"`
	Changed  int     `json:"changed"` // files read anew; the rest was there already
	TookMS   float64 `json:"took_ms"`
}

// Run indexes the world.
func (c *indexCmd) Run(e *env) error {
	if c.Dir != "" {
		e.settings.World = []string{c.Dir}
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	began := time.Now()
	library, closeIndex, err := app.OpenLibrary(e.ctx, e.options(ws, nil))
	if err != nil {
		return dependency(err)
	}
	defer closeIndex() //nolint:errcheck // everything in it is committed
	for _, w := range ws {
		x := library.Get(w.Name).Index
		out := Indexed{World: w.Name, Index: app.IndexFile(e.settings.Data), Files: x.Files(), Passages: x.Passages(),
			Changed: x.Embedded, TookMS: milliseconds(time.Since(began))}
		if e.json {
			err = e.printJSON(out)
		} else {
			_, err = fmt.Fprintf(e.out, "%s: %s, %s, %d read anew, in %s; kept in %s\n", out.World, count(out.Files, "file"),
				count(out.Passages, "passage"),
				out.Changed, time.Since(began).Round(time.Millisecond), out.Index)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

type searchCmd struct {
	Query string   `arg:"" help:"The question."`
	NPC   string   `name:"npc" help:"Handle of the NPC; the world's default_npc otherwise."`
	Trust int      `help:"The NPC's trust in the player."`
	Flags []string `help:"Flags of the game." placeholder:"FLAG"`
}

// Found is the answer of a citation query.
type Found struct {
	NPC        string        `json:"npc"`
	Query      string        `json:"query"`
	Answer     string        `json:"answer"` // the passage that answers best; a hint, never a reply
	Confidence float64       `json:"confidence"`
	Zone       protocol.Zone `json:"zone"`
	Unknown    []string      `json:"unknown_names"`
	Sources    []FoundSource `json:"sources"`
}

// FoundSource is a citable source.
type FoundSource struct {
	ID      string  `json:"source_id"`
	Path    string  `json:"path"`
	Page    int     `json:"page,omitempty"`
	Snippet string  `json:"snippet"`
	Score   float64 `json:"score"`
}

// Run searches as Pass 1 does.
func (c *searchCmd) Run(e *env) error {
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	npc, err := findNPC(ws[0], c.NPC)
	if err != nil {
		return err
	}
	turn := &protocol.Turn{Request: schema.Request{TurnID: "search", World: ws[0].Name, NPC: npc.Handle, Player: "player",
		Message: c.Query,
		Trust:   &c.Trust, Flags: c.Flags}}
	if err := turn.Request.Validate(); err != nil {
		return usage(err)
	}
	library, closeIndex, err := app.OpenLibrary(e.ctx, e.options(ws, nil))
	if err != nil {
		return dependency(err)
	}
	defer closeIndex() //nolint:errcheck // nothing was written
	found, err := search(e, library, turn)
	if err != nil {
		return failed(err)
	}
	if e.json {
		return e.printJSON(found)
	}
	fmt.Fprintf(e.out, "%s, confidence %.2f (%s)\n", npc.Name, found.Confidence, found.Zone)
	for _, name := range found.Unknown {
		fmt.Fprintf(e.out, "  nothing here is named %s\n", name)
	}
	for _, s := range found.Sources {
		fmt.Fprintf(e.out, "  [%s] %.3f %s\n        %s\n", s.ID, s.Score, schema.Place(s.Path, s.Page), s.Snippet)
	}
	return nil
}

func search(e *env, library *lore.Library, turn *protocol.Turn) (*Found, error) {
	turn.AcceptedAt = time.Now()
	if _, err := retriever.New(library, retriever.Options{}).Retrieve(e.ctx, turn); err != nil {
		return nil, err
	}
	r := turn.Retrieval
	found := &Found{NPC: turn.NPC, Query: r.Query, Confidence: r.Confidence, Zone: r.Zone,
		Unknown: turn.Unknown, Sources: []FoundSource{}}
	if found.Unknown == nil {
		found.Unknown = []string{}
	}
	if len(turn.Sources) > 0 {
		found.Answer = turn.Sources[0].Content
	}
	for _, s := range turn.Sources {
		found.Sources = append(found.Sources, FoundSource{ID: s.ID, Path: s.Path, Page: s.Page, Snippet: s.Content,
			Score: s.Score})
	}
	return found, nil
}

// readable is a text that a command is given by name.
func readable(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return nil, fmt.Errorf("%s: %w", name, pathErr.Err)
	}
	return data, err
}

type promoteCmd struct {
	ID       string   `arg:"" help:"gen:TURN/N, the N-th action of a turn; with --file your own id."`
	Author   string   `required:"" help:"The person who answers for it."`
	File     string   `help:"Take the text from this file." type:"path" placeholder:"FILE"`
	Path     string   `help:"Where it is put, under lore/." placeholder:"lore/…"`
	Type     string   `help:"Type of document." placeholder:"TYPE"`
	Summary  string   `help:"One line about it."`
	Keywords []string `help:"Words to find it by."`
	KnownBy  []string `help:"Who may know it: all, handles, faction:x, region:x."`
}

// Run writes the text with its companion and an entry in the audit.
func (c *promoteCmd) Run(e *env) error {
	dir := e.worldDir("")
	if !app.IsFolder(dir) {
		return usage(fmt.Errorf("%s is carried by the binary and cannot be written; give --world a folder", dir))
	}
	text, err := c.text(e)
	if err != nil {
		return err
	}
	done, err := world.Promote(dir, world.Promotion{ID: c.ID, Text: text, Author: c.Author, At: time.Now(), Path: c.Path,
		Type: c.Type, Summary: c.Summary, Keywords: c.Keywords, KnownBy: c.KnownBy, Reject: rejecting(nil)})
	if err != nil {
		return failed(err)
	}
	if e.json {
		return e.printJSON(done)
	}
	_, err = fmt.Fprintf(e.out, "%s is lore now: %s, by %s\n", done.ID, done.Path, done.Author)
	return err
}

// text is what is promoted: a file's, or what a turn wrote.
func (c *promoteCmd) text(e *env) (string, error) {
	if c.File != "" {
		data, err := readable(c.File)
		return string(data), usage(err)
	}
	turn, n, err := generated(c.ID)
	if err != nil {
		return "", usage(err)
	}
	t, err := e.join()
	if err != nil {
		return "", err
	}
	defer t.close() //nolint:errcheck // nothing was written
	traces, err := t.client.Trace(e.ctx, turn)
	if err != nil {
		return "", dependency(err)
	}
	for i := len(traces) - 1; i >= 0; i-- {
		if traces[i].Turn == nil || traces[i].Turn.Reply == nil {
			continue
		}
		actions := traces[i].Turn.Reply.Actions
		if n > len(actions) {
			return "", failed(fmt.Errorf("turn %s has %s; %s is none of them", turn, count(len(actions), "action"), c.ID))
		}
		return written(actions[n-1])
	}
	return "", failed(fmt.Errorf("turn %s is not kept here; give its text with --file", turn))
}

// generated reads gen:TURN/N; without /N it is the first.
func generated(id string) (turn string, n int, err error) {
	rest, ok := strings.CutPrefix(id, "gen:")
	if !ok {
		return "", 0, fmt.Errorf("%q is no text of a turn; write gen:TURN/N, or give the text with --file", id)
	}
	turn, number, numbered := strings.Cut(rest, "/")
	n = 1
	if numbered {
		if n, err = strconv.Atoi(number); err != nil || n < 1 {
			return "", 0, fmt.Errorf("%q: %q is no number of an action; count from 1", id, number)
		}
	}
	return turn, n, schema.CheckToken("turn", turn)
}

// written is the text that an action carries.
func written(a schema.Action) (string, error) {
	for _, key := range []string{"text", "content", "body", "message"} {
		if s, ok := a.Parameters[key].(string); ok && strings.TrimSpace(s) != "" {
			return s, nil
		}
	}
	return "", failed(errors.New("action " + a.Name + " carries no text (no parameter text, content, body or message)"))
}
