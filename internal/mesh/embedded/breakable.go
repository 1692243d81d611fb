package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Route is asked for the address at which node from of a cluster reaches node to,
// which listens at address: a fault run puts something between the two.
type Route func(from, to int, address string) (string, error)

// Breakable is a cluster in this process of which each server can be killed, started
// again and cut from the others: for fault runs.
type Breakable struct {
	dir    string
	routes []string // of each node, to the others
	ports  []int    // of each node, for the others
	listen []int    // of each node, for clients

	mu    sync.Mutex
	nodes []*server.Server // nil while one is away
}

// StartBreakable starts so many servers below a folder, and waits until they agree.
func StartBreakable(ctx context.Context, dir string, size int, route Route) (_ *Breakable, err error) {
	c := &Breakable{dir: dir, nodes: make([]*server.Server, size), routes: make([]string, size)}
	defer func() {
		if err != nil {
			c.Stop()
		}
	}()
	ports, err := freePorts(2 * size)
	if err != nil {
		return nil, err
	}
	c.ports, c.listen = ports[:size], ports[size:]
	for from := range size {
		for to := range size {
			if from == to {
				continue
			}
			address, err := route(from, to, local(c.ports[to]))
			if err != nil {
				return nil, err
			}
			if c.routes[from] != "" {
				c.routes[from] += ","
			}
			c.routes[from] += "nats://" + address
		}
	}
	for i := range size {
		if err := c.Start(i); err != nil {
			return nil, err
		}
	}
	return c, c.Agree(ctx)
}

func local(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// Start starts a node, on what it kept.
func (c *Breakable) Start(i int) error {
	dir := filepath.Join(c.dir, fmt.Sprint("node-", i))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	o := &server.Options{
		ServerName: fmt.Sprint("n", i), Host: "127.0.0.1", Port: c.listen[i], NoSigs: true, MaxPayload: 1 << 20,
		JetStream: true, StoreDir: dir, JetStreamMaxStore: 16 << 30, JetStreamMaxMemory: 64 << 20,
		// What a node tells of itself leads nowhere: the others go by their routes alone.
		Cluster: server.ClusterOpts{Name: "chaos", Host: "127.0.0.1", Port: c.ports[i], Advertise: "127.0.0.1:1",
			NoAdvertise: true, PoolSize: -1},
		Routes: server.RoutesFromStr(c.routes[i]),
	}
	ns, err := server.NewServer(o)
	if err != nil {
		return fmt.Errorf("node %d: %w", i, err)
	}
	ns.SetLogger(&logger{}, false, false)
	ns.Start()
	if !ns.ReadyForConnections(20 * time.Second) {
		ns.Shutdown()
		ns.WaitForShutdown()
		return fmt.Errorf("node %d is not ready after 20 s", i)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes[i] = ns
	return nil
}

// Kill ends a node. Whoever wants it to have no time for a farewell cuts its routes
// before.
func (c *Breakable) Kill(i int) {
	c.mu.Lock()
	ns := c.nodes[i]
	c.nodes[i] = nil
	c.mu.Unlock()
	if ns != nil {
		ns.Shutdown()
		ns.WaitForShutdown()
	}
}

// Leader is the node that leads a stream; -1 while none does.
func (c *Breakable) Leader(stream string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, ns := range c.nodes {
		if ns != nil && ns.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream) {
			return i
		}
	}
	return -1
}

// Led says whether each of some streams takes a write, and the consumer of it that is
// named beside it hands out: the nodes that run reach each other, and one of them alone
// leads it. A node that was cut off believes for a while that it still leads.
func (c *Breakable) Led(consumers map[string]string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	var running []*server.Server
	for _, ns := range c.nodes {
		if ns != nil {
			running = append(running, ns)
		}
	}
	for _, ns := range running {
		if ns.NumRoutes() < len(running)-1 {
			return false
		}
	}
	for stream, consumer := range consumers {
		leaders, handing := 0, 0
		for _, ns := range running {
			if ns.JetStreamIsStreamLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream) {
				leaders++
			}
			if consumer != "" && ns.JetStreamIsConsumerLeader(server.DEFAULT_GLOBAL_ACCOUNT, stream, consumer) {
				handing++
			}
		}
		if leaders != 1 || consumer != "" && handing != 1 {
			return false
		}
	}
	return true
}

// Address is where clients reach a node; empty while it is away.
func (c *Breakable) Address(i int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nodes[i] == nil {
		return ""
	}
	return local(c.listen[i])
}

// errNoLeader is what Agree says at the end of its time.
var errNoLeader = errors.New("the nodes agree on no leader")

// Agree waits until the nodes have a leader among them and it is up to date.
func (c *Breakable) Agree(ctx context.Context) error {
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end) &&
		ctx.Err() == nil; time.Sleep(20 * time.Millisecond) {
		c.mu.Lock()
		for _, ns := range c.nodes {
			if ns != nil && ns.JetStreamIsLeader() && len(ns.JetStreamClusterPeers()) == len(c.nodes) {
				c.mu.Unlock()
				return nil
			}
		}
		c.mu.Unlock()
	}
	return errors.Join(errNoLeader, ctx.Err())
}

// Stop ends all nodes.
func (c *Breakable) Stop() {
	for i := range c.nodes {
		c.Kill(i)
	}
}
