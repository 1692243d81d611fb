package embedded

import (
	"context"
	"fmt"
	"path/filepath"
)

// Scrub stops the server, overwrites what its streams hold no more, and starts it
// again at the same address. Connections come back by themselves; what is asked
// for meanwhile waits. held is what each stream holds.
func (s *Server) Scrub(ctx context.Context, held map[string]Held) (Scrubbed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return Scrubbed{}, fmt.Errorf("the NATS server on %s has been stopped", s.opts.Dir)
	}
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	done, err := scrubStreams(filepath.Join(s.opts.Dir, "nats"), held)
	// Whatever became of that, the mesh needs its server.
	ns, again := s.boot(context.WithoutCancel(ctx))
	if again != nil {
		s.stopped = true
		return done, again
	}
	s.ns = ns
	return done, err
}
