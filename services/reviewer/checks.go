package reviewer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/deed"
	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/review"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// authoredBy knows the authored lines of this NPC, and the phrases of actions
// that passed their check.
func authoredBy(t *protocol.Turn, w *world.World, npc *world.NPC) func(string) bool {
	return func(s string) bool {
		if t.Retrieval != nil && t.Retrieval.Intent == protocol.IntentRelation &&
			slices.ContainsFunc(relation.Answer(t.Message, w, npc, t.Relation),
				func(l relation.Line) bool { return l.Text == s }) {
			return true
		}
		if t.Begin != nil {
			if rule := npc.Beginning(t.Begin.Kind); rule != nil && slices.Contains(rule.Lines, s) {
				return true
			}
		}
		for _, kind := range world.LineKinds {
			if slices.Contains(npc.Line(kind, t.Locale), s) {
				return true
			}
		}
		if d := asksBack(t); d != nil {
			if spec, ok := deed.Find(deed.Allowed(t.AllowedActions, npc.Actions), d.Action); ok &&
				slices.Contains(spec.Asks, s) {
				return true
			}
		}
		return t.Decision != nil && slices.ContainsFunc(t.Decision.Actions, func(a schema.Action) bool {
			return a.Promised && a.Checked && a.Phrase == s
		})
	}
}

// asksBack is the request that the NPC asks back about, nil where there is none.
func asksBack(t *protocol.Turn) *schema.Deed {
	if t.Decision == nil || t.Decision.Deed == nil || t.Decision.Deed.Outcome != schema.DeedAsked {
		return nil
	}
	return t.Decision.Deed
}

// renderings is a tier that knows a verbatim sentence in the NPC's own wording.
type renderings struct {
	evidence []protocol.Evidence
	person   voice.Person
	openers  []string
}

// Verify supports what is a rendering, end to end, and does not know the rest.
func (r *renderings) Verify(_ context.Context, pairs []entail.Pair) ([]schema.Verdict, error) {
	out := make([]schema.Verdict, len(pairs))
	for i, p := range pairs {
		out[i] = schema.Verdict{Label: schema.Unverifiable, Tier: "rule", Why: "no wording of a sentence of the evidence"}
		for _, e := range r.evidence {
			if e.Text != p.Premise {
				continue
			}
			if span, how, ok := voice.Same(p.Hypothesis, e, r.person, r.openers); ok {
				out[i] = schema.Verdict{Label: schema.Supported, Score: 0.99, Tier: "rule", Evidence: e.ID, Span: span,
					Why: how + " wording of the sentence"}
				break
			}
		}
	}
	return out, nil
}

// wrongOrigin names a cited block that fails the provenance contract, or that was
// offered for the shared past and is cited under a claim about the world, and says
// where it comes from.
func (s *Service) wrongOrigin(t *protocol.Turn, of scene) (bad string, source schema.Origin) {
	x, npc := of.x, of.npc
	cited := map[string]bool{}
	for _, d := range t.Speech.Sentences {
		for _, c := range d.Citations {
			cited[c.EvidenceID] = true
		}
	}
	check := x.ProvenanceCheck(t, npc)
	for _, e := range t.Evidence {
		if !cited[e.ID] || ownSource(t, e) {
			continue
		}
		if reason, ok := grounding.EligibleEvidence(e, check); !ok {
			source := e.Provenance.Source
			if source == schema.OriginCorpus {
				source = grounding.Ineligible
			}
			return fmt.Sprintf("%s (%s): %s", e.ID, e.Path, reason), source
		}
	}
	return s.worldBySession(t, of)
}

// worldBySession names a block of the conversation that a sentence cites of which
// no claim is about the conversation, and one is about the world.
func (s *Service) worldBySession(t *protocol.Turn, of scene) (bad string, source schema.Origin) {
	npc := of.npc
	session := map[string]schema.Origin{}
	for _, e := range t.Evidence {
		if e.SourceID == "session" {
			session[e.ID] = e.Provenance.Source
		}
	}
	authored, around := authoredBy(t, of.x.World, npc), contextOf(t, of)
	for _, d := range t.Speech.Sentences {
		i := slices.IndexFunc(d.Citations, func(c protocol.Citation) bool { return session[c.EvidenceID] != "" })
		if i < 0 || d.Authored && authored(d.Text) {
			continue
		}
		kinds := map[schema.ClaimKind]bool{}
		for _, claim := range grounding.Claims(d.Text, around) {
			kinds[claim.Kind] = true
		}
		if kinds[schema.ClaimWorld] && !kinds[schema.ClaimSharedPast] {
			id := d.Citations[i].EvidenceID
			return id + " (the conversation) under a claim about the world", session[id]
		}
	}
	return "", ""
}

// ownSource is evidence of the state or the conversation that this very turn
// carries, which grounds claims about those and nothing else.
func ownSource(t *protocol.Turn, e protocol.Evidence) bool {
	switch {
	case e.SourceID == "state" && e.Provenance.Source == schema.OriginSystem:
		_, ok := t.State[strings.TrimPrefix(e.ChunkID, "state:")]
		return ok
	case e.SourceID == "session":
		return e.Provenance.Source == schema.OriginUser || e.Provenance.Source == schema.OriginSystem
	}
	return false
}

func onlyEligible(t *protocol.Turn, of scene) []protocol.Evidence {
	x, npc := of.x, of.npc
	check := x.ProvenanceCheck(t, npc)
	var out []protocol.Evidence
	for _, e := range t.Evidence {
		if _, ok := grounding.EligibleEvidence(e, check); ok || ownSource(t, e) {
			out = append(out, e)
		}
	}
	return out
}

func containsFolded(content, folded string) bool {
	return folded != "" && strings.Contains(text.Fold(content), folded)
}

// checkJudge is the judge of speeches, asked about a claim that belongs to no turn.
type checkJudge struct {
	service *Service
	from    float64
}

// Checks is the judge for texts that callers bring; nil where the process has no language
// model. A claim is supported from the score that is given.
func (s *Service) Checks(from float64) grounding.Judge {
	if s.asking == nil {
		return nil
	}
	return &checkJudge{service: s, from: from}
}

// Qualified says whether the judge has shown skill.
func (j *checkJudge) Qualified(ctx context.Context) bool { return j.service.skill(ctx).Qualified() }

// Again moves the score by what the answer weighs, as a review does.
func (j *checkJudge) Again(ctx context.Context, sources []string, claim string,
	before schema.Verdict) (schema.Verdict, error) {
	lines := make([]string, len(sources))
	for i, s := range sources {
		lines[i] = fmt.Sprintf("[E%d] %s", i+1, strings.Join(strings.Fields(s), " "))
	}
	said, err := j.service.asking.JudgeOne(ctx, strings.Join(lines, "\n"), "", claim)
	if err == nil && said.N == 0 {
		err = errMute
	}
	if err != nil {
		return before, err
	}
	skill := j.service.skill(ctx)
	opinion := review.Opinion{Label: said.Verdict, Evidence: skill.Evidence(said.Verdict, said.Confidence),
		Why: whyOf(said)}
	return opinion.Over(before, j.from), nil
}
