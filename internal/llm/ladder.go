package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

// climb asks one provider after the other. The time of a call is the time of the
// whole ladder.
func (m *Models) climb(turn context.Context, q Request, onText func(string) error) (Answer, error) {
	switch {
	case m == nil:
		return Answer{}, fmt.Errorf("%w: none is configured", ErrUnavailable)
	case q.Meter == nil:
		return Answer{}, errors.New("a call without a meter; nobody calls uncounted")
	case turn.Err() != nil:
		return Answer{}, turn.Err()
	}
	m.retries.Earn()
	limits := m.limits(q)
	ctx, cancel := context.WithTimeout(turn, limits.Timeout)
	defer cancel()
	var failed failure
	attempts, mark := 0, ""
	for i, r := range m.rungs {
		c := &call{Request: q, limits: limits, temperature: m.config.Temperature, model: r.Model, reader: onText,
			attempts: attempts, mark: mark}
		if i == 0 && limits.Model != "" {
			c.model = limits.Model
		}
		if q.Word != nil {
			c.temperature = coldest
		}
		answer, err := m.patiently(ctx, i, c)
		if err == nil {
			return answer, nil
		}
		attempts, mark = c.attempts, c.mark
		if end := m.ended(turn, r, c, err); end != nil {
			return Answer{Model: c.model, Provider: r.Name, Attempts: attempts}, end
		}
		failed.add(r, c, err)
		m.tell(r, c, err)
		if ctx.Err() != nil {
			break
		}
	}
	return Answer{Attempts: attempts}, failed.err()
}

// patiently asks a provider. One that has another below it, and gives no text
// after two thirds of the time, leaves the rest to that one.
func (m *Models) patiently(ctx context.Context, i int, c *call) (Answer, error) {
	r := m.rungs[i]
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if deadline, ok := ctx.Deadline(); ok && i+1 < len(m.rungs) && m.rungs[i+1].breaker.State() != gobreaker.StateOpen {
		timer := time.AfterFunc(time.Until(deadline)*2/3, func() {
			if c.state.CompareAndSwap(waiting, late) {
				cancel(errSlow)
			}
		})
		defer timer.Stop()
	}
	return m.ask(ctx, r, c)
}

// errSlow is a provider whose share of the time is up.
var errSlow = fmt.Errorf("its share of the time is up: %w", context.DeadlineExceeded)

// ended gives the error of a call for which no other provider is asked: it is
// refused, its reader or its turn has ended, or text of it was given.
func (m *Models) ended(turn context.Context, r *rung, c *call, err error) error {
	var reader *readerError
	var spent *spentError
	switch {
	case errors.As(err, &reader):
		return reader.err
	case errors.Is(turn.Err(), context.Canceled):
		return turn.Err()
	case errors.Is(err, ErrOff), errors.Is(err, ErrBudget):
		return err
	case errors.As(err, &spent): // the retry was refused; why it was wanted is the failure
		m.tell(r, c, spent.after)
		return &plain{line: ErrSpent.Error() + "; " + r.line(spent.after, c.model), is: append(kinds(spent.after), ErrSpent)}
	case errors.Is(err, ErrSpent):
		return err
	case c.state.Load() == given:
		m.tell(r, c, err)
		return &plain{line: ErrCut.Error() + ": " + r.line(err, c.model), is: append(kinds(err), ErrCut)}
	}
	return nil
}

// tell reports a failure, and not that a provider rests, which was told when it
// failed.
func (m *Models) tell(r *rung, c *call, err error) {
	if errors.Is(err, errResting) {
		return
	}
	line := r.line(err, c.model)
	r.last.Store(&line)
	m.options.Report(Event{Provider: r.Name, Name: c.Name, Line: line})
}

// failure gathers why every provider failed.
type failure struct {
	lines    []string
	late     bool
	answered int // providers that answered, and not with what was asked for
}

func (f *failure) add(r *rung, c *call, err error) {
	f.lines = append(f.lines, r.line(err, c.model))
	f.late = f.late || errors.Is(err, context.DeadlineExceeded)
	if errors.Is(err, ErrAnswer) {
		f.answered++
	}
}

// err is ErrUnavailable, and ErrAnswer too where every provider answered.
func (f *failure) err() error {
	out := &plain{line: ErrUnavailable.Error() + ": " + strings.Join(f.lines, "; "), is: []error{ErrUnavailable}}
	if f.answered == len(f.lines) {
		out.line, out.is = strings.Join(f.lines, "; "), append(out.is, ErrAnswer)
	}
	if f.late {
		out.is = append(out.is, context.DeadlineExceeded)
	}
	return out
}

// plain is an error of which only the line goes on, without what a server said
// behind it: nobody can print a key that is not there.
type plain struct {
	line string
	is   []error
}

func (p *plain) Error() string   { return p.line }
func (p *plain) Unwrap() []error { return p.is }

// kinds are the errors a caller may test for that stand behind err.
func kinds(err error) []error {
	var out []error
	for _, k := range []error{ErrAnswer, ErrCut, context.DeadlineExceeded} {
		if errors.Is(err, k) {
			out = append(out, k)
		}
	}
	return out
}

// call is a request on its way to one provider.
type call struct {
	Request
	limits      Limits
	temperature float32
	model       string
	before      wrong
	reader      func(string) error // nil: the answer is wanted in one piece
	state       atomic.Int32       // waiting, given or late
	attempts    int
	failures    int
	mark        string // of the last request, to those who watch
}

// A call waits for its first text; then that was given to the reader, or it came
// too late, and another provider is asked.
const (
	waiting int32 = iota
	given
	late
)

// wrong is an answer that did not fit, with why.
type wrong struct{ text, why string }

// read gives text to the reader.
func (c *call) read(s string) error {
	if s == "" || c.reader == nil {
		return nil
	}
	if c.state.CompareAndSwap(waiting, given); c.state.Load() == late {
		return errSlow
	}
	if err := c.reader(s); err != nil {
		return &readerError{err}
	}
	return nil
}

// readerError is an error of the caller's onText.
type readerError struct{ err error }

func (e *readerError) Error() string { return "the reader of the stream has stopped: " + e.err.Error() }
