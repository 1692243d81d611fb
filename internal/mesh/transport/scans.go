package transport

import (
	"cmp"
	"context"
	"errors"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/jetstream"
)

// scansKept is how many scans of a world are remembered.
const scansKept = 400

// Scans is the history of scans.
type Scans struct{ conn *Conn }

// Scans is the history that this broker keeps.
func (c *Conn) Scans() *Scans { return &Scans{c} }

// Add keeps what a scan came to, as JSON; id is that of OnScan, or any other that
// names it alone.
func (s *Scans) Add(ctx context.Context, world, id string, data []byte) error {
	if err := schema.CheckToken("world", world); err != nil {
		return err
	}
	_, err := s.conn.Publish(ctx, NewMessage(protocol.SubjectScan(world), data, jetstream.MsgIDHeader, id), ReadTimeout)
	return Wrap(err, "keep the scan of %s", world)
}

// Each gives the scans of a world, or of all where it is empty, in order.
func (s *Scans) Each(ctx context.Context, world string, f func(data []byte) error) error {
	var failed error
	err := s.conn.Each(ctx, StreamScans, protocol.SubjectScan(cmp.Or(world, "*")),
		func(msg *jetstream.RawStreamMsg) bool {
			failed = f(msg.Data)
			return failed == nil
		})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // a mesh that an older build set up
	}
	return errors.Join(err, Wrap(failed, "scan of %s", cmp.Or(world, "a world")))
}
