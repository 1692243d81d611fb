package review_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// gullible is a reader that takes every sentence for a claim that the evidence entails.
// It keeps what it was shown.
type gullible struct{ shown []entail.Sentence }

func (g *gullible) Read(_ context.Context, all []entail.Sentence) ([]entail.Reading, error) {
	g.shown = append(g.shown, all...)
	out := make([]entail.Reading, len(all))
	for i := range all {
		out[i] = reading(0.99, 0, 1, 0, 0)
	}
	return out, nil
}

var mira = grounding.Context{NPCName: "Mira Ashdown", NPCHandle: "mira", NPCAliases: []string{"Mira"},
	Names: []string{"Bram Dunnock", "Osric"},
	Voice: grounding.Voice{Openers: []string{"Well,", "Look,"}, Hedges: []string{"as far as I know"}}}

// by is a block that somebody else wrote.
func by(id, author, kind, text string) protocol.Evidence {
	e := block(id, text)
	e.Author, e.Type, e.Private = author, kind, false
	return e
}

func rumour(id, text string) protocol.Evidence {
	e := by(id, "yrsa", "note", text)
	e.Belief = "rumour"
	return e
}

func state(id, text string) protocol.Evidence {
	return protocol.Evidence{ID: id, SourceID: "state", ChunkID: "state:" + id, Path: "state:" + id, Type: "state",
		Text: text, AllowedFor: []string{"state"},
		Private: true, Provenance: protocol.Provenance{Source: schema.OriginSystem}}
}

func session(id, text string) protocol.Evidence {
	return protocol.Evidence{ID: id, SourceID: "session", ChunkID: "session:t1", Path: "session:t1", Type: "session",
		Text: text, AllowedFor: []string{"shared_past"},
		Private: true, Provenance: protocol.Provenance{Source: schema.OriginUser}}
}

// outcomes reviews a draft as Mira's.
func outcomes(t *testing.T, reader entail.Reader, d review.Draft) []review.Outcome {
	t.Helper()
	message := d.Context.Message
	d.Context, d.Person = mira, voice.Person{Handle: "mira", Name: "Mira Ashdown"}
	d.Context.Message = message
	if d.Class == "" {
		d.Class = protocol.ClassComplex
	}
	found, out, err := (&review.Reviewer{Reader: reader, Fit: fit}).Review(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	if all := !slices.ContainsFunc(out, func(o review.Outcome) bool { return !o.OK() }); all !=
		(found.Verdict == protocol.Approved) {
		t.Errorf("verdict %s of %+v", found.Verdict, out)
	}
	return out
}

func sentences(all ...protocol.DraftSentence) []protocol.DraftSentence { return all }

// village is the evidence that the tables share.
func village() []protocol.Evidence {
	return []protocol.Evidence{
		block("E1", "The mill burned in the spring of 1402. Bram Dunnock was seen on the weir."),
		by("E2", "aldith", "chronicle", "The reeve offered forty crowns for the name of the one who lit it."),
		rumour("E3", "The fellkin cursed the old bridge."),
		block("E4", "My shop is open."),
		state("S1", "My shop is not open."),
		session("M1", "You said: “I come from the coast.”"),
	}
}

// TestNoReaderOutweighsAnExactCheck holds what a check finds against a reader that
// believes everything. Without a reader the same sentences are refused too.
func TestNoReaderOutweighsAnExactCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		said protocol.DraftSentence
		want schema.IssueType
		why  string // in the correction
	}{
		{"a name that nothing shown holds", said("Old Petra sold the lock.", "E1"), schema.IssueNotEntailed, "Petra"},
		{"a known name that nothing shown holds", said("Osric sold the lock.", "E1"), schema.IssueNotEntailed, "Osric"},
		{"one behind a hedge", said("Rumour has it that Petra sold the lock to the fellkin.", "E3"), schema.IssueNotEntailed,
			"Petra"},
		{"one to whom words are given", said("According to Osric, the mill burned.", "E1"), schema.IssueNotEntailed, "Osric"},
		{"one under [self]", said("I was born in Harrow.", "self"), schema.IssueSelfMisuse, "Harrow"},
		{"a rumour as a fact", said("The fellkin cursed the old bridge.", "E3"), schema.IssueNotEntailed, "hearsay"},
		{"a rumour as a fact in other words", said("The fellkin laid a curse on the bridge.", "E3"), schema.IssueNotEntailed,
			"hearsay"},
		{"a rumour as an opinion", said("I think the fellkin cursed the old bridge.", "E3"), schema.IssueNotEntailed,
			"hearsay"},
		{"a rumour as a fact, another block cited", said("The fellkin cursed the old bridge.", "E1"), schema.IssueNotEntailed,
			"hearsay"},
		{"a rumour as a fact, nothing cited", said("The fellkin laid a curse on the bridge."), schema.IssueNotEntailed,
			"hearsay"},
		{"an old note against the state", said("My shop is open.", "E4"), schema.IssueContradicted, "negation"},
		{"a foreign id beside a good one", said("The mill burned in the spring of 1402.", "E1", "E9"),
			schema.IssueInvalidSource, "no evidence"},
		{"a source's id in speech", said("The mill burned in the spring of 1402.", "1"), schema.IssueInvalidSource,
			"sources"},
		{"an exact figure made vague", said("The reeve offered some forty crowns for the name.", "E2"),
			schema.IssueNotEntailed, "some forty"},
		{"a point made a range", said("The reeve offered forty to fifty crowns for the name.", "E2"),
			schema.IssueNotEntailed, "forty to fifty"},
		{"a promise", said("Here is your sword."), schema.IssueNotEntailed, "no checked action"},
		{"letters of two alphabets", said("Тhе mill burned in the spring of 1402.", "E1"), schema.IssueForm,
			"two alphabets"},
		{"an authored line that is none", protocol.DraftSentence{Text: "The mill was sold to Petra.", Authored: true},
			schema.IssueUncited, "Petra"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := review.Draft{Sentences: sentences(c.said), Evidence: village(), Authored: func(string) bool { return false }}
			o := outcomes(t, &gullible{}, d)[0]
			if len(o.Issues) == 0 || o.Issues[0].Type != c.want || !strings.Contains(o.Issues[0].Correction, c.why) {
				t.Errorf("a reader that believes it: %+v", o.Issues)
			}
			if alone := outcomes(t, nil, d)[0]; alone.OK() {
				t.Errorf("without a reader it rests on %+v", alone.Support())
			}
		})
	}
}

// What equals in rank, or outranks, what a sentence rests on has the last word, and so
// has what the player was told.
func TestWhatDeniesASentence(t *testing.T) {
	const closed, open = "The north gate is closed at night.", "The north gate is open at night."
	chronicle := func(id, text string) protocol.Evidence { return by(id, "aldith", "chronicle", text) }
	counted := block("E1", "The granary was counted on Friday.")
	for _, c := range []struct {
		name     string
		said     string
		evidence []protocol.Evidence
		released []schema.Sentence
		reader   entail.Reader // nil: none
		denied   string        // why; "": it is released
	}{
		{"equal rank", closed, []protocol.Evidence{block("E1", closed), block("E2", open)}, nil, nil, "opposite"},
		{"her own note against common lore", closed, []protocol.Evidence{chronicle("E1", closed), block("E2", open)}, nil,
			nil, "opposite"},
		{"the state against her own note", closed, []protocol.Evidence{block("E1", closed), state("S1", open)}, nil, nil,
			"opposite"},
		{"a number of the state", "It costs two bits.",
			[]protocol.Evidence{block("E1", "It costs two bits."), state("S1", "It costs three bits.")}, nil, nil, "number"},
		{"what was released", closed, []protocol.Evidence{block("E1", closed)}, []schema.Sentence{{Text: open}}, nil,
			"opposite"},
		{"what only a reader supports", "The granary held some rye.",
			[]protocol.Evidence{counted, block("E2", "The granary held no rye.")}, nil, &gullible{}, "negation"},
		{"common lore against her own note", closed, []protocol.Evidence{block("E1", closed), chronicle("E2", open)}, nil,
			nil, ""},
		{"a rumour against lore", closed, []protocol.Evidence{block("E1", closed), rumour("E2", open)}, nil, nil, ""},
		{"an authored line", closed, []protocol.Evidence{block("E1", closed)},
			[]schema.Sentence{{Text: open, Authored: true}}, nil, ""},
		{"what was released from the same document", closed, []protocol.Evidence{block("E1", closed)},
			[]schema.Sentence{{Text: open, Evidence: []schema.EvidenceRef{{ID: "E1", Path: "lore/E1.txt"}}}}, nil, ""},
		{"another thing", "The free tier has 500 requests.",
			[]protocol.Evidence{block("E1", "The free tier has 500 requests."),
				block("E2", "The premium tier has 1000 requests.")}, nil, nil, ""},
		{"under a condition", "The ferry crosses the mere.",
			[]protocol.Evidence{counted, block("E2", "While the ice holds the ferry never crosses the mere.")}, nil,
			&gullible{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := outcomes(t, c.reader, review.Draft{Sentences: sentences(said(c.said, "E1")), Evidence: c.evidence,
				Released: c.released})[0]
			switch {
			case c.denied == "" && !o.OK():
				t.Errorf("%+v", o.Issues)
			case c.denied != "" && (o.OK() || o.Issues[0].Type != schema.IssueContradicted ||
				!strings.Contains(o.Issues[0].Correction, c.denied)):
				t.Errorf("%+v, %+v", o.Issues, o.Verdict)
			}
		})
	}
}

// A reader is never shown what may not ground a claim about the world: what the player
// said, and what the provenance contract refuses.
func TestAReaderIsShownOnlyWhatMayGround(t *testing.T) {
	start := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	corpus := func(id, text string) protocol.Evidence {
		e := block(id, text)
		e.Provenance.IndexedAt, e.Provenance.CreatedAt = start.AddDate(0, 0, -1), start.AddDate(0, 0, -1)
		return e
	}
	const secret = "The weir held all night."
	changed := func(change func(*protocol.Provenance)) protocol.Evidence {
		e := corpus("E2", secret)
		change(&e.Provenance)
		return e
	}
	made := corpus("E2", secret)
	made.ChunkID = "gen:1"
	check := grounding.Check{TurnStart: start, GameTime: start,
		InScope:   func(c protocol.Chunk) bool { return c.NPC == "" || c.NPC == "mira" },
		Holds:     func(string) bool { return false },
		ModelSaid: func(string) (time.Time, bool) { return time.Time{}, false }}
	for _, c := range []struct {
		name  string
		block protocol.Evidence
		why   string // the reason why it may not be cited; "": it may be, for what was said
	}{
		{"what the player said", session("E2", secret), ""},
		{"a text of a model", changed(func(p *protocol.Provenance) { p.Source = schema.OriginModel }),
			grounding.RejectSource},
		{"a reserved id", made, grounding.RejectReservedID},
		{"indexed after the turn began", changed(func(p *protocol.Provenance) { p.IndexedAt = start.Add(1) }),
			grounding.RejectIndexedLater},
		{"of the future", changed(func(p *protocol.Provenance) { p.CreatedAt = start.Add(1) }), grounding.RejectFuture},
		{"of another world", changed(func(p *protocol.Provenance) { p.World = "elsewhere" }), grounding.RejectWorld},
		{"of another's notes", changed(func(p *protocol.Provenance) { p.NPC = "bram" }), grounding.RejectScope},
		{"of an unmet condition", changed(func(p *protocol.Provenance) { p.Requires = "trust >= 10" }),
			grounding.RejectRequires},
	} {
		t.Run(c.name, func(t *testing.T) {
			reader := &gullible{}
			d := review.Draft{Check: &check, Evidence: []protocol.Evidence{corpus("E1", "The mill burned."), c.block},
				Sentences: sentences(said(secret, "E2"), said("The weir stood firm.", "E1"), said("The weir did not break."))}
			out := outcomes(t, reader, d)
			for _, s := range reader.shown {
				if strings.Contains(s.Premise, secret) {
					t.Errorf("beside %q it is shown %q", s.Text, s.Premise)
				}
			}
			if issues := out[0].Issues; c.why != "" &&
				(len(issues) == 0 || issues[0].Type != schema.IssueInvalidSource ||
					!strings.Contains(issues[0].Correction, c.why)) {
				t.Errorf("%+v", issues)
			}
			for _, o := range out {
				if o.OK() && o.Support().ID != "E1" {
					t.Errorf("%q rests on %+v", o.Sentence.Text, o.Support())
				}
			}
			if alone := outcomes(t, nil, d); alone[0].OK() {
				t.Errorf("without a reader it rests on %+v", alone[0].Support())
			}
		})
	}
}
