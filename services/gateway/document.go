package gateway

import (
	_ "embed"
	"net/http"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/access"
)

// document is the OpenAPI document, made by internal/schemagen from the types here.
//
//go:embed openapi.json
var document []byte

func serveDocument(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document) // who asked has gone
}

// Patterns are the doors of /v1, as the mux has them, for whoever describes them.
func Patterns() (out []string) {
	for pattern := range (&Gateway{}).v1() {
		out = append(out, pattern)
	}
	slices.Sort(out)
	return out
}

// RightOf is the right that a door takes.
func RightOf(pattern string) access.Right { return (&Gateway{}).v1()[pattern].right }
