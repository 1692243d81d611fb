package audit

import (
	"hash/fnv"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// minSaid is how many words a sentence has at least before its likeness to a passage
// is no chance; the provenance contract has the same bound.
const minSaid = 4

// said remembers, by hashes, the sentences that NPCs put in their own words, and the
// version of the lore at that time. It keeps a fixed number; the oldest go first.
type said struct {
	versions  map[uint64]uint64 // hash of the sentence to hash of the version
	ring      []uint64
	next      int
	forgotten int
}

func newSaid(size int) *said {
	return &said{versions: map[uint64]uint64{}, ring: make([]uint64, 0, max(size, 1))}
}

func hashOf(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p + "\x00")) // it never fails
	}
	return h.Sum64()
}

// keep remembers the sentences of a reply that stand in no evidence of theirs.
func (s *said) keep(r *schema.Reply) {
	if r.LoreVersion == "" {
		return
	}
	for _, sentence := range r.Sentences {
		folded := text.Fold(sentence.Text)
		if sentence.Authored || len(text.WordSpans(folded)) < minSaid || quoted(folded, sentence.Evidence) {
			continue
		}
		s.add(hashOf(r.World, folded), hashOf(r.LoreVersion))
	}
}

func quoted(folded string, evidence []schema.EvidenceRef) bool {
	for _, e := range evidence {
		if strings.Contains(text.Fold(e.Text), folded) {
			return true
		}
	}
	return false
}

func (s *said) add(sentence, version uint64) {
	if _, known := s.versions[sentence]; known {
		return
	}
	if len(s.ring) < cap(s.ring) {
		s.ring = append(s.ring, sentence)
	} else {
		delete(s.versions, s.ring[s.next])
		s.ring[s.next] = sentence
		s.next = (s.next + 1) % len(s.ring)
		s.forgotten++
	}
	s.versions[sentence] = version
}

// before finds a sentence of cited lore that an NPC said while the lore had another
// version. Said under the same version, the sentence stood in the lore already.
func (s *said) before(r *schema.Reply, cited string) (sentence string, ok bool) {
	for _, sentence := range text.Sentences(cited) {
		version, known := s.versions[hashOf(r.World, text.Fold(sentence))]
		if known && version != hashOf(r.LoreVersion) {
			return sentence, true
		}
	}
	return "", false
}
