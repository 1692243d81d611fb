package admin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// live leaves something of both players in every place.
func (s *site) live() {
	s.t.Helper()
	s.say("mira", goner, gonerName, "I come from "+gonerWord+".")
	s.say("mira", goner, gonerName, "Where do I come from?")
	s.say("osric", goner, gonerName, "My brother Tom works at the ropewalk in "+gonerWord+".")
	s.say("mira", stayer, "Ansel", "I come from the coast.")
	s.say("osric", stayer, "Ansel", "Who owns the ferry?")
	s.see(&schema.Occurrence{ID: "ev1", Subject: "player:" + goner, Predicate: "gave", Object: "sword",
		Text: gonerName + " gave Mira a sword.", Player: goner, Witnesses: []string{"mira", goner}})
	s.see(&schema.Occurrence{ID: "ev2", Subject: "player:" + stayer, Predicate: "gave", Object: "cheese",
		Text: "Ansel gave Mira a cheese.", Player: stayer, Witnesses: []string{"mira", stayer, goner}})
	s.see(&schema.Occurrence{ID: "ev3", Subject: "the bridge", Predicate: "fell", Object: "river",
		Text: "The bridge fell into the river.", Witnesses: []string{"osric", "mira", goner}})
	s.liveInScene()
}

// liveInScene has three players and two NPCs talk in one scene, and an NPC repeats to
// another player what the erased one said.
func (s *site) liveInScene() {
	s.t.Helper()
	s.inScene("", "", "", schema.Scene{Enter: &schema.Presence{NPCs: []string{"mira", "osric"},
		Players: []string{goner, stayer, third}}})
	s.inScene(goner, gonerName, "Osric, I come from "+gonerWord+", and my dog is called Rusty.", schema.Scene{Rounds: 1})
	s.inScene(third, "Hob", "Osric, my sister is called Elsbet.", schema.Scene{})
	s.inScene(stayer, "Ansel", "Mira, who owns the ferry?", schema.Scene{})
	r := s.inScene(stayer, "Ansel", "Mira, whose dog is called Rusty?", schema.Scene{})
	if !strings.Contains(r.Text, gonerWord) {
		s.t.Errorf("nobody repeats the player: %q", r.Text)
	}
	s.inScene("", "", "", schema.Scene{Leave: &schema.Presence{Players: []string{goner}}})
	s.inScene(third, "Hob", "Mira, whose dog is called Rusty?", schema.Scene{})
	s.inScene(stayer, "Ansel", "Osric, my brother is called Wat.", schema.Scene{})
}

// keepsTheOthers holds what the scene is without the erased player.
func (s *site) keepsTheOthers() {
	s.t.Helper()
	doc, _, err := s.app.Client.Conversation(s.t.Context(), schema.SceneConversation("village", "taproom"))
	if err != nil {
		s.t.Fatal(err)
	}
	var said []string
	for _, l := range doc.Memory {
		if l.Speaker == "player" {
			said = append(said, l.Text)
		}
	}
	for _, want := range []string{"My sister is called Elsbet.", "Who owns the ferry?", "My brother is called Wat."} {
		if !slices.Contains(said, want) {
			s.t.Errorf("the scene keeps %q, without %q", said, want)
		}
	}
	if doc.Scene == nil || !slices.Equal(doc.Scene.Players, []string{stayer, third}) {
		s.t.Errorf("in the scene are %+v", doc.Scene)
	}
	for _, want := range []string{"Elsbet", "Wat"} {
		n := 0
		for _, m := range s.memories() {
			if strings.Contains(m.Content, want) {
				n++
			}
		}
		if n < 2 { // of both NPCs that were there
			s.t.Errorf("%d memories of %s are left", n, want)
		}
	}
}

// Of the player nothing is left in any file, while the mesh runs and when it has
// stopped. What belongs to another player is there byte for byte, and the index is
// the one that the log makes.
func TestNothingOfAnErasedPlayerIsLeftInAnyFile(t *testing.T) {
	s := newSite(t)
	s.live()
	for _, place := range []string{"PASSES", "SAID", "REPLIES", "TRACES", "EVENTS", "MEMORY", "TIMERS", "KV_conversations",
		"session.db"} {
		if !slices.ContainsFunc(traces(t, s.dir, goner), func(line string) bool { return strings.Contains(line, place) }) {
			t.Errorf("%s never held the player: the test looks for nothing there", place)
		}
	}
	before := records(t, s.dir)
	r, err := admin.ErasePlayer(t.Context(), goner, s.options())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range traces(t, s.dir, goner, gonerName, gonerWord) {
		t.Errorf("while the mesh runs: %s", line)
	}
	after := records(t, s.dir)
	kept := untouched(before, stayer, goner)
	for key, r := range kept {
		if strings.HasPrefix(key, "TURNS") || strings.HasPrefix(key, "TIMERS") || strings.HasPrefix(key, "KV_") {
			continue // of turns that have ended, and revisions that newer ones replaced
		}
		if after[key] != r {
			t.Errorf("of the other player, %s was changed or is gone", key)
		}
	}
	if len(kept) < 20 {
		t.Errorf("only %d messages of the other player were compared", len(kept))
	}
	s.keepsTheOthers()
	if got := s.say("mira", stayer, "Ansel", "Where do I come from?"); !strings.Contains(got.Text, "the coast") {
		t.Errorf("the other player is answered %q", got.Text)
	}
	if got := s.say("mira", goner, "Somebody", "Where do I come from?"); strings.Contains(got.Text, gonerWord) {
		t.Errorf("whoever comes under the erased id is answered %q", got.Text)
	}
	if r.Open != nil || r.Ended.IsZero() || r.Erased["replies"] != 3 ||
		r.Erased["memories of others, now without the player"] == 0 || r.Erased["replies of scenes"] < 4 ||
		r.Erased["documents of scenes, now without the player"] != 1 {
		t.Errorf("the receipt: %+v", r)
	}
	s.rebuildsTheSame()
	again, err := admin.ErasePlayer(t.Context(), goner, s.options())
	if err != nil || again.Again { // the new one of that id
		t.Fatalf("%+v, %v", again, err)
	}
	again, err = admin.ErasePlayer(t.Context(), goner, s.options())
	if err != nil || !again.Again {
		t.Errorf("with nothing left: %+v, %v", again, err)
	}
	s.stop()
	for _, line := range traces(t, s.dir, goner, gonerName, gonerWord) {
		t.Errorf("when the mesh has stopped: %s", line)
	}
}

// rebuildsTheSame makes the index anew and holds it against the one that was kept.
func (s *site) rebuildsTheSame() {
	s.t.Helper()
	kept := s.memories()
	done, err := s.app.RebuildMemory(s.t.Context())
	if err != nil || len(done.Problems) > 0 || done.Removed > 0 {
		s.t.Errorf("rebuilt: %+v, %v", done, err)
	}
	if anew := s.memories(); !reflect.DeepEqual(kept, anew) || len(kept) == 0 {
		s.t.Errorf("kept %d memories, made anew %d:\n%+v\n%+v", len(kept), len(anew), kept, anew)
	}
}

func (s *site) memories() []schema.Memory {
	s.t.Helper()
	points, err := s.app.Session().Scroll(s.t.Context(), store.MemoryFilter{World: "village"}, "", 0)
	if err != nil {
		s.t.Fatal(err)
	}
	out := make([]schema.Memory, len(points))
	for i := range points {
		out[i] = points[i].Memory
	}
	return out
}

// A turn that was answered before the erasure is not answered after it, and the
// memory service makes nothing of a reply that it had in hand.
func TestAnErasedTurnStaysEnded(t *testing.T) {
	s := newSite(t)
	reply := s.say("mira", goner, gonerName, "I come from "+gonerWord+".")
	stop := make(chan struct{})
	var working sync.WaitGroup
	working.Go(func() { // a memory service that reads the reply over and over
		for {
			select {
			case <-stop:
				return
			default:
				_ = s.app.Remember(context.WithoutCancel(t.Context()), reply)
			}
		}
	})
	_, err := admin.ErasePlayer(t.Context(), goner, s.options())
	close(stop)
	working.Wait()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // by the process that was there, and by one that knows nothing of it
		if err := s.app.Remember(t.Context(), reply); err != nil {
			t.Fatal(err)
		}
		s.settle()
		s.stop()
		s.start()
	}
	if left := traces(t, s.dir, goner, gonerWord); len(left) > 0 {
		t.Errorf("the memory service wrote afterwards: %v", left)
	}
	// Published again under its id, with other words, and another one behind it.
	old := request(1, "mira", goner, "", "Who owns the ferry?")
	old.TurnID = reply.TurnID
	if taken, err := s.app.Client.Publish(t.Context(), old); err != nil || taken.Again {
		t.Fatal(taken, err)
	}
	if next := s.say("mira", goner, "", "Who owns the ferry?"); next.Status == schema.StatusAborted {
		t.Errorf("the turn behind it: %+v", next)
	}
	if again, err := s.app.Client.Reply(t.Context(), old.Conversation(), old.TurnID); !errors.Is(err,
		transport.ErrNotFound) {
		t.Errorf("answered a second time: %+v, %v", again, err)
	}
	if list, err := s.app.Client.Trace(t.Context(), old.TurnID); err != nil || len(list) > 0 {
		t.Errorf("%d passes were run for it, %v", len(list), err)
	}
}

// Turns under way are ended before the erasure, and leave nothing either.
func TestTurnsUnderWayAreEnded(t *testing.T) {
	s := newSite(t)
	s.say("mira", stayer, "Ansel", "I come from the coast.")
	for i := range 6 {
		req := request(100+i, []string{"mira", "osric"}[i%2], goner, gonerName, "I come from "+gonerWord+".")
		s.publish(req)
	}
	if _, err := admin.ErasePlayer(t.Context(), goner, s.options()); err != nil {
		t.Fatal(err)
	}
	s.settle()
	if left := traces(t, s.dir, goner, gonerName, gonerWord); len(left) > 0 {
		t.Errorf("%d files: %v", len(left), left[0])
	}
	if got := s.say("mira", stayer, "Ansel", "Where do I come from?"); !strings.Contains(got.Text, "the coast") {
		t.Errorf("the other player is answered %q", got.Text)
	}
}

// Whatever the step at which the process dies, the next run ends what it began.
func TestAnErasureThatWasKilledGoesOn(t *testing.T) {
	s := newSite(t)
	s.live()
	s.stop()
	var steps []string
	attached(t, s.dir+"-dry", s.dir, func(dir string, o admin.Erasure) {
		o = admin.Faulty(o, func(step string) error { steps = append(steps, step); return nil })
		if _, err := admin.ErasePlayer(t.Context(), goner, o); err != nil {
			t.Fatal(err)
		}
	})
	if len(steps) < 8 {
		t.Fatalf("only %v", steps)
	}
	killed := errors.New("killed")
	for n := range steps {
		t.Run(fmt.Sprintf("%d %s", n, steps[n]), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			attached(t, dir, s.dir, func(dir string, o admin.Erasure) {
				left := n
				o = admin.Faulty(o, func(string) error {
					if left--; left < 0 {
						return killed
					}
					return nil
				})
				if _, err := admin.ErasePlayer(t.Context(), goner, o); !errors.Is(err, killed) {
					t.Fatalf("not killed: %v", err)
				}
			})
			attached(t, dir, "", func(dir string, o admin.Erasure) {
				r, err := admin.ErasePlayer(t.Context(), goner, o)
				if err != nil || r.Again || r.Open != nil {
					t.Errorf("the next run: %+v, %v", r, err)
				}
			})
			for _, line := range traces(t, dir, goner, gonerName, gonerWord) {
				t.Errorf("afterwards %s", line)
			}
			list, err := admin.Receipts(filepath.Join(dir, "receipts"))
			if err != nil || len(list) != 1 || list[0].Open != nil {
				t.Errorf("receipts %+v, %v", list, err)
			}
		})
	}
}

// attached opens a copy of a data folder that nobody holds.
func attached(t *testing.T, dir, from string, f func(dir string, o admin.Erasure)) {
	t.Helper()
	if from != "" {
		if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	a, err := app.Attach(t.Context(), app.Options{Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	session, _, err := app.OpenSession(t.Context(), app.Options{Data: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	f(dir, optionsOf(t, dir, a, session, false))
}

// The receipt says what stays because it belongs to others.
func TestTheReceiptListsWhatStays(t *testing.T) {
	s := newSite(t)
	s.say("mira", goner, gonerName, "I come from the hills.")
	s.say("mira", stayer, "Ansel", "My brother "+gonerName+" works at the ropewalk in Osterwick.")
	r, err := admin.ErasePlayer(t.Context(), goner, s.options())
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]admin.Left{}
	for _, l := range r.Left {
		places[l.Place] = l
	}
	for _, want := range []string{"memories of others", "replies to others", "conversations of others"} {
		if places[want].Count == 0 {
			t.Errorf("%s are not listed: %+v", want, r.Left)
		}
	}
	if places["replies to others"].Until == "" || len(places["memories of others"].IDs) == 0 {
		t.Errorf("%+v", places)
	}
	data, err := os.ReadFile(r.Path())
	if err != nil || strings.Contains(string(data), goner) || strings.Contains(string(data), gonerName) {
		t.Errorf("the receipt names the player: %s, %v", data, err)
	}
}

func TestUnknownPlayer(t *testing.T) {
	s := newSite(t)
	if _, err := admin.ErasePlayer(t.Context(), goner, s.options()); !errors.Is(err, admin.ErrNothingKept) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(s.dir + "/receipts"); !os.IsNotExist(err) {
		t.Errorf("a folder of receipts was made: %v", err)
	}
}

// A player under the handle of an NPC goes, and the NPC keeps what it saw.
func TestAPlayerNamedLikeAnNPCTakesNothingOfIt(t *testing.T) {
	s := newSite(t)
	s.say("osric", "mira", gonerName, "I come from "+gonerWord+".")
	s.see(&schema.Occurrence{ID: "ev1", Subject: "the bridge", Predicate: "fell", Object: "river",
		Text: "The bridge fell into the river.", Witnesses: []string{"mira"}})
	o := s.options()
	o.Handles = admin.Handles{"village": {"mira", "osric"}}
	o.Index.(*app.ErasedIndex).Among(o.Handles)
	r, err := admin.ErasePlayer(t.Context(), "mira", o)
	if err != nil || r.Erased["replies"] != 1 || r.Erased["events"] != 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if kept := s.memories(); len(kept) != 1 || kept[0].NPC != "mira" ||
		!slices.Equal(kept[0].Witnesses, []string{"mira"}) {
		t.Errorf("the index has %+v", kept)
	}
	s.rebuildsTheSame()
	if r, err = admin.ErasePlayer(t.Context(), "mira", o); err != nil || !r.Again {
		t.Errorf("the second time: %+v, %v", r, err)
	}
}
