package admin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The trace of a turn that an NPC had with somebody else stays when a player goes who is
// called as the NPC is, also where no world is known, for its field `npc` holds an NPC and
// never a player. So what stays is read byte by byte: but for where it names the NPC it
// holds neither the player's name nor a word the player said.
func TestTheTraceOfAnNPCHoldsNothingOfItsNamesake(t *testing.T) {
	dir := t.TempDir()
	r := newRigOn(t, embedded.Options{Dir: dir})
	if err := r.conn.Setup(t.Context(), transport.Settings{}); err != nil {
		t.Fatal(err)
	}
	for _, turn := range []protocol.Turn{
		{Request: schema.Request{TurnID: "stays", NPC: "bram", Player: "p7", Message: "Is the bridge open?"},
			Sources: []protocol.Source{{ID: "1", Content: "The bridge is new.", Provenance: protocol.Provenance{NPC: "bram"}}}},
		{Request: schema.Request{TurnID: "own", NPC: "mira", Player: "bram", Message: "I like marzipan."}},
		{Request: schema.Request{TurnID: "beside", NPC: "bram", Player: "p8", Message: "He likes marzipan.",
			Witnesses: []string{"bram"}}},
		{Request: schema.Request{TurnID: "held", NPC: "bram", Player: "p9", Message: "Marzipan, marzipan.",
			State: map[string]any{"party": map[string]any{"name": "bram"}}}},
	} {
		turn.World = "w"
		data, err := json.Marshal(protocol.Trace{TurnID: turn.TurnID, Record: schema.PassRecord{Pass: schema.PassRetrieve},
			Next: schema.PassThink, Turn: &turn})
		if err == nil {
			_, err = r.conn.Publish(t.Context(),
				transport.NewMessage(protocol.SubjectTrace(turn.Conversation(), turn.TurnID), data),
				transport.ReadTimeout)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	e := NewEraser(r.conn, "bram", nil, true)
	trail, err := e.Follow(t.Context())
	if err != nil || trail.Count() != 3 {
		t.Fatalf("it would take %+v, %v", trail, err)
	}
	places := slices.Concat(trail.Repeats, trail.Places)
	for i := range places {
		if _, err := e.Erase(t.Context(), &places[i]); err != nil {
			t.Fatal(err)
		}
	}
	blocks, _ := filepath.Glob(filepath.Join(dir, "nats/jetstream/*/streams/TRACES/msgs/*.blk"))
	left := ""
	for _, path := range blocks {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		left += string(data)
	}
	asNPC := []string{protocol.SubjectTrace(schema.ConversationID{World: "w", NPC: "bram", Player: "p7"}, "stays"),
		`"npc":"bram"`}
	for _, at := range asNPC {
		if !strings.Contains(left, at) {
			t.Errorf("the NPC's own trace is gone: no %s in %q", at, left)
		}
		left = strings.ReplaceAll(left, at, "")
	}
	for _, of := range []string{"bram", "arzipan"} {
		if strings.Contains(left, of) {
			t.Errorf("%q stands in what is left: %q", of, left)
		}
	}
}
