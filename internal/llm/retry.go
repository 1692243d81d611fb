package llm

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// maxWait is the longest that a call waits for a server before the next provider
// is asked.
const maxWait = 3 * time.Second

// backoff grows from 100 ms, with a jitter of half of it either way. The jitter is
// drawn here, for the policy would draw it from a source of its own.
func (m *Models) backoff(failures int) time.Duration {
	policy := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(100*time.Millisecond),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0),
		backoff.WithMaxInterval(maxWait/2),
		backoff.WithMaxElapsedTime(0),
	)
	wait := policy.NextBackOff()
	for range failures - 1 {
		wait = policy.NextBackOff()
	}
	return time.Duration(float64(wait) * (0.5 + m.options.Rand()))
}

// parseRetryAfter reads the header of RFC 9110, section 10.2.3: seconds or a date.
func parseRetryAfter(value string, now time.Time) (time.Duration, bool) {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, longest.Seconds()) * float64(time.Second)), true
	}
	if at, err := http.ParseTime(value); err == nil {
		return min(max(0, at.Sub(now)), longest), true
	}
	return 0, false
}

// longest is as good as never.
const longest = 24 * time.Hour

// Retries are a share of all calls. A client that has just begun may retry a few times.
const (
	firstRetries = 3
	mostRetries  = 20
)
