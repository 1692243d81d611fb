package nli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// strict is a sidecar that refuses what sidecar/nli refuses, and keeps the rest.
type strict struct {
	asked []pair
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) > 8<<20 {
		http.Error(w, "the body is too large", http.StatusRequestEntityTooLarge)
		return
	}
	var in struct{ Pairs []pair }
	if err := json.Unmarshal(body, &in); err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	if len(in.Pairs) > 256 {
		http.Error(w, "too many pairs", http.StatusRequestEntityTooLarge)
		return
	}
	for _, p := range in.Pairs {
		if len(p.Premise) > 64<<10 || len(p.Hypothesis) > 64<<10 {
			http.Error(w, fmt.Sprintf("texts of %d and %d bytes", len(p.Premise), len(p.Hypothesis)),
				http.StatusRequestEntityTooLarge)
			return
		}
	}
	s.asked = append(s.asked, in.Pairs...)
	rows := strings.TrimSuffix(strings.Repeat(`{"entailment":0.9,"neutral":0.1,"contradiction":0},`, len(in.Pairs)), ",")
	_, _ = fmt.Fprintf(w, `{"model":"strict","probabilities":[%s]}`, rows)
}

// Nothing is sent that a sidecar refuses for its size: a text is cut where the model
// in process cuts it.
func TestTextsAreCutToWhatASidecarTakes(t *testing.T) {
	for _, x := range []struct {
		name, text string
		want       int // bytes that are sent
	}{
		{"short", "The mill burned.", 16},
		{"just not too long", strings.Repeat("x", maxText), maxText},
		{"a byte too long", strings.Repeat("x", maxText+1), maxText},
		{"far too long", strings.Repeat("The mill burned. ", 1<<16), maxText},
		{"cut within a character", "x" + strings.Repeat("é", maxText), maxText - 1},
		{"bytes that are no text", strings.Repeat("\xff", maxText), 0},
		{"bytes that are no text within one", "mill\xff\xfe.", 5},
		{"characters that JSON writes in six bytes", strings.Repeat("\x01", 2*maxText), maxText},
	} {
		t.Run(x.name, func(t *testing.T) {
			s := &strict{}
			verdicts := verify(t, clientOf(t, s, SidecarOptions{}),
				[]entail.Pair{{Premise: x.text, Hypothesis: "It burned."}, {Premise: "It burned.", Hypothesis: x.text}})
			for i, sent := range []string{s.asked[0].Premise, s.asked[1].Hypothesis} {
				if len(sent) != x.want || !utf8.ValidString(sent) {
					t.Errorf("text %d: %d bytes are sent, want %d", i, len(sent), x.want)
				}
				if verdicts[i].Label != schema.Supported {
					t.Errorf("text %d: %+v", i, verdicts[i])
				}
			}
		})
	}
}

func TestRequestsAreNoLargerThanASidecarTakes(t *testing.T) {
	for _, x := range []struct {
		name  string
		text  string
		pairs int
	}{
		{"many pairs", "The mill burned.", 600},
		{"long texts", strings.Repeat("x", maxText), 100},
		{"long texts that JSON makes longer", strings.Repeat("\x01", maxText), 30},
	} {
		t.Run(x.name, func(t *testing.T) {
			pairs := make([]entail.Pair, x.pairs)
			for i := range pairs {
				pairs[i] = entail.Pair{Premise: fmt.Sprint(i, " ", x.text), Hypothesis: x.text}
			}
			s := &strict{}
			verify(t, clientOf(t, s, SidecarOptions{Pairs: 1000}), pairs)
			if len(s.asked) != len(pairs) {
				t.Fatalf("%d pairs were asked about, want %d", len(s.asked), len(pairs))
			}
			for i, p := range s.asked {
				if !strings.HasPrefix(p.Premise, fmt.Sprint(i, " ")) {
					t.Fatalf("pair %d is %.10q", i, p.Premise)
				}
			}
		})
	}
}
