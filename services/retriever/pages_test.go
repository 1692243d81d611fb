package retriever_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/console"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// A reply, its trace and the chat name the page beside the path, where a document has several.
func TestAReplyNamesThePage(t *testing.T) {
	for _, c := range []struct {
		name, text, shown string
		page              int
	}{
		{"the second of two", "The bridge is of stone.\fTeague owns the ferry.\n", "lore/ferry.txt, page 2\n", 2},
		{"the first of two", "Teague owns the ferry.\fThe bridge is of stone.\n", "lore/ferry.txt, page 1\n", 1},
		{"the only one", "The bridge is of stone. Teague owns the ferry.\n", "lore/ferry.txt\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := servicetest.Village()
			files["lore/ferry.txt"] = &fstest.MapFile{Data: []byte(c.text)}
			b := servicetest.New(t, files)
			turn := b.Turn("mira", "Who owns the ferry?")
			reply := b.Walk(t, turn, schema.PassRetrieve)
			if len(reply.Sentences) == 0 || len(reply.Sentences[0].Evidence) == 0 {
				t.Fatalf("%s: %q", reply.Status, reply.Text)
			}
			if e := reply.Sentences[0].Evidence[0]; e.Path != "lore/ferry.txt" || e.Page != c.page {
				t.Errorf("the reply cites %s, page %d", e.Path, e.Page)
			}
			if turn.Sources[0].Page != c.page || turn.Evidence[0].Page != c.page {
				t.Errorf("the turn has source %+v, evidence %+v", turn.Sources[0], turn.Evidence[0])
			}
			var chat bytes.Buffer
			console.Why(&chat, reply)
			console.Trace(&chat, []protocol.Trace{{Record: schema.PassRecord{Pass: schema.PassRetrieve}, Turn: turn}})
			if !strings.Contains(chat.String(), c.shown) {
				t.Errorf("the chat shows\n%s", &chat)
			}
		})
	}
}
