package retrieval_test

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strconv"
	"testing"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func cite(t *testing.T, x *retrieval.Index, w *world.World, npc, message string, at time.Time, facts world.Facts) retrieval.Result {
	t.Helper()
	n := w.NPCs[npc]
	r, err := x.CitationQuery(context.Background(), retrieval.Query{
		NPC: n, Message: message, TopK: 20, Facts: facts,
		Check: grounding.Check{
			World: w.Name, TurnStart: wall.AddDate(0, 0, 1), GameTime: at,
			InScope: func(c schema.Chunk) bool { return world.ScopeOf(c, n) },
			Holds: func(requires string) bool {
				c, err := world.ParseCondition(requires)
				return err == nil && c.Holds(facts)
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wantKeys wants the files that tell of a key.
func wantKeys(t *testing.T, r retrieval.Result, want []string) {
	t.Helper()
	var got []string
	for _, s := range r.Sources {
		itself := s.Type == "backstory" || s.Type == schema.TypeGoal || s.Type == schema.TypePersonality
		if !itself && !slices.Contains(got, s.Path) && s.Summary != "" || s.Content == "The cellar key is in the clock." {
			got = append(got, s.Path)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func refusedFor(r retrieval.Result, reason string) int {
	for _, c := range r.Retrieval.Rejected {
		if c.Name == reason {
			return c.N
		}
	}
	return 0
}

func wantRefused(t *testing.T, r retrieval.Result, want map[string]int) {
	t.Helper()
	for reason, n := range want {
		if got := refusedFor(r, reason); got != n {
			t.Errorf("refused for %s: %d, want %d (%v)", reason, got, n, r.Retrieval.Rejected)
		}
	}
	if len(r.Retrieval.Rejected) != len(want) {
		t.Errorf("refused: %v, want %v", r.Retrieval.Rejected, want)
	}
}

func words(of ...string) *qd.Value {
	var values []*qd.Value
	for _, w := range of {
		values = append(values, qd.NewValueString(w))
	}
	return qd.NewValueFromList(values...)
}

// raw is a client that knows nothing of forsooth.
func (e *engine) raw(t *testing.T) *qd.Client {
	t.Helper()
	host, port, err := net.SplitHostPort(e.server.Addr)
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

const forgedID = "5e1f0a7c-0000-4000-8000-000000000001"

// forge writes a copy of the first passage of a file, with another text, spoiled.
func (e *engine) forge(t *testing.T, path, told string, spoiled map[string]*qd.Value, spoil func(*schema.Chunk)) *qd.PointId {
	t.Helper()
	ctx := context.Background()
	client, name := e.raw(t), e.prefix+"corpus"
	found, err := client.Scroll(ctx, &qd.ScrollPoints{
		CollectionName: name, WithPayload: qd.NewWithPayload(true), WithVectors: qd.NewWithVectors(true),
		Filter: &qd.Filter{Must: []*qd.Condition{qd.NewMatchKeyword("path", path)}},
	})
	if err != nil || len(found) != 1 {
		t.Fatalf("%d points of %s, %v", len(found), path, err)
	}
	payload := found[0].Payload
	var chunk schema.Chunk
	if err := json.Unmarshal([]byte(payload["passage"].GetStringValue()), &chunk); err != nil {
		t.Fatal(err)
	}
	chunk.ID, chunk.Text = path+"#99", told
	if spoil != nil {
		spoil(&chunk)
	}
	record, err := json.Marshal(chunk)
	if err != nil {
		t.Fatal(err)
	}
	payload["passage"], payload["id"] = qd.NewValueString(string(record)), qd.NewValueString(chunk.ID)
	for field, v := range spoiled {
		if payload[field] = v; v == nil {
			delete(payload, field)
		}
	}
	id := qd.NewIDUUID(forgedID)
	_, err = client.Upsert(ctx, &qd.UpsertPoints{CollectionName: name, Wait: qd.PtrOf(true), Points: []*qd.PointStruct{{
		Id: id, Payload: payload, Vectors: qd.NewVectorsMap(map[string]*qd.Vector{
			"content": qd.NewVectorMulti(dense(found[0].GetVectors())),
		}),
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func dense(v *qd.VectorsOutput) [][]float32 {
	var out [][]float32
	for _, one := range v.GetVectors().GetVectors()["content"].GetMultiDense().GetVectors() {
		out = append(out, one.GetData())
	}
	return out
}

func (e *engine) unforge(t *testing.T, id *qd.PointId) {
	t.Helper()
	_, err := e.raw(t).Delete(context.Background(), &qd.DeletePoints{
		CollectionName: e.prefix + "corpus", Wait: qd.PtrOf(true), Points: qd.NewPointsSelectorIDs([]*qd.PointId{id}),
	})
	if err != nil {
		t.Fatal(err)
	}
}
