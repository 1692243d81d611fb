package embedded

import (
	"net"
	"sync"
	"time"
)

// maxUnsent bounds what a writer may be ahead of the server.
const maxUnsent = 4 << 20

// pipe is the client's end of a connection within the process. The pipe that
// the server offers has no buffer: each write waits for a read, and a client
// writes while it holds the lock that all its users need. Here a write is a copy
// into a buffer, which a goroutine hands on.
type pipe struct {
	net.Conn
	mu     sync.Mutex
	change *sync.Cond
	unsent []byte
	closed bool
	err    error
	done   chan struct{}
}

func newPipe(c net.Conn) *pipe {
	p := &pipe{Conn: c, done: make(chan struct{})}
	p.change = sync.NewCond(&p.mu)
	go p.pump()
	return p
}

func (p *pipe) Write(data []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.unsent) > maxUnsent && p.err == nil && !p.closed {
		p.change.Wait()
	}
	switch {
	case p.err != nil:
		return 0, p.err
	case p.closed:
		return 0, net.ErrClosed
	}
	p.unsent = append(p.unsent, data...)
	p.change.Broadcast()
	return len(data), nil
}

// pump hands on what was written until the pipe is closed and empty.
func (p *pipe) pump() {
	defer close(p.done)
	var sending []byte
	for {
		p.mu.Lock()
		for len(p.unsent) == 0 && !p.closed {
			p.change.Wait()
		}
		sending, p.unsent = p.unsent, sending[:0]
		p.change.Broadcast()
		p.mu.Unlock()
		if len(sending) == 0 {
			return
		}
		if _, err := p.Conn.Write(sending); err != nil {
			p.mu.Lock()
			p.err = err
			p.change.Broadcast()
			p.mu.Unlock()
			return
		}
	}
}

// Close sends what is left, for at most a second, and closes.
func (p *pipe) Close() error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	p.change.Broadcast()
	p.mu.Unlock()
	if first {
		_ = p.Conn.SetWriteDeadline(time.Now().Add(time.Second))
	}
	<-p.done
	return p.Conn.Close()
}

// SetWriteDeadline does nothing: a write does not wait for the server.
func (p *pipe) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline sets that of reads.
func (p *pipe) SetDeadline(t time.Time) error { return p.SetReadDeadline(t) }
