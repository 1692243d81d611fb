package deed

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// askedBack is the action whose own question the NPC has just asked.
func askedBack(a Asked, specs []schema.ActionSpec) (schema.ActionSpec, bool) {
	i := slices.IndexFunc(specs, func(s schema.ActionSpec) bool {
		return a.ByNPC && slices.ContainsFunc(s.Asks, func(q string) bool {
			return strings.HasSuffix(text.Fold(a.Before), text.Fold(q))
		})
	})
	if i < 0 {
		return schema.ActionSpec{}, false
	}
	return specs[i], true
}

// agrees is a message that says yes to what the NPC has understood.
var agrees = regexp.MustCompile(`^ (yes|yeah|yep|yup|aye|ok|okay|sure|right|exactly|please|please do|that's it` +
	`|that is it|that one|do|do it|go on|indeed|of course)( (please|sir|thanks|thank you|do|exactly|that's it|that is it` +
	`|that one|friend|then))* $`)

// told reads the answer to the NPC's own question. What the player named before stands,
// and the answer fills what was missing or says yes; any other message is read as it is.
func (r *Reader) told(ctx context.Context, a Asked, spec schema.ActionSpec) (Reading, error) {
	if formOf(a, []schema.ActionSpec{spec}).Forbids || strings.HasSuffix(strings.TrimSpace(a.Message), "?") {
		return Reading{}, nil
	}
	earlier, err := r.filled(ctx, Asked{Message: a.Earlier}, spec)
	if err != nil {
		return Reading{}, err
	}
	now, err := r.filled(ctx, a, spec)
	if err != nil {
		return Reading{}, err
	}
	for _, p := range parametersOf(spec) {
		if _, there := now.values[p.name]; p.kind == "text" && !there && slices.Contains(earlier.missing, p.name) {
			now.values[p.name] = trimmed(a.Message)
		}
	}
	if agrees.MatchString(spoken(a.Message)) {
		now.values = earlier.values
	} else if !slices.ContainsFunc(parametersOf(spec), func(p parameter) bool {
		_, there := now.values[p.name]
		return there && p.kind != "fixed"
	}) {
		return Reading{}, nil
	}
	out := Reading{Kind: Act, Spec: spec, Parameters: earlier.values, Asks: 1, Meant: 1, Sure: 1}
	maps.Copy(out.Parameters, now.values)
	for _, name := range earlier.missing {
		if _, there := out.Parameters[name]; !there {
			out.Kind, out.Missing = Unclear, append(out.Missing, name)
		}
	}
	return out, nil
}

// filled are the parameters that one message names.
func (r *Reader) filled(ctx context.Context, a Asked, spec schema.ActionSpec) (filling, error) {
	x, err := r.Features(ctx, a, []schema.ActionSpec{spec})
	if err != nil {
		return filling{}, fmt.Errorf("read what was asked for: %w", err)
	}
	return x.Actions[0].fill(r.fit), nil
}
