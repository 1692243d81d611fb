package mesh

import (
	"context"
	"errors"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// EachStored reads what a subject of SAID holds.
func EachStored(ctx context.Context, c *transport.Conn, subject string, f func([]byte) error) error {
	var bad error
	err := c.Each(ctx, transport.StreamSaid, subject, func(msg *transport.Entry) bool {
		bad = f(msg.Data)
		return bad == nil
	})
	return errors.Join(err, bad)
}
