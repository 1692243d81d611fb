package gateway

import (
	_ "embed"
	"net/http"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/eval"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Draft is lore that is proposed for a world. It is none until a person promotes it.
type Draft struct {
	Name     string   `json:"name"` // of the file, without folder and ending
	Text     string   `json:"text"`
	Author   string   `json:"author,omitempty"` // who answers for it; "inspector" otherwise
	Type     string   `json:"type,omitempty"`
	Summary  string   `json:"summary,omitempty"`
	Keywords []string `json:"keywords,omitempty"`
	KnownBy  []string `json:"known_by,omitempty"` // all otherwise
	// A date of the game such as 1402-05-03, or a time; the game's now otherwise.
	CreatedAt string `json:"created_at,omitempty"`
}

// checkDraft says what lint would say of a draft, and writes nothing.
func (g *Gateway) checkDraft(w http.ResponseWriter, r *http.Request, c *caller) error {
	return g.drafting(w, r, c, world.CheckDraft, http.StatusOK)
}

// addDraft writes a draft into the folder drafts/ of a world, where it waits for a person.
func (g *Gateway) addDraft(w http.ResponseWriter, r *http.Request, c *caller) error {
	return g.drafting(w, r, c, world.WriteDraft, http.StatusCreated)
}

func (g *Gateway) drafting(w http.ResponseWriter, r *http.Request, c *caller,
	do func(dir, name string, p world.Promotion) (world.Drafted, error), status int) error {
	if err := g.ofWorlds(r, c); err != nil {
		return err
	}
	var in Draft
	if err := readJSON(w, r, maxBody, &in, true); err != nil {
		return err
	}
	var created time.Time
	if in.CreatedAt != "" {
		var err error
		if created, err = world.ParseTime(in.CreatedAt); err != nil {
			return &schema.FieldError{Field: "created_at", Reason: err.Error()}
		}
	}
	name := r.PathValue("world")
	f, here := g.folders[name]
	if !here || f.Dir == "" {
		return problem(http.StatusNotImplemented, CodeElsewhere, "the files of %s are not in a folder of this process; "+
			"run `forsooth up --world DIR`", name)
	}
	done, err := f.Draft(do, in.Name, "inspector", world.Promotion{Text: in.Text, Author: in.Author, At: g.now(),
		Type: in.Type, Summary: in.Summary, Keywords: in.Keywords, KnownBy: in.KnownBy, CreatedAt: created})
	if err != nil {
		return err
	}
	writeJSON(w, status, done)
	return nil
}

// listRuns lists the results of suites in the folder of the options.
func (g *Gateway) listRuns(w http.ResponseWriter, r *http.Request, c *caller) error {
	if err := g.withResults(r, c); err != nil {
		return err
	}
	out, err := eval.ReadRuns(g.results)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// compareRuns holds a run of a suite against an earlier one.
func (g *Gateway) compareRuns(w http.ResponseWriter, r *http.Request, c *caller) error {
	if err := g.withResults(r, c); err != nil {
		return err
	}
	q := r.URL.Query()
	out, err := eval.CompareRuns(g.results, q.Get("old"), q.Get("new"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

func (g *Gateway) withResults(r *http.Request, c *caller) error {
	if err := g.ofWorlds(r, c); err != nil {
		return err
	}
	if g.results == "" {
		return problem(http.StatusNotImplemented, CodeElsewhere, "no folder of results is set; name one in http.results")
	}
	return nil
}

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
