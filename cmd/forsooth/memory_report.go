package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
)

type memoryReportCmd struct {
	Weeks  int    `help:"How many weeks, the last one first, each beside the four before it." default:"1"`
	Format string `help:"text or markdown, which are the same tables, or html." enum:"text,markdown,html" default:"text"`
	Output string `short:"o" help:"Write to this file." placeholder:"FILE" type:"path"`
}

// mostWeeks bounds how far back reports go: the history of scans goes no further.
const mostWeeks = 17

func (c *memoryReportCmd) check() error {
	switch {
	case c.Weeks < 1 || c.Weeks > mostWeeks:
		return usage(fmt.Errorf("--weeks is %d; it lies between 1 and %d", c.Weeks, mostWeeks))
	case c.Weeks > 1 && c.Format == "html":
		return usage(errors.New("an HTML page shows one week; give --format text or markdown with --weeks"))
	case c.Output != "" && !app.IsFolder(filepath.Dir(c.Output)):
		return usage(fmt.Errorf("-o %s: no such folder as %s; make it first", c.Output, filepath.Dir(c.Output)))
	}
	return nil
}

// Run prints the dashboard of the guards of memory.
func (c *memoryReportCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	return e.joining(func(t *talk) error {
		names, title, err := e.namedWorlds()
		if err != nil {
			return err
		}
		now := time.Now()
		read, err := app.ReadReported(e.ctx, t.client, e.settings.Guards, title, names, now)
		if err != nil {
			return dependency(err)
		}
		known, err := e.knownPredicates()
		if err != nil {
			return dependency(err)
		}
		read.Propose(known)
		var out bytes.Buffer
		for i := range c.Weeks {
			if err := c.write(e, read.Week(now.AddDate(0, 0, -7*i)), &out); err != nil {
				return err
			}
		}
		if c.Output == "" {
			_, err = e.out.Write(out.Bytes())
			return err
		}
		if err := os.WriteFile(c.Output, out.Bytes(), 0o644); err != nil { //nolint:gosec // a report is to be read
			return failed(fmt.Errorf("report %s cannot be written: %w", c.Output, err))
		}
		return nil
	})
}

func (c *memoryReportCmd) write(e *env, r *report.Report, w io.Writer) error {
	switch {
	case e.json:
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	case c.Format == "html":
		return r.HTML(w)
	}
	return r.Markdown(w)
}

// namedWorlds are those of --world, and what to call them; none is all of them.
func (e *env) namedWorlds() (names []string, title string, err error) {
	if len(e.settings.World) == 0 {
		return nil, "", nil
	}
	ws, err := e.worlds()
	for _, w := range ws {
		names, title = append(names, w.Name), w.Title
	}
	if len(names) > 1 {
		title = ""
	}
	return names, title, err
}

// knownPredicates asks the tables of the worlds that are named or served, and else the
// shipped one.
func (e *env) knownPredicates() (func(world, pred string) bool, error) {
	dirs := e.settings.World
	if len(dirs) == 0 {
		dirs = app.Serving(e.settings.Data)
	}
	tables := map[string]*memory.PredicateTable{}
	if len(dirs) > 0 {
		ws, _, err := app.LoadWorlds(dirs)
		if err != nil {
			return nil, err
		}
		for _, w := range ws {
			tables[w.Name] = w.Predicates
		}
	}
	return func(world, pred string) bool {
		table := tables[world]
		if table == nil {
			table = memory.DefaultPredicates()
		}
		_, known := table.Get(pred)
		return known
	}, nil
}
