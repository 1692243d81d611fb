package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

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
