package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/eval"
)

// writers are the forms of a report, by the ending of its file.
var writers = map[string]func(io.Writer, *eval.Report) error{".md": eval.WriteMarkdown, ".html": eval.WriteHTML,
	".json": func(w io.Writer, r *eval.Report) error { return json.NewEncoder(w).Encode(r) }}

// checkReport refuses, before a long run, a file that cannot be written after it.
func checkReport(path string) error {
	if path == "" {
		return nil
	}
	if writers[filepath.Ext(path)] == nil {
		return fmt.Errorf("--report %s: its name must end in .md, .html or .json", path)
	}
	if dir := filepath.Dir(path); !app.IsFolder(dir) {
		return fmt.Errorf("--report %s: no such folder as %s; make it first", path, dir)
	}
	return nil
}

func writeReport(path string, r *eval.Report) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := writers[filepath.Ext(path)](&b, r); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("report %s cannot be written: %w", path, err)
	}
	return nil
}
