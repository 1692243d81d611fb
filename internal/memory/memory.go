// Package memory holds the rules of what an NPC remembers: the book of its memories as
// the log of memory events makes it, the keys by which two memories are one, the
// predicates, the rule by which a newer memory takes the place of an older one, and the
// choice of memories for a turn. It also says what a message asks of the shared past
// (asked.go), and in which words the NPC tells a memory (spoken.go).
//
// It is pure: it reads no clock, keeps no store, asks no model and sends nothing. Whether a
// memory is true to the words that prove it is for its subpackage write to say. Start
// reading at book.go.
package memory

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Bounds of a memory. What is larger is no memory but a document.
const (
	MaxContent = 2_000 // bytes
	MaxSpan    = 4 << 10
	MaxSpans   = 64
	// Skew is how far ahead of this machine's clock another's may run.
	Skew = 5 * time.Minute
)

// ErrInvalid is wrapped by every refusal of a damaged memory or event.
var ErrInvalid = errors.New("not a sound memory event")

func invalid(id, format string, args ...any) error {
	return fmt.Errorf("%w: %s: %s", ErrInvalid, cmp.Or(id, "(no id)"), fmt.Sprintf(format, args...))
}

// Prefixes of the ids that a subject or object may be.
const (
	PlayerPrefix = "player:"
	NPCPrefix    = "npc:"
	LorePrefix   = "lore:" // a chunk of lore on the other side of a contradiction
)

// Key is what makes two memories one: who remembers it of whom, what it says, and
// the words that prove it.
func Key(m *schema.Memory) string {
	spans := make([]string, 0, len(m.Spans))
	for _, s := range m.Spans {
		spans = append(spans, text.Fold(s.Text))
	}
	slices.Sort(spans)
	spans = slices.Compact(spans)
	parts := []string{m.World, m.NPC, m.Player, text.Fold(m.Subject), m.Pred, text.Fold(m.Object)}
	return strings.Join(append(parts, spans...), "\x00")
}

// ID is the id of a memory by its key. nth is 0; where the same words were said
// before, held no longer and are said again, the second one's is 1, and so on.
func ID(m *schema.Memory, nth int) string {
	key := Key(m)
	if nth > 0 {
		key += fmt.Sprintf("\x00#%d", nth)
	}
	sum := sha256.Sum256([]byte(key))
	return "m" + hex.EncodeToString(sum[:12])
}

// EventID is the id of an event: of the same cause and memory, the same. So a turn
// that is replayed, or a scan that starts anew, adds nothing.
func EventID(kind schema.MemoryEventType, cause string, memories ...string) string {
	sum := sha256.Sum256([]byte(string(kind) + "\x00" + cause + "\x00" + strings.Join(memories, "\x00")))
	return "e" + hex.EncodeToString(sum[:12])
}

var idForm = regexp.MustCompile(`^[A-Za-z0-9_:.-]{1,96}$`)

var kinds = []schema.MemoryKind{schema.MemoryFact, schema.MemoryPreference, schema.MemoryOccurrence,
	schema.MemoryPromise, schema.MemoryRelation, schema.MemoryEntity}

// Check says what is wrong with a memory, or is nil.
func Check(m *schema.Memory) error {
	switch {
	case !idForm.MatchString(m.ID):
		return invalid(m.ID, "the id holds other than letters, digits and _:.-, or not 1 to 96 of them")
	case m.World == "" || m.NPC == "":
		return invalid(m.ID, "world and npc must be given")
	case !slices.Contains(kinds, m.Kind):
		return invalid(m.ID, "kind is %q; write one of %v", m.Kind, kinds)
	case m.Subject == "" || m.Pred == "":
		return invalid(m.ID, "subject and predicate must be given")
	case strings.TrimSpace(m.Content) == "":
		return invalid(m.ID, "content is empty; give the sentence to be remembered")
	case len(m.Content) > MaxContent:
		return invalid(m.ID, "content holds %d bytes; at most %d are kept", len(m.Content), MaxContent)
	case math.IsNaN(m.Confidence) || m.Confidence < 0 || m.Confidence > 1:
		return invalid(m.ID, "confidence is %v; it must lie between 0 and 1", m.Confidence)
	case m.Source != schema.OriginUser && m.Source != schema.OriginSystem:
		return invalid(m.ID, "source is %q; only what a player said (user) or the game saw (system) is remembered", m.Source)
	case !m.ValidTo.IsZero() && !m.ValidFrom.IsZero() && m.ValidTo.Before(m.ValidFrom):
		return invalid(m.ID, "valid_to lies before valid_from")
	}
	return checkSpans(m)
}

func checkSpans(m *schema.Memory) error {
	if len(m.Spans) == 0 {
		return invalid(m.ID, "no evidence_spans; a memory without the words that prove it is not kept")
	}
	if len(m.Spans) > MaxSpans {
		return invalid(m.ID, "%d evidence_spans; at most %d are kept", len(m.Spans), MaxSpans)
	}
	for i, s := range m.Spans {
		switch {
		case strings.TrimSpace(s.Text) == "":
			return invalid(m.ID, "evidence_spans[%d] is empty", i)
		case len(s.Text) > MaxSpan:
			return invalid(m.ID, "evidence_spans[%d] holds %d bytes; at most %d are kept", i, len(s.Text), MaxSpan)
		}
	}
	return nil
}

// clone gives a memory that shares nothing with m.
func clone(m *schema.Memory) schema.Memory {
	out := *m
	out.Spans = slices.Clone(m.Spans)
	out.Contradicts = slices.Clone(m.Contradicts)
	out.Witnesses = slices.Clone(m.Witnesses)
	out.Tags = slices.Clone(m.Tags)
	return out
}

// Mentions says whether a player stands anywhere in a memory.
func Mentions(m *schema.Memory, player string) bool {
	return About(m, player) || slices.Contains(m.Witnesses, player)
}

// About is Mentions but for the witnesses: among those the id may be the handle of
// an NPC.
func About(m *schema.Memory, player string) bool {
	id := PlayerPrefix + player
	return m.Player == player || m.Subject == id || m.Object == id ||
		strings.HasSuffix(m.Subject, " of "+id)
}

// negation leads the object of a memory that denies: "not Ferrytown".
const negation = "not "

// Deny makes the object of a memory that denies.
func Deny(object string) string { return negation + object }

// Denied is the object without its denial, and whether there was one.
func Denied(object string) (base string, denied bool) { return strings.CutPrefix(object, negation) }
