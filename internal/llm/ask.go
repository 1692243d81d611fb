package llm

import (
	"context"
	"errors"
	"time"
)

// ask makes a call to one provider until it has an answer that fits. It asks again
// where the server turned out not to take the form of the request, once where the
// answer did not fit, and where the server was busy or failed, as long as the time
// and the share of retries allow. Once text was given nothing is asked again.
func (m *Models) ask(ctx context.Context, r *rung, c *call) (Answer, error) {
	var last error
	for {
		if err := m.admit(ctx, c.Request); err != nil {
			return Answer{}, err
		}
		if err := c.Meter.take(); err != nil {
			return Answer{}, spentAfter(err, last)
		}
		c.attempts++
		form := r.ability(c.model).form(c.reader != nil, c.temperature != 0)
		form.word, form.json = c.Word != nil && form.word, jsonOf(c.Word, form.json)
		asking, end := m.observe(ctx, r, c)
		out, told, err := r.call(asking, c, form)
		if m.learns(r, c, form, told, err) {
			end(spoken{}, "form")
			continue
		}
		paid := m.account(ctx, r, c, out, err)
		answer, err := m.judge(c, out, err)
		end(paid, outcomeOf(err))
		m.record(r, c, told.sent, out, outcomeOf(err))
		if err == nil {
			if out.model == "" {
				out.model = c.model
			}
			return Answer{JSON: answer, Tokens: out.tokens, Model: out.model, Provider: r.Name, Attempts: c.attempts}, nil
		}
		if c.state.Load() == given || ctx.Err() != nil || !m.again(ctx, c, out, err, told.retryAfter) {
			return Answer{}, err
		}
		last = err
	}
}

// spentError is a retry that the meter refused, with why it was wanted.
type spentError struct{ after error }

func (e *spentError) Error() string { return ErrSpent.Error() }
func (e *spentError) Unwrap() error { return ErrSpent }

func spentAfter(err, last error) error {
	if last != nil {
		return &spentError{last}
	}
	return err
}

// admit says whether a call may be made at all.
func (m *Models) admit(ctx context.Context, q Request) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if m.options.Off != nil && m.options.Off() {
		return ErrOff
	}
	err := m.budgets.check(ctx, q)
	if errors.Is(err, errLedger) {
		m.options.Report(Event{Name: q.Name, Line: oneLine(err.Error())})
	}
	return err
}

// learns takes back what was no work of a model's, and says whether the call is
// worth making at once in another form.
func (m *Models) learns(r *rung, c *call, form form, told *told, err error) (again bool) {
	able := r.ability(c.model)
	lesson := ""
	if err == nil {
		lesson = able.answered(told.inOnePiece)
	} else {
		lesson, again = able.learn(form, err)
	}
	if again || errors.Is(err, errResting) || neverSent(err) {
		c.giveBack()
	}
	if lesson != "" {
		m.options.Report(Event{Provider: r.Name, Name: c.Name, Line: r.says(lesson)})
	}
	return again
}

func (c *call) giveBack() {
	c.attempts--
	c.Meter.giveBack()
}

// judge gives the answer where what came fits, although the connection may have
// broken behind it, and hands it to a reader that has seen nothing of it yet.
func (m *Models) judge(c *call, out spoken, err error) ([]byte, error) {
	var reader *readerError
	if err != nil && (out.text == "" || errors.As(err, &reader) || errors.Is(err, errEndless)) {
		return nil, err
	}
	answer, misfit := m.fit(c.Request, out)
	switch {
	case misfit != nil && err != nil:
		return nil, err
	case misfit != nil:
		return nil, misfit
	case c.state.Load() == waiting:
		return answer, c.read(string(answer))
	}
	return answer, nil
}

// again says whether the same provider is asked once more, and waits before it.
func (m *Models) again(ctx context.Context, c *call, out spoken, err error, retryAfter string) bool {
	var reader *readerError
	switch {
	case errors.As(err, &reader), errors.Is(err, errEndless), errors.Is(err, errResting):
		return false
	case errors.Is(err, ErrAnswer):
		if c.before.why != "" || c.Word != nil { // a model that knows two words alone learns nothing from an error
			return false
		}
		c.before = wrong{text: out.text, why: oneLine(err.Error())}
		return m.retries.Take()
	}
	c.failures++
	return c.failures <= maxFailures && passing(err) && m.pause(ctx, c.failures, retryAfter)
}

// maxFailures is how often one call is made again to a server that fails.
const maxFailures = 2

// account adds what a call took to the turn and to the day, and gives what was paid
// for. One that a server refused, or failed without a word, was not; one that was
// cancelled was.
func (m *Models) account(ctx context.Context, r *rung, c *call, out spoken, err error) (paid spoken) {
	if err != nil && out.text == "" && out.out == 0 && ctx.Err() == nil {
		return spoken{}
	}
	cost := r.cost(out)
	c.Meter.add(out.in, out.out, cost)
	if err := m.budgets.add(ctx, c.Request, int64(out.in+out.out), cost); err != nil {
		m.options.Report(Event{Provider: r.Name, Name: c.Name, Line: "what the call cost could not be added to the " +
			"day's sum: " + oneLine(err.Error())})
	}
	return out
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
	if wait > maxWait || !m.retries.Take() {
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
