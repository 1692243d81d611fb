package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// lines stands between a pair of streams and the protocol. A line that is no message is
// answered by an error, and the talk goes on. The end of the input waits until the calls
// before it are answered: whoever pipes a few messages in gets all answers.
type lines struct {
	ctx  context.Context
	in   *bufio.Reader
	rest []byte // of the line that is being read

	mu      sync.Mutex
	out     io.Writer
	open    map[string]bool // ids of calls without an answer
	settled chan struct{}   // a value where open may have become empty
}

func newLines(ctx context.Context, in io.Reader, out io.Writer) *lines {
	return &lines{ctx: ctx, in: bufio.NewReader(in), out: out, open: map[string]bool{}, settled: make(chan struct{}, 1)}
}

// message is what of a message says to which call it belongs.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// Read gives the bytes of the next message. One goroutine calls it.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.next()
		if len(bytes.TrimSpace(line)) > 0 && l.take(line) {
			l.rest = append(bytes.TrimSpace(line), '\n')
			break
		}
		if errors.Is(err, io.EOF) {
			l.settle()
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// next reads a line. Of one that is too long nothing is kept.
func (l *lines) next() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxMessage; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if long {
			l.refuse(-32600, fmt.Sprintf("a message is longer than %d bytes", maxMessage))
		}
		return line, err
	}
}

// take notes a call, and says whether a line is a message at all.
func (l *lines) take(line []byte) bool {
	if !json.Valid(line) {
		l.refuse(-32700, "a line is not JSON; write one message of JSON-RPC 2.0 a line")
		return false
	}
	var m message
	if json.Unmarshal(line, &m) != nil || m.Version != "2.0" || m.Method == "" && len(m.ID) == 0 {
		l.refuse(-32600, "a line is not one message of JSON-RPC 2.0, with jsonrpc and a method")
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case m.Method == "notifications/cancelled":
		var of struct {
			ID json.RawMessage `json:"requestId"`
		}
		_ = json.Unmarshal(m.Params, &of) // then it ends no call
		delete(l.open, string(of.ID))
	case m.Method != "" && len(m.ID) > 0:
		l.open[string(m.ID)] = true
	}
	return true
}

// Write writes one message, and notes the answer of a call.
func (l *lines) Write(p []byte) (int, error) {
	var m message
	known := json.Unmarshal(p, &m) == nil && m.Method == ""
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.out.Write(p)
	if known {
		delete(l.open, string(m.ID))
	}
	if len(l.open) == 0 {
		select {
		case l.settled <- struct{}{}:
		default:
		}
	}
	return n, err
}

// refuse answers what belongs to no call.
func (l *lines) refuse(code int, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why)
}

// settle waits until no call is open.
func (l *lines) settle() {
	for {
		l.mu.Lock()
		done := len(l.open) == 0
		l.mu.Unlock()
		if done {
			return
		}
		select {
		case <-l.settled:
		case <-l.ctx.Done():
			return
		}
	}
}
