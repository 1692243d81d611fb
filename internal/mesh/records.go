package mesh

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// Records reads the review records of a turn, in the order of its sentences.
// They are kept for an hour.
func (c *Client) Records(
	ctx context.Context, convo schema.ConversationID, turn string,
) ([]protocol.ReviewRecord, error) {
	if err := checkTurn(convo, turn); err != nil {
		return nil, err
	}
	records, _, err := reviewRecords(ctx, c.conn, convo, turn)
	return records, err
}

// reviews reads the review records of a turn, and the sequence of the last one.
func reviewRecords(ctx context.Context, c *transport.Conn, convo schema.ConversationID, turn string) (
	records []protocol.ReviewRecord, last uint64, err error,
) {
	var bad error
	err = c.Each(ctx, transport.StreamSaid, protocol.SubjectReview(convo, turn), func(msg *jetstream.RawStreamMsg) bool {
		var r protocol.ReviewRecord
		if err := json.Unmarshal(msg.Data, &r); err != nil {
			bad = fmt.Errorf("review record %d of turn %s is not JSON: %w", msg.Sequence, turn, err)
			return false
		}
		records, last = append(records, r), msg.Sequence
		return true
	})
	return records, last, cmp.Or(bad, err)
}
