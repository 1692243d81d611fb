package retrieval

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// However many worlds and passages a server holds, a process keeps this many at most.
func TestKeptSamplesAreBounded(t *testing.T) {
	const windows, static, deep, most = 4, 256, 384, 96 << 20
	kept, err := lru.New[string, sampled](keptSamples)
	if err != nil {
		t.Fatal(err)
	}
	before := heapInUse()
	for world := range 300 {
		var s sampled
		for i := range sampleSize {
			c := protocol.Chunk{
				ID: fmt.Sprintf("lore/a%d-%d.txt#1", world, i), Path: "lore/a.txt",
				Text:   strings.Repeat(fmt.Sprintf("word%d ", i), 50),
				Source: schema.OriginCorpus, World: fmt.Sprint(world), Summary: strings.Repeat("s", 60),
				Keywords: []string{"a", "b"},
			}
			s.hits = append(s.hits, store.Hit{Chunk: c, Vectors: madeUp(windows, static)})
			s.deep = append(s.deep, store.Hit{Chunk: c, Vectors: madeUp(windows, deep)})
		}
		kept.Add(fmt.Sprint(world), s)
	}
	grown := heapInUse() - before
	t.Logf("300 worlds searched: %d MB kept of %d scopes", grown>>20, kept.Len())
	if grown > most {
		t.Errorf("%d MB are kept, more than %d MB", grown>>20, most>>20)
	}
	runtime.KeepAlive(kept)
}

func madeUp(n, dim int) [][]float32 {
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, dim)
	}
	return out
}

func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc) //nolint:gosec // far below the bound
}
