package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Cluster is some servers of one cluster in this process, for benches and tests:
// streams of three copies behave as on machines of their own, but for the
// network between them. It locks no folder; each server has one of its own.
type Cluster struct{ servers []*server.Server }

// StartCluster starts n servers below dir and waits until they have elected who
// keeps the account of their streams.
func StartCluster(ctx context.Context, dir string, n int) (*Cluster, error) {
	ports, err := freePorts(n)
	if err != nil {
		return nil, err
	}
	var routes []string
	for _, p := range ports {
		routes = append(routes, "nats://127.0.0.1:"+strconv.Itoa(p))
	}
	c := &Cluster{}
	for i, p := range ports {
		s, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprint("forsooth-", i+1), Host: "127.0.0.1", Port: server.RANDOM_PORT,
			JetStream: true, StoreDir: filepath.Join(dir, strconv.Itoa(i+1)), MaxPayload: 1 << 20, NoSigs: true,
			Cluster: server.ClusterOpts{Name: "forsooth", Host: "127.0.0.1", Port: p},
			Routes:  server.RoutesFromStr(strings.Join(routes, ",")),
		})
		if err != nil {
			c.Stop()
			return nil, fmt.Errorf("server %d of a cluster: %w", i+1, err)
		}
		s.SetLogger(&logger{}, false, false)
		s.Start()
		c.servers = append(c.servers, s)
	}
	if err := c.elected(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// electedIn is far beyond what an election takes on a machine that does nothing else; one
// that is busy with other builds has needed more than half a minute.
const electedIn = 2 * time.Minute

// elected waits until one of the servers leads and sees all of them online.
func (c *Cluster) elected(ctx context.Context) error {
	late := time.NewTimer(electedIn)
	defer late.Stop()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		leads, current := false, true
		for _, s := range c.servers {
			// Only a leader knows which peers are online, and places streams on those alone.
			leads = leads || s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(c.servers)
			current = current && s.JetStreamIsCurrent()
		}
		if leads && current {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for the servers of a cluster to elect a leader: %w", ctx.Err())
		case <-late.C:
			return fmt.Errorf("the servers of a cluster elected no leader in %v", electedIn)
		case <-ticker.C:
		}
	}
}

// URL names all of them.
func (c *Cluster) URL() string {
	var urls []string
	for _, s := range c.servers {
		urls = append(urls, s.ClientURL())
	}
	return strings.Join(urls, ",")
}

// Stop shuts them down.
func (c *Cluster) Stop() {
	for _, s := range c.servers {
		s.Shutdown()
	}
	for _, s := range c.servers {
		s.WaitForShutdown()
	}
}

// freePorts finds ports for the servers to find each other at, all open at once
// so that no two are the same.
func freePorts(n int) (ports []int, err error) {
	for range n {
		l, listenErr := net.Listen("tcp", "127.0.0.1:0")
		if listenErr != nil {
			return nil, fmt.Errorf("find a port: %w", listenErr)
		}
		defer func() { err = errors.Join(err, l.Close()) }()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
