package reviewer

import (
	"context"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// ReviewSpeech is Pass 4.5: review, and then release.
func (s *Service) ReviewSpeech(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
	x, npc, err := s.library.FindTurn(t)
	if err != nil {
		return "", err
	}
	if t.Speech == nil || t.Decision == nil || t.Retrieval == nil || t.Part > len(t.Speech.Sentences) {
		return "", mesh.Reject(fmt.Errorf("turn %s reached review-speech without a speech, or without what it rests on",
			t.TurnID))
	}
	if t.Part > 0 && s.guard.holds() {
		return "", nil // the speech is reviewed as a whole, when it has ended
	}
	of := scene{x, npc, s.judgeFor(ctx, t, scene{x: x, npc: npc})}
	if t.Speech.Run != "" && !s.guard.holds() {
		return s.reviewRun(ctx, t, of)
	}
	state, err := s.release.Load(ctx, t)
	if err != nil {
		return "", fmt.Errorf("read what was released: %w", err)
	}
	t.Released = state.Sentences
	if state.Closed {
		return schema.PassAct, nil
	}
	if next := s.fromElsewhere(t, of); next != "" {
		return next, nil
	}
	if err := s.adopt(ctx, t); err != nil {
		return "", err
	}
	return s.judge(ctx, t, of)
}

// fromElsewhere looks whether a speech cites what may not be cited. Such a turn begins
// again, once, as long as nothing is released; after that the evidence is taken away.
func (s *Service) fromElsewhere(t *protocol.Turn, of scene) (next schema.Pass) {
	bad, source := s.wrongOrigin(t, of)
	if bad == "" {
		return ""
	}
	s.alert(AlertNonCorpus, t.TurnID, bad)
	s.meter.Cited(source, schema.ClaimWorld)
	if t.Rerun == 0 && len(t.Released) == 0 {
		t.Rerun++
		t.Speech, t.SpeechReview, t.ThoughtReview, t.FirstTry = nil, nil, nil, nil
		return schema.PassRetrieve
	}
	t.Evidence = onlyEligible(t, of)
	return ""
}

// judge reviews the speech, sends it back or strips it, and releases the rest.
func (s *Service) judge(ctx context.Context, t *protocol.Turn, of scene) (schema.Pass, error) {
	x, npc := of.x, of.npc
	kept := t.Speech.Sentences
	review, kept, err := s.review(ctx, t, of, kept)
	if err != nil {
		return "", err
	}
	review.Attempt = attemptOf(t.SpeechReview)
	codes, _ := weigh(review, x.SettingsFor(npc))
	review.Codes = codes
	if review.Verdict == protocol.IssuesFound && t.FirstTry == nil && !x.SettingsFor(npc).Strict && len(t.Released) == 0 &&
		s.again(ctx, t, review.Attempt) {
		t.SpeechReview = &review
		return schema.PassSpeak, nil
	}
	final, next := s.faithful(ctx, t, of, protocol.Try{Speech: drafted(t.Speech, kept), Review: review})
	if next != "" {
		return next, nil
	}
	t.Speech, review, kept = &final.Speech, final.Review, final.Speech.Sentences
	if blocked(t) {
		return s.withhold(ctx, t, of, final)
	}
	s.claimed(review.Claims, "")
	audit := review.Audit
	codes, over := weigh(review, x.SettingsFor(npc))
	if review.Verdict == protocol.IssuesFound {
		if over != "" && len(t.Released) == 0 && t.Speech.ByModel() {
			s.record(t, strippedAll(kept, review.Issues))
			t.SpeechReview = &review
			return fallBack(t, over, x.SettingsFor(npc)), nil
		}
		if kept, err = s.strip(ctx, t, of, kept, &review); err != nil {
			return "", err
		}
	}
	review.Audit, review.Codes = audit, codes
	t.SpeechReview = &review
	if len(kept) == 0 && len(t.Released) == 0 && t.Speech.ByModel() {
		return fallBack(t, schema.ReasonNotEntailed, x.SettingsFor(npc)), nil
	}
	if len(kept) == 0 && len(t.Released) == 0 {
		if t.Unasked() { // nobody waits for it to own to having nothing to say
			t.Abort = &protocol.Abort{Reason: schema.ReasonNothing}
			return schema.PassAct, nil
		}
		kept = []protocol.DraftSentence{lastResort(t, npc)}
	}
	person := x.Person(npc)
	if kept, err = s.confirmed(ctx, t, npc, person, kept); err != nil {
		return "", err
	}
	if kept, err = s.moderated(ctx, t, of, kept); err != nil {
		return "", err
	}
	if kept, err = s.withDoubt(ctx, t, of, kept); err != nil {
		return "", err
	}
	return s.releaseAll(ctx, t, person, kept, review.Claims)
}

// lastResort is the authored line where nothing that was drafted may be said. What
// was to be withheld stays withheld; else the NPC meant to answer and cannot.
func lastResort(t *protocol.Turn, npc *world.NPC) protocol.DraftSentence {
	if t.Decision.Kind == protocol.KindWithhold {
		return extractive.Authored(npc, world.LineRefuse, t)
	}
	t.Decision.Kind = protocol.KindAnswer
	return extractive.Authored(npc, world.LineUnknown, t)
}

// review is one look at a draft, with retrieval-augmented verification of what
// it disputes. It gives back the draft with its citations where support was found.
func (s *Service) review(
	ctx context.Context, t *protocol.Turn, of scene, draft []protocol.DraftSentence,
) (protocol.Review, []protocol.DraftSentence, error) {
	review, draft, err := s.look(ctx, t, of, draft)
	if err != nil || review.Verdict == protocol.Approved || s.without.Has(ablation.RAV) {
		return review, draft, err
	}
	moved, err := s.verifyFurther(ctx, t, of, draft, review.Issues)
	if err != nil || moved == nil {
		return review, draft, err
	}
	resolved := review.RAVResolved
	again, draft, err := s.look(ctx, t, of, moved)
	again.RAVResolved += resolved + len(review.Issues) - len(again.Issues)
	return again, draft, err
}

// look judges a draft once.
func (s *Service) look(
	ctx context.Context, t *protocol.Turn, of scene, draft []protocol.DraftSentence,
) (protocol.Review, []protocol.DraftSentence, error) {
	d := draftOf(t, of)
	d.Sentences, d.Evidence, d.Released = draft, t.Evidence, t.Released
	if d.Part = t.Part > 0 || t.Speech.Run != ""; of.judge != nil {
		d.Judge = of.judge
		if s.claims {
			d.Split = of.judge.split
		}
	}
	found, outcomes, err := s.judgement.Review(ctx, d)
	if err != nil {
		return found, draft, fmt.Errorf("review speech: %w", err)
	}
	adoptSelf(t, outcomes)
	out := make([]protocol.DraftSentence, len(draft))
	found.Claims = nil
	for i := range outcomes {
		out[i] = outcomes[i].Sentence
		if o := &outcomes[i]; !o.Exempt && o.Kind != "" && o.Kind != entail.KindSocial { // a courtesy is no claim
			found.Claims = append(found.Claims, o.Claim())
		}
	}
	found.Issues = append(found.Issues, secrets(t, of, out)...)
	if len(found.Issues) > 0 {
		found.Verdict = protocol.IssuesFound
	}
	return found, out, nil
}

// furtherBlocks is how many blocks beyond those shown one disputed draft is held against.
const furtherBlocks = 4

// verifyFurther looks for support of the disputed sentences in the whole documents
// that they cite and in the others in scope. What bears a sentence then joins the
// turn's evidence, and the citation moves there. nil means that nothing was found.
func (s *Service) verifyFurther(
	ctx context.Context, t *protocol.Turn, of scene, draft []protocol.DraftSentence, issues []schema.Issue,
) ([]protocol.DraftSentence, error) {
	more := s.further(ctx, t, of, draft, issues)
	if len(more) == 0 {
		return nil, nil
	}
	d := draftOf(t, of)
	d.Sentences, d.Released = draft, t.Released
	d.Evidence = slices.Concat(t.Evidence, more)
	_, outcomes, err := s.judgement.Review(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("retrieval-augmented verification: %w", err)
	}
	out, found := slices.Clone(draft), false
	for i := range outcomes {
		e := outcomes[i].Support()
		if e == nil || !outcomes[i].OK() || !inDispute(issues, draft[i].Text) {
			continue
		}
		if k := slices.IndexFunc(more, func(m protocol.Evidence) bool { return m.ID == e.ID }); k >= 0 {
			out[i], found = outcomes[i].Sentence, true
			if !slices.ContainsFunc(t.Evidence, func(known protocol.Evidence) bool { return known.ID == e.ID }) {
				t.Evidence = append(t.Evidence, more[k])
			}
		}
	}
	if !found {
		return nil, nil
	}
	return out, nil
}

func inDispute(issues []schema.Issue, said string) bool {
	return slices.ContainsFunc(issues, func(i schema.Issue) bool { return containsFolded(said, text.Fold(i.Claim)) })
}

// further are the blocks nearest to what is disputed that were not shown: of the
// documents that the disputed sentences cite, and of what a search finds.
func (s *Service) further(
	ctx context.Context, t *protocol.Turn, of scene, draft []protocol.DraftSentence, issues []schema.Issue,
) []protocol.Evidence {
	x, npc := of.x, of.npc
	var out []protocol.Evidence
	for _, issue := range issues {
		if issue.Type != schema.IssueNotEntailed && issue.Type != schema.IssueUncited &&
			issue.Type != schema.IssueInvalidSource {
			continue
		}
		chunks := s.rest(ctx, t, of)(issue.Claim)
		for _, d := range draft {
			for _, c := range d.Citations {
				if e := blockOf(t, c.EvidenceID); e != nil && containsFolded(d.Text, text.Fold(issue.Claim)) {
					chunks = append(x.Index.Document(e.Path), chunks...)
				}
			}
		}
		out = append(out, grounding.Further(chunks, issue.Claim, slices.Concat(t.Evidence, out), x.ProvenanceCheck(t, npc),
			npc.Handle, furtherBlocks)...)
	}
	return out
}

func blockOf(t *protocol.Turn, id string) *protocol.Evidence {
	for i := range t.Evidence {
		if t.Evidence[i].ID == id {
			return &t.Evidence[i]
		}
	}
	return nil
}

// rest finds passages in scope that are near a claim.
func (s *Service) rest(ctx context.Context, t *protocol.Turn, of scene) func(string) []protocol.Chunk {
	x, npc := of.x, of.npc
	return func(claim string) []protocol.Chunk {
		sources, err := x.Index.Search(ctx,
			retrieval.Query{NPC: npc, Message: claim, TopK: 5, Check: x.ProvenanceCheck(t, npc), Facts: lore.Facts(t)})
		if err != nil { // support that cannot be looked for is not found
			return nil
		}
		var out []protocol.Chunk
		for _, src := range sources {
			for _, c := range x.Index.Document(src.Path) {
				if c.ID == src.ChunkID {
					out = append(out, c)
				}
			}
		}
		return out
	}
}

// strip removes what is unsupported and looks at what is left as a text of its
// own, until nothing is disputed.
func (s *Service) strip(
	ctx context.Context, t *protocol.Turn, of scene, draft []protocol.DraftSentence, review *protocol.Review,
) ([]protocol.DraftSentence, error) {
	x, npc := of.x, of.npc
	if x.SettingsFor(npc).Strict {
		s.record(t, strippedAll(draft, review.Issues))
		return nil, nil
	}
	for len(draft) > 0 && review.Verdict == protocol.IssuesFound {
		kept, stripped := grounding.Strip(draft, review.Issues)
		s.record(t, stripped)
		if len(kept) == len(draft) { // an issue that names no sentence: nothing may stay
			s.record(t, strippedAll(draft, review.Issues))
			return nil, nil
		}
		draft = kept
		if len(draft) == 0 {
			break
		}
		attempt := review.Attempt
		again, looked, err := s.look(ctx, t, of, draft)
		if err != nil {
			return nil, err
		}
		draft = looked
		*review = again
		review.Attempt = attempt
	}
	return draft, nil
}

// record keeps what was stripped in the turn, and tells the operator.
func (s *Service) record(t *protocol.Turn, stripped []schema.Stripped) {
	t.Stripped = append(t.Stripped, stripped...)
	for _, x := range stripped {
		s.alert(AlertStripped, t.TurnID, fmt.Sprintf("%s: %s", x.Issue.Type, x.Text))
	}
}

func strippedAll(draft []protocol.DraftSentence, issues []schema.Issue) []schema.Stripped {
	var out []schema.Stripped
	for _, d := range draft {
		st := schema.Stripped{Text: d.Text}
		if len(issues) > 0 {
			st.Issue = issues[0]
		}
		out = append(out, st)
	}
	return out
}
