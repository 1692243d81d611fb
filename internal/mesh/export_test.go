package mesh

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"
)

// EachStored reads what a subject of SAID holds.
func EachStored(ctx context.Context, c *Conn, subject string, f func([]byte) error) error {
	var bad error
	err := c.each(ctx, streamSaid, subject, func(msg *jetstream.RawStreamMsg) bool {
		bad = f(msg.Data)
		return bad == nil
	})
	return errors.Join(err, bad)
}
