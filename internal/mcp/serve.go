package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage bounds a message: a check may hold 64 sources.
const maxMessage = 8 << 20

// Talk serves one caller over a pair of streams, one JSON-RPC message a line, until the
// input has ended and every call is answered, or the context ends.
func (s *Server) Talk(ctx context.Context, in io.Reader, out io.Writer, caller Caller) error {
	l := newLines(ctx, in, out)
	err := s.open(caller).Run(ctx, &sdk.IOTransport{Reader: io.NopCloser(l), Writer: unclosed{l}})
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) {
		return nil
	}
	return err
}

// unclosed leaves a stream open that is not ours to close.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// handler serves a request by the server that its context holds.
type handler struct{ http *sdk.StreamableHTTPHandler }

type openedKey struct{}

// newHandler answers in one JSON object: nothing is said while a tool runs, and a stream
// would be cut by the limit of a connection.
func newHandler() handler {
	return handler{sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		opened, _ := r.Context().Value(openedKey{}).(*sdk.Server)
		return opened
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		MaxRequestBodyBytes: maxMessage,
		// Whoever serves this knows which hosts and pages may call.
		DisableLocalhostProtection: true})}
}

// ServeHTTP answers one request of a caller. Nothing is kept between requests.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request, caller Caller) {
	s.handler.http.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), openedKey{}, s.open(caller))))
}
