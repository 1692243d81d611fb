package admin_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
)

// On a Qdrant server the player's points are gone. Its own files cannot be rid of the
// bytes at once: where they hold any the receipt names them, with when they go; and the
// data folder holds nothing either way.
func TestErasureOnQdrant(t *testing.T) {
	server := edgetest.Own(t)
	s := newSiteOn(t, app.Qdrant{Addr: server.Addr, Nodes: 1})
	s.live()
	if len(traces(t, server.Data(), gonerWord)) == 0 {
		t.Error("the server's files never held the player: the test looks for nothing there")
	}
	o := optionsOf(t, s.dir, s.app, s.app.Session(), true)
	o.Qdrant = server.Addr
	r, err := admin.ErasePlayer(t.Context(), goner, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range traces(t, s.dir, goner, gonerName, gonerWord) {
		t.Errorf("the data folder: %s", line)
	}
	if n, err := s.app.Session().Count(t.Context(), store.MemoryFilter{World: "village", Mentions: goner}); n != 0 ||
		err != nil {
		t.Errorf("%d points of the player, %v", n, err)
	}
	s.rebuildsTheSame()
	s.stop()
	server.Stop(t)
	left := traces(t, server.Data(), goner, gonerName, gonerWord)
	t.Logf("%d of the server's files still hold bytes of the player", len(left))
	said := slices.ContainsFunc(r.Beyond, func(line string) bool {
		return strings.Contains(line, "Qdrant server at "+server.Addr) && strings.Contains(line, "until it rewrites")
	})
	if !said {
		t.Errorf("the receipt does not name the server's files: %q", r.Beyond)
	}
	if !slices.ContainsFunc(r.Operator,
		func(line string) bool { return strings.Contains(line, "delete the collection session") }) {
		t.Errorf("nor says what to do: %q", r.Operator)
	}
}

// With a NATS server of one's own the receipt says what that one keeps, and until when.
func TestTheReceiptNamesWhatAServerKeeps(t *testing.T) {
	s := newSite(t)
	s.say("mira", goner, gonerName, "I come from "+gonerWord+".")
	o := s.options()
	o.Scrub = nil
	r, err := admin.ErasePlayer(t.Context(), goner, o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Unscrubbed || !slices.ContainsFunc(r.Beyond, func(line string) bool {
		return strings.Contains(line, "NATS server") && strings.Contains(line, "until it compacts")
	}) {
		t.Errorf("%+v", r)
	}
}
