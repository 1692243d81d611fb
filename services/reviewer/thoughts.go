package reviewer

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/forsooth-npc/forsooth/internal/ablation"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// maxNewSources is how many sources Pass 2.4 may add to a turn.
const maxNewSources = 3

// ReviewThoughts is Pass 2.4 and 2.5.
func (s *Service) ReviewThoughts(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
	x, npc, err := s.library.FindTurn(t)
	if err != nil {
		return "", err
	}
	attempt := 1
	if t.ThoughtReview != nil {
		attempt = t.ThoughtReview.Attempt + 1
	}
	if err := s.auditClaims(ctx, t, scene{x: x, npc: npc}); err != nil {
		return "", fmt.Errorf("claim-triggered retrieval: %w", err)
	}
	if s.without.Has(ablation.ReviewThought) {
		t.Sources = withoutBeside(t)
		return schema.PassDecide, nil
	}
	d := draftOf(t, scene{x: x, npc: npc})
	d.Thoughts = true
	d.Evidence = sourcesAsEvidence(t)
	for _, th := range t.Thoughts {
		if th.Plan {
			continue
		}
		thought := protocol.DraftSentence{Text: th.Text}
		for _, c := range th.Citations {
			thought.Citations = append(thought.Citations, protocol.Citation{EvidenceID: c})
		}
		d.Sentences = append(d.Sentences, thought)
	}
	review, _, err := s.judgement.Review(ctx, d)
	if err != nil {
		return "", fmt.Errorf("review thoughts: %w", err)
	}
	review.Attempt = attempt
	t.ThoughtReview = &review
	if review.Verdict == protocol.IssuesFound {
		if attempt < MaxAttempts && !s.without.Has(ablation.Feedback) {
			return schema.PassThink, nil
		}
		t.Thoughts = withoutIssues(t.Thoughts, review.Issues)
	}
	t.Sources = withoutBeside(t)
	return schema.PassDecide, nil
}

// withoutIssues drops the thoughts that hold what was found wrong three times.
func withoutIssues(thoughts []protocol.Thought, issues []schema.Issue) []protocol.Thought {
	return slices.DeleteFunc(slices.Clone(thoughts), func(th protocol.Thought) bool {
		return !th.Plan && slices.ContainsFunc(issues,
			func(i schema.Issue) bool { return containsFolded(th.Text, text.Fold(i.Claim)) })
	})
}

// auditClaims is Pass 2.4: each claim of the thoughts is looked up among the
// sources at hand and then, where it has words enough, by one search in the
// NPC's own scope. What is found joins the turn's sources.
func (s *Service) auditClaims(ctx context.Context, t *protocol.Turn, of scene) error {
	x, npc := of.x, of.npc
	t.ClaimAudit = nil
	position, added := 0, 0
	for i := range t.Thoughts {
		th := &t.Thoughts[i]
		at := position
		position += len(th.Text) + 1
		if th.Plan {
			continue
		}
		line := protocol.ClaimAudit{Claim: th.Text, Position: at, Verdict: "NO EVIDENCE FOUND"}
		if len(th.Citations) > 0 {
			line.Citation = th.Citations[0]
		}
		id := holder(t, th, x.Person(npc))
		if id == "" && !s.without.Has(ablation.ClaimRetrieval) && added < maxNewSources &&
			len(text.ContentWords(th.Text)) >= 2 {
			found, err := x.Index.Search(ctx, retrieval.Query{NPC: npc, Message: th.Text, TopK: maxNewSources - added,
				Check: x.ProvenanceCheck(t, npc), Facts: lore.Facts(t)})
			if err != nil {
				return err
			}
			added += addSources(t, found, th.Text)
			id = holder(t, th, x.Person(npc))
		}
		if id != "" {
			line.Verdict = fmt.Sprintf("SUPPORTED by [%s]", id)
			if len(th.Citations) == 0 {
				th.Citations = []string{id}
			}
		}
		t.ClaimAudit = append(t.ClaimAudit, line)
	}
	t.Evidence = append(t.Evidence, thoughtOf(t)...)
	return nil
}

// thoughtOf are blocks of the sources beside the evidence that thoughts rest on. They are
// numbered behind the others, so that no id changes its block.
func thoughtOf(t *protocol.Turn) []protocol.Evidence {
	limits := grounding.DefaultLimits
	limits.MaxBlocks = maxNewSources
	var cited []protocol.Source
	for _, src := range t.Sources {
		rests := func(th protocol.Thought) bool { return !th.Plan && slices.Contains(th.Citations, src.ID) }
		given := func(e protocol.Evidence) bool { return e.SourceID == src.ID }
		if src.Beside && slices.ContainsFunc(t.Thoughts, rests) && !slices.ContainsFunc(t.Evidence, given) {
			cited = append(cited, src)
		}
	}
	blocks := grounding.Blocks(cited, limits)
	for i := range blocks {
		blocks[i].ID = grounding.NextID(slices.Concat(t.Evidence, blocks[:i]))
	}
	return blocks
}

// withoutBeside are the sources but those beside the evidence that gave none: nobody thinks
// of them any more.
func withoutBeside(t *protocol.Turn) []protocol.Source {
	return slices.DeleteFunc(slices.Clone(t.Sources), func(src protocol.Source) bool {
		return src.Beside && !slices.ContainsFunc(t.Evidence, func(e protocol.Evidence) bool { return e.SourceID == src.ID })
	})
}

// holder is the source that holds a claim's words: verbatim or in this NPC's own
// wording, else nothing. What only resembles the claim is left to the review that
// follows.
func holder(t *protocol.Turn, th *protocol.Thought, p voice.Person) string {
	want := text.Fold(th.Text)
	all := sourcesAsEvidence(t)
	cited := func(e protocol.Evidence) int {
		if slices.Contains(th.Citations, e.ID) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b protocol.Evidence) int { return cited(a) - cited(b) })
	for _, e := range all {
		if containsFolded(e.Text, want) {
			return e.ID
		}
		if _, _, ok := voice.Same(th.Text, e, p, nil); ok {
			return e.ID
		}
	}
	for _, e := range t.Evidence {
		if (e.SourceID == "state" || e.SourceID == "session") && text.Fold(e.Text) == want {
			return e.SourceID
		}
	}
	return ""
}

// addSources appends sources that hold words of the claim and are new to the turn, with
// their evidence blocks. It gives their number.
func addSources(t *protocol.Turn, found []protocol.Source, claim string) int {
	known := map[string]bool{}
	for _, src := range t.Sources {
		known[src.ChunkID] = known[src.ChunkID] || !src.Beside // one beside gives no evidence yet
	}
	want := text.ContentSet(claim)
	sources, last := slices.Clone(t.Sources), lastID(t.Sources)
	for _, src := range found {
		if known[src.ChunkID] || overlap(want, src.Content) < 0.5 {
			continue
		}
		last++
		src.ID = strconv.Itoa(last)
		sources = append(sources, src)
	}
	if len(sources) == len(t.Sources) {
		return 0
	}
	kept, blocks := grounding.Cut(sources)
	t.Sources, t.Evidence = kept, append(blocks, notCorpus(t.Evidence)...)
	n := 0
	for _, src := range kept {
		if !known[src.ChunkID] && !src.Beside {
			n++
		}
	}
	return n
}

// lastID is the highest number of a source: some of the first search were left out.
func lastID(sources []protocol.Source) int {
	last := 0
	for _, src := range sources {
		if n, err := strconv.Atoi(src.ID); err == nil {
			last = max(last, n)
		}
	}
	return last
}

// notCorpus are the blocks of the state and of the conversation.
func notCorpus(evidence []protocol.Evidence) []protocol.Evidence {
	var out []protocol.Evidence
	for _, e := range evidence {
		if e.Provenance.Source != schema.OriginCorpus {
			out = append(out, e)
		}
	}
	return out
}

func overlap(want map[string]bool, content string) float64 {
	if len(want) == 0 {
		return 0
	}
	n := 0
	for w := range text.ContentSet(content) {
		if want[w] {
			n++
		}
	}
	return float64(n) / float64(len(want))
}

// sourcesAsEvidence lets the one review judge thoughts, which cite sources.
func sourcesAsEvidence(t *protocol.Turn) []protocol.Evidence {
	var out []protocol.Evidence
	for _, src := range t.Sources {
		out = append(out, protocol.Evidence{ID: src.ID, SourceID: src.ID, ChunkID: src.ChunkID, Path: src.Path,
			Page: src.Page, Type: src.Type,
			Text: src.Content, Speaker: src.Speaker, Author: src.Author, At: src.At, Belief: src.Belief,
			AllowedFor: src.AllowedFor, Private: src.Private, Score: src.Score, Provenance: src.Provenance})
	}
	for _, e := range notCorpus(t.Evidence) {
		e.ID = e.SourceID
		out = append(out, e)
	}
	return out
}
