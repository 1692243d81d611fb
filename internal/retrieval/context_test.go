package retrieval_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/world"
)

func TestAMessageThatLeansOnTheOneBefore(t *testing.T) {
	all := many(0)
	note(all, "npcs/ann/home/brother.txt", "My brother Odo keeps bees at Fern Hollow.", "")
	note(all, "npcs/ann/home/bees.txt", "Odo sells the honey of his bees for two pence a jar.", "")
	note(all, "npcs/ann/home/well.txt", "The well was dug by my uncle in the dry year.", "")
	w := load(t, files(t, all))
	x := open(t, corpus(t, filepath.Join(t.TempDir(), "index.db")), &wordHash{}, w)
	said := []string{"Who is your brother?", "My brother Odo keeps bees at Fern Hollow."}
	cases := []struct {
		name, message string
		context       []string
		want          string
	}{
		{"it asks on: something new of the same", "and what does he sell?", said, "npcs/ann/home/bees.txt"},
		{"it asks the same again", "Who is your brother?", said, "npcs/ann/home/brother.txt"},
		{"it asks something else", "who dug the well", said, "npcs/ann/home/well.txt"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			sources, err := x.Search(context.Background(),
				retrieval.Query{NPC: w.NPCs["ann"], Message: c.message, Context: c.context,
					Check: check(w, "ann", wall, world.Facts{})})
			if err != nil {
				t.Fatal(err)
			}
			if len(sources) == 0 || sources[0].Path != c.want {
				t.Errorf("first source = %+v, want %s", sources[:min(1, len(sources))], c.want)
			}
		})
	}
}
