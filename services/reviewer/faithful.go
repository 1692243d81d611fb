package reviewer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Meter counts what Guard 3 does, and what the reviews find.
type Meter interface {
	Scored(risk faithful.Risk, took time.Duration)
	Applied(step faithful.Step)
	Called(forWhat string, n int, cost float64) // calls of a language model
	// Claimed counts a claim by the verdict of its last review.
	Claimed(kind schema.ClaimKind, verdict schema.Label)
	// Split counts a sentence whose claims were judged, by who took it apart and its verdict then.
	Split(by schema.SplitBy, verdict schema.Label)
	// Cited counts evidence under a claim that is released, and what was cited under
	// one about the world and may not be.
	Cited(source schema.Origin, kind schema.ClaimKind)
	// Skilled tells what the judge has shown.
	Skilled(sensitivity, specificity float64, believed bool)
}

// guard is Guard 3. What a player reads is supported whatever it says, so it does
// not look at that alone: it scores the last draft as the review found it, which is
// what is released with what was taken out of it. The verdicts are those of the
// review, and where a scorer is set of both: see second. A turn is scored once: what is quoted instead of a
// draft is not.
type guard struct {
	settings guards.Faithfulness
	meter    Meter
	now      func() time.Time
}

func newGuard(o Options) *guard {
	if !o.Faithfulness.Enabled {
		return nil
	}
	g := &guard{settings: o.Faithfulness, meter: o.Meter, now: o.Now}
	if g.now == nil {
		g.now = time.Now
	}
	return g
}

type uncounted struct{}

func (uncounted) Scored(faithful.Risk, time.Duration) {}
func (uncounted) Applied(faithful.Step)               {}
func (uncounted) Called(string, int, float64)         {}

func (uncounted) Claimed(schema.ClaimKind, schema.Label) {}

func (uncounted) Split(schema.SplitBy, schema.Label)    {}
func (uncounted) Cited(schema.Origin, schema.ClaimKind) {}
func (uncounted) Skilled(float64, float64, bool)        {}

// holds says whether nothing is released before all of it is scored.
func (g *guard) holds() bool {
	return g != nil && (&guards.Settings{Faithfulness: g.settings}).Holds()
}

// drafted is a speech with its sentences as the review left them.
func drafted(speech *protocol.Speech, sentences []protocol.DraftSentence) protocol.Speech {
	out := *speech
	out.Sentences = sentences
	return out
}

// faithful scores a draft that the review will not send back, and says by the
// policy with which draft to go on. next is where the turn goes for another one.
func (s *Service) faithful(
	ctx context.Context, t *protocol.Turn, of scene, draft protocol.Try,
) (final protocol.Try, next schema.Pass) {
	if s.guard == nil || t.Faithfulness != nil {
		return draft, ""
	}
	began := s.guard.now()
	score := s.score(ctx, t, of, disputed(draft.Review.Claims, draft.Review.Issues))
	step := faithful.Next(s.guard.settings.Policy, score)
	kept := 0
	switch first := t.FirstTry; {
	case first != nil:
		step, kept = faithful.Regenerate, 2
		before := s.score(ctx, t, of, disputed(first.Review.Claims, first.Review.Issues))
		if !faithful.Better(before, score) {
			score, draft, kept = before, *first, 1
		}
		t.FirstTry = nil
	case step == faithful.Regenerate && len(t.Released) == 0 && t.Speech.ByModel() && s.timeFor(ctx, t):
		t.FirstTry = &draft
		t.SpeechReview = feedback(draft.Review, score)
		return draft, schema.PassSpeak
	case step == faithful.Regenerate, step == faithful.Refuse && len(t.Released) > 0:
		step = faithful.Annotate // what is said is said, and what cannot be tried again is marked
	}
	if t.Faithfulness = s.guard.mark(score, step, kept, sentencesOf(draft.Speech.Sentences)); t.Faithfulness != nil {
		s.tell(t, score, began)
	}
	if step == faithful.Refuse {
		t.Ending = withheld()
	}
	return draft, ""
}

// feedback is a review as the speaker is told of it who tries once more: what Guard
// 3 found first, and then what else was wrong.
func feedback(review protocol.Review, score faithful.Score) *protocol.Review {
	found := faithful.Feedback(score)
	issues := found
	for _, issue := range review.Issues {
		if !slices.ContainsFunc(found, func(f schema.Issue) bool { return alike(f.Claim, issue.Claim) }) {
			issues = append(issues, issue)
		}
	}
	review.Issues = issues
	return &review
}

// mark is a score as the turn keeps it; a reply that claims nothing has none.
func (g *guard) mark(
	score faithful.Score, step faithful.Step, kept int, draft []faithful.Sentence,
) *schema.Faithfulness {
	if score.Claims == 0 && kept == 0 {
		return nil
	}
	f := &schema.Faithfulness{Score: score.Faithfulness, Claims: score.Claims, Supported: score.Supported,
		Critical: score.Critical,
		Risk:     string(score.Risk), Policy: g.settings.Policy, Action: string(step), Kept: kept,
		Sentences: score.Doubted(draft)}
	for _, u := range score.Unsupported {
		f.Unsupported = append(f.Unsupported, u.Claim)
	}
	return f
}

// tell counts a score, and says to the operator what came of it.
func (s *Service) tell(t *protocol.Turn, score faithful.Score, began time.Time) {
	step := faithful.Step(t.Faithfulness.Action)
	s.guard.meter.Scored(score.Risk, s.guard.now().Sub(began))
	s.guard.meter.Applied(step)
	if step != faithful.Release {
		s.alert(AlertUnfaithful, t.TurnID, fmt.Sprintf("%s: %s", step, score.Summary()))
	}
}

// withheld is how a turn ends whose reply Guard 3 blocks.
func withheld() *protocol.Ending {
	return &protocol.Ending{Status: schema.StatusUnknown, Reason: schema.ReasonUnfaithful, Line: world.LineUnknown}
}

func blocked(t *protocol.Turn) bool {
	return t.Faithfulness != nil && t.Faithfulness.Action == string(faithful.Refuse) && t.Ending != nil
}

// withhold says the unknown line instead of a draft. Where another worker has
// released something first, that is the reply, and it is not blocked.
func (s *Service) withhold(ctx context.Context, t *protocol.Turn, of scene, draft protocol.Try) (schema.Pass, error) {
	s.record(t, strippedAll(draft.Speech.Sentences, draft.Review.Issues))
	t.SpeechReview = &draft.Review
	line := extractive.Authored(of.npc, t.Ending.Line, t)
	next, err := s.releaseAll(ctx, t, of.x.Person(of.npc), []protocol.DraftSentence{line}, nil)
	if err != nil || len(t.Released) == 0 || len(t.Released) == 1 && t.Released[0].Authored {
		return next, err
	}
	t.Ending, t.Faithfulness = nil, nil
	return next, s.adopt(ctx, t)
}

// adopt takes over what another worker concluded of this turn and stored with a
// sentence, before it died or fell behind.
func (s *Service) adopt(ctx context.Context, t *protocol.Turn) error {
	if s.guard == nil || t.Faithfulness != nil || len(t.Released) == 0 {
		return nil
	}
	p, err := s.release.Progress(ctx, t)
	if err != nil {
		return fmt.Errorf("read what was scored: %w", err)
	}
	t.Released = p.Sentences
	if f := scoredBefore(&p); f != nil {
		t.Faithfulness, t.FirstTry = f, nil
		if f.Action == string(faithful.Refuse) {
			t.Ending = withheld()
		}
	}
	return nil
}

// scoredBefore is the score that stands beside a sentence that was released, or in
// the record at the end of a run.
func scoredBefore(p *mesh.Progress) *schema.Faithfulness {
	for _, r := range p.Records {
		if r.Faithfulness != nil && (p.Stored(r) || r.Hash == "") {
			return r.Faithfulness
		}
	}
	return nil
}

// scoreRun scores a speech that was reviewed while it streamed: what was released,
// of this run or one before, and what of the last one was not. Its mark is a record
// of its own, once.
func (s *Service) scoreRun(
	ctx context.Context, t *protocol.Turn, of scene, p *mesh.Progress, refused []protocol.ReviewRecord,
) error {
	if s.guard == nil || t.Faithfulness != nil {
		return nil
	}
	if t.Faithfulness = scoredBefore(p); t.Faithfulness != nil {
		return nil
	}
	began := s.guard.now()
	var claims []schema.ClaimVerdict
	for _, r := range p.Records {
		if p.Stored(r) {
			claims = append(claims, r.Claims...)
		}
	}
	for _, r := range refused {
		claims = append(claims, disputed(r.Claims, r.Refused)...)
	}
	score := s.score(ctx, t, of, claims)
	step := faithful.Release
	if score.Risk == faithful.Medium || score.Risk == faithful.High {
		step = faithful.Annotate
	}
	mark := s.guard.mark(score, step, 0, sentencesOfRun(p, refused))
	if mark == nil {
		return nil
	}
	if err := s.release.Refuse(ctx, t,
		protocol.ReviewRecord{TurnID: t.TurnID, Evidence: []string{}, Faithfulness: mark}); err != nil {
		return err
	}
	t.Faithfulness = mark
	s.tell(t, score, began)
	return nil
}

func (g *guard) score(t *protocol.Turn, of scene, claims []schema.ClaimVerdict) faithful.Score {
	known, places := []string{t.PlayerName}, []string{}
	for _, handle := range of.x.World.Handles() {
		npc := of.x.World.NPCs[handle]
		known, places = append(known, npc.Name), append(places, npc.Region)
	}
	return faithful.Of(claims, faithful.NamesOf(known, places), g.settings.Risk)
}

// disputed are the claims of a draft, none of which counts as supported that the
// review disputes all the same: a rumour told as a fact has its evidence, and a
// promise that no action keeps is no claim to the verifier.
func disputed(claims []schema.ClaimVerdict, issues []schema.Issue) []schema.ClaimVerdict {
	out := append([]schema.ClaimVerdict(nil), claims...)
	for _, issue := range issues {
		if issue.Type != schema.IssueNotEntailed {
			continue
		}
		at, known := -1, false
		for i := range out {
			if alike(out[i].Claim, issue.Claim) {
				at, known = i, known || out[i].Verdict.Label != schema.Supported
			}
		}
		verdict := schema.Verdict{Label: schema.Unverifiable, Tier: "rule", Why: issue.Correction}
		switch {
		case known:
		case at >= 0:
			out[at].Verdict = verdict
			if !faithful.Counts(out[at].Kind) { // a promise may read like a feeling
				out[at].Kind = schema.ClaimWorld
			}
		default:
			out = append(out, schema.ClaimVerdict{Claim: issue.Claim, Kind: schema.ClaimWorld, Citation: issue.Citation,
				Verdict: verdict})
		}
	}
	return out
}

// alike says whether one text holds the other.
func alike(a, b string) bool {
	a, b = text.Fold(a), text.Fold(b)
	return a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}
