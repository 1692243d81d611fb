package mesh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// convoDoc is a conversation's document with the revision it was read at; zero
// means there is none yet.
type convoDoc struct {
	*schema.Conversation
	revision uint64
}

func (c *Conn) conversation(ctx context.Context, id schema.ConversationID) (convoDoc, error) {
	empty := convoDoc{Conversation: &schema.Conversation{World: id.World, NPC: id.NPC, Player: id.Player}}
	msg, err := c.last(ctx, streamConvos, convoPrefix+id.String())
	if errors.Is(err, ErrNotFound) {
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
// stored then.
func (m *Mesh) change(ctx context.Context, id schema.ConversationID, f func(*schema.Conversation) bool) error {
	for {
		doc, err := m.conn.conversation(ctx, id)
		if err != nil {
			return err
		}
		if !f(doc.Conversation) {
			return nil
		}
		data, err := json.Marshal(doc.Conversation)
		if err != nil {
			return fmt.Errorf("document of conversation %s: %w", id, err)
		}
		_, err = m.publish(ctx, message(convoPrefix+id.String(), data, headerExpected, strconv.FormatUint(doc.revision, 10)))
		if !isConflict(err) {
			return err
		}
	}
}
