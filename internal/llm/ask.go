package llm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sony/gobreaker/v2"
)

// ask makes a call to one provider until it has an answer that fits. It asks again
// where the server turned out not to take the form of the request, once where the
// answer did not fit, and where the server was busy or failed, as long as the time
// and the share of retries allow. Once text was read nothing is asked again.
func (m *Models) ask(ctx context.Context, r *rung, q Request, l Limits, read func(string) error) (Answer, error) {
	var before said
	given := false
	reading := read
	if read != nil {
		reading = func(s string) error {
			given = true
			return read(s)
		}
	}
	for attempt, failures := 1, 0; ; attempt++ {
		if err := m.admit(ctx, q); err != nil {
			return Answer{}, err
		}
		if r.breaker.State() == gobreaker.StateOpen {
			return Answer{}, errResting
		}
		if err := q.Meter.take(q.Name); err != nil {
			return Answer{}, err
		}
		out, h, err := r.call(ctx, q, l, m.config.Temperature, before, reading)
		if err != nil && r.stepDown(err) && !given {
			q.Meter.giveBack() // a request that was refused is no work of a model's
			continue
		}
		m.account(ctx, r, q, out)
		if err == nil {
			answer, misfit := m.fit(q, out)
			if misfit == nil {
				return Answer{JSON: answer, Model: out.model, Provider: r.Name, Attempts: attempt}, nil
			}
			if given {
				return Answer{Model: out.model, Provider: r.Name, Attempts: attempt}, fmt.Errorf("%w: %w", ErrCut, misfit)
			}
			if before.why != "" {
				return Answer{}, misfit
			}
			if before = (said{wrong: out.text, why: oneLine(misfit.Error())}); !m.retries.take() {
				return Answer{}, misfit
			}
			continue
		}
		if given || ctx.Err() != nil || errors.Is(err, errReader) {
			return Answer{Model: out.model, Provider: r.Name, Attempts: attempt}, err
		}
		if failures++; failures > maxFailures || !passing(err) || !m.pause(ctx, failures, h.retryAfter) {
			return Answer{}, err
		}
	}
}

// maxFailures is how often one call is made again to a server that fails.
const maxFailures = 2

// errResting is a provider whose breaker is open.
var errResting = errors.New("it has failed too often just now")

// admit says whether a call may be made at all.
func (m *Models) admit(ctx context.Context, q Request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.options.Off != nil && m.options.Off() {
		return ErrOff
	}
	return m.budgets.check(ctx, q)
}

// account adds what a call took to the turn and to the day.
func (m *Models) account(ctx context.Context, r *rung, q Request, out spoken) {
	if out.text == "" && out.out == 0 {
		out.in = 0 // a call that was never answered
	}
	cost := (float64(out.in)*r.PriceIn + float64(out.out)*r.PriceOut) / 1e6
	q.Meter.add(out.in, out.out, cost)
	m.retries.earned()
	if err := m.budgets.add(ctx, q, int64(out.in+out.out), cost); err != nil {
		m.options.Report(Event{Provider: r.Name, Name: q.Name, Line: "what the call cost could not be added to the day's sum: " + oneLine(err.Error())})
	}
}

// pause waits before a server is asked again: as long as it says, else a growing,
// jittered while. It says no where that does not fit into the time left, or where
// the share of retries is used up.
func (m *Models) pause(ctx context.Context, failures int, retryAfter string) bool {
	wait := m.backoff(failures)
	if told, ok := parseRetryAfter(retryAfter, m.options.Now()); ok {
		wait = told
	}
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < 2*wait {
		return false
	}
	if wait > maxWait || !m.retries.take() {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
