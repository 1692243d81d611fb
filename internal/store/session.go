package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// MemoryPoint is a memory as the index keeps it.
type MemoryPoint struct {
	Memory   schema.Memory
	Vector   []float32 // of Memory.Content; empty where none was made yet; comes back at unit length
	Model    string    // the embedding that made the vector
	Accessed int       // how often it was brought into a turn; lives outside the log
	LastUsed time.Time
}

// Scored is a point with the cosine of its vector and the one asked with.
type Scored struct {
	MemoryPoint
	Score float64
}

// Session keeps the memories of NPCs. Every method refuses a filter without a
// world. Times are kept to the microsecond at least, and in UTC.
type Session interface {
	// Put writes points; what was kept under the same world and id is replaced,
	// vector and all, except for its Accessed and LastUsed, which stay. One
	// refused point refuses the whole batch. Of two with one id the later counts.
	Put(ctx context.Context, points []MemoryPoint) error
	// Get is one point, or an error that wraps ErrNotFound.
	Get(ctx context.Context, world, id string) (MemoryPoint, error)
	// Scroll is a page of points in order of id (by bytes), those after the id
	// given; a limit under 1 is no limit.
	Scroll(ctx context.Context, f MemoryFilter, after string, limit int) ([]MemoryPoint, error)
	// Nearest are the k points, of those that the filter names and whose vector
	// is of the model, with the highest cosine: best first, equal ones in order
	// of id. A vector of another length than the points' is an error.
	Nearest(ctx context.Context, f MemoryFilter, model string, v []float32, k int) ([]Scored, error)
	// Touch counts one use of each of the memories; an unknown id is passed over.
	// The last use never moves back.
	Touch(ctx context.Context, world string, ids []string, at time.Time) error
	// Gather counts the uses of some memories as uses of another from now on; theirs
	// are none then, so that to do it again changes nothing. An unknown id is passed
	// over; where the one that gathers is unknown, nothing happens.
	Gather(ctx context.Context, world, into string, from []string) error
	// Count is how many points the filter names.
	Count(ctx context.Context, f MemoryFilter) (int, error)
	// Delete removes points, not only marks them, and says how many.
	Delete(ctx context.Context, f MemoryFilter) (int, error)
	// Mark keeps a small value beside the points, such as how far the log was
	// read; no filter names it.
	Mark(ctx context.Context, key, value string) error
	// Marked is the value of a key; empty where none was kept.
	Marked(ctx context.Context, key string) (string, error)
	Close() error
}

// MaxMemoryText is how many bytes the content and the spans of a memory may
// have together.
const MaxMemoryText = 64 << 10

var memoryID = regexp.MustCompile(`^[A-Za-z0-9_:.-]{1,96}$`)

// CheckMemory says whether a memory may enter the session. What a model wrote
// and what the world's files say are never memories.
func CheckMemory(m *schema.Memory) error {
	if !memoryID.MatchString(m.ID) {
		return fmt.Errorf("memory %.100q: an id is 1 to 96 letters, digits and _ : . -", m.ID)
	}
	if m.Source != schema.OriginUser && m.Source != schema.OriginSystem {
		return fmt.Errorf("memory %s: source is %q, the session takes %q and %q: %w",
			m.ID, m.Source, schema.OriginUser, schema.OriginSystem, ErrProvenance)
	}
	if len(m.Spans) == 0 {
		return fmt.Errorf("memory %s: no words prove it; evidence_spans is required: %w", m.ID, ErrProvenance)
	}
	for _, field := range []struct{ name, value string }{{"world", m.World}, {"npc", m.NPC}} {
		if field.value == "" {
			return fmt.Errorf("memory %s: %s is required", m.ID, field.name)
		}
	}
	size := len(m.Content)
	for _, s := range m.Spans {
		size += len(s.Text)
	}
	if size > MaxMemoryText {
		return fmt.Errorf("memory %s: its text has %d bytes; at most %d are kept", m.ID, size, MaxMemoryText)
	}
	for _, t := range []time.Time{m.CreatedAt, m.EventTime, m.ValidFrom, m.ValidTo} {
		if y := t.UTC().Year(); y < 1 || y > 9998 {
			return fmt.Errorf("memory %s: the year %d cannot be kept; years are 1 to 9998", m.ID, y)
		}
	}
	return nil
}

// CheckPoint says whether a point may enter the session.
func CheckPoint(p *MemoryPoint) error {
	if err := CheckMemory(&p.Memory); err != nil {
		return err
	}
	if len(p.Vector) == 0 {
		return nil
	}
	if p.Model == "" {
		return fmt.Errorf("memory %s: has a vector, but not the name of the model that made it", p.Memory.ID)
	}
	if _, err := Unit(p.Vector); err != nil {
		return fmt.Errorf("memory %s: %w", p.Memory.ID, err)
	}
	return nil
}

// Unit is a vector brought to unit length. One without a direction, or with a
// value that is no number, is refused.
func Unit(v []float32) ([]float32, error) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return nil, errNoDirection
	}
	out, length := make([]float32, len(v)), math.Sqrt(sum)
	for i, x := range v {
		out[i] = float32(float64(x) / length)
	}
	return out, nil
}

var errNoDirection = errors.New("its vector is empty, all zeroes or not of finite numbers")
