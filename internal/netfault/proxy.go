// Package netfault stands between a client and a server and breaks what runs
// through it on purpose: cut, stalled, mended. It is for tests and fault runs; it
// knows no protocol and carries nothing in earnest.
package netfault

import (
	"fmt"
	"io"
	"net"
	"sync"
)

// Proxy passes TCP connections on to one address.
type Proxy struct {
	target   string
	listener net.Listener
	wait     sync.WaitGroup

	mu    sync.Mutex
	open  map[*link]struct{}
	state state
}

type state int

const (
	up state = iota
	down
	closed
)

// link is one connection through the proxy, with a gate that holds back its bytes.
type link struct {
	near, far net.Conn
	gate      chan struct{} // closed when the link ends
	mu        sync.Mutex
	stalled   bool
}

// Listen starts a proxy to target (host:port) on a free port of this machine.
func Listen(target string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("proxy to %s: %w", target, err)
	}
	p := &Proxy{target: target, listener: l, open: map[*link]struct{}{}}
	p.wait.Go(p.accept)
	return p, nil
}

// Addr is where the proxy listens.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Down cuts every connection and takes no new one until Up.
func (p *Proxy) Down() { p.become(down) }

// Up takes connections again.
func (p *Proxy) Up() { p.become(up) }

// Stall leaves every connection open and lets nothing more through, as a
// partition does. New connections are well.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.open {
		l.mu.Lock()
		l.stalled = true
		l.mu.Unlock()
	}
}

// Close ends the proxy and waits for what ran through it.
func (p *Proxy) Close() {
	p.become(closed)
	_ = p.listener.Close()
	p.wait.Wait()
}

func (p *Proxy) become(s state) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state == closed {
		return
	}
	p.state = s
	if s == up {
		return
	}
	for l := range p.open {
		l.end()
	}
}

func (p *Proxy) accept() {
	for {
		near, err := p.listener.Accept()
		if err != nil {
			return
		}
		if l := p.join(near); l != nil {
			p.wait.Go(func() { l.pass(l.far, l.near); p.leave(l) })
			p.wait.Go(func() { l.pass(l.near, l.far); p.leave(l) })
		}
	}
}

func (p *Proxy) join(near net.Conn) *link {
	far, err := net.Dial("tcp", p.target)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || p.state != up {
		_ = near.Close()
		if err == nil {
			_ = far.Close()
		}
		return nil
	}
	l := &link{near: near, far: far, gate: make(chan struct{})}
	p.open[l] = struct{}{}
	return l
}

func (p *Proxy) leave(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, there := p.open[l]; there {
		delete(p.open, l)
		l.end()
	}
}

// pass copies one way until either side ends; what comes while the link is
// stalled is never delivered.
func (l *link) pass(to io.Writer, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		l.mu.Lock()
		stalled := l.stalled
		l.mu.Unlock()
		if stalled {
			<-l.gate
			return
		}
		if err != nil {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// end closes both sides, once.
func (l *link) end() {
	select {
	case <-l.gate:
	default:
		close(l.gate)
		_ = l.near.Close()
		_ = l.far.Close()
	}
}
