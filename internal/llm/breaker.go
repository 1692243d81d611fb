package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"
)

// The breaker opens after this many failures in a row, and lets one call through
// again after its rest.
const (
	breakerTrips = 5
	breakerRest  = 10 * time.Second
)

func newBreaker(name string, rest time.Duration) *gobreaker.CircuitBreaker[spoken] {
	return gobreaker.NewCircuitBreaker[spoken](gobreaker.Settings{
		Name: name, Timeout: rest,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakerTrips },
		IsSuccessful: func(err error) bool { return err == nil || !sick(err) },
		IsExcluded:   saysNothing,
	})
}

// errResting is a provider whose breaker is open.
var errResting = errors.New("it has failed too often just now")

// resting is errResting with the last that was wrong.
func (r *rung) resting() error {
	if last := r.last.Load(); last != nil {
		return fmt.Errorf("%w; the last time: %s", errResting, *last)
	}
	return errResting
}

// saysNothing says whether a call ended for a reason that tells nothing about the
// server: its caller went away, or its turn had hardly any time left.
func saysNothing(err error) bool {
	var reader *readerError
	return errors.As(err, &reader) || errors.Is(err, context.Canceled) || errors.Is(err, errHasty)
}

// sick says whether an error speaks of the server, and not of the request or of
// what the model said.
func sick(err error) bool {
	var api *openai.APIError
	var request *openai.RequestError
	status := 0
	switch {
	case errors.Is(err, ErrAnswer):
		return false
	case errors.As(err, &api):
		status = api.HTTPStatusCode
	case errors.As(err, &request):
		status = request.HTTPStatusCode
	case refusedHere(err):
		return false
	}
	return status < 400 || status == http.StatusTooManyRequests || status >= 500
}

// refusedHere is a request that the client library does not send.
func refusedHere(err error) bool {
	_, ok := refusedForm(err)
	return ok
}
