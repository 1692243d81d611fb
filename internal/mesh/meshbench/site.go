package meshbench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// site is a chain that is set up: its streams, its nodes, and the connection from
// which it is loaded.
type site struct {
	chain Chain
	conn  *transport.Conn
	mesh  *mesh.Mesh // from which a hop's first turn is sent
	ends  []func() error
}

// build sets a chain up with its hops shared out among the processes.
func build(ctx context.Context, b broker, chain Chain, o Options) (*site, error) {
	var nodes []Node
	for p := range o.Processes {
		n := Node{Chain: chain, Workers: o.Workers, Bytes: o.Bytes, Replicas: o.Replicas, Shared: o.Processes > 1}
		for hop := range mesh.ChainHops {
			if hop*o.Processes/mesh.ChainHops == p {
				n.Hops = append(n.Hops, hop)
			}
		}
		nodes = append(nodes, n)
	}
	return buildOf(ctx, b, chain, o, nodes)
}

func buildOf(ctx context.Context, b broker, chain Chain, o Options, nodes []Node) (_ *site, err error) {
	s := &site{chain: chain}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.end())
		}
	}()
	if s.conn, err = transport.Connect(ctx, b.dial); err != nil {
		return s, err
	}
	if chain == Bare {
		_, err = mesh.NewBareChain(ctx, s.conn, o.Replicas)
	} else {
		s.mesh = nodes[0].mesh(s.conn)
		err = s.mesh.Setup(ctx)
	}
	if err != nil {
		return s, err
	}
	for _, n := range nodes {
		n.URL = b.url
		var stop func() error
		switch {
		case len(nodes) == 1:
			stop, err = n.run(ctx, s.conn, s.mesh) // which hands its own turns over, as in a process that does all
		case o.Spawn != nil:
			stop, err = spawn(o.Spawn, n)
		default:
			stop, err = n.apart(ctx, b)
		}
		if err != nil {
			return s, err
		}
		s.ends = append(s.ends, stop)
	}
	return s, nil
}

// apart starts a node in this process over a connection of its own.
func (n *Node) apart(ctx context.Context, b broker) (stop func() error, err error) {
	conn, err := transport.Connect(ctx, b.dial)
	if err != nil {
		return nil, err
	}
	end, err := n.start(ctx, conn)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return func() error {
		defer conn.Close()
		return end()
	}, nil
}

// spawn starts a node as a process, which ends with this one.
func spawn(command Spawn, n Node) (stop func() error, err error) {
	data, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	cmd := command(string(data))
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a process of the bench: %w", err)
	}
	stop = func() error { return errors.Join(in.Close(), waited(cmd)) }
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return nil, errors.Join(fmt.Errorf("a process of the bench did not say that it is ready: %w", err), stop())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return stop, nil
}

func waited(cmd *exec.Cmd) error {
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("a process of the bench: %w", err)
	}
	return nil
}

// end stops the nodes, the last one first.
func (s *site) end() error {
	var err error
	for i := len(s.ends) - 1; i >= 0; i-- {
		err = errors.Join(err, s.ends[i]())
	}
	if s.conn != nil {
		s.conn.Close()
	}
	return err
}

// request is a turn of a chain.
func request(c, n int) *schema.Request {
	return &schema.Request{
		TurnID: fmt.Sprintf("c%dt%d", c, n), World: "bench", NPC: "mira", Player: fmt.Sprintf("p%d", c),
		Message: "Who burned the mill?", DeadlineMS: schema.MaxDeadlineMS,
	}
}

// load sends the turns of all conversations.
func (s *site) load(ctx context.Context, o Options) (Result, error) {
	client := mesh.NewClient(s.conn)
	if s.chain == Whole {
		return Turns(ctx, client, o, request)
	}
	w := &waiter{waits: map[string]chan struct{}{}}
	send := s.sender(o)
	listening, stop := context.WithCancel(ctx)
	g, listening := errgroup.WithContext(listening)
	ready := make(chan struct{})
	g.Go(func() error { return client.ChainEnds(listening, ready, w.ended) })
	<-ready
	out, err := drive(listening, o, func(ctx context.Context, c, n int) error {
		return w.wait(ctx, request(c, n), send)
	}, func(context.Context) error { return nil })
	stop()
	return out, errors.Join(err, g.Wait())
}

func (s *site) sender(o Options) func(context.Context, *schema.Request) error {
	if s.chain == Bare {
		payload, chain := make([]byte, o.Bytes), mesh.Bare(s.conn)
		return func(ctx context.Context, r *schema.Request) error { return chain.Send(ctx, r.TurnID, payload) }
	}
	pad := padding(o.Bytes)
	return func(ctx context.Context, r *schema.Request) error { return s.mesh.SendHop(ctx, r, pad) }
}

// broker is where a measurement's streams are.
type broker struct {
	url  string
	dial transport.Dial // from this process
}

// withBroker gives f a broker on an empty folder: a server in this process, or
// three in a cluster for streams of three copies.
func withBroker(ctx context.Context, replicas int, f func(broker) error) error {
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if replicas > 1 {
		cluster, err := embedded.StartCluster(ctx, dir, replicas)
		if err != nil {
			return err
		}
		defer cluster.Stop()
		return f(broker{url: cluster.URL(),
			dial: transport.Dial{URL: cluster.URL(), Name: "bench", Timeout: 10 * time.Second}})
	}
	server, err := embedded.Start(ctx, embedded.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer server.Stop()
	return f(broker{url: server.URL(), dial: transport.Dial{InProcess: server, Name: "bench"}})
}

// used is the processor time of this process and of those of its children that
// have ended.
func used() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
