package llm

import (
	"context"
	"errors"

	"github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"
)

// Observer is told of every request to a provider, for those who watch. It must not
// block.
type Observer interface {
	// Ask is told before a request is made, which goes on with the context that it
	// gives, and calls the function when the request has ended. It may give the request
	// a mark, by which the next of the same call knows it.
	Ask(ctx context.Context, a Asking) (context.Context, func(Told) (mark string))
}

// Asking is one request to one provider.
type Asking struct {
	Provider, Model string
	Call            string // the name of the schema
	Turn            string // empty where the call belongs to no turn
	Attempt         int    // of this call, from 1
	Before          string // the mark of the request before, where this one is made again
}

// Told is what came of it.
type Told struct {
	Outcome string // ok, misfit, late, cancelled, resting, form, failed
	In, Out int    // tokens
	Cost    float64
}

// observe tells the observer of a request that is about to be made.
func (m *Models) observe(ctx context.Context, r *rung, c *call) (context.Context, func(paid spoken, outcome string)) {
	if m.options.Observer == nil {
		return ctx, func(spoken, string) {}
	}
	ctx, end := m.options.Observer.Ask(ctx, Asking{Provider: r.Name, Model: c.model, Call: c.Name, Turn: c.Meter.t.TurnID,
		Attempt: c.attempts, Before: c.mark})
	return ctx, func(paid spoken, outcome string) {
		c.mark = end(Told{Outcome: outcome, In: paid.in, Out: paid.out, Cost: r.cost(paid)})
	}
}

// outcomeOf names what came of a request that was not asked again in another form.
func outcomeOf(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, errResting):
		return "resting"
	case errors.Is(err, ErrAnswer):
		return "misfit"
	case errors.Is(err, context.DeadlineExceeded):
		return "late"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	}
	var reader *readerError
	if errors.As(err, &reader) {
		return "cancelled"
	}
	return "failed"
}

// Resting says of each provider whether it rests after failures: its breaker is open.
func (m *Models) Resting() map[string]bool {
	out := map[string]bool{}
	for _, r := range m.rungs {
		out[r.Name] = r.breaker.State() == gobreaker.StateOpen
	}
	return out
}

// Exchange is one request to a model as it was sent, with what came back. It holds what the
// player said: whoever keeps one keeps that too.
type Exchange struct {
	Call     string    `json:"call"` // the name of the schema
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	Attempt  int       `json:"attempt"` // of this call, from 1
	Messages []Message `json:"messages"`
	Answer   string    `json:"answer"`
	Outcome  string    `json:"outcome"` // see Told
	In       int       `json:"tokens_in"`
	Out      int       `json:"tokens_out"`
}

// record shows a request to whoever asked for it.
func (m *Models) record(r *rung, c *call, sent []openai.ChatCompletionMessage, out spoken, outcome string) {
	if m.options.Record == nil {
		return
	}
	x := Exchange{Call: c.Name, Provider: r.Name, Model: c.model, Attempt: c.attempts, Messages: []Message{},
		Answer: out.text, Outcome: outcome, In: out.in, Out: out.out}
	for _, s := range sent {
		x.Messages = append(x.Messages, Message{s.Role, s.Content})
	}
	m.options.Record(x)
}
