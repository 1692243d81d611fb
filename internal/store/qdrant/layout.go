package qdrant

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	qd "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// serverMajor is the major version of the servers whose API this speaks.
const serverMajor = 1

// vectorName is the one vector of a point; a point may be without.
const vectorName = "content"

// wordsName is the sparse vector of a passage: its words. It has no modifier of the
// server's for the rarity of words, which would be that in all worlds and for all
// NPCs together: what an NPC may not know would be felt. A question brings the
// rarity of its words in its scope.
const wordsName = "words"

// layout is how a collection is made: what it holds, how its vectors compare and
// which fields are indexed.
type layout struct {
	kind     string
	distance qd.Distance
	indexes  map[string]index
	version  int
	// words says that a point has a sparse vector, and several vectors beside it of
	// which the nearest counts.
	words bool
	// versioned says that each version has a collection of its own, named after it,
	// and that the plain name is an alias of the one in use.
	versioned bool
	// steps bring a collection up by one version each: the first from version 1
	// to 2. Each may have run before and been cut off.
	steps []func(context.Context, *collection) error
}

// index is how a field of the payload is indexed.
type index struct {
	of     qd.FieldType
	params *qd.PayloadIndexParams
}

var (
	keyword  = index{of: qd.FieldType_FieldTypeKeyword}
	datetime = index{of: qd.FieldType_FieldTypeDatetime}
	tenant   = index{qd.FieldType_FieldTypeKeyword,
		qd.NewPayloadIndexParamsKeyword(&qd.KeywordIndexParams{IsTenant: qd.PtrOf(true)})}
	lookup = index{qd.FieldType_FieldTypeInteger, qd.NewPayloadIndexParamsInt(&qd.IntegerIndexParams{
		Lookup: qd.PtrOf(true), Range: qd.PtrOf(false),
	})}
	integer = index{qd.FieldType_FieldTypeInteger,
		qd.NewPayloadIndexParamsInt(&qd.IntegerIndexParams{Lookup: qd.PtrOf(true), Range: qd.PtrOf(true)})}
)

// prepare makes the collection where there is none, and otherwise says in one
// line why it cannot be used. What an earlier start left half made is completed.
func (c *collection) prepare(ctx context.Context, l layout) error {
	if err := c.checkServer(ctx); err != nil {
		return err
	}
	if err := c.create(ctx, l); err != nil {
		return err
	}
	about, version, err := c.fits(ctx, l)
	if err != nil {
		return err
	}
	if err := c.index(ctx, l, about); err != nil {
		return err
	}
	if err := c.migrate(ctx, l, version); err != nil {
		return err
	}
	return c.nameFirst(ctx, l)
}

// fits is how the collection is made and its version, where it can be used.
func (c *collection) fits(ctx context.Context, l layout) (about *qd.CollectionInfo, version int, err error) {
	err = c.do(ctx, "read its settings", func(ctx context.Context) (err error) {
		about, err = c.client.GetCollectionInfo(ctx, c.name)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if err := c.checkVectors(l, about); err != nil {
		return nil, 0, err
	}
	version, err = c.readVersion(ctx, l)
	return about, version, err
}

func (c *collection) checkServer(ctx context.Context) error {
	var reply *qd.HealthCheckReply
	err := c.do(ctx, "connect", func(ctx context.Context) (err error) {
		reply, err = c.client.HealthCheck(ctx)
		return err
	})
	if err != nil {
		return err
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(reply.GetVersion(), "v"), ".")
	if n, err := strconv.Atoi(major); err != nil || n != serverMajor {
		return &VersionError{Addr: c.o.Addr, Have: reply.GetVersion()}
	}
	return nil
}

// VersionError is a server of a major version that this build does not speak to. No
// waiting mends it.
type VersionError struct{ Addr, Have string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("qdrant at %s: has version %.40q and this build speaks to version %d; run a server of that "+
		"one, or use a forsooth made for this one",
		e.Addr, e.Have, serverMajor)
}

func (c *collection) exists(ctx context.Context) (there bool, err error) {
	err = c.do(ctx, "look for it", func(ctx context.Context) (err error) {
		there, err = c.client.CollectionExists(ctx, c.name)
		return err
	})
	return there, err
}

// graphLinks is how many neighbours a passage has in the graph of its world.
const graphLinks = 16

func (c *collection) create(ctx context.Context, l layout) error {
	if there, err := c.exists(ctx); err != nil || there {
		return err
	}
	vector := &qd.VectorParams{Size: uint64(c.o.Dimension), Distance: l.distance}
	request := &qd.CreateCollection{
		CollectionName: c.name,
		VectorsConfig:  qd.NewVectorsConfigMap(map[string]*qd.VectorParams{vectorName: vector}),
		OnDiskPayload:  qd.PtrOf(true),
		// No graph over all vectors: every search is within a world, mostly within
		// an NPC, and goes through those few exactly.
		HnswConfig: &qd.HnswConfigDiff{M: qd.PtrOf(uint64(0))},
	}
	if l.words {
		request.HnswConfig.PayloadM = qd.PtrOf(uint64(graphLinks)) // a graph of each large world
		vector.MultivectorConfig = &qd.MultiVectorConfig{Comparator: qd.MultiVectorComparator_MaxSim}
		request.SparseVectorsConfig = qd.NewSparseVectorsConfig(map[string]*qd.SparseVectorParams{wordsName: {}})
	}
	if c.clustered() {
		request.ShardNumber = qd.PtrOf(uint32(c.o.Nodes))
		request.ReplicationFactor = qd.PtrOf(uint32(copies))
		request.WriteConsistencyFactor = qd.PtrOf(uint32(quorum))
	}
	return c.do(ctx, "make it", func(ctx context.Context) error {
		err := c.client.CreateCollection(ctx, request)
		if status.Code(err) == codes.AlreadyExists { // by an attempt before, or by another process
			return nil
		}
		return err
	})
}

func (c *collection) checkVectors(l layout, about *qd.CollectionInfo) error {
	p := about.GetConfig().GetParams().GetVectorsConfig().GetParamsMap().GetMap()[vectorName]
	switch {
	case p == nil:
		return c.mismatch("was not made by forsooth (it has no vector named %q)", vectorName)
	case p.GetSize() != uint64(c.o.Dimension):
		return c.mismatch("holds vectors of %d dimensions and the embedding makes %d", p.GetSize(), c.o.Dimension)
	case l.words && about.GetConfig().GetParams().GetSparseVectorsConfig().GetMap()[wordsName] == nil:
		return c.mismatch("was not made by this build (it has no sparse vector named %q)", wordsName)
	case p.GetDistance() != l.distance:
		return c.mismatch("compares vectors by %s and not by %s", p.GetDistance(), l.distance)
	}
	return nil
}

func (c *collection) mismatch(format string, args ...any) error {
	return fmt.Errorf("qdrant at %s, collection %s: %s; set another prefix, or delete it: it is made and filled anew",
		c.o.Addr, c.name, fmt.Sprintf(format, args...))
}

// The marker is a point that says what the collection holds and in which version.
const (
	fieldHolds   = "holds"
	fieldVersion = "schema_version"
)

// readVersion is the version that the marker names; 0 in an empty collection.
func (c *collection) readVersion(ctx context.Context, l layout) (int, error) {
	p, err := c.point(ctx, markerID())
	if err != nil {
		return 0, err
	}
	if p == nil {
		n, err := c.count(ctx, nil)
		if err != nil {
			return 0, err
		}
		if n > 0 {
			return 0, c.mismatch("was not made by forsooth (%d points and no marker)", n)
		}
		return 0, nil
	}
	holds, version := p[fieldHolds].GetStringValue(), int(p[fieldVersion].GetIntegerValue())
	switch {
	case holds != l.kind:
		return 0, c.mismatch("holds a %.40q and not a %s", holds, l.kind)
	case version > l.version:
		return 0, fmt.Errorf("qdrant at %s, collection %s: has schema version %d and this build reads up to %d; use "+
			"a newer forsooth",
			c.o.Addr, c.name, version, l.version)
	case version < l.version-len(l.steps):
		return 0, c.mismatch("has schema version %d, from which this build cannot bring it to %d", version, l.version)
	}
	return version, nil
}

// index makes what indexes are missing.
func (c *collection) index(ctx context.Context, l layout, about *qd.CollectionInfo) error {
	for field, ix := range l.indexes {
		if _, known := about.GetPayloadSchema()[field]; known {
			continue
		}
		err := c.do(ctx, "index "+field, func(ctx context.Context) error {
			_, err := c.client.CreateFieldIndex(ctx, &qd.CreateFieldIndexCollection{
				CollectionName: c.name, Wait: qd.PtrOf(true), FieldName: field, FieldType: qd.PtrOf(ix.of),
				FieldIndexParams: ix.params,
			})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// migrate runs the steps from a version on, and marks each that is done. A new
// collection needs none.
func (c *collection) migrate(ctx context.Context, l layout, from int) error {
	if from == l.version {
		return nil
	}
	if from > 0 {
		for i, step := range l.steps[len(l.steps)-(l.version-from):] {
			if err := step(ctx, c); err != nil {
				return fmt.Errorf("qdrant at %s, collection %s: bring it from schema version %d to %d; it stays as "+
					"it was, start again to go on: %w",
					c.o.Addr, c.name, from+i, from+i+1, err)
			}
			if err := c.mark(ctx, l, from+i+1); err != nil {
				return err
			}
		}
		return nil
	}
	return c.mark(ctx, l, l.version)
}

func (c *collection) mark(ctx context.Context, l layout, version int) error {
	return c.upsert(ctx, "mark its schema version", &qd.PointStruct{
		Id: markerID(),
		Payload: map[string]*qd.Value{
			fieldHolds: qd.NewValueString(l.kind), fieldVersion: qd.NewValueInt(int64(version)),
		},
		Vectors: noVectors(),
	})
}

func markerID() *qd.PointId { return pointID("marker") }
