package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Problem is what went wrong, as RFC 9457 has it, with a code that programs may test.
type Problem struct {
	Type         string `json:"type"` // urn:forsooth:problem: and the code
	Title        string `json:"title"`
	Status       int    `json:"status"`
	Detail       string `json:"detail,omitempty"`
	Code         string `json:"code"`
	Field        string `json:"field,omitempty"` // of the request, where one is wrong
	RetryAfterMS int    `json:"retry_after_ms,omitempty"`
}

func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// The codes of problems. Those of a reply are schema.Reason…
const (
	CodeInvalid      = "INVALID"
	CodeTooLarge     = "TOO_LARGE"
	CodeMediaType    = "MEDIA_TYPE"
	CodeUnauthorized = "UNAUTHORIZED"
	CodeForbidden    = "FORBIDDEN"
	CodeOrigin       = "ORIGIN"
	CodeNotFound     = "NOT_FOUND"
	CodeUnknownWorld = "UNKNOWN_WORLD"
	CodeUnknownNPC   = "UNKNOWN_NPC"
	CodeMethod       = "METHOD"
	CodeSlow         = "SLOW"
	CodeLimited      = "RATE_LIMITED"
	CodeBusy         = "BUSY"
	CodeFull         = "FULL"
	CodeUnreachable  = "UNREACHABLE"
	CodeTimeout      = "TIMEOUT"
	CodeElsewhere    = "ELSEWHERE" // this process cannot do it; another can
	CodeInternal     = "INTERNAL"
)

func problem(status int, code, format string, args ...any) *Problem {
	return &Problem{Type: "urn:forsooth:problem:" + code, Title: http.StatusText(status), Status: status, Code: code,
		Detail: fmt.Sprintf(format, args...)}
}

func (p *Problem) on(field string) *Problem { p.Field = field; return p }

func (p *Problem) after(d time.Duration) *Problem {
	p.RetryAfterMS = int(d.Milliseconds())
	return p
}

// asProblem says what an error is to a caller. What is no caller's business is told to
// nobody but the process.
func asProblem(err error) *Problem {
	var p *Problem
	var field *schema.FieldError
	var right *client.RightError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &large):
		return problem(http.StatusRequestEntityTooLarge, CodeTooLarge, "the body is longer than %d bytes", large.Limit)
	case errors.As(err, &field):
		return problem(http.StatusBadRequest, CodeInvalid, "%s", field.Error()).on(field.Field)
	case errors.Is(err, schema.ErrInvalid):
		return problem(http.StatusBadRequest, CodeInvalid, "%v", err)
	case errors.Is(err, client.ErrBusy):
		return problem(http.StatusTooManyRequests, CodeBusy,
			"nine turns of this conversation wait already").after(client.RetryAfter(err))
	case errors.Is(err, replay.ErrBusy):
		return problem(http.StatusTooManyRequests, CodeBusy,
			"another replay is running, and one runs at a time").after(replayAgain)
	case errors.Is(err, client.ErrFull):
		return problem(http.StatusServiceUnavailable, CodeFull,
			"the mesh takes no more turns now").after(client.RetryAfter(err))
	case errors.Is(err, client.ErrNotFound), errors.Is(err, admin.ErrNothingKept):
		return problem(http.StatusNotFound, CodeNotFound, "there is no such thing, or not any more")
	case errors.Is(err, access.ErrUnknown):
		return problem(http.StatusUnauthorized, CodeUnauthorized, "this key or token is not known here, or no longer")
	case errors.As(err, &right):
		return problem(http.StatusForbidden, CodeForbidden, "the gateway's own user may not do this on the broker")
	case errors.Is(err, client.ErrUnreachable), errors.Is(err, client.ErrDisconnected):
		return problem(http.StatusServiceUnavailable, CodeUnreachable,
			"the mesh does not answer; the same may be sent again with the same turn id").after(time.Second)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return problem(http.StatusGatewayTimeout, CodeTimeout,
			"there was no answer in time; a turn that was accepted goes on")
	}
	return problem(http.StatusInternalServerError, CodeInternal, "the gateway failed; its log says why")
}

// headers that a problem has besides its body.
func (p *Problem) headers(h http.Header) {
	if p.RetryAfterMS > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(float64(p.RetryAfterMS)/1000))))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="forsooth"`)
	}
}

// writer writes a problem in the form of its door.
type writer func(w http.ResponseWriter, p *Problem)

func writeProblem(w http.ResponseWriter, p *Problem) {
	p.headers(w.Header())
	w.Header().Set("Content-Type", "application/problem+json")
	writeBody(w, p.Status, p)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	writeBody(w, status, v)
}

func writeBody(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // who asked has gone
}
