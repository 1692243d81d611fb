// Package review judges a draft, sentence by sentence, in one line of stages:
//
//	form → exact → kind and ground (one batch) → judge → policy → parts → checks → result
//
// Each stage is a file, reads what the stages before it found, and never calls
// back. A sentence is judged whole and in its context: with the player's question
// and what was said before it, against everything that was shown. The package
// writes no sentence of its own, knows no broker, no store and no prompt. Begin
// reading at Reviewer.Review.
package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Reviewer holds what every review of a process shares.
type Reviewer struct {
	Reader entail.Reader // nil: only what is word for word in the evidence is supported
	Fit    Fit           // what the scores of the reader are worth
}

// Review judges a draft. A sentence passes only where a stage supports it: an error
// or a missing answer of the reader or the judge supports nothing.
func (r *Reviewer) Review(ctx context.Context, d Draft) (protocol.Review, []Outcome, error) {
	l := newLine(d)
	l.form()
	l.exact()
	l.ground(ctx, r)
	l.judge(ctx, r)
	l.policy(r)
	l.parts(ctx, r)
	l.checks()
	l.evasion()
	if err := ctx.Err(); err != nil { // what was not judged in time is not judged
		return protocol.Review{}, nil, fmt.Errorf("review: %w", err)
	}
	return l.result(), l.out, nil
}

// cite moves the citations of a supported sentence to the block that bears it.
func (l *line) cite(o *Outcome) {
	if o.support == nil {
		return
	}
	kept := slices.DeleteFunc(o.Sentence.Citations, func(c protocol.Citation) bool {
		e := l.byID[c.EvidenceID]
		return c.EvidenceID == selfID || e == nil || said(e) != said(o.support)
	})
	if !slices.ContainsFunc(kept, func(c protocol.Citation) bool { return c.EvidenceID == o.support.ID }) {
		o.moved = true
		if o.exact {
			kept = nil // it stands in this block word for word
		}
		kept = append(kept, protocol.Citation{Claim: o.Sentence.Text, EvidenceID: o.support.ID})
	}
	o.Sentence.Citations = kept
}

// Support is the block that bears a sentence, where one does.
func (o *Outcome) Support() *protocol.Evidence { return o.support }

// evasion finds a speech that says nothing although the evidence answers.
func (l *line) evasion() {
	if !l.Answerable || l.Withholds || l.Thoughts || l.Part || len(l.out) == 0 || len(l.Released) > 0 {
		return
	}
	for i := range l.out {
		if l.out[i].Exempt || l.out[i].Kind == entail.KindWorld || l.out[i].exact || len(l.out[i].Issues) > 0 {
			return
		}
	}
	l.out[0].Issues = append(l.out[0].Issues, schema.Issue{Claim: l.Sentences[0].Text, Type: schema.IssueEvasion,
		Correction: "the evidence answers this; say what it says"})
}

// result is the review as a turn carries it: one claim a sentence.
func (l *line) result() protocol.Review {
	out := protocol.Review{Verdict: protocol.Approved}
	need, cited := 0, 0
	for i := range l.out {
		o := &l.out[i]
		out.Issues = append(out.Issues, o.Issues...)
		if o.moved {
			out.RAVResolved++
		}
		if o.Exempt || o.Kind == "" {
			continue
		}
		out.Claims = append(out.Claims, o.Claim())
		if o.Kind == entail.KindWorld {
			need++
			if len(l.Sentences[i].Citations) > 0 {
				cited++
			}
		}
	}
	if len(out.Issues) > 0 {
		out.Verdict = protocol.IssuesFound
	}
	out.Audit = auditOf(need, cited)
	return out
}

func auditOf(need, cited int) schema.Audit {
	switch {
	case cited == need:
		return schema.FullyCited
	case cited > 0:
		return schema.PartiallyCited
	}
	return schema.Uncited
}

// Claim is a sentence with its verdict, as a review record keeps it.
func (o *Outcome) Claim() schema.ClaimVerdict {
	c := schema.ClaimVerdict{Claim: o.Sentence.Text, Kind: claimKinds[o.Kind], Verdict: o.Verdict,
		Split: o.split, Parts: o.parts}
	if o.support != nil && o.Kind == entail.KindWorld {
		c.Citation = o.support.ID
		if o.support.Provenance.Source == schema.OriginSystem {
			c.Kind = schema.ClaimState
		}
		if said(o.support) {
			c.Kind = schema.ClaimSharedPast
		}
	}
	return c
}

var claimKinds = map[entail.Kind]schema.ClaimKind{
	entail.KindWorld: schema.ClaimWorld, entail.KindSelf: schema.ClaimSelf, entail.KindSocial: schema.ClaimNone,
}

// worded is the sentence of a block that stands first, as the NPC would say it.
func (l *line) worded(e *protocol.Evidence) string {
	for _, s := range text.Sentences(e.Text) {
		if ways := voice.Renderings(*e, s, l.Person); len(ways) > 0 {
			return ways[0].Text
		}
	}
	return e.Text
}

// Rest gives the block that bears the sentence its id in the turn, in the verdict and
// in the citations.
func (o *Outcome) Rest(id string) {
	for i := range o.Sentence.Citations {
		if o.Sentence.Citations[i].EvidenceID == "" {
			o.Sentence.Citations[i].EvidenceID = id
		}
	}
	block := *o.support
	block.ID = id
	o.support, o.Verdict.Evidence = &block, id
}
