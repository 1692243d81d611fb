package mesh

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// Records reads the review records of a turn, in the order of its sentences.
// They are kept for an hour.
func (c *Client) Records(ctx context.Context, convo schema.ConversationID, turn string) ([]schema.ReviewRecord, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	var out []schema.ReviewRecord
	var bad error
	err := c.conn.each(ctx, streamSaid, schema.SubjectReview(convo, turn), func(msg *jetstream.RawStreamMsg) bool {
		var r schema.ReviewRecord
		if bad = json.Unmarshal(msg.Data, &r); bad != nil {
			bad = fmt.Errorf("review record %d is not JSON: %w", msg.Sequence, bad)
			return false
		}
		out = append(out, r)
		return true
	})
	if err == nil {
		err = bad
	}
	return out, err
}
