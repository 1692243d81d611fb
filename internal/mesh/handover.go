package mesh

import (
	"bytes"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// handover keeps copies of the turns that this process has just published.
// When the broker gives one back to this very process, and byte for byte the
// same, its copy is taken instead of decoding it. The message is still the
// truth: a copy that is missing, was evicted, or differs from what the broker
// stored (another worker was first) is simply not used.
type handover struct {
	mu     sync.Mutex
	turns  map[string]handed // by message id
	oldest []string          // ids in the order they came, taken ones among them
	bytes  int
}

type handed struct {
	data []byte
	turn *protocol.Turn
}

// maxHandover bounds the encoded bytes that wait; the copies take about as much
// again.
const maxHandover = 16 << 20

func newHandover() *handover { return &handover{turns: map[string]handed{}} }

func (h *handover) put(id string, data []byte, t *protocol.Turn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop(id)
	h.turns[id] = handed{data: data, turn: t}
	h.bytes += len(data)
	h.oldest = append(h.oldest, id)
	for h.bytes > maxHandover || len(h.oldest) > 4096 {
		h.drop(h.oldest[0])
		h.oldest = h.oldest[1:]
	}
}

// take gives the copy that was put under id, once, if it is what data says.
func (h *handover) take(id string, data []byte) *protocol.Turn {
	h.mu.Lock()
	got, ok := h.turns[id]
	h.drop(id)
	h.mu.Unlock()
	if !ok || !bytes.Equal(got.data, data) {
		return nil
	}
	return got.turn
}

// drop forgets an id; the lock is held.
func (h *handover) drop(id string) {
	if got, ok := h.turns[id]; ok {
		h.bytes -= len(got.data)
		delete(h.turns, id)
	}
}
