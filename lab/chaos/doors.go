package chaos

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/lab/invariant"
	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/services/gateway"
)

// The kinds of fault that strike at a gateway.
const (
	gatewayKilled   = "gateway-killed"          // at any moment of a turn
	gatewaySpeaking = "gateway-killed-speaking" // with a sentence on its way to its player
	gatewayStopped  = "gateway-stopped"         // as an operator does
)

var atGateways = []string{gatewayKilled, gatewaySpeaking, gatewayStopped}

// How many gateways stand before the mesh, and how many sockets the players share.
const (
	gateways = 3
	sockets  = 6
)

// doors are the gateways, each started again when it dies, and the players' sockets.
type doors struct {
	r      *run
	ctx    context.Context
	cancel context.CancelFunc
	wait   sync.WaitGroup
	lines  []*line

	mu    sync.Mutex
	slots []*door // nil while a slot has none
	asked int     // for an address
}

// door is a gateway. What it says to its players and to the broker runs through proxies:
// to kill it is to cut both for good.
type door struct {
	front, back *faults.Proxy
	client      *client.Client
	stop        context.CancelFunc
	served      chan error
	dead        chan struct{}
	once        sync.Once
	trap        atomic.Pointer[slammed]
}

func openDoors(ctx context.Context, r *run) (*doors, error) {
	d := &doors{r: r, slots: make([]*door, gateways)}
	d.ctx, d.cancel = context.WithCancel(context.WithoutCancel(ctx))
	for i := range d.slots {
		opened, err := d.open()
		if err != nil {
			err = fmt.Errorf("start gateway %d: %w", i, err)
			for _, begun := range d.slots[:i] {
				err = errors.Join(err, begun.end())
			}
			d.cancel()
			return nil, err
		}
		d.slots[i] = opened
	}
	for i := range d.slots {
		d.wait.Go(func() { d.keep(i) })
	}
	for range sockets {
		l := &line{doors: d, all: map[string]*told{}}
		d.lines = append(d.lines, l)
		d.wait.Go(func() { l.run(d.ctx) })
	}
	return d, nil
}

// open starts a gateway.
func (d *doors) open() (_ *door, err error) {
	out := &door{served: make(chan error, 1), dead: make(chan struct{})}
	if out.back, err = faults.Listen(d.r.broker.address); err != nil {
		return nil, err
	}
	out.client, err = client.Connect(d.ctx, "nats://"+out.back.Addr(), client.Options{Name: "chaos gateway"})
	if err != nil {
		out.back.Close()
		return nil, err
	}
	g, err := gateway.New(gateway.Options{Client: out.client, Report: func(err error) {
		select {
		case <-out.dead: // nobody hears what the dead say
		default:
			d.r.Told("a gateway: %v", err)
		}
	}})
	var listener net.Listener
	if err == nil {
		listener, err = (&net.ListenConfig{}).Listen(d.ctx, "tcp", "127.0.0.1:0")
	}
	if err == nil {
		if out.front, err = faults.Listen(listener.Addr().String()); err != nil {
			_ = listener.Close()
		}
	}
	if err != nil {
		out.client.Close()
		out.back.Close()
		return nil, err
	}
	out.front.Watch(out.look)
	var ctx context.Context
	ctx, out.stop = context.WithCancel(d.ctx)
	go func() {
		out.served <- g.Serve(ctx, listener)
		out.once.Do(func() { close(out.dead) })
	}()
	return out, nil
}

// keep has a gateway in its slot for as long as the run lasts.
func (d *doors) keep(slot int) {
	for {
		was := d.at(slot)
		select {
		case <-d.ctx.Done():
			_ = was.end()
			return
		case <-was.dead:
			d.set(slot, nil)
			d.wait.Go(func() { _ = was.end() }) // it was cut off in the midst of its work
		}
		for {
			next, err := d.open()
			if err == nil {
				d.set(slot, next)
				break
			}
			if !sleep(d.ctx, retryEvery) { // the broker is away as well
				return
			}
		}
	}
}

func (d *doors) at(slot int) *door {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.slots[slot]
}

func (d *doors) set(slot int, to *door) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slots[slot] = to
}

// victim is a gateway that a fault may have: nil where it would be the last.
func (d *doors) victim(slot int) *door {
	d.mu.Lock()
	defer d.mu.Unlock()
	standing := 0
	for _, o := range d.slots {
		if o != nil {
			standing++
		}
	}
	if standing < 2 {
		return nil
	}
	return d.slots[slot]
}

// address is that of a gateway, one after the other, as a balancer gives them out; empty
// while none stands.
func (d *doors) address() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for range d.slots {
		d.asked++
		if o := d.slots[d.asked%len(d.slots)]; o != nil {
			return o.front.Addr()
		}
	}
	return ""
}

// settle waits until every turn that was said has been shown to its end.
func (d *doors) settle(ctx context.Context) error {
	if d == nil {
		return nil
	}
	for {
		var left []string
		for _, l := range d.lines {
			left = append(left, l.waiting()...)
		}
		if len(left) == 0 {
			return nil
		}
		if !sleep(ctx, retryEvery) {
			slices.Sort(left)
			return fmt.Errorf("after %s players still wait for the end of %s", d.r.Settle, strings.Join(left, ", "))
		}
	}
}

// of is the socket of a conversation; nil where its turns are said past the gateways: half
// are in a run of other faults as well, and none where nothing strikes at a gateway.
func (d *doors) of(convo int) *line {
	if d == nil || !slices.ContainsFunc(atGateways, d.r.allowed) {
		return nil
	}
	alone := len(d.r.Only) > 0 && !slices.ContainsFunc(d.r.Only, func(kind string) bool {
		return !slices.Contains(atGateways, kind)
	})
	if convo%2 == 1 && !alone {
		return nil
	}
	return d.lines[convo/2%len(d.lines)]
}

// heard is what the players were shown of the turns that the mesh took.
func (d *doors) heard() []invariant.Heard {
	if d == nil {
		return nil
	}
	var out []invariant.Heard
	for _, l := range d.lines {
		out = append(out, l.heard()...)
	}
	return out
}

// Doors says how much was said over sockets, and what came of it.
type Doors struct {
	Turns     int `json:"turns"`
	Sentences int `json:"sentences"`
	Breaks    int `json:"breaks"`  // of a socket
	Resumed   int `json:"resumed"` // turns that another gateway went on with
	Again     int `json:"again"`   // turns that were said again, because nothing had come of them
	Lost      int `json:"lost"`
	Doubled   int `json:"doubled"`
}

// Line says it in one line.
func (d *Doors) Line() string {
	return fmt.Sprintf("sockets turns=%d sentences=%d breaks=%d resumed=%d again=%d lost=%d doubled=%d", d.Turns,
		d.Sentences, d.Breaks, d.Resumed, d.Again, d.Lost, d.Doubled)
}

func (d *doors) result(found *invariant.Run) *Doors {
	out := &Doors{Turns: len(found.Heard)}
	for i := range found.Heard {
		out.Sentences += len(found.Heard[i].Sentences)
	}
	for _, l := range d.lines {
		l.mu.Lock()
		out.Breaks += l.breaks
		out.Resumed += l.resumed
		out.Again += l.again
		l.mu.Unlock()
	}
	out.Lost, out.Doubled = invariant.Misheard(found)
	return out
}

func (d *doors) close() {
	d.cancel()
	d.wait.Wait()
}

// kill is the death of a gateway.
func (d *door) kill() {
	d.once.Do(func() {
		d.front.Down()
		d.back.Down()
		close(d.dead)
	})
}

// end waits for what of a gateway still runs.
func (d *door) end() error {
	d.stop()
	err := <-d.served
	d.client.Close()
	d.front.Close()
	d.back.Close()
	return err
}
