package qdrant

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
)

// The fields of the corpus beside those that it shares with the session.
const (
	fieldPart       = "part" // what a point is
	fieldPath       = "path"
	fieldWrite      = "write"
	fieldGeneration = "generation"
	fieldDocuments  = "documents" // a manifest's, as JSON
	fieldPassage    = "passage"   // as JSON
	fieldStretches  = "stretches" // of a passage: start and end of each vector, in turn
	fieldNumber     = "number"    // of a passage in its document
	fieldType       = "type"
	fieldKnownBy    = "known_by"
	fieldRegion     = "region"   // those of known_by, by name
	fieldFactions   = "factions" // the same
	fieldRequires   = "requires"
	fieldBelief     = "belief"
	fieldLanguage   = "language"
	fieldPage       = "page"
	fieldHash       = "hash"
	fieldCreatedAt  = "created_at"
	fieldIndexedAt  = "indexed_at"
	fieldStems      = "stems"     // of text and metadata, as numbers
	fieldFresh      = "fresh"     // of the text, those that no earlier passage of the document has
	fieldOpens      = "opens"     // 1 where it is the first of its document
	fieldLot        = "lot"       // a number drawn by its id: samples take the lowest
	fieldSignature  = "signature" // what shows that a model or a prompt made it
)

const (
	partManifest = "manifest"
	partPassage  = "passage"
)

func passageIndexes() map[string]index {
	out := map[string]index{
		fieldWorld: tenant, fieldNPC: tenant, fieldGeneration: integer, fieldPage: integer, fieldStems: lookup,
		fieldFresh: lookup,
		fieldOpens: lookup, fieldLot: integer,
	}
	for _, f := range []string{
		fieldModel, fieldPart, fieldPath, fieldWrite, fieldType, fieldKnownBy, fieldRegion, fieldFactions,
		fieldRequires,
		fieldBelief, fieldLanguage, fieldHash, fieldSource, fieldSignature, fieldID,
	} {
		out[f] = keyword
	}
	for _, f := range []string{fieldCreatedAt, fieldIndexedAt, fieldValidFrom, fieldValidTo} {
		out[f] = datetime
	}
	return out
}

// passages names the passages of a world and model, and not the manifest.
func passages(world, model string) *qd.Filter {
	return &qd.Filter{Must: []*qd.Condition{
		qd.NewMatchKeyword(fieldWorld, valid(world)), qd.NewMatchKeyword(fieldModel, valid(model)),
		qd.NewMatchKeyword(fieldPart, partPassage),
	}}
}

// encodeDocument is a document as points, one a passage: the whole provenance as
// payload, the vectors of its stretches, and its words.
func encodeDocument(world, model string, m manifest, d store.Document, readings []store.Reading) ([]*qd.PointStruct,
	error) {
	out := make([]*qd.PointStruct, len(d.Chunks))
	dense := make([][][]float32, len(d.Chunks))
	stretches := make([][]*qd.Value, len(d.Chunks))
	for _, v := range d.Vectors {
		dense[v.Chunk] = append(dense[v.Chunk], v.Values)
		stretches[v.Chunk] = append(stretches[v.Chunk], qd.NewValueInt(int64(v.Start)), qd.NewValueInt(int64(v.End)))
	}
	for i := range d.Chunks {
		fields, err := provenance(&d.Chunks[i])
		if err != nil {
			return nil, err
		}
		for name, value := range map[string]string{
			fieldPart: partPassage, fieldWorld: world, fieldModel: model, fieldPath: d.Path, fieldWrite: m.Write,
		} {
			fields[name] = qd.NewValueString(valid(value))
		}
		fields[fieldGeneration], fields[fieldNumber] = qd.NewValueInt(m.Generation), qd.NewValueInt(int64(i))
		fields[fieldStretches] = qd.NewValueFromList(stretches[i]...)
		fields[fieldLot] = qd.NewValueInt(lot(d.Chunks[i].ID))
		vectors := map[string]*qd.Vector{}
		if len(dense[i]) > 0 {
			vectors[vectorName] = qd.NewVectorMulti(dense[i])
		}
		if i < len(readings) {
			addReading(fields, vectors, readings[i])
		}
		id := pointID(partPassage, world, model, d.Path, m.Write, strconv.Itoa(i))
		out[i] = &qd.PointStruct{Id: id, Payload: fields, Vectors: qd.NewVectorsMap(vectors)}
	}
	return out, nil
}

// provenance is what a passage says of itself, as payload. What it does not say is
// left out, so that a filter finds it missing.
func provenance(c *protocol.Chunk) (payload, error) {
	record, err := json.Marshal(c)
	if err != nil {
		return nil, fmt.Errorf("%s: encode: %w", c.ID, err)
	}
	region, factions := kinds(c.KnownBy)
	out := payload{
		fieldPassage: qd.NewValueString(string(record)), fieldPage: qd.NewValueInt(int64(c.Page)),
		fieldNPC: qd.NewValueString(valid(c.NPC)), fieldKnownBy: list(c.KnownBy),
		fieldRegion: list(region), fieldFactions: list(factions),
	}
	for name, value := range map[string]string{
		fieldID: c.ID, fieldSource: string(c.Source), fieldType: c.Type, fieldRequires: c.Requires,
		fieldBelief:   c.Belief,
		fieldLanguage: c.Language, fieldHash: c.Hash,
	} {
		if value != "" {
			out[name] = qd.NewValueString(valid(value))
		}
	}
	for name, t := range map[string]time.Time{
		fieldCreatedAt: c.CreatedAt, fieldIndexedAt: c.IndexedAt, fieldValidFrom: c.ValidFrom, fieldValidTo: c.ValidTo,
	} {
		if !t.IsZero() {
			out[name] = timeValue(t)
		}
	}
	return out, nil
}

// kinds are the regions and the factions that entries of known_by name.
func kinds(knownBy []string) (regions, factions []string) {
	for _, who := range knownBy {
		switch name, of := qualified(who); of {
		case fieldRegion:
			regions = append(regions, name)
		case "faction":
			factions = append(factions, name)
		}
	}
	return regions, factions
}

func addReading(fields payload, vectors map[string]*qd.Vector, r store.Reading) {
	fields[fieldStems], fields[fieldFresh] = numbers(r.Stems), numbers(r.Fresh)
	if r.Opens {
		fields[fieldOpens] = qd.NewValueInt(1)
	}
	if r.Signature != "" {
		fields[fieldSignature] = qd.NewValueString(r.Signature)
	}
	if indices, values := sparse(r.Weights); len(indices) > 0 {
		vectors[wordsName] = qd.NewVectorSparse(indices, values)
	}
}

func numbers(stems []string) *qd.Value {
	values := make([]*qd.Value, len(stems))
	for i, s := range stems {
		values[i] = qd.NewValueInt(int64(number(s)))
	}
	return qd.NewValueFromList(values...)
}

// number is a stem's place in the sparse vectors. Two stems may share one: that is
// felt in the first ranking only, or as a name that is taken for known.
func number(stem string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(stem)) // it never fails
	return h.Sum32()
}

// sparse is a sparse vector; of terms with one number the heaviest counts.
func sparse(terms []store.Term) (indices []uint32, values []float32) {
	weights := map[uint32]float32{}
	for _, t := range terms {
		if n := number(t.Stem); t.Weight > weights[n] {
			weights[n] = t.Weight
		}
	}
	for n := range weights {
		indices = append(indices, n)
	}
	slices.Sort(indices)
	for _, n := range indices {
		values = append(values, weights[n])
	}
	return indices, values
}

// lots is how many there are.
const lots = 1 << 31

// lot is a number drawn by an id.
func lot(id string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // it never fails
	x := h.Sum64()
	x ^= x >> 33 // ids differ in their last letters, which reach the low bits alone
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return int64(x % lots) //nolint:gosec // below 1<<31
}

// gathered is a document whose points are being read.
type gathered struct {
	doc     store.Document
	write   string
	vectors [][]store.Vector // by passage
	missing int              // points
}

func newGathered(path string, e entry) *gathered {
	g := &gathered{doc: store.Document{Path: path, Hash: e.Hash}, write: e.Write, missing: e.Passages}
	if e.Passages > 0 {
		g.doc.Chunks = make([]protocol.Chunk, e.Passages)
		g.vectors = make([][]store.Vector, e.Passages)
	}
	return g
}

// take puts a point in its place; one of another write is passed over.
func (g *gathered) take(p *qd.RetrievedPoint) error {
	fields := p.GetPayload()
	if fields[fieldWrite].GetStringValue() != g.write {
		return nil
	}
	n := int(fields[fieldNumber].GetIntegerValue())
	if n < 0 || n >= len(g.doc.Chunks) {
		return fmt.Errorf("%s: %w: it has a part %d too many", g.doc.Path, store.ErrCorrupt, n)
	}
	g.missing--
	ends := fields[fieldStretches].GetListValue().GetValues()
	for i, values := range vectorsIn(p.GetVectors()) {
		if 2*i+1 >= len(ends) {
			return fmt.Errorf("%s: %w: passage %d has a vector of no stretch", g.doc.Path, store.ErrCorrupt, n)
		}
		g.vectors[n] = append(g.vectors[n], store.Vector{
			Chunk: n, Start: int(ends[2*i].GetIntegerValue()), End: int(ends[2*i+1].GetIntegerValue()), Values: values,
		})
	}
	if err := json.Unmarshal([]byte(fields[fieldPassage].GetStringValue()), &g.doc.Chunks[n]); err != nil {
		return fmt.Errorf("%s: %w: passage %d: %w", g.doc.Path, store.ErrCorrupt, n, err)
	}
	return nil
}

// whole is the document once nothing of it is missing.
func (g *gathered) whole() store.Document {
	g.doc.Vectors = slices.Concat(g.vectors...)
	return g.doc
}

// vectorsIn are the vectors of a passage's stretches.
func vectorsIn(v *qd.VectorsOutput) [][]float32 {
	out := v.GetVectors().GetVectors()[vectorName]
	if many := out.GetMultiDense(); many != nil {
		all := make([][]float32, len(many.GetVectors()))
		for i, one := range many.GetVectors() {
			all[i] = one.GetData()
		}
		return all
	}
	return nil
}
