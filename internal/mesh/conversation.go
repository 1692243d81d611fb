package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// convoDoc is a conversation's document with the revision it was read at; zero
// means there is none yet.
type convoDoc struct {
	*schema.Conversation
	revision uint64
}

// drafts are the documents with which this process has started turns. Nobody but a
// turn's finisher changes its conversation, so the finisher, if it is here too, need not
// read it again: should it have changed, its write is refused, and it reads.
type drafts struct {
	mu     sync.Mutex
	docs   map[string]convoDoc // by turn
	oldest []string
}

// maxDrafts bounds how many turns are under way whose documents are kept.
const maxDrafts = 1024

func (d *drafts) put(turn string, doc convoDoc) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.docs == nil {
		d.docs = map[string]convoDoc{}
	}
	d.docs[turn] = doc
	d.oldest = append(d.oldest, turn)
	for len(d.oldest) > maxDrafts {
		delete(d.docs, d.oldest[0])
		d.oldest = d.oldest[1:]
	}
}

// take gives the document once: whoever has it may change it.
func (d *drafts) take(turn string, id schema.ConversationID) (convoDoc, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	doc, ok := d.docs[turn]
	delete(d.docs, turn)
	return doc, ok && doc.World == id.World && doc.NPC == id.NPC && doc.Player == id.Player
}

func readConversation(ctx context.Context, c *transport.Conn, id schema.ConversationID) (convoDoc, error) {
	empty := convoDoc{Conversation: &schema.Conversation{World: id.World, NPC: id.NPC, Player: id.Player}}
	msg, err := c.Last(ctx, transport.StreamConversations, transport.ConversationPrefix+id.String())
	if errors.Is(err, transport.ErrNotFound) {
		return empty, nil
	}
	if err != nil {
		return empty, err
	}
	empty.revision = msg.Sequence
	if len(msg.Data) == 0 { // erased
		return empty, nil
	}
	doc := convoDoc{Conversation: &schema.Conversation{}, revision: msg.Sequence}
	if err := json.Unmarshal(msg.Data, doc.Conversation); err != nil {
		return empty, fmt.Errorf("document of conversation %s is not JSON: %w", id, err)
	}
	return doc, nil
}

// change applies f to the document until it is stored. f says false when there
// is nothing to change; it may be called several times, each time on what is
// stored then. turn names the turn whose finisher this is.
func (m *Mesh) change(
	ctx context.Context, id schema.ConversationID, turn string, f func(*schema.Conversation) bool,
) error {
	doc, known := m.drafts.take(turn, id)
	for {
		if !known {
			var err error
			if doc, err = readConversation(ctx, m.conn, id); err != nil {
				return err
			}
		}
		known = false
		if !f(doc.Conversation) {
			return nil
		}
		data, err := json.Marshal(doc.Conversation)
		if err != nil {
			return fmt.Errorf("document of conversation %s: %w", id, err)
		}
		_, err = m.publish(ctx, transport.NewMessage(transport.ConversationPrefix+id.String(), data,
			transport.HeaderLast, strconv.FormatUint(doc.revision, 10)))
		if !transport.IsConflict(err) {
			return err
		}
	}
}
