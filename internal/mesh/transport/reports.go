package transport

import (
	"cmp"
	"context"
	"errors"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// reportsKept is how many reports of a world are kept.
const reportsKept = 60

// Reports are the weekly reports that a broker keeps.
type Reports struct{ conn *Conn }

// Reports are the reports that this broker keeps.
func (c *Conn) Reports() *Reports { return &Reports{c} }

// Add publishes a report as JSON on its world's subject. id names the occasion: of one
// that was published before, the report that stands is returned, and nothing is published.
func (r *Reports) Add(ctx context.Context, world, id string, data []byte) (stands []byte, err error) {
	if err := schema.CheckToken("world", world); err != nil {
		return nil, err
	}
	last, err := r.conn.Last(ctx, StreamReports, protocol.SubjectReport(world))
	sequence := uint64(0)
	switch {
	case errors.Is(err, ErrNotFound):
	case err != nil:
		return nil, err
	case last.Header.Get(jetstream.MsgIDHeader) == id:
		return last.Data, nil
	default:
		sequence = last.Sequence
	}
	_, err = r.conn.Publish(ctx, NewMessage(protocol.SubjectReport(world), data, jetstream.MsgIDHeader, id,
		jetstream.ExpectedLastSubjSeqHeader, strconv.FormatUint(sequence, 10)), ReadTimeout)
	return data, Wrap(err, "publish the report of %s", world)
}

// Each gives the reports of a world, or of all where it is empty, in order.
func (r *Reports) Each(ctx context.Context, world string, f func(data []byte) error) error {
	var failed error
	err := r.conn.Each(ctx, StreamReports, protocol.SubjectReport(cmp.Or(world, "*")),
		func(msg *jetstream.RawStreamMsg) bool {
			failed = f(msg.Data)
			return failed == nil
		})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // a mesh that an older build set up
	}
	return errors.Join(err, Wrap(failed, "report of %s", cmp.Or(world, "a world")))
}

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
