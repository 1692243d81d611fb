package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/forsooth-npc/forsooth/internal/store"
)

const corpusLayout = `CREATE TABLE document (
	world TEXT NOT NULL, path TEXT NOT NULL, model TEXT NOT NULL, hash TEXT NOT NULL,
	chunks BLOB NOT NULL, vectors BLOB NOT NULL, sum INTEGER NOT NULL,
	PRIMARY KEY (world, path, model)) WITHOUT ROWID`

var corpusPlan = plan{kind: "corpus index", version: 1, layout: corpusLayout}

// Corpus is the corpus in a SQLite file.
type Corpus struct{ *file }

var _ store.Corpus = (*Corpus)(nil)

// OpenCorpus opens or makes the corpus file. A damaged one is an error that
// wraps store.ErrCorrupt.
func OpenCorpus(ctx context.Context, path string) (*Corpus, error) {
	f, err := open(ctx, path, corpusPlan)
	if err != nil {
		return nil, err
	}
	return &Corpus{f}, nil
}

// MendCorpus opens the corpus file; one that is damaged or of an older version
// is set aside as NAME.damaged and an empty one takes its place, for the index
// is built anew from the world's files. The returned note says so and is empty
// otherwise.
func MendCorpus(ctx context.Context, path string) (c *Corpus, note string, err error) {
	return mend(ctx, path, "the world's files", OpenCorpus)
}

// verify reads every row's checksum, which SQLite itself does not keep.
func (c *Corpus) verify(ctx context.Context) error {
	rows, err := c.db.QueryContext(ctx, "SELECT path, chunks, vectors, sum FROM document")
	if err != nil {
		return c.wrap("verify", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	for rows.Next() {
		var path string
		var chunks, vectors []byte
		var sum uint32
		if err := rows.Scan(&path, &chunks, &vectors, &sum); err != nil {
			return c.wrap("verify", err)
		}
		if checksum(chunks, vectors) != sum {
			return c.wrap("verify", fmt.Errorf("%w: the row of %s does not match its checksum", store.ErrCorrupt, path))
		}
	}
	return c.wrap("verify", rows.Err())
}

// Hashes are the documents kept of a world, path to hash.
func (c *Corpus) Hashes(ctx context.Context, world, model string) (map[string]string, error) {
	rows, err := c.db.QueryContext(ctx, "SELECT path, hash FROM document WHERE world = ? AND model = ?", world, model)
	if err != nil {
		return nil, c.wrap("read hashes", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	out := map[string]string{}
	for rows.Next() {
		var path, hash string
		if err := rows.Scan(&path, &hash); err != nil {
			return nil, c.wrap("read hashes", err)
		}
		out[path] = hash
	}
	return out, c.wrap("read hashes", rows.Err())
}

// Apply puts and removes documents in one transaction.
func (c *Corpus) Apply(ctx context.Context, world, model string, put []store.Document, remove []string) error {
	for _, d := range put {
		if err := store.CheckDocument(world, d); err != nil {
			return err
		}
	}
	return c.write(ctx, "write documents", func(tx *sql.Tx) error {
		for _, path := range remove {
			if _, err := tx.ExecContext(ctx, "DELETE FROM document WHERE world = ? AND model = ? AND path = ?", world, model,
				path); err != nil {
				return err
			}
		}
		insert, err := tx.PrepareContext(ctx, "INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?, ?, ?)")
		if err != nil {
			return err
		}
		defer insert.Close() //nolint:errcheck // the commit tells what went wrong
		for _, d := range put {
			chunks, err := json.Marshal(d.Chunks)
			if err != nil {
				return fmt.Errorf("encode %s: %w", d.Path, err)
			}
			vectors := encodeVectors(d.Vectors)
			if _, err := insert.ExecContext(ctx, world, d.Path, model, d.Hash, chunks, vectors,
				checksum(chunks, vectors)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Documents are all documents of a world in order of path.
func (c *Corpus) Documents(ctx context.Context, world, model string) ([]store.Document, error) {
	rows, err := c.db.QueryContext(ctx,
		"SELECT path, hash, chunks, vectors, sum FROM document WHERE world = ? AND model = ? ORDER BY path", world, model)
	if err != nil {
		return nil, c.wrap("read documents", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err tells what went wrong
	var out []store.Document
	for rows.Next() {
		var d store.Document
		var chunks, vectors []byte
		var sum uint32
		if err := rows.Scan(&d.Path, &d.Hash, &chunks, &vectors, &sum); err != nil {
			return nil, c.wrap("read documents", err)
		}
		if err := decodeDocument(&d, chunks, vectors, sum); err != nil {
			return nil, c.wrap("read documents", err)
		}
		out = append(out, d)
	}
	return out, c.wrap("read documents", rows.Err())
}

func decodeDocument(d *store.Document, chunks, vectors []byte, sum uint32) error {
	if checksum(chunks, vectors) != sum {
		return fmt.Errorf("%w: the row of %s does not match its checksum", store.ErrCorrupt, d.Path)
	}
	if err := json.Unmarshal(chunks, &d.Chunks); err != nil {
		return fmt.Errorf("%w: the passages of %s: %w", store.ErrCorrupt, d.Path, err)
	}
	var err error
	if d.Vectors, err = decodeVectors(vectors); err != nil {
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	return nil
}

func checksum(chunks, vectors []byte) uint32 {
	return crc32.Update(crc32.ChecksumIEEE(chunks), crc32.IEEETable, vectors)
}

// encodeVectors lays vectors out as count, then chunk, start, end, length and
// float32 values each, little endian.
func encodeVectors(vs []store.Vector) []byte {
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(vs)))
	for _, v := range vs {
		for _, n := range []int{v.Chunk, v.Start, v.End, len(v.Values)} {
			out = binary.LittleEndian.AppendUint32(out, uint32(n))
		}
		out = appendFloats(out, v.Values)
	}
	return out
}

func appendFloats(out []byte, values []float32) []byte {
	for _, x := range values {
		out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
	}
	return out
}

var errShort = fmt.Errorf("%w: vectors are cut short", store.ErrCorrupt)

func decodeVectors(b []byte) ([]store.Vector, error) {
	if len(b) < 4 {
		return nil, errShort
	}
	n := int(binary.LittleEndian.Uint32(b))
	b = b[4:]
	if n > len(b)/16 {
		return nil, errShort
	}
	out := make([]store.Vector, n)
	for i := range out {
		if len(b) < 16 {
			return nil, errShort
		}
		field := func(k int) int { return int(binary.LittleEndian.Uint32(b[4*k:])) }
		size := field(3)
		out[i] = store.Vector{Chunk: field(0), Start: field(1), End: field(2)}
		if b = b[16:]; len(b)/4 < size {
			return nil, errShort
		}
		out[i].Values = readFloats(b[:4*size])
		b = b[4*size:]
	}
	return out, nil
}

func readFloats(b []byte) []float32 {
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}
