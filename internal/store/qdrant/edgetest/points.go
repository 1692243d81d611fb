package edgetest

import (
	"encoding/json"
	"net"
	"strconv"
	"testing"

	qd "github.com/qdrant/go-client/qdrant"
)

// Client knows nothing of forsooth: it is whoever else has the server's key.
func Client(t testing.TB, addr string) *qd.Client {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	c, err := qd.NewClient(&qd.Config{Host: host, Port: n, SkipCompatibilityCheck: true, PoolSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// forgedID is that of the one point that Forge writes.
const forgedID = "5e1f0a7c-0000-4000-8000-000000000001"

// Forge writes a copy of the one passage of a file, spoiled: fields of its payload are
// replaced, a nil one is left out, and record changes the passage as it stands in it. The
// forgery goes with undo.
func (s *Server) Forge(t testing.TB, collection, path string, fields map[string]any,
	record func([]byte) []byte) (undo func()) {
	t.Helper()
	client := Client(t, s.Addr)
	found, err := client.Scroll(t.Context(), &qd.ScrollPoints{
		CollectionName: collection, WithPayload: qd.NewWithPayload(true), WithVectors: qd.NewWithVectors(true),
		Filter: &qd.Filter{Must: []*qd.Condition{qd.NewMatchKeyword("path", path)}},
	})
	if err != nil || len(found) != 1 {
		t.Fatalf("%d points of %s, %v", len(found), path, err)
	}
	payload := found[0].Payload
	passage := record([]byte(payload["passage"].GetStringValue()))
	var id struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(passage, &id); err != nil {
		t.Fatal(err)
	}
	payload["passage"], payload["id"] = qd.NewValueString(string(passage)), qd.NewValueString(id.ID)
	for field, v := range fields {
		if v == nil {
			delete(payload, field)
			continue
		}
		if payload[field], err = qd.NewValue(v); err != nil {
			t.Fatal(err)
		}
	}
	point := qd.NewIDUUID(forgedID)
	_, err = client.Upsert(t.Context(), &qd.UpsertPoints{CollectionName: collection, Wait: qd.PtrOf(true),
		Points: []*qd.PointStruct{{Id: point, Payload: payload,
			Vectors: qd.NewVectorsMap(
				map[string]*qd.Vector{"content": qd.NewVectorMulti(dense(found[0].GetVectors()))})}}})
	if err != nil {
		t.Fatal(err)
	}
	return func() { s.remove(t, collection, qd.NewPointsSelectorIDs([]*qd.PointId{point})) }
}

// Empty removes all points of a collection but the one that names its schema.
func (s *Server) Empty(t testing.TB, collection string) {
	t.Helper()
	s.remove(t, collection,
		qd.NewPointsSelectorFilter(&qd.Filter{Must: []*qd.Condition{qd.NewIsEmpty("schema_version")}}))
}

// Remove removes the points that have a value in a field.
func (s *Server) Remove(t testing.TB, collection, field, value string) {
	t.Helper()
	s.remove(t, collection, qd.NewPointsSelectorFilter(&qd.Filter{Must: []*qd.Condition{qd.NewMatchKeyword(field,
		value)}}))
}

func (s *Server) remove(t testing.TB, collection string, points *qd.PointsSelector) {
	t.Helper()
	_, err := Client(t, s.Addr).Delete(t.Context(), &qd.DeletePoints{CollectionName: collection, Wait: qd.PtrOf(true),
		Points: points})
	if err != nil {
		t.Fatal(err)
	}
}

func dense(v *qd.VectorsOutput) [][]float32 {
	var out [][]float32
	for _, one := range v.GetVectors().GetVectors()["content"].GetMultiDense().GetVectors() {
		out = append(out, one.GetData())
	}
	return out
}
