// Package embedded runs a NATS server with JetStream inside this process, on a
// data folder that it alone holds. It is the only package that imports
// nats-server, and it knows nothing of turns: internal/mesh makes the streams.
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
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"golang.org/x/sys/unix"
)

// Options say where the server keeps its data and where it listens.
type Options struct {
	Dir      string        // the data folder; JetStream lives in Dir/nats
	Port     int           // 0: one that is free
	MaxStore int64         // bytes of JetStream on disk; default 16 GiB, and never more than what is free, less a reserve
	Ready    time.Duration // how long the start may take; default 20 s
	Sync     bool          // fsync every write: survives a power cut, costs most of the speed
	Warn     func(string)  // what the server warns of or fails at, a line each; may be nil
	Notice   func(string)  // that the disk is full, and that there is room again; may be nil
}

// Server is a running server.
type Server struct {
	opts Options
	port int
	lock *lock
	url  string

	full    chan struct{} // the disk has none left for the server
	end     chan struct{}
	ending  sync.Once
	waiting sync.WaitGroup

	mu      sync.RWMutex // a scrubbing, or a disk that was full, puts another server in the place of this one
	ns      *server.Server
	stopped bool
}

// reserve is the disk that JetStream leaves free: at a full disk it answers
// nothing, not even a purge, whereas at its own limit it refuses cleanly.
const reserve = 256 << 20

// leastRoom is what JetStream must have besides, to be of any use.
const leastRoom = 64 << 20

// Start locks the folder, starts the server and waits until it answers.
// Errors are one line each: *InUseError, a port in use, a disk without room.
func Start(ctx context.Context, o Options) (*Server, error) {
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder %s cannot be made: %w; give another --data", o.Dir, err)
	}
	l, err := acquire(o.Dir)
	if err != nil {
		return nil, err
	}
	s, err := start(ctx, o, l)
	if err != nil {
		l.release()
		return nil, err
	}
	return s, nil
}

func start(ctx context.Context, o Options, l *lock) (*Server, error) {
	if err := portIsFree(o.Port); err != nil {
		return nil, err
	}
	port := o.Port
	if port == 0 {
		port = server.RANDOM_PORT
	}
	s := &Server{opts: o, port: port, lock: l, full: make(chan struct{}, 1), end: make(chan struct{})}
	ns, err := s.boot(ctx)
	if err != nil {
		return nil, err
	}
	s.ns, s.url = ns, ns.ClientURL()
	if address, ok := ns.Addr().(*net.TCPAddr); ok {
		s.port = address.Port
	}
	if err := l.name(s.url); err != nil {
		ns.Shutdown()
		ns.WaitForShutdown()
		return nil, err
	}
	s.waiting.Go(s.watchDisk)
	return s, nil
}

// boot starts the server itself and waits until it answers.
func (s *Server) boot(ctx context.Context) (*server.Server, error) {
	o := s.opts
	store, err := storeLimit(o)
	if err != nil {
		return nil, err
	}
	ns, err := server.NewServer(&server.Options{
		ServerName:         "forsooth",
		Host:               "127.0.0.1",
		Port:               s.port,
		JetStream:          true,
		StoreDir:           filepath.Join(o.Dir, "nats"),
		JetStreamMaxStore:  store,
		JetStreamMaxMemory: 64 << 20,
		SyncAlways:         o.Sync,
		MaxPayload:         1 << 20,
		NoSigs:             true,
	})
	if err != nil {
		return nil, fmt.Errorf("NATS server on %s: %w", o.Dir, err)
	}
	words := &logger{warn: o.Warn, full: s.full}
	ns.SetLogger(words, false, false)
	ns.Start()
	if err := ready(ctx, ns, o, words); err != nil {
		ns.Shutdown()
		ns.WaitForShutdown()
		return nil, err
	}
	return ns, nil
}

func ready(ctx context.Context, ns *server.Server, o Options, words *logger) error {
	limit := o.Ready
	if limit == 0 {
		limit = 20 * time.Second
	}
	if d, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(d))
	}
	store := filepath.Join(o.Dir, "nats")
	for end := time.Now().Add(limit); !ns.ReadyForConnections(50 * time.Millisecond); {
		if why := words.fatal(); why != "" {
			return fmt.Errorf("the NATS server did not start on %s: %s; mend that folder or move it away, and start again",
				store, why)
		}
		if time.Now().After(end) || ctx.Err() != nil {
			return fmt.Errorf("the NATS server on %s was not ready after %s", store, limit)
		}
	}
	return nil
}

// portIsFree asks before the server does, because the server only logs that its
// port is taken.
func portIsFree(port int) error {
	if port == 0 {
		return nil
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("port %d is in use at 127.0.0.1; stop what listens there, or give another port (0 takes one "+
			"that is free)", port)
	}
	if err != nil {
		return fmt.Errorf("listen at %s: %w", address, err)
	}
	return l.Close()
}

// storeLimit keeps JetStream below the free disk.
func storeLimit(o Options) (int64, error) {
	limit := o.MaxStore
	if limit <= 0 {
		limit = 16 << 30
	}
	free, err := free(o.Dir)
	if err != nil {
		return 0, err
	}
	room := free + used(filepath.Join(o.Dir, "nats")) - reserve
	if room < leastRoom {
		return 0, fmt.Errorf("the disk of data folder %s is full: %d MB free; free at least %d MB or give another --data",
			o.Dir, free>>20, (reserve+leastRoom)>>20)
	}
	return min(limit, room), nil
}

// free is what the disk of a folder has left.
func free(dir string) (int64, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return int64(fs.Bavail) * int64(fs.Bsize), nil
}

// used is what the store holds already: it counts against the limit.
func used(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

// StoreLimit is how many bytes the streams may hold.
func (s *Server) StoreLimit() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.ns.JetStreamConfig().MaxStore
}

// URL is where other processes of this machine join.
func (s *Server) URL() string { return s.url }

// InProcessConn is a connection without a socket; transport.Dial takes the server
// itself for this.
func (s *Server) InProcessConn() (net.Conn, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	c, err := s.ns.InProcessConn()
	if err != nil {
		return nil, err
	}
	return newPipe(c), nil
}

// Stop shuts the server down, waits for its files to be written, and gives the
// folder free.
func (s *Server) Stop() {
	s.ending.Do(func() { close(s.end) })
	s.waiting.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	s.lock.release()
}

// logger hands on what the server warns of and fails at. Its notices are of no
// use to anyone who did not ask for a NATS server.
type logger struct {
	warn func(string)
	full chan<- struct{} // told of a disk that is full; nil: nobody is
	mu   sync.Mutex
	gave string
}

func (l *logger) say(format string, v ...any) {
	if l.warn != nil {
		l.warn(fmt.Sprintf(format, v...))
	}
}

// Fatalf is what the server says when it gives up; here nothing exits.
func (l *logger) Fatalf(format string, v ...any) {
	l.mu.Lock()
	l.gave = fmt.Sprintf(format, v...)
	l.mu.Unlock()
}

// fatal is why the server gave up, or nothing.
func (l *logger) fatal() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.gave
}

func (l *logger) Warnf(format string, v ...any) { l.say(format, v...) }

// Errorf is also the only word that the server gives of a write that failed.
func (l *logger) Errorf(format string, v ...any) {
	l.say(format, v...)
	if !isFull(fmt.Sprintf(format, v...)) {
		return
	}
	select {
	case l.full <- struct{}{}:
	default: // it is known, or nobody asks
	}
}

func (l *logger) Noticef(string, ...any) {}
func (l *logger) Debugf(string, ...any)  {}
func (l *logger) Tracef(string, ...any)  {}
