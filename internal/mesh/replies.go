package mesh

import (
	"context"
	"encoding/json"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// RepliesSince reads the replies that are kept and were stored after a time, oldest
// first. One that cannot be read is passed over: it is none of ours.
func (c *Client) RepliesSince(ctx context.Context, since time.Time, f func(*schema.Reply)) error {
	return c.conn.each(ctx, streamReplies, schema.Prefix+"reply.>", func(msg *jetstream.RawStreamMsg) bool {
		var r schema.Reply
		if !msg.Time.Before(since) && json.Unmarshal(msg.Data, &r) == nil {
			f(&r)
		}
		return true
	})
}
