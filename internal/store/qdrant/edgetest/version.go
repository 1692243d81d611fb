package edgetest

import (
	"context"
	"net"
	"strconv"
	"testing"

	qd "github.com/qdrant/go-client/qdrant"
)

// SetVersion writes another schema version into a collection's marker, as a later build
// of the store would, and gives the one that stood there.
func SetVersion(t testing.TB, addr, collection string, version int) (before int) {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	client, err := qd.NewClient(&qd.Config{Host: host, Port: n, SkipCompatibilityCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	ctx := context.Background()
	marked := &qd.Filter{MustNot: []*qd.Condition{qd.NewIsEmpty("schema_version")}}
	found, err := client.Scroll(ctx,
		&qd.ScrollPoints{CollectionName: collection, Filter: marked, WithPayload: qd.NewWithPayload(true)})
	if err != nil || len(found) != 1 {
		t.Fatalf("the marker of %s: %d points, %v", collection, len(found), err)
	}
	payload := found[0].Payload
	before = int(payload["schema_version"].GetIntegerValue())
	payload["schema_version"] = qd.NewValueInt(int64(version))
	_, err = client.Upsert(ctx, &qd.UpsertPoints{CollectionName: collection, Wait: qd.PtrOf(true),
		Points: []*qd.PointStruct{{Id: found[0].Id, Payload: payload, Vectors: qd.NewVectorsMap(map[string]*qd.Vector{})}}})
	if err != nil {
		t.Fatal(err)
	}
	return before
}

// Data is the folder in which a server of Own keeps its collections.
func (s *Server) Data() string { return s.data }
