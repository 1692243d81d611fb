package deed

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// RequestKind is what is to be done about a message.
type RequestKind string

// The kinds.
const (
	NothingAsked RequestKind = ""
	Act          RequestKind = "act"      // the action is asked for, and its parameters are known
	Unclear      RequestKind = "unclear"  // the action is asked for, and a parameter or certainty is missing
	NotMine      RequestKind = "not_mine" // something is asked for that none of the actions is
)

// Asked is a message with the line before it.
type Asked struct {
	Message string
	Before  string
	ByNPC   bool   // the line before is the NPC's
	Earlier string // what the player said before that
}

// Reading is what was read.
type Reading struct {
	Kind       RequestKind
	Spec       schema.ActionSpec
	Parameters map[string]any
	Missing    []string // required parameters that nobody named
	Asks       float64  // the probability that the message asks for a deed at all
	Meant      float64  // the probability that it asks for this one
	Sure       float64  // the probability of action and parameters together
}

// Reader reads requests. It is safe for concurrent use.
type Reader struct {
	encoder embed.Embedder
	fit     Fit

	mu   sync.Mutex
	kept map[string][]float32 // vectors of the words of actions
}

// maxKept bounds the vectors that a reader keeps.
const maxKept = 4096

// NewReader makes a reader with the fit that ships.
func NewReader(encoder embed.Embedder) *Reader { return NewReaderWith(encoder, shipped()) }

// NewReaderWith makes a reader with a fit of its own.
func NewReaderWith(encoder embed.Embedder, fit Fit) *Reader {
	return &Reader{encoder: encoder, fit: fit, kept: map[string][]float32{}}
}

// Read says what a message asks of an NPC that has these actions.
func (r *Reader) Read(ctx context.Context, asked Asked, specs []schema.ActionSpec) (Reading, error) {
	if len(specs) == 0 || !LikelyRequest(asked) {
		return Reading{}, nil
	}
	if spec, ok := askedBack(asked, specs); ok {
		if told, err := r.told(ctx, asked, spec); err != nil || told.Kind != NothingAsked {
			return told, err
		}
	}
	if formOf(asked, specs).idle() { // most messages: no vector is needed to see it
		return Reading{}, nil
	}
	f, err := r.Features(ctx, asked, specs)
	if err != nil {
		return Reading{}, fmt.Errorf("read what is asked for: %w", err)
	}
	return r.fit.Decide(f), nil
}

// Decide holds the best action against the thresholds.
func (f Fit) Decide(x Features) Reading {
	asks := f.Asks.Probability(x.Message)
	best, meant := f.best(x, asks)
	out := Reading{Asks: asks, Meant: meant, Sure: meant}
	if x.Form.idle() {
		return out
	}
	if best < 0 || meant < f.Thresholds.Unclear {
		if asks >= f.Thresholds.NotMine && x.Form.Requests && !x.Form.Forbids {
			out.Kind = NotMine
		}
		return out
	}
	a := x.Actions[best]
	out.Kind, out.Spec = Unclear, a.Spec
	filled := a.fill(f)
	out.Parameters, out.Missing = filled.values, filled.missing
	out.Sure = meant * filled.sure
	if x.Form.Forbids { // a question or a tale goes with it: an answer from evidence comes first
		out.Meant = min(out.Meant, half)
	}
	plainly := x.Form.Requests && !x.Form.Forbids
	if !plainly && !x.Form.Bare && meant < f.Thresholds.Loose {
		return Reading{Asks: asks, Meant: meant, Sure: meant}
	}
	// "Forge me a blade" may mean the knife: the NPC asks, and hands over nothing.
	if len(out.Missing) == 0 && plainly && !filled.guessed && out.Sure >= f.Thresholds.Act {
		out.Kind = Act
	}
	return out
}

// half is how plainly a request is meant that is not the whole of a message, at most.
const half = 0.5

// best is the likeliest action, -1 where there is none.
func (f Fit) best(x Features, asks float64) (int, float64) {
	best, top := -1, 0.0
	for i := range x.Actions {
		if p := f.Meant.Probability(x.Actions[i].Example(f, x, asks)); p > top {
			best, top = i, p
		}
	}
	return best, top
}

// vectors embeds texts; those of actions are kept.
func (r *Reader) vectors(ctx context.Context, texts []string, keep bool) (map[string][]float32, error) {
	out := map[string][]float32{}
	var missing []string
	r.mu.Lock()
	for _, s := range texts {
		if v, ok := r.kept[s]; ok {
			out[s] = v
		} else if _, twice := out[s]; !twice {
			out[s] = nil
			missing = append(missing, s)
		}
	}
	r.mu.Unlock()
	if len(missing) == 0 {
		return out, nil
	}
	vectors, err := r.encoder.Embed(ctx, missing)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if keep && len(r.kept)+len(missing) > maxKept {
		clear(r.kept)
	}
	for i, s := range missing {
		out[s] = vectors[i]
		if keep {
			r.kept[s] = vectors[i]
		}
	}
	return out, nil
}

func logit(p float64) float64 {
	p = math.Min(math.Max(p, 1e-4), 1-1e-4)
	return math.Log(p / (1 - p))
}

func spaced(s string) string { return strings.ReplaceAll(s, "_", " ") }
