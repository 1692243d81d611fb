package secrecy

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"
)

// remembered are the last looks of a guard that found nothing. A sentence of a model
// is looked at in its review, perhaps in a second one, and once more before its
// release: behind the same lines and the same conditions it reads the same.
type remembered struct {
	mu    sync.Mutex
	clean [lastLooks][sha256.Size]byte
	next  int
}

// lastLooks is enough for the sentences of the turns that one NPC answers at once.
const lastLooks = 64

func (r *remembered) has(look [sha256.Size]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.clean {
		if r.clean[i] == look {
			return true
		}
	}
	return false
}

func (r *remembered) add(look [sha256.Size]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clean[r.next] = look
	r.next = (r.next + 1) % lastLooks
}

// lookOf is all that a look depends on besides the guard.
func lookOf(closed []bool, earlier []string, sentence string) [sha256.Size]byte {
	var b []byte
	for _, is := range closed {
		if is {
			b = append(b, 1)
			continue
		}
		b = append(b, 0)
	}
	for _, line := range earlier {
		b = append(binary.AppendUvarint(b, uint64(len(line))), line...)
	}
	return sha256.Sum256(append(binary.AppendUvarint(b, uint64(len(sentence))), sentence...))
}
