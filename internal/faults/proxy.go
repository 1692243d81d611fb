// Package faults breaks networks and disks on purpose, for tests and fault runs: a proxy
// between a client and a server that is cut, stalled and mended, and a disk that runs full.
// It knows no protocol and carries nothing in earnest.
package faults

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Proxy passes TCP connections on to one address.
type Proxy struct {
	target   func() string
	listener net.Listener
	wait     sync.WaitGroup

	mu     sync.Mutex
	open   map[*link]struct{}
	state  state
	frozen chan struct{} // closed by Thaw; nil while bytes run
	look   Look
	slow   atomic.Int64 // how long each piece from the target waits
}

// Look is shown what a connection carries, a piece at a time, before it is passed on,
// and says what becomes of the connection there. It is called from many goroutines.
type Look func(toTarget bool, piece []byte) Act

// Act is what becomes of a connection at a piece of it.
type Act int

// The acts. What comes back after a CutAfter is never delivered; a Hold freezes the
// whole proxy with the piece still in it.
const (
	Pass Act = iota
	CutBefore
	CutAfter
	Hold
)

type state int

const (
	up state = iota
	down
	closed
)

// link is one connection through the proxy, with a gate that holds back its bytes.
type link struct {
	near, far net.Conn
	target    string
	gate      chan struct{} // closed when the link ends
	mu        sync.Mutex
	stalled   bool
}

// Listen starts a proxy to target (host:port) on a free port of this machine.
func Listen(target string) (*Proxy, error) {
	return ListenTo(func() string { return target })
}

// ListenTo starts a proxy that asks for its target at every connection; there is none
// where it is empty.
func ListenTo(target func() string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start a proxy: %w", err)
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

// Drop cuts the connections that lead to one target.
func (p *Proxy) Drop(target string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.open {
		if l.target == target {
			l.end()
		}
	}
}

// Stall leaves every connection open and lets nothing more through, as a
// partition does. New connections are well.
func (p *Proxy) Stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.open {
		l.stall()
	}
}

// Freeze holds everything back in both directions until Thaw, and loses nothing: so
// does a process that is paused and wakes.
func (p *Proxy) Freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen == nil {
		p.frozen = make(chan struct{})
	}
}

// Thaw lets through what was held back.
func (p *Proxy) Thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
}

// Slow has each piece that comes from the target wait, as with a client that reads
// too slowly; zero ends that.
func (p *Proxy) Slow(each time.Duration) { p.slow.Store(int64(each)) }

func (p *Proxy) pace() time.Duration { return time.Duration(p.slow.Load()) }

// Watch has everything that runs through looked at; nil ends that.
func (p *Proxy) Watch(look Look) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look = look
}

// watched is what stands between a piece and its passing on.
func (p *Proxy) watched() (frozen <-chan struct{}, look Look) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.frozen, p.look
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
			p.wait.Go(func() { p.pass(l, true); p.leave(l) })
			p.wait.Go(func() { p.pass(l, false); p.leave(l) })
		}
	}
}

func (p *Proxy) join(near net.Conn) *link {
	target := p.target()
	far, err := net.Dial("tcp", target)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || p.state != up {
		_ = near.Close()
		if err == nil {
			_ = far.Close()
		}
		return nil
	}
	l := &link{near: near, far: far, target: target, gate: make(chan struct{})}
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

// settling is how long the bytes before a cut have to arrive: a connection that is
// closed with something unread in it may take back what it has sent.
const settling = 5 * time.Millisecond

// pass copies one way until either side ends; what comes while the link is
// stalled is never delivered.
func (p *Proxy) pass(l *link, toTarget bool) {
	to, from := l.near, l.far
	if toTarget {
		to, from = l.far, l.near
	}
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if l.isStalled() {
			<-l.gate
			return
		}
		if err != nil {
			return
		}
		frozen, look := p.watched()
		if !l.await(frozen) {
			return
		}
		act := Pass
		if look != nil {
			act = look(toTarget, buffer[:n])
		}
		switch act {
		case CutBefore:
			return
		case CutAfter:
			l.stall()
		case Hold:
			p.Freeze()
			frozen, _ := p.watched()
			if !l.await(frozen) {
				return
			}
		}
		if !toTarget && !l.trickle(p.pace()) {
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
		if act == CutAfter {
			time.Sleep(settling)
			return
		}
	}
}

// await waits for a thaw, and says whether the link still stands.
func (l *link) await(thaw <-chan struct{}) bool {
	if thaw == nil {
		return true
	}
	select {
	case <-thaw:
		return true
	case <-l.gate:
		return false
	}
}

// trickle waits before a piece, and says whether the link still stands.
func (l *link) trickle(pace time.Duration) bool {
	if pace <= 0 {
		return true
	}
	timer := time.NewTimer(pace)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.gate:
		return false
	}
}

func (l *link) stall() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stalled = true
}

func (l *link) isStalled() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stalled
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
