package qdrant_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
	"github.com/forsooth-npc/forsooth/internal/store/storetest"
)

// A collection of the schema before stands until the new one is filled beside it; then
// the plain name is the new one's.
func TestNewSchemaIsFilledBesideTheOld(t *testing.T) {
	ctx := context.Background()
	server := edgetest.Start(t)
	client := edgetest.Client(t, server.Addr)
	o := qdrant.Options{Addr: server.Addr, Prefix: fmt.Sprintf("beside%d_", time.Now().UnixNano()), Dimension: 3}
	plain := o.Prefix + "corpus"
	err := client.CreateCollection(ctx, &qd.CreateCollection{CollectionName: plain,
		VectorsConfig: qd.NewVectorsConfigMap(
			map[string]*qd.VectorParams{"content": {Size: 3, Distance: qd.Distance_Dot}})})
	if err != nil {
		t.Fatal(err)
	}
	marker := map[string]*qd.Value{"holds": qd.NewValueString("corpus"), "schema_version": qd.NewValueInt(1)}
	_, err = client.Upsert(ctx, &qd.UpsertPoints{CollectionName: plain, Wait: qd.PtrOf(true),
		Points: []*qd.PointStruct{{
			Id: qd.NewIDUUID(qdrant.MarkerID()), Payload: marker, Vectors: qd.NewVectorsMap(map[string]*qd.Vector{})}}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := qdrant.OpenCorpus(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Apply(ctx, "w", "m", []store.Document{storetest.Document("w", "a.txt", "1", "One.")}, nil); err != nil {
		t.Fatal(err)
	}
	wantPoints(t, client, plain, 1, "the old one while the new one is filled")
	if err := c.Publish(ctx); err != nil {
		t.Fatal(err)
	}
	wantPoints(t, client, plain, 3, "the new one: a passage, a manifest and a marker")
	if err := c.Publish(ctx); err != nil {
		t.Errorf("again: %v", err)
	}
}

func TestDoctorSeesWhatIsMissing(t *testing.T) {
	ctx := context.Background()
	server := edgetest.Start(t)
	o := emptied(t, server, 3)
	c, err := qdrant.OpenCorpus(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Apply(ctx, "w", "m", []store.Document{storetest.Document("w", "a.txt", "1", "One.", "Two.")},
		nil); err != nil {
		t.Fatal(err)
	}
	if n, err := qdrant.Documents(ctx, o, "w", "m"); n != 1 || err != nil {
		t.Errorf("as it was written: %d, %v", n, err)
	}
	server.Remove(t, o.Prefix+"corpus", "id", "a.txt#2")
	_, err = qdrant.Documents(ctx, o, "w", "m")
	wantLine(t, "a passage short", err, "1 of the 2 passages", "delete it")
}

func wantPoints(t *testing.T, client *qd.Client, collection string, want uint64, what string) {
	t.Helper()
	n, err := client.Count(context.Background(), &qd.CountPoints{CollectionName: collection, Exact: qd.PtrOf(true)})
	if err != nil || n != want {
		t.Errorf("%s: %d points, %v; want %d", what, n, err, want)
	}
}
