package gateway

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/gateway/studio"
)

// handler answers a request, or gives the one error of it to the edge.
type handler func(w http.ResponseWriter, r *http.Request, c *caller) error

// door is a handler with what its caller must have.
type door struct {
	right  access.Right // empty: the handler looks itself
	handle handler
}

// guarded is a door at the edge: who comes in, and how an error goes out.
func (g *Gateway) guarded(d door, write writer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t := &tracked{ResponseWriter: w}
		answered := g.meters.Requested()
		defer func() { answered(t.status) }()
		if err := g.pass(t, r, d); err != nil && !errors.Is(err, errGone) {
			p := asProblem(err)
			if p.Code == CodeInternal {
				g.report(fmt.Errorf("%s %s: %w", r.Method, r.Pattern, err))
			}
			if t.status == 0 {
				write(t, p)
			}
		}
	})
}

func (g *Gateway) pass(w *tracked, r *http.Request, d door) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	c, err := g.enter(r)
	if err != nil {
		return err
	}
	world := r.PathValue("world")
	for field, value := range map[string]string{"world": world, "npc": r.PathValue("npc"), "turn": r.PathValue("turn"),
		"player": r.PathValue("player"), "scene": r.PathValue("scene")} {
		if value != "" {
			if err := schema.CheckToken(field, value); err != nil {
				return err
			}
		}
	}
	if d.right != "" {
		if err := c.may(d.right, world); err != nil {
			return err
		}
	}
	if err := g.limits.request(c); err != nil {
		return err
	}
	return d.handle(w, r, c)
}

// tracked knows the status of an answer; zero: it has not begun.
type tracked struct {
	http.ResponseWriter
	status int
}

func (t *tracked) WriteHeader(status int) {
	t.status = status
	t.ResponseWriter.WriteHeader(status)
}

func (t *tracked) Write(data []byte) (int, error) {
	t.status = cmp.Or(t.status, http.StatusOK)
	return t.ResponseWriter.Write(data)
}

// Unwrap lets http.ResponseController through.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// ServeHTTP answers what no door takes too.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	write := writeProblem
	if strings.HasPrefix(r.URL.Path+"/", openaiPrefix) {
		write = writeOpenAIError
	}
	if origin := r.Header.Get("Origin"); origin != "" && r.URL.Path != "/healthz" {
		if err := g.origin(r); err != nil {
			write(w, asProblem(err))
			return
		}
		share(h, origin)
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight(w)
			return
		}
	}
	if clean := path.Clean(r.URL.Path); clean != r.URL.Path && r.URL.Path != studio.Path {
		write(w, problem(http.StatusNotFound, CodeNotFound, "there is nothing at this path"))
		return
	}
	next, pattern := g.mux.Handler(r)
	if pattern != "" {
		g.mux.ServeHTTP(w, r)
		return
	}
	refused := &refusal{header: http.Header{}}
	next.ServeHTTP(refused, r)
	if allow := refused.header.Get("Allow"); refused.status == http.StatusMethodNotAllowed {
		h.Set("Allow", allow)
		write(w, problem(http.StatusMethodNotAllowed, CodeMethod, "this path takes %s", allow))
		return
	}
	write(w, problem(http.StatusNotFound, CodeNotFound, "there is nothing at this path"))
}

// refusal takes what the mux says of a request that it has no handler for.
type refusal struct {
	header http.Header
	status int
}

func (f *refusal) Header() http.Header            { return f.header }
func (f *refusal) Write(data []byte) (int, error) { return len(data), nil }
func (f *refusal) WriteHeader(status int)         { f.status = status }

// maxBody bounds the body of a request: a turn's is the longest.
const maxBody = schema.MaxTurnBytes

// readBody reads a body whole, in its time. After it the connection has no deadline for
// reading: the answer may take longer than a body may.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, problem(http.StatusUnsupportedMediaType, CodeMediaType,
			"the body must be JSON: Content-Type: application/json")
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, err
	case err != nil:
		return nil, problem(http.StatusRequestTimeout, CodeSlow, "the body did not come whole in %s",
			headerLimit+bodyLimit)
	case !utf8.Valid(data):
		return nil, problem(http.StatusBadRequest, CodeInvalid, "the body is not valid UTF-8").on("body")
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	return data, nil
}

// readJSON reads the one JSON object of a body.
func readJSON(w http.ResponseWriter, r *http.Request, limit int64, into any, strict bool) error {
	data, err := readBody(w, r, limit)
	if err != nil {
		return err
	}
	return decode(data, into, strict)
}

// decode reads the one JSON object of a body. Fields that there are none of are refused
// where strict, so that a misspelled one is no silence.
func decode(data []byte, into any, strict bool) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	if strict {
		dec.DisallowUnknownFields()
	}
	err := dec.Decode(into)
	if err == nil && dec.More() {
		err = errors.New("something follows it")
	}
	var kind *json.UnmarshalTypeError
	var field *schema.FieldError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &field):
		return field
	case errors.As(err, &kind):
		return problem(http.StatusBadRequest, CodeInvalid, "%s is of the wrong type: %s where %s is wanted",
			orBody(kind.Field), kind.Value, named(kind.Type.Kind().String())).on(orBody(kind.Field))
	}
	if name, is := strings.CutPrefix(err.Error(), "json: unknown field "); is {
		name = strings.Trim(name, `"`)
		return problem(http.StatusBadRequest, CodeInvalid, "there is no field %q here", cut(name, 64)).on(cut(name, 64))
	}
	return problem(http.StatusBadRequest, CodeInvalid, "the body is not one JSON object: %s",
		cut(err.Error(), 200)).on("body")
}

func orBody(field string) string {
	if field == "" {
		return "body"
	}
	return cut(field, 64)
}

// named are the types of JSON for those of Go.
func named(kind string) string {
	switch kind {
	case "struct", "map":
		return "object"
	case "slice", "array":
		return "array"
	case "bool":
		return "boolean"
	case "string":
		return kind
	}
	return "number"
}

// cut bounds a text that comes from outside, at a whole character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// quiet takes what the server would print.
func quiet(report func(error)) *log.Logger { return log.New(reporter(report), "", 0) }

type reporter func(error)

func (f reporter) Write(data []byte) (int, error) {
	f(errors.New(strings.TrimSpace(string(data))))
	return len(data), nil
}
