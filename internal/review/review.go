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

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/protocol"
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
