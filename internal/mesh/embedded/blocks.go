package embedded

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/minio/highwayhash"
)

// Held is what a stream holds: every sequence from First on, but for Deleted. What
// is behind Last came after the looking, and counts as held.
type Held struct {
	First, Last uint64
	Deleted     []uint64 // in order
}

func (h *Held) has(seq uint64) bool {
	if seq > h.Last {
		return true
	}
	_, deleted := slices.BinarySearch(h.Deleted, seq)
	return seq >= h.First && !deleted
}

// Scrubbed is what a scrubbing came to.
type Scrubbed struct {
	Files   int `json:"files"`   // written anew
	Records int `json:"records"` // of deleted messages that were still there
}

// The form of a record in a block of JetStream's file store: its length (4 bytes),
// sequence (8), time (8), length of the subject (2), all little-endian; with
// headers their length (4) after the subject; and a checksum (8) at the end. The
// topmost bits are marks.
const (
	recordHead = 22
	recordSum  = 8
	hasHeaders = 1 << 31 // of the length
	wasErased  = 1 << 63 // of the sequence
	isTomb     = 1 << 62
)

// scrubStreams overwrites what was deleted and still lies in the blocks of a
// stopped server: revisions that newer ones replaced, messages that aged out or
// were only marked. The server overwrites none of those by itself, and cannot be
// asked to. A record becomes what the server makes of one that it erases, so
// nothing moves and no sequence changes.
func scrubStreams(store string, held map[string]Held) (Scrubbed, error) {
	var out Scrubbed
	for name, h := range held {
		// of one that was killed
		rests, _ := filepath.Glob(filepath.Join(store, "jetstream", "*", "streams", name, "msgs", "*"+scrubSuffix))
		for _, path := range rests {
			if err := os.Remove(path); err != nil {
				return out, fmt.Errorf("scrub: %w", err)
			}
		}
		blocks, err := filepath.Glob(filepath.Join(store, "jetstream", "*", "streams", name, "msgs", "*.blk"))
		if err != nil {
			return out, err
		}
		for _, path := range blocks {
			n, err := scrubBlock(path, name, &h)
			if err != nil {
				return out, err
			}
			if n > 0 {
				out.Files++
				out.Records += n
			}
		}
	}
	return out, nil
}

// scrubBlock rewrites one block, if there is anything in it to be overwritten.
func scrubBlock(path, stream string, held *Held) (int, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("scrub: %w", err)
	}
	var index uint32
	if _, err := fmt.Sscanf(filepath.Base(path), "%d.blk", &index); err != nil {
		return 0, fmt.Errorf("scrub %s: it is not named as a block: %w", path, err)
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s-%d", stream, index))
	n, err := overwriteDead(data, key[:], held)
	if err != nil {
		return 0, fmt.Errorf("scrub %s: %w; deleted messages may still be in it", path, err)
	}
	if n == 0 {
		return 0, nil
	}
	return n, replaceFile(path, data)
}

// overwriteDead overwrites the records of a block that the stream holds no more,
// and counts them. It changes nothing before the whole block was understood.
func overwriteDead(block, key []byte, held *Held) (int, error) {
	type record struct{ from, to int }
	var dead []record
	for at := 0; at < len(block); {
		if at+recordHead > len(block) {
			return 0, fmt.Errorf("it ends within a record at byte %d", at)
		}
		length := int(binary.LittleEndian.Uint32(block[at:]) &^ hasHeaders)
		if length < recordHead+recordSum || at+length > len(block) {
			return 0, fmt.Errorf("the record at byte %d cannot be %d bytes long", at, length)
		}
		r := record{at, at + length}
		if !sound(block[r.from:r.to], key) {
			return 0, fmt.Errorf("the record at byte %d does not bear its checksum", at)
		}
		seq := binary.LittleEndian.Uint64(block[at+4:])
		if seq&(wasErased|isTomb) == 0 && seq != 0 && !held.has(seq) {
			dead = append(dead, r)
		}
		at += length
	}
	for _, r := range dead {
		if err := overwriteRecord(block[r.from:r.to], key); err != nil {
			return 0, err
		}
	}
	return len(dead), nil
}

// sound compares a record's checksum: of sequence, time, subject, headers and body.
func sound(record, key []byte) bool {
	subject := int(binary.LittleEndian.Uint16(record[20:]))
	body := recordHead + subject
	if body+recordSum > len(record) {
		return false
	}
	rest := record[body : len(record)-recordSum]
	if binary.LittleEndian.Uint32(record)&hasHeaders != 0 {
		if len(rest) < 4 {
			return false
		}
		rest = rest[4:]
	}
	sum, err := checksum(key, record[4:20], record[recordHead:body], rest)
	return err == nil && string(sum) == string(record[len(record)-recordSum:])
}

func overwriteRecord(record, key []byte) error {
	binary.LittleEndian.PutUint32(record, uint32(len(record))) //nolint:gosec // it was read from four bytes
	binary.LittleEndian.PutUint64(record[4:], binary.LittleEndian.Uint64(record[4:])|wasErased)
	binary.LittleEndian.PutUint64(record[12:], 0)
	binary.LittleEndian.PutUint16(record[20:], 0)
	body := record[recordHead : len(record)-recordSum]
	if _, err := rand.Read(body); err != nil {
		return err
	}
	sum, err := checksum(key, record[4:20], body)
	copy(record[len(record)-recordSum:], sum)
	return err
}

func checksum(key []byte, parts ...[]byte) ([]byte, error) {
	h, err := highwayhash.New64(key)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		_, _ = h.Write(p) // a hash never fails
	}
	return h.Sum(nil), nil
}

// scrubSuffix ends the names of blocks that are being written anew.
const scrubSuffix = ".scrub"

// replaceFile writes a file anew so that a crash leaves the old one or the new.
func replaceFile(path string, data []byte) error {
	temp := path + scrubSuffix
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("scrub %s: %w", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("scrub %s: %w", path, err)
	}
	return nil
}

// Scrub stops the server, overwrites what its streams hold no more, and starts it
// again at the same address. Connections come back by themselves; what is asked
// for meanwhile waits. held is what each stream holds.
func (s *Server) Scrub(ctx context.Context, held map[string]Held) (Scrubbed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return Scrubbed{}, fmt.Errorf("the NATS server on %s has been stopped", s.opts.Dir)
	}
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	done, err := scrubStreams(filepath.Join(s.opts.Dir, "nats"), held)
	// Whatever became of that, the mesh needs its server.
	ns, again := s.boot(context.WithoutCancel(ctx))
	if again != nil {
		s.stopped = true
		return done, again
	}
	s.ns = ns
	return done, err
}
