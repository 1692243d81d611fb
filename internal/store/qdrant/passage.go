package qdrant

import (
	"encoding/json"
	"fmt"
	"strconv"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The fields of the corpus beside those that it shares with the session.
const (
	fieldPart       = "part" // what a point is of a document
	fieldPath       = "path"
	fieldWrite      = "write"
	fieldGeneration = "generation"
	fieldDocuments  = "documents" // a manifest's, as JSON
	fieldPassage    = "passage"   // as JSON
	fieldNumber     = "number"    // of a passage or stretch in its document
	fieldChunk      = "chunk"     // of which passage a stretch is
	fieldStart      = "start"
	fieldEnd        = "end"
	fieldType       = "type"
	fieldKnownBy    = "known_by"
)

const (
	partManifest = "manifest"
	partPassage  = "passage"
	partStretch  = "stretch" // of a passage, with its vector
)

func passageIndexes() map[string]index {
	out := map[string]index{fieldWorld: tenant, fieldNPC: tenant, fieldGeneration: integer}
	for _, f := range []string{fieldModel, fieldPart, fieldPath, fieldWrite, fieldType, fieldKnownBy} {
		out[f] = keyword
	}
	return out
}

// scope names the passages and stretches of a world and model, and not the
// manifest.
func scope(world, model string) *qd.Filter {
	return &qd.Filter{Must: []*qd.Condition{
		qd.NewMatchKeyword(fieldWorld, valid(world)), qd.NewMatchKeyword(fieldModel, valid(model)),
		qd.NewMatchKeywords(fieldPart, partPassage, partStretch),
	}}
}

// encodeDocument is a document as points: each passage one, and each stretch.
func encodeDocument(world, model string, m manifest, d store.Document) ([]*qd.PointStruct, error) {
	out := make([]*qd.PointStruct, 0, len(d.Chunks)+len(d.Vectors))
	add := func(part string, n int, vector []float32, fields payload) {
		for name, value := range map[string]string{fieldPart: part, fieldWorld: world, fieldModel: model, fieldPath: d.Path, fieldWrite: m.Write} {
			fields[name] = qd.NewValueString(valid(value))
		}
		fields[fieldGeneration], fields[fieldNumber] = qd.NewValueInt(m.Generation), qd.NewValueInt(int64(n))
		id := pointID(part, world, model, d.Path, m.Write, strconv.Itoa(n))
		out = append(out, &qd.PointStruct{Id: id, Payload: fields, Vectors: vectorsOf(vector)})
	}
	for i, c := range d.Chunks {
		record, err := json.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("%s: encode: %w", c.ID, err)
		}
		add(partPassage, i, nil, payload{
			fieldPassage: qd.NewValueString(string(record)), fieldNPC: qd.NewValueString(valid(c.NPC)),
			fieldType: qd.NewValueString(valid(c.Type)), fieldKnownBy: list(c.KnownBy),
		})
	}
	for i, v := range d.Vectors {
		add(partStretch, i, v.Values, payload{
			fieldChunk: qd.NewValueInt(int64(v.Chunk)), fieldStart: qd.NewValueInt(int64(v.Start)), fieldEnd: qd.NewValueInt(int64(v.End)),
			fieldNPC: qd.NewValueString(valid(d.Chunks[v.Chunk].NPC)),
		})
	}
	return out, nil
}

// gathered is a document whose points are being read.
type gathered struct {
	doc     store.Document
	write   string
	missing int // points
}

func newGathered(path string, e entry) *gathered {
	g := &gathered{doc: store.Document{Path: path, Hash: e.Hash}, write: e.Write, missing: e.Passages + e.Stretches}
	if e.Passages > 0 {
		g.doc.Chunks = make([]schema.Chunk, e.Passages)
	}
	if e.Stretches > 0 {
		g.doc.Vectors = make([]store.Vector, e.Stretches)
	}
	return g
}

// take puts a point in its place; one of another write is passed over.
func (g *gathered) take(p *qd.RetrievedPoint) error {
	fields := p.GetPayload()
	if fields[fieldWrite].GetStringValue() != g.write {
		return nil
	}
	number := func(field string) int { return int(fields[field].GetIntegerValue()) }
	n := number(fieldNumber)
	passage := fields[fieldPart].GetStringValue() == partPassage
	if n < 0 || passage && n >= len(g.doc.Chunks) || !passage && n >= len(g.doc.Vectors) {
		return fmt.Errorf("%s: %w: it has a part %d too many", g.doc.Path, store.ErrCorrupt, n)
	}
	g.missing--
	if !passage {
		g.doc.Vectors[n] = store.Vector{Chunk: number(fieldChunk), Start: number(fieldStart), End: number(fieldEnd), Values: vectorOf(p.GetVectors())}
		return nil
	}
	if err := json.Unmarshal([]byte(fields[fieldPassage].GetStringValue()), &g.doc.Chunks[n]); err != nil {
		return fmt.Errorf("%s: %w: passage %d: %w", g.doc.Path, store.ErrCorrupt, n, err)
	}
	return nil
}
