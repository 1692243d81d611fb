package retriever_test

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
	"github.com/forsooth-npc/forsooth/worlds"
)

const nothing = `{"thoughts":[{"text":"I think nothing of it.","citations":["self"]}]}`

// retrieved is a turn after Pass 1, with a model that thinks.
func retrieved(t *testing.T, b *servicetest.Bench, npc, message string) *protocol.Turn {
	t.Helper()
	turn := b.Turn(npc, message)
	turn.Passes = []schema.PassRecord{{Pass: schema.PassRetrieve, Attempt: 1}}
	if _, err := b.Handlers[schema.PassRetrieve](t.Context(), turn); err != nil {
		t.Fatal(err)
	}
	return turn
}

func thinking(t *testing.T, w *world.World, o model.Options) (*servicetest.Bench, func() string) {
	t.Helper()
	url, asked := servicetest.Model(t, map[string]string{"monologue": nothing})
	return servicetest.OverAsking(t, w, url, o), func() string {
		thoughts := asked("monologue")
		return thoughts[len(thoughts)-1]
	}
}

func sample(t *testing.T, name string) *world.World {
	t.Helper()
	w, _, err := world.Load(worlds.FS, name)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A complex question is thought about with more than it is answered from. What is added may
// be cited by this NPC, and no block is cut from it.
func TestAComplexQuestionIsThoughtAboutWithMore(t *testing.T) {
	w := sample(t, "hollowmere")
	b, _ := thinking(t, w, model.Options{})
	x := b.Library.Get(w.Name)
	for _, npc := range slices.Sorted(maps.Keys(w.NPCs)) {
		plain, complexOne := retrieved(t, b, npc, "did the mill burn?"), retrieved(t, b, npc, "why did the mill burn?")
		if plain.Class != protocol.ClassMedium || complexOne.Class != protocol.ClassComplex ||
			complexOne.Retrieval.Zone != protocol.ZoneModel {
			t.Fatalf("%s: %s, %s in the zone %s", npc, plain.Class, complexOne.Class, complexOne.Retrieval.Zone)
		}
		if n := besides(plain); n != 0 {
			t.Errorf("%s: a plain question has %d sources beside its evidence", npc, n)
		}
		if n := besides(complexOne); n < 12 {
			t.Errorf("%s: a complex question has %d sources beside its evidence", npc, n)
		}
		check, ids := x.ProvenanceCheck(complexOne, w.NPCs[npc]), map[string]bool{}
		for _, src := range complexOne.Sources {
			if ids[src.ID] {
				t.Errorf("%s: two sources have the number %s", npc, src.ID)
			}
			ids[src.ID] = true
			chunk := slices.IndexFunc(x.Index.Document(src.Path),
				func(c protocol.Chunk) bool { return c.ID == src.ChunkID })
			if why, ok := grounding.Eligible(x.Index.Document(src.Path)[chunk], check); !ok {
				t.Errorf("%s may not cite %s: %s", npc, src.ChunkID, why)
			}
			if src.Beside && slices.ContainsFunc(complexOne.Evidence,
				func(e protocol.Evidence) bool { return e.SourceID == src.ID }) {
				t.Errorf("%s: a block was cut from %s, of which nobody has thought yet", npc, src.ID)
			}
		}
	}
}

func besides(turn *protocol.Turn) int {
	n := 0
	for _, src := range turn.Sources {
		if src.Beside {
			n++
		}
	}
	return n
}

// library is the village with a shelf of long books: the lore of a sample world, three of its
// documents in each book.
func library(t *testing.T) fstest.MapFS {
	t.Helper()
	files, shelf := servicetest.Village(), []string{}
	err := fs.WalkDir(worlds.FS, "hollowmere/lore", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".txt") {
			return err
		}
		body, err := fs.ReadFile(worlds.FS, path)
		shelf = append(shelf, strings.Join(strings.Fields(string(body)), " "))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for books := range slices.Chunk(shelf, 3) {
		path := fmt.Sprintf("lore/book-%03d.txt", len(files))
		files[path] = &fstest.MapFile{Data: []byte(strings.Join(books, " ") + "\n")}
		files[path+".meta.yaml"] = &fstest.MapFile{Data: []byte("created_at: 1401-03-01\nauthor: council\n" +
			"type: chronicle\nsummary: A book of the mere\nkeywords: [chronicle, mere]\n")}
	}
	return files
}

// The sources of a long world are shortened in the prompt of the thoughts, to whole sentences
// of their own. The NPC stays as long as it is, and so does the evidence.
func TestALongWorldIsShortened(t *testing.T) {
	files := library(t)
	w, problems, err := world.Load(files, ".")
	if err != nil || len(world.Errors(problems)) > 0 {
		t.Fatal(err, problems)
	}
	const question = "Why did the mill burn, and what do you know about the fire?"
	b, thought := thinking(t, w, model.Options{})
	turn := retrieved(t, b, "mira", question)
	all := 0
	for _, src := range turn.Sources {
		all += len(src.Content)
	}
	if all/4 <= 4000 {
		t.Fatalf("%d sources have %d characters, so this shows nothing", len(turn.Sources), all)
	}
	if n := len(turn.Retrieval.Compacted) / 4; n == 0 || n > 2000 {
		t.Errorf("they are shortened to %d tokens", n)
	}
	for line := range strings.SplitSeq(turn.Retrieval.Compacted, "\n") {
		id, said, _ := strings.Cut(strings.TrimPrefix(line, "["), "] ")
		at := slices.IndexFunc(turn.Sources, func(s protocol.Source) bool { return s.ID == id })
		if at < 0 {
			t.Errorf("%q is of no source", line)
			continue
		}
		said = said[:strings.LastIndex(said, " (")] // what kind of text it is, and who wrote it
		for _, sentence := range text.Sentences(said) {
			if !strings.Contains(turn.Sources[at].Content, sentence) {
				t.Errorf("source %s does not say %q", id, sentence)
			}
		}
	}
	b.Walk(t, turn, schema.PassThink)
	prompt, mira := thought(), w.NPCs["mira"]
	if !strings.Contains(prompt, mira.Backstory) || !strings.Contains(prompt, mira.Personality) {
		t.Error("the prompt does not say who she is")
	}
	if strings.Contains(prompt, "<sources>") || !strings.Contains(prompt, "<sources_in_short>\n[1] ") {
		t.Errorf("the prompt is\n%.400s", prompt)
	}

	whole, _ := thinking(t, w, model.Options{SourceTokens: 100000, CompactedTokens: 100000})
	unshortened := retrieved(t, whole, "mira", question)
	if unshortened.Retrieval.Compacted != "" || fmt.Sprint(unshortened.Evidence) != fmt.Sprint(turn.Evidence) {
		t.Error("where nothing is shortened the evidence is another")
	}
}
