package app_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// hedge is a line of evals/hedges.jsonl: what an NPC might say of these documents
// behind a hedge or inside a question. A hedge lowers the certainty of a claim
// and takes nothing away from its need of evidence.
type hedge struct {
	World    string   `json:"world"`
	NPC      string   `json:"npc"`
	Message  string   `json:"message"`
	Evidence []string `json:"evidence"`
	Sentence string   `json:"sentence"`
	Kind     string   `json:"kind"`
	Allowed  bool     `json:"allowed"`
	By       string   `json:"by"` // allowed by the rules alone, or once a model reads what is not word for word
}

// misread is how many of the inventions the model in process takes for supported.
// The aim is none: the number may fall with its weights, and never rises.
const misread = 0

// The rules let no invention through, and all that the evidence says word for
// word.
func TestNothingInventedHidesBehindAHedge(t *testing.T) {
	r, missing := app.Judgement(app.Verifying{NoModel: true}, nil)
	if missing != nil {
		t.Fatal(missing)
	}
	weigh(t, r, 0)
}

// What the model adds: how many true sentences in other words it lets through is
// told, not judged.
func TestWhatTheModelMakesOfHedges(t *testing.T) {
	r, missing := app.Judgement(app.Verifying{}, nil)
	if missing != nil {
		t.Fatal(missing)
	}
	weigh(t, r, misread)
}

func weigh(t *testing.T, r *review.Reviewer, bound int) {
	cases := hedges(t)
	loaded := map[string]*lore.Lore{}
	count, passed := map[string]int{}, map[string]int{}
	for _, h := range cases {
		if loaded[h.World] == nil {
			w, _, err := world.LoadDir(filepath.Join("../../worlds", h.World))
			if err != nil {
				t.Fatal(err)
			}
			loaded[h.World] = &lore.Lore{World: w}
		}
		group := "invented"
		if h.Allowed {
			group = "true, by " + h.By
		}
		count[group]++
		t.Run(h.NPC+"/"+h.Sentence, func(t *testing.T) {
			passes, why, claims := h.passes(t, r, loaded[h.World])
			if passes {
				passed[group]++
			}
			switch {
			case passes && !h.Allowed:
				t.Logf("released, and nothing in the evidence says it: %+v", claims)
			case !passes && h.By == "rule":
				t.Errorf("is taken out although the evidence says it: %+v", why)
			case !passes && h.Allowed:
				t.Logf("true and taken out: %+v", why)
			}
		})
	}
	for group, n := range count {
		t.Logf("%s: %d of %d released", group, passed[group], n)
	}
	if passed["invented"] > bound {
		t.Errorf("%d inventions released, at most %d may be", passed["invented"], bound)
	}
	if count["invented"] < 30 || count["true, by rule"] < 15 {
		t.Errorf("the file is cut short: %v", count)
	}
}

// passes says whether the review lets the sentence through, by any way of citing
// that a speaker could choose.
func (h hedge) passes(t *testing.T, r *review.Reviewer, x *lore.Lore) (bool, []schema.Issue, []schema.ClaimVerdict) {
	npc := x.World.NPCs[h.NPC]
	if npc == nil {
		t.Fatalf("%s is nobody in %s", h.NPC, h.World)
	}
	evidence := h.blocks(t, x, npc)
	all := make([]string, len(evidence))
	for i := range evidence {
		all[i] = evidence[i].ID
	}
	var why []schema.Issue
	for _, cited := range append(slices.Collect(slices.Chunk(all, 1)), nil, []string{"self"}, all) {
		draft := protocol.DraftSentence{Text: h.Sentence}
		for _, id := range cited {
			draft.Citations = append(draft.Citations, protocol.Citation{EvidenceID: id})
		}
		found, _, err := r.Review(t.Context(), review.Draft{
			Sentences: []protocol.DraftSentence{draft}, Evidence: evidence, Class: protocol.ClassComplex, Policy: x.Policy(),
			Person: x.Person(npc),
			Self:   h.self(x, npc), Support: x.SettingsFor(npc).Thresholds.Entailment, Level: x.SettingsFor(npc).Level,
			Context: grounding.Context{
				NPCName: npc.Name, NPCHandle: npc.Handle, Message: h.Message, Names: x.Names(), NameOf: x.Person(npc).NameOf,
				Voice: grounding.Voice{Openers: npc.Voice.Openers, Hedges: npc.Voice.Hedges},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if found.Verdict == protocol.Approved {
			return true, nil, found.Claims
		}
		why = found.Issues
	}
	return false, why, nil
}

// self is what the NPC's own file says of it.
func (h hedge) self(x *lore.Lore, npc *world.NPC) []protocol.Evidence {
	var out []protocol.Evidence
	for _, s := range append([]string{npc.Backstory, npc.Personality}, npc.Goals...) {
		if s != "" {
			out = append(out, protocol.Evidence{Text: s, Path: npc.Path, SourceID: "self", Type: "self", Private: true,
				Provenance: protocol.Provenance{Source: schema.OriginCorpus, NPC: npc.Handle}})
		}
	}
	return out
}

// blocks is the evidence of a case, which this NPC must be able to have at this
// time: a case over a document it may not know would pass for the wrong reason.
func (h hedge) blocks(t *testing.T, x *lore.Lore, npc *world.NPC) []protocol.Evidence {
	indexed := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	check := x.ProvenanceCheck(&protocol.Turn{AcceptedAt: indexed.Add(time.Hour)}, npc)
	var sources []protocol.Source
	found := map[string]bool{}
	for _, c := range x.World.Chunks() {
		if !slices.Contains(h.Evidence, c.Path) {
			continue
		}
		c.IndexedAt = indexed
		if reason, ok := grounding.Eligible(c, check); !ok {
			t.Fatalf("%s may not know %s: %s", h.NPC, c.Path, reason)
		}
		found[c.Path] = true
		s := grounding.SourceOf(c, c.ID, 1)
		s.Private = c.NPC == npc.Handle && c.NPC != ""
		sources = append(sources, s)
	}
	for _, p := range h.Evidence {
		if !found[p] {
			t.Fatalf("%s holds no %s", h.World, p)
		}
	}
	return grounding.Blocks(sources, grounding.DefaultLimits)
}

func hedges(t *testing.T) []hedge {
	t.Helper()
	data, err := os.ReadFile("../../evals/hedges.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var out []hedge
	for {
		var h hedge
		switch err := d.Decode(&h); {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			t.Fatalf("evals/hedges.jsonl, case %d: %v", len(out)+1, err)
		}
		out = append(out, h)
	}
}
