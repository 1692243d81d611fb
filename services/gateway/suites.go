package gateway

import (
	"net/http"

	"github.com/forsooth-npc/forsooth/internal/eval"
)

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
