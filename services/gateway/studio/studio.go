// Package studio is the inspector: a web page that shows why an NPC said what it said. The
// page is a handful of static files in the binary, and asks the gateway's own API for every
// datum, with the caller's key. The package holds no data and knows no mesh.
package studio

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// Path is where the page is served.
const Path = "/studio/"

//go:embed static
var embedded embed.FS

// policy lets the page load what this origin serves, and nothing else. A text can become
// no markup: the page makes none of strings, and the browser would refuse it.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// types are those of the files that there are, whatever the machine thinks of their names.
var types = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".svg": "image/svg+xml", ".LICENSE": "text/plain; charset=utf-8"}

// file is one of the page's files.
type file struct {
	data      []byte
	kind, tag string
}

// Files are the names of the page's files with their sizes in bytes.
func Files() map[string]int {
	out := map[string]int{}
	for name, f := range load() {
		out[name] = len(f.data)
	}
	return out
}

func load() map[string]file {
	out := map[string]file{}
	_ = fs.WalkDir(embedded, "static", func(name string, d fs.DirEntry, err error) error { // it reads memory
		if err != nil || d.IsDir() {
			return err
		}
		data, err := embedded.ReadFile(name)
		sum := sha256.Sum256(data)
		out[strings.TrimPrefix(name, "static/")] = file{data, types[path.Ext(name)], `"` + hex.EncodeToString(sum[:8]) + `"`}
		return err
	})
	out[""] = out["index.html"]
	return out
}

// Handler serves the page under Path. It is public: the page holds nothing of any world.
func Handler() http.Handler {
	files := load()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := files[strings.TrimPrefix(r.URL.Path, Path)]
		if !ok {
			http.Error(w, "the inspector has no such file; its page is at "+Path, http.StatusNotFound)
			return
		}
		h := w.Header()
		h.Set("Content-Type", f.kind)
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache") // asked for anew each time, and sent only where it has changed
		h.Set("ETag", f.tag)
		if r.Header.Get("If-None-Match") == f.tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(f.data) // who asked has gone
	})
}
