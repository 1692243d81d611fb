package admin

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Where nobody scrubs the files afterwards the broker itself overwrites each
// message; in a bucket of an older version, which forbids that, the subject is
// purged.
func TestSecureDeletionLeavesNoBytes(t *testing.T) {
	dir := t.TempDir()
	r := newRigOn(t, embedded.Options{Dir: dir})
	older := transport.StreamTable(transport.Settings{}.WithDefaults(), transport.StreamConversations)
	older.DenyDelete = true
	if _, err := r.conn.JetStream().CreateStream(t.Context(), older); err != nil {
		t.Fatal(err)
	}
	if err := r.conn.Setup(t.Context(), transport.Settings{}); err != nil {
		t.Fatal(err)
	}
	put := func(subject, body string) {
		if _, err := r.conn.Publish(t.Context(), transport.NewMessage(subject, []byte(body)),
			transport.ReadTimeout); err != nil {
			t.Fatal(err)
		}
	}
	put("forsooth.v1.trace.w.n.zq-gone.t1", `{"turn_id":"t1","words":"marzipan"}`)
	put("forsooth.v1.trace.w.n.zq-stays.t2", `{"turn_id":"t2","words":"cheese"}`)
	put(transport.ConversationPrefix+"w.n.zq-gone", `{"world":"w"}`)
	e := NewEraser(r.conn, "zq-gone", nil, true)
	trail, err := e.Follow(t.Context())
	if err != nil || trail.Count() != 2 {
		t.Fatalf("%+v, %v", trail, err)
	}
	for i := range trail.Places {
		if n, err := e.Erase(t.Context(), &trail.Places[i]); n != 1 || err != nil {
			t.Errorf("%s: %d, %v", trail.Places[i].Name, n, err)
		}
	}
	if trail, err := e.Follow(t.Context()); err != nil || !trail.Empty() {
		t.Errorf("left: %+v, %v", trail, err)
	}
	blocks, _ := filepath.Glob(filepath.Join(dir, "nats/jetstream/*/streams/TRACES/msgs/*.blk"))
	for _, path := range blocks {
		data, err := os.ReadFile(path)
		if err != nil || bytes.Contains(data, []byte("zq-gone")) || bytes.Contains(data, []byte("marzipan")) ||
			!bytes.Contains(data, []byte("cheese")) {
			t.Errorf("%s: %q, %v", path, data, err)
		}
	}
	if len(blocks) == 0 {
		t.Error("no block was looked at")
	}
}

// The refusal of a turn tells nobody of whom it is, and holds for that turn alone.
func TestRefusal(t *testing.T) {
	r := newRig(t)
	if is, err := r.conn.IsErased(t.Context(), convoA, "t1"); is || err != nil {
		t.Errorf("before anything was made: %v, %v", is, err)
	}
	if err := r.conn.Setup(t.Context(), transport.Settings{}); err != nil {
		t.Fatal(err)
	}
	offered := bytes.Repeat([]byte{7}, transport.EraseKeySize)
	key, err := r.conn.EraseKey(t.Context(), offered)
	if err != nil || !bytes.Equal(key, offered) {
		t.Fatalf("%x, %v", key, err)
	}
	if again, err := r.connect().EraseKey(t.Context(), nil); err != nil || !bytes.Equal(again, key) {
		t.Errorf("another process has the key %x, %v", again, err)
	}
	if err := r.conn.Refuse(t.Context(), key, convoA, "t1"); err != nil {
		t.Fatal(err)
	}
	for turn, want := range map[string]bool{"t1": true, "t2": false} {
		if is, err := r.connect().IsErased(t.Context(), convoA, turn); is != want || err != nil {
			t.Errorf("%s: %v, %v", turn, is, err)
		}
	}
	err = r.conn.Each(t.Context(), transport.StreamErased, ">", func(msg *transport.Entry) bool {
		if strings.Contains(msg.Subject+string(msg.Data), convoA.Player+".") || strings.Contains(msg.Subject, "t1") {
			t.Errorf("%s %s", msg.Subject, msg.Data)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.conn.Reply(t.Context(), convoA, "t1"); err != nil {
		t.Errorf("a refused turn counts as ended: %v", err)
	}
	if _, err := mesh.NewClient(r.conn).Reply(t.Context(), convoA, "t1"); !errors.Is(err, transport.ErrNotFound) {
		t.Errorf("and has no reply: %v", err)
	}
}

// A player whose id is an NPC's handle takes nothing of that NPC along.
func TestAPlayerNamedLikeAnNPC(t *testing.T) {
	r := newRigOn(t, embedded.Options{Dir: t.TempDir()})
	if err := r.conn.Setup(t.Context(), transport.Settings{}); err != nil {
		t.Fatal(err)
	}
	for subject, bodies := range map[string][]string{
		protocol.SubjectEvent("w"): {
			`{"event_id":"e1","world":"w","text":"Bram mended the bridge.","subject":"bram","witnesses":["bram"]}`,
			`{"event_id":"e2","world":"w","text":"Bram was paid.","object":"bram","witnesses":["mira","bram"]}`,
			`{"event_id":"e3","world":"w","text":"A stranger came.","subject":"player:bram","witnesses":["bram"]}`,
			`{"event_id":"e4","world":"w","text":"A stranger left.","player":"bram","witnesses":["mira"]}`,
		},
		"forsooth.v1.trace.w.bram.p7.t1": {`{"turn_id":"t1","npc":"bram","player":"p7"}`},
	} {
		for _, body := range bodies {
			if _, err := r.conn.Publish(t.Context(), transport.NewMessage(subject, []byte(body)),
				transport.ReadTimeout); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name    string
		handles Handles
		want    int
	}{
		{"the NPC is known", Handles{"w": {"bram", "mira"}}, 2},
		// The four events, which the player's id may mean. The trace is p7's and stays: in the
		// schema `npc` is the NPC of a turn or the owner of a note, and never a player.
		// TestTheTraceOfAnNPCHoldsNothingOfItsNamesake reads what is left of it.
		{"of another world", Handles{"v": {"bram"}}, 4},
		{"no world is known", nil, 4},
	} {
		trail, err := NewEraser(r.conn, "bram", nil, false).Among(c.handles).Follow(t.Context())
		if err != nil || trail.Count() != c.want {
			t.Errorf("%s: it would take %+v and %+v, %v", c.name, trail.Places, trail.shared, err)
		}
	}
}
