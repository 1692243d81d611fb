package retriever_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/retriever"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// asked counts how often the events of an NPC are read.
type asked struct {
	shelf
	n int
}

func (a *asked) Witnessed(context.Context, string, string, string) ([]schema.Memory, error) {
	a.n++
	return nil, nil
}

// How an NPC stands with a player is read once a turn, whoever begins it.
func TestTheRelationIsReadOnce(t *testing.T) {
	files := servicetest.Village()
	files["npcs/mira/npc.yaml"] = &fstest.MapFile{Data: append(files["npcs/mira/npc.yaml"].Data,
		"speaks_on:\n  - {event: fell, cooldown: 10m, topic: \"Who owns the ferry?\"}\n"+
			"  - {event: rose, cooldown: 10m, lines: [\"Well.\"]}\n"...)}
	for name, begin := range map[string]*schema.Begin{
		"the player":           nil,
		"the NPC, on a topic":  {EventID: "e1", Kind: "fell"},
		"the NPC, with a line": {EventID: "e1", Kind: "rose"},
	} {
		t.Run(name, func(t *testing.T) {
			b := servicetest.New(t, files)
			memories := &asked{}
			turn := b.Turn("mira", "Who owns the ferry?")
			turn.Begin = begin
			s := retriever.New(b.Library, retriever.Options{Memories: memories})
			if _, err := s.Retrieve(t.Context(), turn); err != nil {
				t.Fatal(err)
			}
			if turn.Abort != nil || memories.n != 1 || turn.Relation == nil {
				t.Errorf("read %d times; %+v", memories.n, turn.Abort)
			}
		})
	}
}
