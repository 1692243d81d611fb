package clients_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// cut is an end of a connection behind an event of a turn; 0 is before the first.
type cut struct {
	behind int
	stalls bool // it stays open, and brings nothing more
}

// cuts are those of the turns.
type cuts struct {
	mu   sync.Mutex
	plan map[string][]cut // as the transcript has them; a turn's id begins with its name there
	left map[string][]cut // still to come
}

// breaking is a proxy before a gateway that breaks connections as a transcript has it.
func breaking(t *testing.T, to string, script *transcript) string {
	t.Helper()
	c := &cuts{plan: map[string][]cut{}, left: map[string][]cut{}}
	for _, step := range script.Steps {
		for stalls, all := range map[bool][]int{false: step.Cuts, true: step.Stalls} {
			for _, behind := range all {
				turn := step.Turns[0].TurnID + "-"
				c.plan[turn] = append(c.plan[turn], cut{behind, stalls})
			}
		}
	}
	target, err := url.Parse(to)
	must(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target); r.Out.Host = r.In.Host },
		ModifyResponse: func(r *http.Response) error {
			switch body := r.Body.(type) {
			case io.ReadWriteCloser:
				r.Body = &socketWire{wire{from: body, next: nextFrame, cuts: c}, body}
			default:
				if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
					r.Body = &wire{from: body, next: nextEvent, cuts: c, gone: r.Request.Context().Done()}
				}
			}
			return nil
		},
	}
	proxy.ErrorLog = log.New(io.Discard, "", 0) // of the breaks
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	t.Cleanup(func() { c.check(t) })
	return server.URL
}

// at is the cut at an event; nil where the connection goes on.
func (c *cuts) at(data []byte) *cut {
	var e struct {
		TurnID string `json:"turn_id"`
		N      int    `json:"n"`
	}
	if json.Unmarshal(data, &e) != nil || e.N == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.left[e.TurnID]; !known {
		for prefix, plan := range c.plan {
			if strings.HasPrefix(e.TurnID, prefix) {
				c.left[e.TurnID] = plan
			}
		}
	}
	left := c.left[e.TurnID]
	if len(left) == 0 || e.N < left[0].behind {
		return nil
	}
	c.left[e.TurnID] = left[1:]
	return &left[0]
}

// check holds that every break has happened: a test whose wire never breaks shows nothing.
func (c *cuts) check(t *testing.T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for turn, left := range c.left {
		if len(left) > 0 {
			t.Errorf("the connection of turn %s was to break behind event %d, and did not", turn, left[0].behind)
		}
	}
}

// wire is what a gateway sends, piece by piece, until it breaks.
type wire struct {
	from  io.ReadCloser
	next  func(buffered []byte) (size int, payload []byte) // the first whole piece; 0: there is none yet
	cuts  *cuts
	held  []byte // read, and not looked at
	out   []byte // to be passed on
	ended *cut
	gone  <-chan struct{} // of an answer that stalls: closed when the client has gone
}

func (w *wire) Read(p []byte) (int, error) {
	for {
		if len(w.out) > 0 {
			n := copy(p, w.out)
			w.out = w.out[n:]
			return n, nil
		}
		if w.ended != nil && !w.ended.stalls {
			_ = w.from.Close()
			return 0, io.ErrUnexpectedEOF
		}
		if size, payload := w.next(w.held); size > 0 && w.ended == nil {
			w.ended = w.cuts.at(payload)
			if w.ended == nil || w.ended.behind > 0 {
				w.out = w.held[:size:size]
			}
			w.held = w.held[size:]
			continue
		}
		buf := make([]byte, 32<<10)
		n, err := w.from.Read(buf)
		w.held = append(w.held, buf[:n]...)
		if n == 0 && err != nil {
			if w.ended != nil && w.gone != nil {
				<-w.gone
			}
			return 0, err
		}
	}
}

func (w *wire) Close() error { return w.from.Close() }

type socketWire struct {
	wire
	to io.Writer
}

func (s *socketWire) Write(p []byte) (int, error) { return s.to.Write(p) }

// nextFrame is the first frame of a WebSocket's server, which masks none.
func nextFrame(b []byte) (int, []byte) {
	if len(b) < 2 {
		return 0, nil
	}
	head, size := 2, int(b[1]&0x7f)
	switch size {
	case 126:
		if head = 4; len(b) < head {
			return 0, nil
		}
		size = int(binary.BigEndian.Uint16(b[2:]))
	case 127:
		if head = 10; len(b) < head {
			return 0, nil
		}
		size = int(binary.BigEndian.Uint32(b[6:])) // none is longer
	}
	if len(b) < head+size {
		return 0, nil
	}
	return head + size, b[head : head+size]
}

// nextEvent is the first server-sent event.
func nextEvent(b []byte) (int, []byte) {
	end := bytes.Index(b, []byte("\n\n"))
	if end < 0 {
		return 0, nil
	}
	_, data, _ := bytes.Cut(b[:end], []byte("data: "))
	return end + 2, data
}
