package lore

// This file knows, as hashes, what each NPC has said in a model's words to anybody. A text that
// repeats such a sentence later is an echo of the model, and no evidence. It keeps no words, asks
// no store, and decides about no text: see internal/grounding.

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// EchoesKept is how many sentences of an NPC are known: 16 bytes each.
const EchoesKept = 4096

// echoWords is how many words a sentence has at least before its likeness to another one is
// no chance.
const echoWords = 4

// EchoHash stands for a folded sentence. The broker keeps it, so it is the same everywhere.
func EchoHash(folded string) uint64 {
	sum := sha256.Sum256([]byte(folded))
	return binary.BigEndian.Uint64(sum[:8])
}

// EchoesOf are those of the sentences of a text that are long enough. What stands in heard,
// the words of a player before it, is no invention of the model and has none.
func EchoesOf(said, heard string) []uint64 {
	told := text.Fold(heard)
	var out []uint64
	for _, s := range text.Sentences(said) {
		folded := text.Fold(s)
		if len(text.WordSpans(s)) >= echoWords && !strings.Contains(told, folded) {
			out = append(out, EchoHash(folded))
		}
	}
	return out
}

// Echoes is what the NPCs of a process's worlds have said. It is safe for use by many.
type Echoes struct {
	mu   sync.RWMutex
	npcs map[[2]string]*echoRing // by world and handle
}

// NewEchoes is an empty book.
func NewEchoes() *Echoes { return &Echoes{npcs: map[[2]string]*echoRing{}} }

// Add notes sentences that an NPC said. Of one that it said before the first time stays.
func (b *Echoes) Add(world, npc string, at time.Time, hashes []uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := [2]string{world, npc}
	r := b.npcs[key]
	if r == nil {
		r = &echoRing{}
		b.npcs[key] = r
	}
	for _, h := range hashes {
		r.add(echoEntry{h, at.UnixMilli()})
	}
}

// Replace puts an NPC's sentences in the place of all that were known: of an erased player
// nothing is known any more.
func (b *Echoes) Replace(world, npc string, from *Echoes) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := [2]string{world, npc}
	delete(b.npcs, key)
	if r := from.npcs[key]; r != nil {
		b.npcs[key] = r
	}
}

// Said says when an NPC first said a folded sentence. A nil book knows of nothing.
func (b *Echoes) Said(world, npc, folded string) (first time.Time, ok bool) {
	if b == nil {
		return time.Time{}, false
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	r := b.npcs[[2]string{world, npc}]
	if r == nil {
		return time.Time{}, false
	}
	i, ok := r.find(EchoHash(folded))
	if !ok {
		return time.Time{}, false
	}
	return time.UnixMilli(r.entries[i].at), true
}

// echoRing is what one NPC said, in the order of the hashes. The oldest makes room.
type echoRing struct{ entries []echoEntry }

type echoEntry struct {
	hash uint64
	at   int64 // milliseconds of the epoch
}

func (r *echoRing) find(hash uint64) (int, bool) {
	return slices.BinarySearchFunc(r.entries, hash, func(e echoEntry, h uint64) int { return cmp.Compare(e.hash, h) })
}

func (r *echoRing) add(e echoEntry) {
	i, known := r.find(e.hash)
	if known {
		r.entries[i].at = min(r.entries[i].at, e.at)
		return
	}
	r.entries = slices.Insert(r.entries, i, e)
	if len(r.entries) <= EchoesKept {
		return
	}
	oldest := 0
	for k := range r.entries {
		if r.entries[k].at < r.entries[oldest].at {
			oldest = k
		}
	}
	r.entries = slices.Delete(r.entries, oldest, oldest+1)
}
