package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// told is what a response told besides its body.
type told struct {
	retryAfter string
	inOnePiece bool // a stream was asked for
	sent       []openai.ChatCompletionMessage
}

type toldKey struct{}

func toldOf(ctx context.Context) *told {
	if t, ok := ctx.Value(toldKey{}).(*told); ok {
		return t
	}
	return &told{}
}

// listening notes what the client library does not hand on: Retry-After, a page
// instead of an answer, and an answer in one piece where a stream was asked for,
// which it turns into a stream of one.
type listening struct{ next http.RoundTripper }

// CloseIdleConnections ends the connections that nothing is sent over.
func (w *listening) CloseIdleConnections() {
	if c, ok := w.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// errPage is a server that is none of a model.
var errPage = errors.New("it answers with a web page")

func (w *listening) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	t := toldOf(r.Context())
	t.retryAfter = resp.Header.Get("Retry-After")
	resp.Body = &limited{ReadCloser: resp.Body, left: maxBody}
	kind := strings.ToLower(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode == http.StatusNotFound && strings.HasPrefix(kind, "text/html"):
		_ = resp.Body.Close()
		return nil, errPage
	case resp.StatusCode != http.StatusOK, strings.HasPrefix(kind, "text/event-stream"):
		return resp, nil
	}
	return sniffed(resp, t, strings.Contains(r.Header.Get("Accept"), "text/event-stream"))
}

// sniffed looks at how a body begins: servers name its kind as they like.
func sniffed(resp *http.Response, t *told, stream bool) (*http.Response, error) {
	body := bufio.NewReader(resp.Body)
	first, err := firstByte(body)
	resp.Body = &buffered{body, resp.Body}
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		_ = resp.Body.Close()
		return nil, err
	case first == '<':
		_ = resp.Body.Close()
		return nil, errPage
	case stream && first == '{':
		t.inOnePiece = true
		return asStream(resp)
	}
	return resp, nil
}

func firstByte(r *bufio.Reader) (byte, error) {
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, r.UnreadByte()
		}
	}
}

type buffered struct {
	io.Reader
	io.Closer
}

// asStream turns an answer in one piece into a stream of one piece.
func asStream(resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	var whole struct {
		openai.ChatCompletionResponse
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, fmt.Errorf("its answer is no JSON: %w", err)
	}
	data := fmt.Appendf(nil, `{"error":%s}`, whole.Error)
	if len(whole.Error) == 0 || string(whole.Error) == "null" {
		if data, err = json.Marshal(oneChunk(whole.ChatCompletionResponse)); err != nil {
			return nil, err
		}
	}
	resp.Body = io.NopCloser(bytes.NewReader(fmt.Appendf(nil, "data: %s\n\ndata: [DONE]\n\n",
		bytes.ReplaceAll(data, []byte("\n"), nil))))
	resp.ContentLength = -1
	return resp, nil
}

func oneChunk(whole openai.ChatCompletionResponse) openai.ChatCompletionStreamResponse {
	chunk := openai.ChatCompletionStreamResponse{Model: whole.Model, Usage: &whole.Usage}
	for _, c := range whole.Choices {
		reason := c.FinishReason
		if reason == "" {
			reason = openai.FinishReasonStop
		}
		chunk.Choices = append(chunk.Choices, openai.ChatCompletionStreamChoice{Index: c.Index, FinishReason: reason,
			Delta: openai.ChatCompletionStreamChoiceDelta{Content: c.Message.Content}})
	}
	return chunk
}

// maxBody bounds what is read of one response, maxAnswer what is kept of its text.
const (
	maxBody   = 16 << 20
	maxAnswer = 256 << 10
)

// limited ends a body that does not end.
type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errEndless
	}
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
