package grounding

import (
	"context"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Judge gives a second opinion of a claim that the verifier left open.
type Judge interface {
	// Qualified says whether there is a judge that has shown skill.
	Qualified(ctx context.Context) bool
	// Again gives the verdict that its opinion makes of the one before.
	Again(ctx context.Context, sources []string, claim string, before schema.Verdict) (schema.Verdict, error)
}

// Bounds of what a check may ask of a judge: each claim is a call of a language model.
const (
	judgedAtMost = 8
	judgedAtOnce = 4
)

// judge puts the open claims before a judge. What it does not answer stays as it was.
func (c *textCheck) judge(ctx context.Context, j Judge) schema.JudgeUse {
	var open []*checked
	for i := range c.claims {
		if k := &c.claims[i]; k.source != nil && !entail.Decides(k.verdict) {
			open = append(open, k)
		}
	}
	switch {
	case len(open) == 0:
		return schema.JudgeNotNeeded
	case j == nil || !j.Qualified(ctx):
		return schema.JudgeNone
	}
	var mu sync.Mutex
	answered := 0
	var group errgroup.Group
	group.SetLimit(judgedAtOnce)
	for _, k := range open[:min(len(open), judgedAtMost)] {
		group.Go(func() error {
			var texts []string
			for _, s := range c.nearest(k.claim.Text) {
				texts = append(texts, around(s.Content, k.claim.Text))
			}
			v, err := j.Again(ctx, texts, k.claim.Text, k.verdict)
			if err != nil {
				return nil //nolint:nilerr // the verdict before stands, and the result says that none came
			}
			mu.Lock()
			defer mu.Unlock()
			answered++
			k.verdict = v
			return nil
		})
	}
	_ = group.Wait() // no member gives an error
	if answered == 0 {
		return schema.JudgeFailed
	}
	return schema.JudgeAsked
}

// Bounds of what a judge reads of one source.
const (
	judgedWhole = 2 << 10 // bytes
	neighbours  = 4       // sentences before and behind the nearest one
)

// around is a source, or of a long one what stands around the sentence nearest to a claim.
func around(source, claim string) string {
	if len(source) <= judgedWhole {
		return source
	}
	sentences := text.Sentences(source)
	at := max(0, slices.Index(sentences, entail.Nearest(source, claim)))
	near := strings.Join(sentences[max(0, at-neighbours):min(len(sentences), at+neighbours+1)], " ")
	return strings.ToValidUTF8(near[:min(len(near), 2*judgedWhole)], "")
}
