package mesh

import (
	"context"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/nats-io/nats.go/jetstream"
)

// Messages gives every message that a stream holds, in order and as it stands, to
// those who check what a run has left behind. id is its Nats-Msg-Id. A stream asks
// for one message at a time: it is not for what is served.
func (c *Client) Messages(
	ctx context.Context, stream string, f func(subject, id string, sequence uint64, at time.Time, data []byte) error,
) error {
	var failed error
	err := c.conn.Each(ctx, stream, ">", func(msg *jetstream.RawStreamMsg) bool {
		if transport.IsMarker(msg.Header) {
			return true
		}
		failed = f(msg.Subject, msg.Header.Get(jetstream.MsgIDHeader), msg.Sequence, msg.Time.UTC(), msg.Data)
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	return err
}

// Undone is what each consumer of the mesh has yet to do or has in hand; one with
// nothing to do is not named.
func (c *Client) Undone(ctx context.Context) (map[string]uint64, error) {
	consumers, err := c.consumers(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]uint64{}
	for _, x := range consumers {
		if n := x.Waiting + uint64(max(x.Taken, 0)); n > 0 { //nolint:gosec // it is not negative
			out[x.Name] = n
		}
	}
	return out, nil
}
