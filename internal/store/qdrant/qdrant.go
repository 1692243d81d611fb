// Package qdrant keeps the corpus and the session on a Qdrant server, in a
// collection for each, so that no point of the one can be read as the other's. It
// speaks gRPC, and is the only package that knows Qdrant. It does not run a server,
// and it is no transaction log: whatever it keeps can be built again, the corpus
// from the world's files and the session from the memory log. Writers in one
// process do not disturb each other; of two processes that count uses of one
// memory at the same moment, one may lose its count.
package qdrant

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
	qd "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/forsooth-npc/forsooth/internal/store"
)

// Options say where the server is and how collections are laid out there.
type Options struct {
	Addr      string // host:port of its gRPC side, by default port 6334
	APIKey    string
	TLS       bool
	Prefix    string        // before the collections' names, so that several games share a server
	Dimension int           // of the embedding
	Nodes     int           // 1, or 3 and more: a copy of each point on three of them
	Attempts  int           // at each request; 0 is 5
	Timeout   time.Duration // of one attempt; 0 is 10 s

	// Read says what a document's passages hold for a search by words. Without it they
	// are found by their vectors alone.
	Read func(store.Document) []store.Reading

	// Intercept sees each attempt at each request; tests make them fail with it.
	Intercept grpc.UnaryClientInterceptor
}

const (
	defaultAttempts = 5
	defaultTimeout  = 10 * time.Second
	largestMessage  = 256 << 20
)

// collection is one collection on a server.
type collection struct {
	o      Options
	name   string
	client *qd.Client
}

// open connects, and makes the collection or checks the one that is there.
func open(ctx context.Context, o Options, l layout) (*collection, error) {
	c, err := reach(o, l)
	if err != nil {
		return nil, err
	}
	if err := c.prepare(ctx, l); err != nil {
		return nil, errors.Join(err, c.client.Close())
	}
	return c, nil
}

// reach makes a client, which has asked for nothing yet.
func reach(o Options, l layout) (*collection, error) {
	if o.Attempts == 0 {
		o.Attempts = defaultAttempts
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	client, err := dial(o)
	if err != nil {
		return nil, err
	}
	return &collection{o: o, name: l.name(o.Prefix), client: client}, nil
}

func (o *Options) check() error {
	switch {
	case o.Dimension < 1:
		return fmt.Errorf("qdrant: a dimension of %d; it is that of the embedding, at least 1", o.Dimension)
	case o.Nodes != 0 && o.Nodes != 1 && o.Nodes < copies:
		return fmt.Errorf("qdrant: %d nodes; use 1, or %d and more", o.Nodes, copies)
	case o.Attempts < 1:
		return fmt.Errorf("qdrant: %d attempts; use at least 1", o.Attempts)
	}
	return nil
}

func dial(o Options) (*qd.Client, error) {
	host, port, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, fmt.Errorf("qdrant address %q: write host:port, such as localhost:6334: %w", o.Addr, err)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return nil, fmt.Errorf("qdrant address %q: the port is a number from 1 to 65535", o.Addr)
	}
	dials := []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(largestMessage)),
		// A server that is back is found within two seconds.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff: grpcbackoff.Config{BaseDelay: 50 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2,
				MaxDelay: 2 * time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
	}
	if o.Intercept != nil {
		dials = append(dials, grpc.WithChainUnaryInterceptor(o.Intercept))
	}
	client, err := qd.NewClient(&qd.Config{
		Host: host, Port: int(n), APIKey: o.APIKey, UseTLS: o.TLS, GrpcOptions: dials,
		PoolSize: 1, SkipCompatibilityCheck: true, // prepare checks, and says what to do
	})
	if err != nil {
		return nil, fmt.Errorf("qdrant at %s: %w", o.Addr, err)
	}
	return client, nil
}

// Close ends the connection.
func (c *collection) Close() error {
	if err := c.client.Close(); err != nil {
		return fmt.Errorf("qdrant at %s: close: %w", c.o.Addr, err)
	}
	return nil
}

// copies is on how many nodes of a cluster a point lies. A write counts when two
// have it, and a read asks as many, so that one node may be down and no read is
// older than the last write.
const copies, quorum = 3, 2

func (c *collection) clustered() bool { return c.o.Nodes >= copies }

func (c *collection) ordering(t qd.WriteOrderingType) *qd.WriteOrdering {
	if !c.clustered() {
		return nil
	}
	return &qd.WriteOrdering{Type: t}
}

func (c *collection) consistency() *qd.ReadConsistency {
	if !c.clustered() {
		return nil
	}
	return qd.NewReadConsistencyType(qd.ReadConsistencyType_Majority)
}

// do makes one request, again where the answer was lost or the server could not
// take it just now. A write that is answered with an error may have been applied
// all the same, or on some of the nodes only; every write of this package says
// what shall stand and not what to add, so sending it again completes it.
func (c *collection) do(ctx context.Context, what string, request func(context.Context) error) error {
	attempt := func() error {
		ctx, cancel := context.WithTimeout(ctx, c.o.Timeout)
		defer cancel()
		err := request(ctx)
		if err != nil && !passing(err) {
			return backoff.Permanent(err)
		}
		return err
	}
	if err := ctx.Err(); err != nil {
		return c.wrap(what, err)
	}
	err := backoff.Retry(attempt, backoff.WithContext(backoff.WithMaxRetries(pauses(), uint64(c.o.Attempts-1)), ctx))
	if ended := ctx.Err(); err != nil && ended != nil && !errors.Is(err, ended) {
		err = fmt.Errorf("%w: %w", ended, err)
	}
	return c.wrap(what, err)
}

func pauses() backoff.BackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(50*time.Millisecond),
		backoff.WithMultiplier(2),
		backoff.WithRandomizationFactor(0.5),
		backoff.WithMaxInterval(2*time.Second),
		backoff.WithMaxElapsedTime(0),
	)
}

// passing says whether the same request may succeed later. Internal is among
// them: with it a cluster reports that some copies took a write and some did not.
func passing(err error) bool {
	var full *qd.QdrantResourceExhaustedError
	if errors.As(err, &full) {
		return true
	}
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Aborted, codes.ResourceExhausted, codes.Internal:
		return true
	}
	return false
}

// wrap names the server and the collection, and the mend where one is known, in
// one line.
func (c *collection) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	where := fmt.Sprintf("qdrant at %s, collection %s: %s", c.o.Addr, c.name, what)
	code := status.Code(err)
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: %w", where, line{err})
	case passing(err):
		return fmt.Errorf("%s: %w; see that it runs and is reached under this address: %w", where, store.ErrUnavailable,
			line{err})
	case code == codes.Unauthenticated, code == codes.PermissionDenied:
		return fmt.Errorf("%s: it refuses the API key; set the one that it was started with: %w", where, line{err})
	case code == codes.NotFound:
		return fmt.Errorf("%s: the collection %w; it is made and filled anew when it is opened again: %w", where,
			store.ErrGone, line{err})
	}
	return fmt.Errorf("%s: %w", where, line{err})
}

// line is an error whose text is one line, whatever the server wrote.
type line struct{ error }

func (l line) Error() string { return strings.Join(strings.Fields(l.error.Error()), " ") }
func (l line) Unwrap() error { return l.error }
