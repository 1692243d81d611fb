// Package reviewer is Pass 2.4, 2.5 and 4.5: it holds every claim of the thoughts
// and of the speech against evidence, sends a draft back with what is wrong, at
// most three times, then strips what is unsupported, and releases the sentences
// that are left, each after its review record. It writes no sentence of its own;
// what it cannot verify it does not release. Guard 3, where it is on, scores what
// the review found and may hold, repeat or withhold a reply for it.
package reviewer

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// MaxAttempts is how often thoughts, and how often a speech, are written before
// the review strips instead of sending back.
const MaxAttempts = 3

// Releaser stores a review record and then its sentence, once, behind the fence
// of the turn. The mesh is one; tests have another without a broker.
type Releaser interface {
	Load(ctx context.Context, t *protocol.Turn) (mesh.State, error)
	Release(ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord, s schema.Sentence) error
	Progress(ctx context.Context, t *protocol.Turn) (mesh.Progress, error)
	Refuse(ctx context.Context, t *protocol.Turn, record protocol.ReviewRecord) error
}

// Confirmer proposes an action to the game and waits for its answer.
type Confirmer interface {
	Confirm(ctx context.Context, t *protocol.Turn, index int, a schema.Action, wait time.Duration) (accepted bool,
		err error)
}

// Alert is told of what an operator must see; it must not block.
type Alert func(kind, turn, detail string)

// Alerts that the reviewer raises.
const (
	AlertNonCorpus  = "NonCorpusEvidence" // a world claim cited what is not corpus
	AlertStripped   = "Stripped"          // a sentence was not released
	AlertNoModel    = "NoVerifierModel"   // the verifier in process did not load
	AlertUnfaithful = "UnfaithfulReply"   // Guard 3's policy did something with a reply
	AlertUnscored   = "NoScorer"          // Guard 3's second opinion could not be had
)

// Service answers the two review passes.
type Service struct {
	library   *lore.Library
	judgement *review.Reviewer
	release   Releaser
	confirm   Confirmer
	alert     Alert
	hooks     *moderation.Hooks
	asking    *model.Model
	believed  atomic.Pointer[review.Skill]  // what the judge has shown
	testing   atomic.Pointer[chan struct{}] // closed when its first test is over; nil: none is waited for
	meter     Meter
	guard     *guard // nil: Guard 3 is off
	scorer    Scorer
	without   ablation.Set
	claims    bool // long sentences are taken apart
}

// Options are what the service may have besides what it cannot do without.
type Options struct {
	Confirm   Confirmer         // nil where no game answers actions: one that must be confirmed is then never spoken of
	Alert     Alert             // nil: nobody is told
	Hooks     *moderation.Hooks // nil: no world moderates
	Judgement *review.Reviewer  // nil: only what is word for word in the evidence is supported
	Judge     *model.Model      // nil: no language model is asked for its judgement
	Claims    bool              // the judge is asked about each claim of a long sentence as well

	Faithfulness guards.Faithfulness // Guard 3
	Scorer       Scorer              // its second opinion
	Meter        Meter               // what Guard 3 does and the reviews find is counted there; nil: nowhere
	Now          func() time.Time    // nil: time.Now
	Without      ablation.Set        // what an experiment leaves out
}

// New makes the service.
func New(library *lore.Library, release Releaser, o Options) *Service {
	if o.Judgement == nil {
		o.Judgement = &review.Reviewer{}
	}
	if o.Alert == nil {
		o.Alert = func(string, string, string) {}
	}
	if o.Meter == nil {
		o.Meter = uncounted{}
	}
	return &Service{meter: o.Meter, library: library, judgement: o.Judgement, release: release, confirm: o.Confirm,
		alert: o.Alert, hooks: o.Hooks, asking: o.Judge, guard: newGuard(o), scorer: o.Scorer,
		without: o.Without, claims: o.Claims}
}
