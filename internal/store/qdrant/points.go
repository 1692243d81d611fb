package qdrant

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"strconv"

	qd "github.com/qdrant/go-client/qdrant"
)

// namespace is what all ids of points are named in.
var namespace = [16]byte{0x5e, 0x1f, 0x0a, 0x7c, 0x3d, 0x94, 0x4b, 0x62, 0x8a, 0x17, 0xc4, 0x20, 0xd9, 0x6b, 0xf3, 0x88}

// pointID is the version 5 UUID of a name in parts (RFC 9562 wants SHA-1 for it):
// the same name is the same point, so a write sent twice stands once.
func pointID(parts ...string) *qd.PointId {
	h := sha1.New()
	h.Write(namespace[:])
	for _, p := range parts {
		h.Write(strconv.AppendInt(nil, int64(len(p)), 10)) // so that "a","bc" is not "ab","c"
		h.Write([]byte{':'})
		h.Write([]byte(p))
	}
	u := h.Sum(nil)[:16]
	u[6], u[8] = u[6]&0x0f|0x50, u[8]&0x3f|0x80
	s := hex.EncodeToString(u)
	return qd.NewIDUUID(s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:])
}

type payload = map[string]*qd.Value

// noVectors are those of a point that has none.
func noVectors() *qd.Vectors { return qd.NewVectorsMap(map[string]*qd.Vector{}) }

func vectorsOf(v []float32) *qd.Vectors {
	if len(v) == 0 {
		return noVectors()
	}
	return qd.NewVectorsMap(map[string]*qd.Vector{vectorName: qd.NewVectorDense(v)})
}

// vectorOf is the vector that a point came with.
func vectorOf(v *qd.VectorsOutput) []float32 {
	out := v.GetVectors().GetVectors()[vectorName]
	if d := out.GetDenseVector(); d != nil {
		return d.GetData()
	}
	return nil
}

func (c *collection) upsert(ctx context.Context, what string, points ...*qd.PointStruct) error {
	return c.do(ctx, what, func(ctx context.Context) error {
		_, err := c.client.Upsert(ctx, &qd.UpsertPoints{
			CollectionName: c.name, Wait: qd.PtrOf(true), Points: points, Ordering: c.ordering(qd.WriteOrderingType_Medium),
		})
		return err
	})
}

// points are those of the ids that are there, in no order.
func (c *collection) points(
	ctx context.Context, what string, ids []*qd.PointId, give *qd.WithPayloadSelector, vectors bool,
) ([]*qd.RetrievedPoint, error) {
	var out []*qd.RetrievedPoint
	err := c.do(ctx, what, func(ctx context.Context) (err error) {
		out, err = c.client.Get(ctx, &qd.GetPoints{
			CollectionName: c.name, Ids: ids, WithPayload: give, WithVectors: qd.NewWithVectors(vectors),
			ReadConsistency: c.consistency(),
		})
		return err
	})
	return out, err
}

// point is the payload of one point, nil where there is none.
func (c *collection) point(ctx context.Context, id *qd.PointId) (payload, error) {
	found, err := c.points(ctx, "read a point", []*qd.PointId{id}, qd.NewWithPayload(true), false)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0].GetPayload(), nil
}

func (c *collection) count(ctx context.Context, f *qd.Filter) (int, error) {
	var n uint64
	err := c.do(ctx, "count", func(ctx context.Context) (err error) {
		n, err = c.client.Count(ctx,
			&qd.CountPoints{CollectionName: c.name, Filter: f, Exact: qd.PtrOf(true), ReadConsistency: c.consistency()})
		return err
	})
	return int(n), err
}

// pageSize is how many points a request writes or reads at most.
const pageSize = 256

// each gives all points of a filter to take, in no order.
func (c *collection) each(
	ctx context.Context, what string, f *qd.Filter, vectors bool, take func(*qd.RetrievedPoint) error,
) error {
	var from *qd.PointId
	for {
		var page []*qd.RetrievedPoint
		var next *qd.PointId
		err := c.do(ctx, what, func(ctx context.Context) (err error) {
			page, next, err = c.client.ScrollAndOffset(ctx, &qd.ScrollPoints{
				CollectionName: c.name, Filter: f, Offset: from, Limit: qd.PtrOf(uint32(pageSize)),
				WithPayload: qd.NewWithPayload(true), WithVectors: qd.NewWithVectors(vectors), ReadConsistency: c.consistency(),
			})
			return err
		})
		if err != nil {
			return err
		}
		for _, p := range page {
			if err := take(p); err != nil {
				return err
			}
		}
		if next == nil {
			return nil
		}
		from = next
	}
}

// deleteIDs removes points.
func (c *collection) deleteIDs(ctx context.Context, ids []*qd.PointId) error {
	return c.remove(ctx, qd.NewPointsSelectorIDs(ids))
}

func (c *collection) remove(ctx context.Context, which *qd.PointsSelector) error {
	return c.do(ctx, "delete", func(ctx context.Context) error {
		_, err := c.client.Delete(ctx, &qd.DeletePoints{
			CollectionName: c.name, Wait: qd.PtrOf(true), Points: which, Ordering: c.ordering(qd.WriteOrderingType_Medium),
		})
		return err
	})
}
