package qdrant

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	qd "github.com/qdrant/go-client/qdrant"

	"github.com/forsooth-npc/forsooth/internal/store"
)

// Corpus keeps documents in the collection "corpus". A reader trusts one point
// alone, the manifest of a world and model, which names the documents and with
// which write each came. A write puts its passages beside the old ones, then the
// new manifest, and then removes what no manifest names: until the manifest is
// there all of the old stands, and from then on all of the new.
type Corpus struct {
	*collection
	writing   sync.Mutex
	manifests *lru.Cache[string, manifest]
}

var _ store.Corpus = (*Corpus)(nil)

// OpenCorpus connects to a server and makes the collection where there is none.
func OpenCorpus(ctx context.Context, o Options) (*Corpus, error) {
	c, err := open(ctx, o, corpusLayout())
	if err != nil {
		return nil, err
	}
	return newCorpus(c)
}

func newCorpus(c *collection) (*Corpus, error) {
	kept, err := lru.New[string, manifest](keptManifests)
	return &Corpus{collection: c, manifests: kept}, err
}

// Vectors are compared by their product, for the server changes those that it
// compares by cosine; the embedding makes them of unit length anyway.
func corpusLayout() layout {
	return layout{
		kind: "corpus", versioned: true, version: 2, distance: qd.Distance_Dot, indexes: passageIndexes(), words: true,
	}
}

// Hashes are the documents kept of a world, path to hash.
func (c *Corpus) Hashes(ctx context.Context, world, model string) (map[string]string, error) {
	m, err := c.manifest(ctx, world, model)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for path, e := range m.Documents {
		out[path] = e.Hash
	}
	return out, nil
}

// rivals is how often a write begins again because another process wrote the
// same world meanwhile.
const rivals = 8

// Apply puts and removes documents: all of it or none.
func (c *Corpus) Apply(ctx context.Context, world, model string, put []store.Document, remove []string) error {
	for _, d := range put {
		if err := c.check(world, d); err != nil {
			return err
		}
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	for range rivals {
		done, err := c.apply(ctx, world, model, put, remove)
		if done || err != nil {
			return err
		}
	}
	return c.wrap("write documents", fmt.Errorf("world %s: others write it all the time; let one process index it", world))
}

func (c *Corpus) check(world string, d store.Document) error {
	if err := store.CheckDocument(world, d); err != nil {
		return err
	}
	for _, v := range d.Vectors {
		if len(v.Values) != c.o.Dimension {
			return c.wrap("write documents",
				fmt.Errorf("%s: a vector of %d dimensions; the collection has %d", d.Path, len(v.Values), c.o.Dimension))
		}
	}
	return nil
}

// apply tries once; it is not done where another wrote a manifest first. What the other
// has written is left as it is: the processes of a fleet that start on an empty server
// bring the same documents, and those of the first do for all.
func (c *Corpus) apply(
	ctx context.Context, world, model string, put []store.Document, remove []string,
) (done bool, err error) {
	old, err := c.manifest(ctx, world, model)
	if err != nil {
		return false, err
	}
	if put = old.lacks(put); len(put) == 0 && !old.names(remove) {
		return true, nil
	}
	next := manifest{Generation: old.Generation + 1, Write: newWrite(), Documents: maps.Clone(old.Documents)}
	if next.Documents == nil {
		next.Documents = map[string]entry{}
	}
	for _, path := range remove {
		delete(next.Documents, path)
	}
	for _, d := range put {
		if err := c.putDocument(ctx, world, model, next, d); err != nil {
			return false, err
		}
		next.Documents[d.Path] = entry{Hash: d.Hash, Write: next.Write, Passages: len(d.Chunks), Stretches: len(d.Vectors)}
	}
	if won, err := c.commit(ctx, world, model, next); err != nil || !won {
		return false, err
	}
	// The batch stands whether or not the sweep gets through, so its error would
	// say the wrong thing; what it leaves nobody sees, and the next one takes it.
	_ = c.sweep(ctx, world, model, next)
	return true, nil
}

// newWrite names a write so that no two share a point.
func newWrite() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// putDocument writes the points of a document in parts.
func (c *Corpus) putDocument(ctx context.Context, world, model string, m manifest, d store.Document) error {
	var readings []store.Reading
	if c.o.Read != nil {
		readings = c.o.Read(d)
	}
	points, err := encodeDocument(world, model, m, d, readings)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(points, pageSize) {
		if err := c.upsert(ctx, "write "+d.Path, part...); err != nil {
			return err
		}
	}
	return nil
}

// sweep removes what no manifest of this generation or a later one can name:
// replaced and removed documents, and what writes that broke off or lost left.
func (c *Corpus) sweep(ctx context.Context, world, model string, m manifest) error {
	f := passages(world, model)
	f.Must = append(f.Must, qd.NewRange(fieldGeneration, &qd.Range{Lte: qd.PtrOf(float64(m.Generation))}))
	var live []*qd.Condition
	for write, paths := range m.byWrite() {
		live = append(live, qd.NewFilterAsCondition(&qd.Filter{
			Must: []*qd.Condition{qd.NewMatchKeyword(fieldWrite, write), qd.NewMatchKeywords(fieldPath, paths...)},
		}))
	}
	f.MustNot = live
	return c.remove(ctx, qd.NewPointsSelectorFilter(f))
}

// readings is how often documents are read again because a write changed them
// meanwhile.
const readings = 4

// Documents are all documents of a world in order of path.
func (c *Corpus) Documents(ctx context.Context, world, model string) ([]store.Document, error) {
	for range readings {
		m, err := c.manifest(ctx, world, model)
		if err != nil {
			return nil, err
		}
		out, err := c.documents(ctx, world, model, m)
		if !errors.Is(err, errIncomplete) {
			return out, err
		}
		if now, err := c.manifest(ctx, world, model); err != nil {
			return nil, err
		} else if now.Write == m.Write {
			break // nobody wrote, so something is lost
		}
	}
	return nil, c.damaged("passages of world %.100q that its manifest names are missing", world)
}

func (c *Corpus) damaged(format string, args ...any) error {
	return fmt.Errorf("qdrant at %s, collection %s: %w: %s; delete it and start again: it is made and filled anew",
		c.o.Addr, c.name, store.ErrCorrupt, fmt.Sprintf(format, args...))
}

var errIncomplete = errors.New("incomplete")

// documents are those that a manifest names.
func (c *Corpus) documents(ctx context.Context, world, model string, m manifest) ([]store.Document, error) {
	if len(m.Documents) == 0 {
		return nil, nil
	}
	found := map[string]*gathered{}
	for path, e := range m.Documents {
		found[path] = newGathered(path, e)
	}
	err := c.each(ctx, "read documents", passages(world, model), true, func(p *qd.RetrievedPoint) error {
		if g := found[p.GetPayload()[fieldPath].GetStringValue()]; g != nil {
			return c.wrap("read documents", g.take(p))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]store.Document, 0, len(found))
	for _, path := range slices.Sorted(maps.Keys(found)) {
		if found[path].missing > 0 {
			return nil, errIncomplete
		}
		out = append(out, found[path].whole())
	}
	return out, nil
}

// manifest says which documents stand.
type manifest struct {
	Generation int64            // one more with each write
	Write      string           // that made it
	Documents  map[string]entry // by path
}

type entry struct {
	Hash      string `json:"hash"`
	Write     string `json:"write"` // with which its points came
	Passages  int    `json:"passages"`
	Stretches int    `json:"stretches"`
}

// lacks are those of some documents that do not stand as they are.
func (m *manifest) lacks(docs []store.Document) []store.Document {
	var out []store.Document
	for _, d := range docs {
		if m.Documents[d.Path].Hash != d.Hash {
			out = append(out, d)
		}
	}
	return out
}

// names says whether any of some paths stands.
func (m *manifest) names(paths []string) bool {
	return slices.ContainsFunc(paths, func(path string) bool { _, ok := m.Documents[path]; return ok })
}

func (m *manifest) byWrite() map[string][]string {
	out := map[string][]string{}
	for path, e := range m.Documents {
		out[e.Write] = append(out[e.Write], valid(path))
	}
	return out
}

func manifestID(world, model string) *qd.PointId { return pointID("manifest", world, model) }

// manifest is the one that stands; an empty one where nothing was written.
func (c *Corpus) manifest(ctx context.Context, world, model string) (manifest, error) {
	p, err := c.point(ctx, manifestID(world, model))
	if err != nil || p == nil {
		return manifest{}, err
	}
	m := manifest{Generation: p[fieldGeneration].GetIntegerValue(), Write: p[fieldWrite].GetStringValue()}
	if err := json.Unmarshal([]byte(p[fieldDocuments].GetStringValue()), &m.Documents); err != nil {
		return m, c.damaged("the manifest of world %.100q: %v", world, err)
	}
	return m, nil
}

// commit puts a manifest in place of the one before it, if that one still stands,
// and says whether it did.
func (c *Corpus) commit(ctx context.Context, world, model string, m manifest) (bool, error) {
	documents, err := json.Marshal(m.Documents)
	if err != nil {
		return false, fmt.Errorf("manifest of world %s: %w", world, err)
	}
	err = c.do(ctx, "write the manifest", func(ctx context.Context) error {
		_, err := c.client.Upsert(ctx, &qd.UpsertPoints{
			CollectionName: c.name, Wait: qd.PtrOf(true), Ordering: c.ordering(qd.WriteOrderingType_Strong),
			UpdateFilter: &qd.Filter{Must: []*qd.Condition{qd.NewMatchInt(fieldGeneration, m.Generation-1)}},
			Points: []*qd.PointStruct{{Id: manifestID(world, model), Vectors: noVectors(), Payload: payload{
				fieldPart: qd.NewValueString(partManifest), fieldWorld: qd.NewValueString(valid(world)),
				fieldModel:      qd.NewValueString(valid(model)),
				fieldGeneration: qd.NewValueInt(m.Generation), fieldWrite: qd.NewValueString(m.Write),
				fieldDocuments: qd.NewValueString(string(documents)),
			}}},
		})
		return err
	})
	if err != nil {
		return false, err
	}
	now, err := c.manifest(ctx, world, model)
	return now.Write == m.Write, err
}
