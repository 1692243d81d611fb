package chaos

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/lab/invariant"
)

// broker is the NATS server, which can be stopped and started on its data, or a
// cluster of them.
type broker struct {
	options embedded.Options
	address string

	cluster   *cluster // in the place of the one server
	elections *elections

	mu      sync.Mutex
	server  *embedded.Server
	outages []invariant.Outage
}

func startBroker(ctx context.Context, dir string, several bool) (*broker, error) {
	if several {
		c, err := startCluster(ctx, dir)
		if err != nil {
			return nil, err
		}
		return &broker{cluster: c, address: c.front.Addr()}, nil
	}
	b := &broker{options: embedded.Options{Dir: filepath.Join(dir, "broker")}}
	server, err := embedded.Start(ctx, b.options)
	if err != nil {
		return nil, err
	}
	b.server = server
	at, err := url.Parse(server.URL())
	if err != nil {
		return nil, err
	}
	b.address = at.Host
	_, port, err := net.SplitHostPort(at.Host)
	if err != nil {
		return nil, err
	}
	b.options.Port, err = strconv.Atoi(port)
	return b, err
}

func (b *broker) url() string { return "nats://" + b.address }

// outage is a time in which nothing can be stored. back is waited for: it ends when
// somebody works again.
func (b *broker) outage(ctx context.Context, back func(context.Context), strike func() error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	began := time.Now()
	if err := strike(); err != nil {
		return err
	}
	back(context.WithoutCancel(ctx))
	b.outages = append(b.outages, invariant.Outage{Begin: began, End: time.Now()})
	return nil
}

// watch sees what a cluster loses by its elections from here on, all its streams and
// consumers being there.
func (b *broker) watch(ctx context.Context) {
	if b.cluster != nil {
		b.elections = watchElections(ctx, b.cluster.whole)
	}
}

// restart stops the server for a while and starts it where it was, with so much room
// for its streams; 0 is as much as there is.
func (b *broker) restart(ctx context.Context, away time.Duration, room int64) error {
	b.server.Stop()
	sleep(ctx, away)
	b.options.MaxStore = room
	server, err := embedded.Start(context.WithoutCancel(ctx), b.options)
	if err != nil {
		return fmt.Errorf("start the broker again: %w", err)
	}
	b.server = server
	return nil
}

func (b *broker) away() []invariant.Outage {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.elections == nil {
		return b.outages
	}
	return slices.Concat(b.outages, b.elections.times())
}

func (b *broker) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.elections != nil {
		b.elections.stop()
	}
	if b.cluster != nil {
		b.cluster.stop()
		return
	}
	b.server.Stop()
}
