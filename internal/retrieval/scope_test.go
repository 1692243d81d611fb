package retrieval_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// guarded is a world in which every file tells of a key, each to somebody else.
func guarded() map[string]string {
	out := map[string]string{
		"world.yaml": "name: guarded\nnow: 1402-05-03T18:00:00Z\n",
		"npcs/ann/npc.yaml": "handle: ann\nname: Ann\nbackstory: Ann sweeps the hall.\npersonality: dry\nfactions: " +
			"[guild]\nregion: north\n" +
			"secrets:\n  - {text: \"The cellar key is in the clock.\", requires: \"trust >= 20\"}\n  - {text: \"The tower " +
			"key is lost.\"}\n",
		"npcs/bert/npc.yaml": "handle: bert\nname: Bert\nbackstory: Bert carries water.\npersonality: slow\n",
	}
	day := func(path, body, more string) {
		out[path] = body
		out[path+".meta.yaml"] = "created_at: 1400-01-01T00:00:00Z\nauthor: Ann\ntype: note\nsummary: a note\nkeywords: " +
			"[note]\n" + more
	}
	day("lore/all.txt", "The gate key hangs in the hall.", "")
	day("lore/guild.txt", "The guild key is silver.", "known_by: [\"faction:guild\"]\n")
	day("lore/north.txt", "The north key is iron.", "known_by: [\"region:north\"]\n")
	day("lore/bert-only.txt", "The well key is wet.", "known_by: [bert]\n")
	day("npcs/ann/home/own.txt", "My chest key is under the bed.", "")
	day("npcs/bert/home/own.txt", "My shed key is with Quenby.", "")
	day("lore/later.txt", "The bridge key was cast in summer.", "valid_from: 1402-07-01T00:00:00Z\n")
	day("lore/over.txt", "The fair key opens the booth.", "valid_to: 1402-04-01T00:00:00Z\n")
	day("lore/flag.txt", "The vault key is gold.", "requires: flags.vault.found\n")
	return out
}

// known is a moment at which an NPC is asked about a key, and the files that may be found.
type known struct {
	name  string
	npc   string
	at    time.Time
	facts world.Facts
	want  []string
}

// whatMayBeKnown holds both engines to the scope of the guarded world.
func whatMayBeKnown(w *world.World) []known {
	summer := time.Date(1402, 8, 1, 0, 0, 0, 0, time.UTC)
	return []known{
		{"her own, her faction's, her region's and what all know", "ann", w.Now, world.Facts{},
			[]string{"lore/all.txt", "lore/guild.txt", "lore/north.txt", "npcs/ann/home/own.txt"}},
		{"another NPC knows other things", "bert", w.Now, world.Facts{},
			[]string{"lore/all.txt", "lore/bert-only.txt", "npcs/bert/home/own.txt"}},
		{"a secret once the player is trusted", "ann", w.Now, world.Facts{Trust: 20},
			[]string{"lore/all.txt", "lore/guild.txt", "lore/north.txt", "npcs/ann/home/own.txt", "npcs/ann/npc.yaml"}},
		{"a file whose flag is set", "bert", w.Now, world.Facts{Flags: []string{"vault.found"}},
			[]string{"lore/all.txt", "lore/bert-only.txt", "lore/flag.txt", "npcs/bert/home/own.txt"}},
		{"what is true in summer", "bert", summer, world.Facts{},
			[]string{"lore/all.txt", "lore/bert-only.txt", "lore/later.txt", "npcs/bert/home/own.txt"}},
	}
}

func TestOnlyWhatTheNPCMayKnowIsFound(t *testing.T) {
	w := load(t, files(t, guarded()))
	x := open(t, corpus(t, filepath.Join(t.TempDir(), "index.db")), &wordHash{}, w)
	for _, c := range whatMayBeKnown(w) {
		t.Run(c.name, func(t *testing.T) {
			q := retrieval.Query{NPC: w.NPCs[c.npc], Message: "Where is the key?", TopK: 50, Facts: c.facts,
				Check: check(w, c.npc, c.at, c.facts)}
			for name, search := range map[string]func() ([]protocol.Source, error){
				"CitationQuery": func() ([]protocol.Source, error) {
					r, err := x.CitationQuery(context.Background(), q)
					return r.Sources, err
				},
				"Search": func() ([]protocol.Source, error) { return x.Search(context.Background(), q) },
			} {
				sources, err := search()
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, s := range sources {
					switch s.Type { // what its own file says of an NPC is always its own
					case "backstory", protocol.TypeGoal, protocol.TypePersonality:
					default:
						got = append(got, s.Path)
					}
				}
				slices.Sort(got)
				if !slices.Equal(got, c.want) {
					t.Errorf("%s found %q, want %q", name, got, c.want)
				}
			}
		})
	}
}

// check is the provenance contract for an NPC, as a service makes it.
func check(w *world.World, npc string, at time.Time, facts world.Facts) grounding.Check {
	return grounding.Check{
		World:   w.Name,
		InScope: func(c protocol.Chunk) bool { return world.ScopeOf(c, w.NPCs[npc]) },
		Holds: func(requires string) bool {
			c, err := world.ParseCondition(requires)
			return err == nil && c.Holds(facts)
		},
		GameTime: at, TurnStart: wall.Add(time.Hour),
		ModelSaid: func(string) (time.Time, bool) { return time.Time{}, false },
	}
}

func TestRefusalsAreCountedByReason(t *testing.T) {
	w := load(t, files(t, guarded()))
	x := open(t, corpus(t, filepath.Join(t.TempDir(), "index.db")), &wordHash{}, w)
	r, err := x.CitationQuery(context.Background(),
		retrieval.Query{NPC: w.NPCs["ann"], Message: "Where is the key?", Check: check(w, "ann", w.Now, world.Facts{})})
	if err != nil {
		t.Fatal(err)
	}
	want := []protocol.Count{{Name: grounding.RejectNoLonger, N: 1}, {Name: grounding.RejectNotYetValid, N: 1},
		{Name: grounding.RejectScope, N: 4}, {Name: grounding.RejectRequires, N: 2}}
	if !slices.Equal(r.Retrieval.Rejected, want) {
		t.Errorf("rejected = %v, want %v", r.Retrieval.Rejected, want)
	}
}

// A turn must not be able to feel what it may not know: taking the rest of the
// world away changes neither an answer nor its confidence.
func TestNothingOutOfScopeIsFeltInAScore(t *testing.T) {
	all := guarded()
	w := load(t, files(t, all))
	x := open(t, corpus(t, filepath.Join(t.TempDir(), "index.db")), &wordHash{}, w)
	for _, gone := range []string{"lore/bert-only.txt", "npcs/bert/home/own.txt", "lore/later.txt", "lore/over.txt",
		"lore/flag.txt"} {
		delete(all, gone)
		delete(all, gone+".meta.yaml")
	}
	less := load(t, files(t, all))
	y := open(t, corpus(t, filepath.Join(t.TempDir(), "index.db")), &wordHash{}, less)
	for _, message := range []string{"Where is the key?", "who has the shed key, Quenby?", "Tell me about the vault.",
		"is the well deep"} {
		a, err := x.CitationQuery(context.Background(),
			retrieval.Query{NPC: w.NPCs["ann"], Message: message, Check: check(w, "ann", w.Now, world.Facts{})})
		if err != nil {
			t.Fatal(err)
		}
		b, err := y.CitationQuery(context.Background(),
			retrieval.Query{NPC: less.NPCs["ann"], Message: message, Check: check(less, "ann", w.Now, world.Facts{})})
		if err != nil {
			t.Fatal(err)
		}
		if a.Retrieval.Confidence != b.Retrieval.Confidence || !slices.Equal(a.Unknown, b.Unknown) {
			t.Errorf("%s: confidence %v, unknown %q with the whole world; %v, %q without", message, a.Retrieval.Confidence,
				a.Unknown, b.Retrieval.Confidence, b.Unknown)
		}
	}
}

// deepHash stands for the sentence encoder.
type deepHash struct{ wordHash }

func (*deepHash) ID() string { return "deep-hash" }

// What an NPC may not know changes nothing of what it finds. Where it comes nearer to the
// question than all the NPC knows, the NPC is less sure that it found an answer, never surer.
func TestOutOfScopeOnlyDoubtIsFelt(t *testing.T) {
	ctx := context.Background()
	all := guarded()
	w := load(t, files(t, all))
	delete(all, "npcs/bert/home/own.txt")
	delete(all, "npcs/bert/home/own.txt.meta.yaml")
	less := load(t, files(t, all))
	last := func(_ context.Context, _ string, blocks []string) ([]float64, error) { // brings the last of the first forward
		out := make([]float64, len(blocks))
		out[len(out)-1] = 1
		return out, nil
	}
	ask := func(w *world.World, message string) retrieval.Result {
		c := corpus(t, filepath.Join(t.TempDir(), "index.db"))
		x := open(t, c, &wordHash{}, w)
		if _, err := x.Deepen(ctx, c, &deepHash{}, last,
			retrieval.Options{Now: func() time.Time { return wall }}); err != nil {
			t.Fatal(err)
		}
		r, err := x.CitationQuery(ctx,
			retrieval.Query{NPC: w.NPCs["ann"], Message: message, Check: check(w, "ann", w.Now, world.Facts{})})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	doubted := 0
	for _, message := range []string{"Where is the gate key?", "is the shed key with quenby", "who keeps the shed key",
		"Tell me about the guild.", "is my shed with quenby"} {
		a, b := ask(w, message), ask(less, message)
		if a.Retrieval.Confidence > b.Retrieval.Confidence {
			t.Errorf("%s: confidence %v with the whole world, %v without", message, a.Retrieval.Confidence,
				b.Retrieval.Confidence)
		}
		doubted += b2i(a.Retrieval.Confidence < b.Retrieval.Confidence)
		for i := range min(len(a.Sources), len(b.Sources)) {
			if a.Sources[i].ChunkID != b.Sources[i].ChunkID {
				t.Errorf("%s: source %d is %s with the whole world, %s without", message, i+1, a.Sources[i].ChunkID,
					b.Sources[i].ChunkID)
			}
		}
		if len(a.Sources) != len(b.Sources) {
			t.Errorf("%s: %d sources with the whole world, %d without", message, len(a.Sources), len(b.Sources))
		}
	}
	if doubted == 0 {
		t.Error("another's private note about the very thing asked for raised no doubt")
	}
}

// Nobody knows what happens in a year that is still to come, unless a document speaks of it.
func TestAYearStillToCome(t *testing.T) {
	all := guarded()
	all["lore/plan.txt"] = "The hall key will be cast anew in 1409."
	all["lore/price.txt"] = "The tower bell was sold in Cor for a thousand bits of silver."
	all["lore/price.txt.meta.yaml"] = all["lore/all.txt.meta.yaml"]
	all["lore/plan.txt.meta.yaml"] = all["lore/all.txt.meta.yaml"]
	w := load(t, files(t, all))
	x := open(t, corpus(t, filepath.Join(t.TempDir(), "index.db")), &wordHash{}, w)
	for message, known := range map[string]bool{
		"Where does the gate key hang?":                           true,
		"Where does the gate key hang in 1407?":                   false,
		"Is the hall key cast anew in 1409?":                      true,
		"Was the tower bell sold in Cor for 1500 bits of silver?": true,
	} {
		r, err := x.CitationQuery(context.Background(),
			retrieval.Query{NPC: w.NPCs["ann"], Message: message, Check: check(w, "ann", w.Now, world.Facts{})})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Retrieval.Confidence > 0.2; got != known {
			t.Errorf("%s: confidence %v", message, r.Retrieval.Confidence)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestNamesThatNothingInScopeHolds(t *testing.T) {
	w := load(t, files(t, guarded()))
	x := open(t, corpus(t, filepath.Join(t.TempDir(), "index.db")), &wordHash{}, w)
	cases := []struct {
		name, npc, message string
		want               []string
	}{
		{"an invented one", "ann", "Who is Kelmoor?", []string{"Kelmoor"}},
		{"one of another's private notes", "ann", "Where does Quenby live?", []string{"Quenby"}},
		{"the same for who has the note", "bert", "Where does Quenby live?", nil},
		{"the NPC's own", "ann", "Is your name Ann?", nil},
		{"the player's own", "ann", "Do you know that I am Roswitha?", nil},
		{"several words", "ann", "have you heard of the Crimson Order of Halvath", []string{"Crimson Order of Halvath"}},
		{"a capital that begins a sentence", "ann", "Sweep the hall? Please.", nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, err := x.CitationQuery(context.Background(),
				retrieval.Query{NPC: w.NPCs[c.npc], Message: c.message, Player: "Roswitha",
					Check: check(w, c.npc, w.Now, world.Facts{})})
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(r.Unknown, c.want) {
				t.Errorf("unknown = %q, want %q", r.Unknown, c.want)
			}
		})
	}
}
