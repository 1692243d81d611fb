package eval

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Result is what became of one case, passed or not: what a comparison, a triage
// and the report's page are made from.
type Result struct {
	Name            string        `json:"name"`
	Kind            string        `json:"kind"`
	NPC             string        `json:"npc"`
	Message         string        `json:"player_message"`
	Passed          bool          `json:"passed"`
	Status          schema.Status `json:"status"`
	Reason          string        `json:"reason"`
	Reply           string        `json:"reply"`
	Confidence      float64       `json:"confidence"`
	Cited           []Cited       `json:"cited"`
	ThoughtAttempts int           `json:"thought_attempts"`
	SpeechAttempts  int           `json:"speech_attempts"`
	Stripped        int           `json:"stripped"`
	Calls           int           `json:"llm_calls"`
	Tokens          int           `json:"tokens"`
	Cost            float64       `json:"cost"`
	TookMS          float64       `json:"took_ms"`
}

// Cited is evidence that a released sentence cites.
type Cited struct {
	ID     string        `json:"id"`
	Path   string        `json:"path"`
	Source schema.Origin `json:"source"`
}

// resultOf keeps of an outcome what outlives the run.
func resultOf(o *Outcome) Result {
	r := Result{Name: o.Case.Name, Kind: o.Case.Kind, NPC: o.Case.NPC, Message: o.Message(), Passed: o.Passed(),
		Cited:           []Cited{},
		ThoughtAttempts: len(o.ThoughtReviews), SpeechAttempts: len(o.Reviews), TookMS: float64(o.Took.Microseconds()) / 1000}
	if o.Reply == nil {
		return r
	}
	s := spentBy(o.Reply)
	r.Status, r.Reason, r.Reply, r.Confidence = o.Reply.Status, o.Reply.Reason, o.Reply.Text, o.Reply.Confidence
	r.Stripped, r.Calls, r.Tokens, r.Cost = len(o.Reply.Stripped), s.calls, s.tokens, s.cost
	for _, s := range o.Reply.Sentences {
		for _, e := range s.Evidence {
			c := Cited{ID: e.ChunkID, Path: e.Path, Source: e.Source}
			if c.ID == "" {
				c.ID = e.ID
			}
			if !slices.Contains(r.Cited, c) {
				r.Cited = append(r.Cited, c)
			}
		}
	}
	return r
}

// Suspect is a passing known answer that rests on something other than corpus.
type Suspect struct {
	Name  string   `json:"name"`
	Kind  string   `json:"kind"`
	NPC   string   `json:"npc"`
	IDs   []string `json:"ids"`
	Why   []string `json:"why"` // of each id
	Reply string   `json:"reply"`
}

// triage finds the answers that are right for a reason worth a look: the suite
// takes them, and what they cite is not corpus, bears a reserved id, or does not
// stand in the file that it names.
func triage(outcomes []Outcome) []Suspect {
	out := []Suspect{}
	for i := range outcomes {
		o := &outcomes[i]
		if o.Case.Story() || !o.Passed() || o.Reply == nil || refused(o.Reply) || o.Case.ExpectUncertain != nil &&
			*o.Case.ExpectUncertain {
			continue
		}
		s := Suspect{Name: o.Case.Name, Kind: o.Case.Kind, NPC: o.Case.NPC, Reply: o.Reply.Text}
		for _, c := range resultOf(o).Cited {
			if why := suspicious(c, o.Foreign); why != "" {
				s.IDs, s.Why = append(s.IDs, c.ID), append(s.Why, why)
			}
		}
		if len(s.IDs) > 0 {
			out = append(out, s)
		}
	}
	return out
}

func suspicious(c Cited, foreign []string) string {
	switch {
	case c.Source != schema.OriginCorpus:
		return fmt.Sprintf("source is %s", orNone(string(c.Source)))
	case isReserved(c.ID):
		return "its id is reserved for what was said or written in play"
	case slices.Contains(foreign, c.Path):
		return "its text does not stand in " + c.Path
	}
	return ""
}

func isReserved(id string) bool {
	reason, _ := grounding.Eligible(protocol.Chunk{ID: id, Source: schema.OriginCorpus}, grounding.Check{})
	return reason == grounding.RejectReservedID
}

// WriteTriage prints the suspects for a reader.
func (r *Report) WriteTriage(w io.Writer) {
	if len(r.Triage) == 0 {
		fmt.Fprintln(w, "triage: every passing known answer cites corpus alone")
		return
	}
	fmt.Fprintf(w, "triage: %d passing known answers cite what is not corpus\n", len(r.Triage))
	for _, s := range r.Triage {
		fmt.Fprintf(w, "  %s (%s, %s)\n    said: %s\n", s.Name, s.Kind, s.NPC, strings.Join(strings.Fields(s.Reply), " "))
		for i, id := range s.IDs {
			fmt.Fprintf(w, "    %s: %s\n", id, s.Why[i])
		}
	}
}
