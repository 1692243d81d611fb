package reviewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Sentence n+1, and the message that ends the speech, wait for the review of what comes
// before them: firstWait, then twice that, and so on up to longestWait. Together the
// waits are longer than the broker leaves a message with a silent worker, and longer than
// a judge has for its answer about the first sentence. Whoever has waited maxWaits times
// takes the worker of that sentence for dead and reviews it too.
const (
	firstWait   = 4 * time.Millisecond
	longestWait = 256 * time.Millisecond
	maxWaits    = llm.MaxWaits
)

// waitAfter is how long a message waits after its n-th delivery.
func waitAfter(n int) time.Duration { return min(firstWait<<(n-1), longestWait) }

// reviewRun reviews a speech that streams: one sentence of it where the message is a
// part, else the run as a whole. Each sentence leaves one review record, so a worker
// that takes over, and one that was thought dead, go on from the same place.
func (s *Service) reviewRun(ctx context.Context, t *protocol.Turn, of scene) (schema.Pass, error) {
	upTo, looked := cmp.Or(t.Part, len(t.Speech.Sentences)), t.Part > 0
	for {
		p, err := s.release.Progress(ctx, t)
		if err != nil {
			return "", fmt.Errorf("read what was released: %w", err)
		}
		t.Released = p.Sentences
		if p.Closed {
			return then(t, schema.PassAct), nil
		}
		part, overtaken := firstUnjudged(t, &p, upTo), p.Overtaken(t.Speech.Run, t.Speech.Base)
		left := part != 0 && leftOpen(t, &p, part)
		if part != 0 && part != t.Part && !left && !overtaken && deliveryOf(t) <= maxWaits {
			return "", mesh.Later(waitAfter(deliveryOf(t)))
		}
		if !looked { // once, and not at every delivery: it raises an alert
			looked = true
			countCalls(t, &p)
			if next := s.fromElsewhere(t, of); next != "" {
				return next, nil
			}
		}
		var next schema.Pass
		behind := unmarked(t, &p)
		switch {
		case t.Part > 0 && (overtaken || part == 0 || left && behind == 0):
			return "", nil
		case overtaken:
			next, err = s.overtaken(ctx, t, of, &p)
		case part == 0:
			next, err = s.concludeRun(ctx, t, of, &p)
		case left && behind != 0: // what comes behind a sentence that is left open is left open too
			record := protocol.ReviewRecord{TurnID: t.TurnID, Run: t.Speech.Run, Part: behind, Open: true, Evidence: []string{}}
			err = s.release.Refuse(ctx, t, record)
		default:
			err = s.judgePart(ctx, t, of, &p, part)
		}
		switch {
		case errors.Is(err, mesh.ErrConflict):
		case errors.Is(err, mesh.ErrClosed):
			return then(t, schema.PassAct), nil
		case err != nil || next != "":
			return next, err
		}
	}
}

// countCalls adds what the messages of the single sentences have asked a language model
// to what this pass has: the limit of calls is that of the speech.
func countCalls(t *protocol.Turn, p *mesh.Progress) {
	n := len(t.Passes)
	for _, r := range p.Records {
		if n > 0 && r.Run == t.Speech.Run {
			t.Passes[n-1].LLMCalls += r.Calls
			t.Passes[n-1].ClaimCalls += r.ClaimCalls
		}
	}
}

// callsHere is how often the pass that runs has asked models, and how often of that about
// the claims of sentences.
func callsHere(t *protocol.Turn) (calls, claims int) {
	if len(t.Passes) == 0 {
		return 0, 0
	}
	r := &t.Passes[len(t.Passes)-1]
	return r.LLMCalls, r.ClaimCalls
}

// deliveryOf is how often this message was delivered.
func deliveryOf(t *protocol.Turn) int {
	if n := len(t.Passes); n > 0 {
		return t.Passes[n-1].Attempt
	}
	return 1
}

// then is the next pass of the turn itself; a part has none.
func then(t *protocol.Turn, next schema.Pass) schema.Pass {
	if t.Part > 0 {
		return ""
	}
	return next
}

// leftOpen says whether a sentence waits for the review of the whole speech, which puts
// everything that is open to the judge in one call.
func leftOpen(t *protocol.Turn, p *mesh.Progress, part int) bool {
	r, ok := p.Of(t.Speech.Run, part)
	return ok && r.Open
}

// unmarked is the sentence of this message, or at the end of the speech the first, that no
// worker has come to; 0: none. The end marks them as left to it, so that no two workers
// review one sentence.
func unmarked(t *protocol.Turn, p *mesh.Progress) int {
	for part := cmp.Or(t.Part, 1); part <= cmp.Or(t.Part, len(t.Speech.Sentences)); part++ {
		if unjudged(t, p, part) && !leftOpen(t, p, part) {
			return part
		}
	}
	return 0
}

// firstUnjudged is the first sentence of the run that has no outcome yet, or 0. A
// record of approval whose sentence is not stored is no outcome: its worker died
// between the two.
func firstUnjudged(t *protocol.Turn, p *mesh.Progress, upTo int) int {
	for part := 1; part <= upTo; part++ {
		if unjudged(t, p, part) {
			return part
		}
	}
	return 0
}

func unjudged(t *protocol.Turn, p *mesh.Progress, part int) bool {
	r, ok := p.Of(t.Speech.Run, part)
	return !ok || len(r.Refused) == 0 && !p.Stored(r)
}

// askAhead reviews what has no outcome yet as one text, so that the judge is asked in one
// call about all of it that is open.
func (s *Service) askAhead(ctx context.Context, t *protocol.Turn, of scene, p *mesh.Progress) error {
	if t.Part > 0 || of.judge == nil || of.judge.ahead {
		return nil
	}
	draft := saidAs(t.Released)
	for i, d := range t.Speech.Sentences {
		if unjudged(t, p, i+1) {
			draft = append(draft, d)
		}
	}
	_, _, err := s.look(ctx, t, of, draft)
	of.judge.ahead = true
	return err
}

// saidAs is what was released as the beginning of a draft.
func saidAs(released []schema.Sentence) []protocol.DraftSentence {
	var out []protocol.DraftSentence
	for _, r := range released {
		out = append(out, protocol.DraftSentence{Text: r.Text, Authored: r.Authored})
	}
	return out
}

func refusedOf(t *protocol.Turn, p *mesh.Progress) []protocol.ReviewRecord {
	var out []protocol.ReviewRecord
	for part := range t.Speech.Sentences {
		if r, ok := p.Of(t.Speech.Run, part+1); ok && len(r.Refused) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// judgePart reviews one sentence behind what is released and stores the outcome.
func (s *Service) judgePart(ctx context.Context, t *protocol.Turn, of scene, p *mesh.Progress, part int) error {
	x, npc := of.x, of.npc
	d, person := t.Speech.Sentences[part-1], x.Person(npc)
	record := protocol.ReviewRecord{TurnID: t.TurnID, Run: t.Speech.Run, Part: part, Authored: d.Authored,
		Evidence: []string{}}
	before, apart := callsHere(t)
	if err := s.askAhead(ctx, t, of, p); err != nil {
		return err
	}
	defers := t.Part > 0 && of.judge != nil
	switch {
	case t.Part == 1 && defers: // where it is likely to pass, the player need not wait for the rest
		of.judge.from = s.judgement.Fit.AtOnce
	case defers: // what is left is asked about in one call, at the end of the speech
		of.judge = nil
	}
	issues, d, claims, err := s.partIssues(ctx, t, of, p, part)
	if err != nil {
		return err
	}
	calls, ofThem := callsHere(t)
	record.Calls, record.ClaimCalls = calls-before, ofThem-apart
	if defers && s.isOpen(issues, claims) {
		record.Open = true
		return s.release.Refuse(ctx, t, record)
	}
	if len(issues) == 0 {
		out, why, ok, err := s.passed(ctx, t, of, d, len(t.Released)+1, saidBefore(t))
		if err != nil {
			return err
		}
		if d = out; !ok {
			issues = []schema.Issue{refusal(d, why)}
			record.Ending = &protocol.Ending{Status: why.Status, Reason: why.Reason, Line: why.Line, Detail: why.Detail}
		}
	}
	s.claimed(claims, d.Text)
	if len(issues) > 0 {
		draft := t.Speech.Sentences[part-1]
		record.Refused, record.Claims, record.Draft = issues, claims, &draft
		return s.release.Refuse(ctx, t, record)
	}
	said := voice.Release(d.Text, person)
	sentence := schema.Sentence{Seq: len(t.Released) + 1, Text: said, Authored: d.Authored, Evidence: refs(t, d),
		Hash: protocol.HashText(said)}
	record.Seq, record.Hash, record.Evidence, record.Claims = sentence.Seq, sentence.Hash, chunkIDs(sentence.Evidence),
		claimsOf(d, claims)
	record.Actions = promisedBy(t, sentence, person)
	if err := s.release.Release(ctx, t, record, sentence); err != nil {
		return err
	}
	s.cited(sentence, record.Claims)
	return nil
}

// isOpen says whether a sentence is left to the judge: nothing but the score of the model
// in process keeps it back, or lets it out without being sure.
func (s *Service) isOpen(issues []schema.Issue, claims []schema.ClaimVerdict) bool {
	if len(issues) > 1 || len(claims) == 0 {
		return false
	}
	v := claims[len(claims)-1].Verdict
	if v.Tier == entail.TierNone && len(issues) == 1 { // no model has read it
		return true
	}
	sure := v.Score >= s.judgement.Fit.Line(grounding.Strict, false)
	return v.Tier == entail.TierModel && !v.Final && !sure && (v.Label == schema.Supported) == (len(issues) == 0)
}

// partIssues is what is wrong with one sentence, read behind those that were
// released. It gives back the sentence with its citations where support was found.
func (s *Service) partIssues(
	ctx context.Context, t *protocol.Turn, of scene, p *mesh.Progress, part int,
) ([]schema.Issue, protocol.DraftSentence, []schema.ClaimVerdict, error) {
	x, npc := of.x, of.npc
	d, person := t.Speech.Sentences[part-1], x.Person(npc)
	form := func(why string) []schema.Issue {
		return []schema.Issue{{Claim: d.Text, Type: schema.IssueForm, Correction: why}}
	}
	if told(t.Released, voice.Release(d.Text, person)) {
		return form("said already"), d, nil, nil
	}
	if r, ok := p.Of(t.Speech.Run, part-1); ok && len(r.Refused) > 0 && !d.Authored {
		d.Text = grounding.WithoutConnective(d.Text) // it is judged by itself, behind what was said
	}
	review, looked, err := s.review(ctx, t, of, append(saidAs(t.Released), d))
	if err != nil {
		return nil, d, nil, err
	}
	return review.Issues, looked[len(looked)-1], review.Claims, nil
}

// concludeRun is the review of a run whose sentences are all judged: what was
// refused goes back as feedback with the released ones as fixed prefix, or is
// stripped; where nothing at all was said the extractive answer takes its place.
func (s *Service) concludeRun(ctx context.Context, t *protocol.Turn, of scene, p *mesh.Progress) (schema.Pass, error) {
	x, npc, refused := of.x, of.npc, refusedOf(t, p)
	review := protocol.Review{Verdict: protocol.Approved, Attempt: attemptOf(t.SpeechReview)}
	review.Audit = grounding.AuditOf(t.Speech.Sentences, contextOf(t, of))
	for part := range t.Speech.Sentences {
		if r, ok := p.Of(t.Speech.Run, part+1); ok {
			review.Claims = append(review.Claims, r.Claims...)
		}
	}
	for _, r := range refused {
		review.Verdict = protocol.IssuesFound
		review.Issues = append(review.Issues, r.Refused...)
	}
	codes, over := weigh(review, x.SettingsFor(npc))
	review.Codes = codes
	moderated := slices.IndexFunc(refused,
		func(r protocol.ReviewRecord) bool { return r.Ending != nil && r.Ending.Line != "" })
	again := len(refused) > 0 && moderated < 0 && s.again(ctx, t, review.Attempt)
	if !again {
		if err := s.scoreRun(ctx, t, of, p, refused); err != nil {
			return "", err
		}
		if err := s.releaseDoubt(ctx, t, of); err != nil {
			return "", err
		}
	}
	t.SpeechReview = &review
	for _, r := range refused {
		s.record(t, []schema.Stripped{{Text: r.Draft.Text, Issue: r.Refused[0], Verdict: verdictOf(r)}})
	}
	if again {
		return schema.PassSpeak, nil
	}
	if len(t.Released) == 0 && moderated >= 0 {
		t.Ending = refused[moderated].Ending
		return fallBack(t, t.Ending.Reason, x.SettingsFor(npc)), nil
	}
	if len(t.Released) == 0 {
		return fallBack(t, cmp.Or(over, schema.ReasonNotEntailed), x.SettingsFor(npc)), nil
	}
	return schema.PassAct, nil
}

// overtaken ends or repeats a run behind which another worker's has gone on.
func (s *Service) overtaken(ctx context.Context, t *protocol.Turn, of scene, p *mesh.Progress) (schema.Pass, error) {
	review := protocol.Review{Verdict: protocol.Approved, Attempt: attemptOf(t.SpeechReview)}
	if s.again(ctx, t, review.Attempt) {
		t.SpeechReview = &review
		return schema.PassSpeak, nil
	}
	if err := s.scoreRun(ctx, t, of, p, nil); err != nil {
		return "", err
	}
	t.SpeechReview = &review
	return schema.PassAct, nil
}

func attemptOf(last *protocol.Review) int {
	if last == nil {
		return 1
	}
	return last.Attempt + 1
}

// verdictOf is the verdict that kept a sentence back, where a claim of it has one.
func verdictOf(r protocol.ReviewRecord) *schema.Verdict {
	i := slices.IndexFunc(r.Claims, func(c schema.ClaimVerdict) bool { return c.Verdict.Label != schema.Supported })
	if i < 0 {
		return nil
	}
	return &r.Claims[i].Verdict
}

// fallBack sends the turn to the extractive speaker for the rest of its life, or
// to an authored line where nothing is to be quoted.
func fallBack(t *protocol.Turn, reason string, settings grounding.Settings) schema.Pass {
	t.Fallback = reason
	if !settings.ExtractiveFallback && t.Decision.Kind == protocol.KindAnswer {
		t.Decision.Kind = protocol.KindUnknown
	}
	return schema.PassSpeak
}

// again says whether a draft is written once more: attempts are left, and as much
// time as the last one took and half as much again.
func (s *Service) again(ctx context.Context, t *protocol.Turn, attempt int) bool {
	return attempt < MaxAttempts && !s.without.Has(ablation.Feedback) && s.timeFor(ctx, t)
}

// timeFor says whether a draft can be written once more in the time that is left.
func (s *Service) timeFor(ctx context.Context, t *protocol.Turn) bool {
	deadline, ok := ctx.Deadline()
	if !ok {
		return true
	}
	took := 0.0
	for _, r := range t.Passes {
		if r.Pass == schema.PassSpeak {
			took = r.TookMS
		}
	}
	return time.Until(deadline) > time.Duration(took*1.5*float64(time.Millisecond))
}
