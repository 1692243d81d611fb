package reviewer

import (
	"context"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/extractive"
	"github.com/forsooth-npc/forsooth/internal/memory/faithful"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// sentencesOf are those of a draft, as Guard 3 looks for claims in them.
func sentencesOf(draft []protocol.DraftSentence) []faithful.Sentence {
	var out []faithful.Sentence
	for _, d := range draft {
		if !d.Authored {
			out = append(out, faithful.Sentence{Text: d.Text})
		}
	}
	return out
}

// sentencesOfRun are what was released of a streamed speech, and what of it was refused.
func sentencesOfRun(p *mesh.Progress, refused []protocol.ReviewRecord) []faithful.Sentence {
	var out []faithful.Sentence
	for _, r := range p.Records {
		if p.Stored(r) && !r.Authored {
			out = append(out, faithful.Sentence{Text: p.Sentences[r.Seq-1].Text, Claims: r.Claims})
		}
	}
	for _, r := range refused {
		if r.Draft != nil {
			out = append(out, faithful.Sentence{Text: r.Draft.Text, Claims: r.Claims})
		}
	}
	return out
}

// doubt is the sentence by which the NPC says that it is not sure of what is said, where
// the settings want one and Guard 3 doubts something of it. What was taken out needs none.
func (s *Service) doubt(
	ctx context.Context, t *protocol.Turn, of scene, rest []protocol.DraftSentence,
) (line protocol.DraftSentence, wanted bool, err error) {
	f := t.Faithfulness
	if s.guard == nil || !s.guard.settings.Correct || f == nil || t.Ending != nil || !doubts(f.Action) {
		return line, false, nil
	}
	person := of.x.Person(of.npc)
	spoken := func(said string) string { return voice.Release(said, person) }
	said := slices.Clone(t.Released)
	for _, d := range rest {
		said = append(said, schema.Sentence{Seq: len(said) + 1, Text: spoken(d.Text), Authored: d.Authored})
	}
	line = extractive.Authored(of.npc, world.LineDoubt, t)
	is := func(d schema.Doubted) bool { return d.Seq > 0 }
	if !slices.ContainsFunc(faithful.Placed(f.Sentences, said, spoken), is) || told(t.Released, spoken(line.Text)) {
		return line, false, nil
	}
	return s.allowed(ctx, t, of, line, said)
}

// doubts says whether a policy let something be said of which it is not sure.
func doubts(action string) bool {
	return action == string(faithful.Annotate) || action == string(faithful.Regenerate)
}

// allowed asks the world's moderation about the line, as about all that is said.
func (s *Service) allowed(
	ctx context.Context, t *protocol.Turn, of scene, line protocol.DraftSentence, said []schema.Sentence,
) (protocol.DraftSentence, bool, error) {
	earlier := saidBefore(t)
	for _, r := range said[len(t.Released):] {
		earlier = append(earlier, r.Text)
	}
	out, why, ok, err := s.passed(ctx, t, of, line, len(said)+1, earlier)
	if err == nil && !ok {
		s.record(t, []schema.Stripped{{Text: line.Text, Issue: refusal(line, why)}})
	}
	return out, ok, err
}

// withDoubt is a draft that may be said, with the line behind it where one is wanted.
func (s *Service) withDoubt(
	ctx context.Context, t *protocol.Turn, of scene, draft []protocol.DraftSentence,
) ([]protocol.DraftSentence, error) {
	line, wanted, err := s.doubt(ctx, t, of, draft)
	if wanted {
		draft = append(draft, line)
	}
	return draft, err
}

// releaseDoubt says the line behind a speech that has streamed. Its record is one of the
// run, so the worker that takes over does not take itself for overtaken.
func (s *Service) releaseDoubt(ctx context.Context, t *protocol.Turn, of scene) error {
	line, wanted, err := s.doubt(ctx, t, of, nil)
	if err != nil || !wanted {
		return err
	}
	said := voice.Release(line.Text, of.x.Person(of.npc))
	sentence := schema.Sentence{Seq: len(t.Released) + 1, Text: said, Authored: line.Authored,
		Evidence: []schema.EvidenceRef{}, Hash: protocol.HashText(said)}
	return s.release.Release(ctx, t, protocol.ReviewRecord{TurnID: t.TurnID, Seq: sentence.Seq, Hash: sentence.Hash,
		Authored: line.Authored, Evidence: []string{}, Run: t.Speech.Run, Part: len(t.Speech.Sentences) + 1}, sentence)
}
