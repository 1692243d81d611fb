package meshbench

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

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
