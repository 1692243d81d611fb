package erasure_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/erasure"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// live leaves something of both players in every place.
func (s *site) live() (old *schema.Request) {
	s.t.Helper()
	old = s.say("mira", goner, gonerName, "I come from "+gonerWord+".")
	s.say("mira", goner, gonerName, "Where do I come from?")
	s.say("osric", goner, gonerName, "My brother Tom works at the ropewalk in "+gonerWord+".")
	s.say("mira", stayer, "Ansel", "I come from the coast.")
	s.say("osric", stayer, "Ansel", "Who owns the ferry?")
	s.see(&schema.Occurrence{ID: "ev1", Subject: "player:" + goner, Predicate: "gave", Object: "sword", Text: gonerName + " gave Mira a sword.", Player: goner, Witnesses: []string{"mira", goner}})
	s.see(&schema.Occurrence{ID: "ev2", Subject: "player:" + stayer, Predicate: "gave", Object: "cheese", Text: "Ansel gave Mira a cheese.", Player: stayer, Witnesses: []string{"mira", stayer, goner}})
	s.see(&schema.Occurrence{ID: "ev3", Subject: "the bridge", Predicate: "fell", Object: "river", Text: "The bridge fell into the river.", Witnesses: []string{"osric", "mira", goner}})
	return old
}

func TestNothingOfAnErasedPlayerIsLeftInAnyFile(t *testing.T) {
	s := newSite(t)
	old := s.live()
	if len(traces(t, s.dir, goner)) == 0 {
		t.Fatal("the test looks for nothing")
	}
	r, err := erasure.Player(t.Context(), goner, s.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", r)
	for _, line := range traces(t, s.dir, goner, gonerName, gonerWord) {
		t.Errorf("while the mesh runs: %s", line)
	}
	// The mesh still answers, and the erased turn is not answered a second time.
	reply := s.say("mira", stayer, "Ansel", "Where do I come from?")
	if got, err := s.app.Client.Reply(t.Context(), reply.Conversation(), reply.TurnID); err != nil || !strings.Contains(got.Text, "the coast") {
		t.Errorf("the other player is answered %+v, %v", got, err)
	}
	s.stop()
	for _, line := range traces(t, s.dir, goner, gonerName, gonerWord) {
		t.Errorf("when the mesh has stopped: %s", line)
	}
	_ = old
}

func TestUnknownPlayer(t *testing.T) {
	s := newSite(t)
	if _, err := erasure.Player(t.Context(), goner, s.options()); !errors.Is(err, erasure.ErrUnknown) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(s.dir + "/receipts"); !os.IsNotExist(err) {
		t.Errorf("a folder of receipts was made: %v", err)
	}
}
