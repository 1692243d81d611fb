package mesh

import (
	"context"
	"encoding/json"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// Week gives the replies of a world that are kept, seven days of them, in order,
// with when each was stored. One that cannot be read is passed over.
func (c *Client) Week(ctx context.Context, world string, f func(r *schema.Reply, at time.Time)) error {
	return c.conn.each(ctx, streamReplies, protocol.Prefix+"reply."+orDefault(world, "*")+".*.*.*",
		func(msg *jetstream.RawStreamMsg) bool {
			var r schema.Reply
			if !isMarker(msg.Header) && json.Unmarshal(msg.Data, &r) == nil {
				f(&r, msg.Time.UTC())
			}
			return true
		})
}
