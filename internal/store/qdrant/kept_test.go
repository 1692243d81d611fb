package qdrant

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	lru "github.com/hashicorp/golang-lru/v2"
)

// What a process keeps of a world on a server grows with its files and not with what
// they say: this is its cost for a million passages in files of twenty.
func TestKeptManifestOfAMillionPassages(t *testing.T) {
	const files, passagesEach, most = 50_000, 20, 64 << 20
	stored := millionNamed(t, files, passagesEach)
	kept, err := lru.New[string, manifest](keptManifests)
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	var read manifest
	if err := json.Unmarshal(stored, &read.Documents); err != nil {
		t.Fatal(err)
	}
	kept.Add("w", read.searched())
	read = manifest{}
	grown := heap() - before
	t.Logf("%d passages in %d files: %d MB in the process, %d MB as the server's manifest",
		files*passagesEach, files, grown>>20, len(stored)>>20)
	if grown > most {
		t.Errorf("it takes %d MB, more than %d MB", grown>>20, most>>20)
	}
	runtime.KeepAlive(kept)
	runtime.KeepAlive(stored)
}

func millionNamed(t *testing.T, files, passagesEach int) []byte {
	t.Helper()
	documents := map[string]entry{}
	for i := range files {
		e := entry{Hash: "5d41402abc4b2a76b9719d911017c592", Write: newWrite(), Passages: passagesEach}
		documents[fmt.Sprintf("lore/region-%03d/letters/letter-%06d.txt", i%400, i)] = e
	}
	stored, err := json.Marshal(documents)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func heap() int64 {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc) //nolint:gosec // far below the bound
}
