package nli

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/entail"
)

var _ entail.Reader = (*SidecarReader)(nil)

// A sidecar reads speeches where it runs the weights that were measured on them, and no
// other sidecar does: a score of theirs would be a guess.
func TestASidecarWithMeasuredWeightsReads(t *testing.T) {
	const row = `{"entailment":0.75,"neutral":0.25,"contradiction":0}`
	measured := strings.Repeat("a", 64)
	for _, c := range []struct {
		name, weights string
		status        int
		want          string // the error; "": it reads
	}{
		{"the measured weights", measured, http.StatusOK, ""},
		{"other weights", strings.Repeat("b", 64), http.StatusOK, "never measured on speech"},
		{"no word of weights", "", http.StatusOK, "never measured on speech"},
		{"down", measured, http.StatusServiceUnavailable, "503"},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := fmt.Sprintf(`{"model":"m","weights_sha256":%q,"probabilities":[%s,%s]}`, c.weights, row, row)
			r := &SidecarReader{Sidecar: clientOf(t, answering(c.status, body), SidecarOptions{}), Weights: measured}
			out, err := r.Read(t.Context(),
				[]entail.Sentence{{Premise: "a", Text: "b", Before: []string{"c"}}, {Premise: "d", Text: "e"}})
			switch {
			case c.want != "":
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%+v, %v; want %q", out, err, c.want)
				}
			case err != nil || len(out) != 2 || out[0].Entailed != 0.75 || out[0].World != 0:
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}
