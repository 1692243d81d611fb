package qdrant_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	qd "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
	"github.com/forsooth-npc/forsooth/internal/store/storetest"
)

// wantLine wants an error of one line that holds the words.
func wantLine(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("%s: no error", what)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: %q is not one line", what, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q does not say %q", what, err, w)
		}
	}
}

func TestServerThatIsDownAndBackAgain(t *testing.T) {
	server := edgetest.Own(t)
	ctx := context.Background()
	o := qdrant.Options{Addr: server.Addr, Dimension: 2, Attempts: 2}
	s, err := qdrant.OpenSession(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a := storetest.Point("a", []float32{1, 0})
	if err := s.Put(ctx, []store.MemoryPoint{a}); err != nil {
		t.Fatal(err)
	}
	server.Kill(t)
	_, open := qdrant.OpenSession(ctx, o)
	_, get := s.Get(ctx, "w", "a")
	for what, err := range map[string]error{"open": open, "get": get, "put": s.Put(ctx, []store.MemoryPoint{a})} {
		wantLine(t, what, err, server.Addr, "session", "cannot be reached", "see that it runs")
		if !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %v is not %v", what, err, store.ErrUnavailable)
		}
	}
	server.Restart(t)
	deadline := time.Now().Add(time.Minute)
	for {
		got, err := s.Get(ctx, "w", "a")
		if err == nil {
			if got.Memory.Content != a.Memory.Content {
				t.Errorf("after the kill: %+v", got)
			}
			return
		}
		if !errors.Is(err, store.ErrUnavailable) || time.Now().After(deadline) {
			t.Fatalf("the server is back: %v", err)
		}
	}
}

func TestServerOfAnotherVersion(t *testing.T) {
	server := edgetest.Own(t, "--version", "2.0.1")
	_, err := qdrant.OpenCorpus(context.Background(), qdrant.Options{Addr: server.Addr, Dimension: 2})
	wantLine(t, "open", err, server.Addr, `"2.0.1"`, "version 1")
}

func TestOptionsThatCannotBe(t *testing.T) {
	cases := []struct {
		name string
		o    qdrant.Options
		want string
	}{
		{"no port", qdrant.Options{Addr: "localhost", Dimension: 2}, "host:port"},
		{"a port too high", qdrant.Options{Addr: "localhost:70000", Dimension: 2}, "1 to 65535"},
		{"no dimension", qdrant.Options{Addr: "localhost:6334"}, "dimension"},
		{"two nodes", qdrant.Options{Addr: "localhost:6334", Dimension: 2, Nodes: 2}, "2 nodes"},
		{"no attempt", qdrant.Options{Addr: "localhost:6334", Dimension: 2, Attempts: -1}, "attempts"},
	}
	for _, c := range cases {
		_, err := qdrant.OpenSession(context.Background(), c.o)
		wantLine(t, c.name, err, c.want)
	}
}

func TestCollectionThatCannotBeUsed(t *testing.T) {
	server := edgetest.Start(t)
	ctx := context.Background()
	points := edgetest.Client(t, server.Addr)
	name := emptied(t, server, 3).Prefix + "session"
	marker := &qd.Filter{MustNot: []*qd.Condition{qd.NewIsEmpty("schema_version")}}
	remark := func(field string, v *qd.Value) func(t *testing.T) {
		return func(t *testing.T) {
			_, err := points.SetPayload(ctx, &qd.SetPayloadPoints{CollectionName: name, Wait: qd.PtrOf(true),
				Payload: map[string]*qd.Value{field: v}, PointsSelector: qd.NewPointsSelectorFilter(marker)})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	cases := []struct {
		name      string
		spoil     func(t *testing.T)
		dimension int
		want      []string
	}{
		{"of another dimension", func(*testing.T) {}, 4, []string{"3 dimensions", "makes 4", "another prefix",
			"filled anew"}},
		{"of a newer schema", remark("schema_version", qd.NewValueInt(99)), 3,
			[]string{"schema version 99", "newer forsooth"}},
		{"of a schema that was never", remark("schema_version", qd.NewValueInt(0)), 3,
			[]string{"schema version 0", "filled anew"}},
		{"that holds something else", remark("holds", qd.NewValueString("corpus")), 3,
			[]string{`holds a "corpus"`, "another prefix"}},
		{"of somebody else", func(t *testing.T) {
			_, err := points.Delete(ctx, &qd.DeletePoints{CollectionName: name, Wait: qd.PtrOf(true),
				Points: qd.NewPointsSelectorFilter(marker)})
			if err != nil {
				t.Fatal(err)
			}
		}, 3, []string{"was not made by forsooth", "1 points"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := emptied(t, server, 3)
			s, err := qdrant.OpenSession(ctx, o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Put(ctx, []store.MemoryPoint{storetest.Point("a", []float32{1, 0, 0})}); err != nil {
				t.Fatal(err)
			}
			c.spoil(t)
			t.Cleanup(func() { _ = points.DeleteCollection(ctx, name) })
			o.Dimension = c.dimension
			_, err = qdrant.OpenSession(ctx, o)
			wantLine(t, "open", err, append(c.want, server.Addr, name)...)
		})
	}
}

// half lets a write through for the first half of its points only, and then
// answers as a cluster does of which some nodes took it; every other write fails
// so. Deletes are let through whole, and fail so too.
func half(fail *int) grpc.UnaryClientInterceptor {
	n := 0
	return func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker,
		opts ...grpc.CallOption) error {
		upsert, ok := req.(*qd.UpsertPoints)
		if _, del := req.(*qd.DeletePoints); !ok && !del {
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		if n++; n%2 == 0 {
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		*fail++
		if ok {
			whole := upsert.Points
			upsert.Points = whole[:(len(whole)+1)/2]
			defer func() { upsert.Points = whole }()
		}
		if err := invoke(ctx, method, req, reply, cc, opts...); err != nil {
			return err
		}
		return status.Error(codes.Internal, "1 out of 3\nreplicas failed to apply the operation")
	}
}

func TestWritesThatAreRejectedButPartlyApplied(t *testing.T) {
	server := edgetest.Start(t)
	ctx := context.Background()
	o := emptied(t, server, 3)
	failed := 0
	o.Intercept = half(&failed)
	s, err := qdrant.OpenSession(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var batch []store.MemoryPoint
	for _, id := range strings.Fields("a b c d e f g") {
		batch = append(batch, storetest.Point(id, []float32{1, 2, 3}))
	}
	if err := s.Put(ctx, batch); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Count(ctx, store.MemoryFilter{World: "w"}); n != len(batch) || err != nil {
		t.Errorf("count = %d, %v; want %d", n, err, len(batch))
	}
	if n, err := s.Delete(ctx, store.MemoryFilter{World: "w"}); n != len(batch) || err != nil {
		t.Errorf("deleted %d, %v; want %d", n, err, len(batch))
	}
	c, err := qdrant.OpenCorpus(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	want := storetest.Document("w", "a.txt", "2", "One.", "Two.", "Three.")
	for _, d := range []store.Document{storetest.Document("w", "a.txt", "1", "Old."), want} {
		if err := c.Apply(ctx, "w", "m", []store.Document{d}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := c.Documents(ctx, "w", "m"); err != nil || !reflect.DeepEqual(got, []store.Document{want}) {
		t.Errorf("documents = %+v, %v", got, err)
	}
	if failed < 4 {
		t.Errorf("only %d writes failed", failed)
	}
}

// TestBatchCutOffAnywhere lets a server go down after each number of writes: what
// stands is all of the old or all of the new, and the next batch leaves nothing
// else behind.
func TestBatchCutOffAnywhere(t *testing.T) {
	server := edgetest.Start(t)
	ctx := context.Background()
	before := []store.Document{storetest.Document("w", "a.txt", "1", "One."),
		storetest.Document("w", "b.txt", "1", "Two.")}
	after := []store.Document{storetest.Document("w", "a.txt", "2", "One more.", "And more."),
		storetest.Document("w", "c.txt", "1", "Three.")}
	sawOld, sawNew := 0, 0
	for left := range 5 {
		o := emptied(t, server, 3)
		c, err := qdrant.OpenCorpus(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.Apply(ctx, "w", "m", before, nil); err != nil {
			t.Fatal(err)
		}
		writes := 0
		down := o
		down.Attempts = 1
		down.Intercept = func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
			invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			switch req.(type) {
			case *qd.UpsertPoints, *qd.DeletePoints:
				if writes++; writes > left {
					return status.Error(codes.Unavailable, "down")
				}
			}
			return invoke(ctx, method, req, reply, cc, opts...)
		}
		failing, err := qdrant.OpenCorpus(ctx, down)
		if err != nil {
			t.Fatal(err)
		}
		defer failing.Close()
		cut := failing.Apply(ctx, "w", "m", after, []string{"b.txt"})
		got, err := c.Documents(ctx, "w", "m")
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case reflect.DeepEqual(got, before):
			sawOld++
			if !errors.Is(cut, store.ErrUnavailable) {
				t.Errorf("after %d writes: nothing stands, and the error is %v", left, cut)
			}
		case reflect.DeepEqual(got, after):
			sawNew++
			if cut != nil {
				t.Errorf("after %d writes: all stands, and the error is %v", left, cut)
			}
		default:
			t.Errorf("after %d writes: %+v", left, got)
		}
		last := storetest.Document("w", "d.txt", "1", "Four.")
		if err := c.Apply(ctx, "w", "m", []store.Document{last}, []string{"a.txt", "b.txt", "c.txt"}); err != nil {
			t.Fatal(err)
		}
		const manifest, marker = 1, 1
		n, err := edgetest.Client(t, server.Addr).Count(ctx, &qd.CountPoints{CollectionName: o.Prefix + "corpus",
			Exact: qd.PtrOf(true)})
		if want := len(last.Chunks) + manifest + marker; err != nil || int(n) != want {
			t.Errorf("after %d writes: %d points are left, %v; want %d", left, n, err, want)
		}
	}
	if sawOld == 0 || sawNew == 0 {
		t.Errorf("old %d times, new %d times; want both seen", sawOld, sawNew)
	}
}

func TestPassagesThatAreLost(t *testing.T) {
	server := edgetest.Start(t)
	ctx := context.Background()
	o := emptied(t, server, 3)
	c, err := qdrant.OpenCorpus(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Apply(ctx, "w", "m", []store.Document{storetest.Document("w", "a.txt", "1", "One.")}, nil); err != nil {
		t.Fatal(err)
	}
	server.Remove(t, o.Prefix+"corpus", "part", "passage")
	_, err = c.Documents(ctx, "w", "m")
	wantLine(t, "read", err, server.Addr, `world "w"`, "filled anew")
	if !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("%v is not %v", err, store.ErrCorrupt)
	}
}

// TestCluster looks at what is asked of three nodes, for the engine under test is
// one.
func TestCluster(t *testing.T) {
	server := edgetest.Start(t)
	ctx := context.Background()
	o := emptied(t, server, 5)
	o.Nodes = 3
	var made *qd.CreateCollection
	var read *qd.GetPoints
	o.Intercept = func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn,
		invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		switch r := req.(type) {
		case *qd.CreateCollection:
			made = r
		case *qd.GetPoints:
			read = r
		case *qd.UpsertPoints:
			if !r.GetWait() || r.GetOrdering().GetType() == qd.WriteOrderingType_Weak {
				t.Errorf("%s: wait %v, ordering %v", method, r.GetWait(), r.GetOrdering())
			}
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}
	s, err := qdrant.OpenSession(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if made.GetReplicationFactor() != 3 || made.GetWriteConsistencyFactor() != 2 || made.GetShardNumber() != 3 {
		t.Errorf("made with %v", made)
	}
	if _, err := s.Get(ctx, "w", "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("err = %v", err)
	}
	if read.GetReadConsistency().GetType() != qd.ReadConsistencyType_Majority {
		t.Errorf("read with %v", read)
	}
}
