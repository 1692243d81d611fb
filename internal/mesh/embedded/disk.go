package embedded

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"
)

// isFull says whether a line of the server's speaks of a disk, or a quota, without room.
func isFull(line string) bool {
	for _, err := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		if strings.Contains(line, err.Error()) {
			return true
		}
	}
	return false
}

// lookForRoom is how often a full disk is looked at.
const lookForRoom = 500 * time.Millisecond

// watchDisk waits for a write that found no room. Something else has filled the disk:
// the server's own streams stay below what was free. A stream that met a full disk
// answers nobody any more, and does not when there is room again either, so the server
// is then started anew on what it holds. It has acknowledged nothing that it did not
// write.
func (s *Server) watchDisk() {
	for {
		select {
		case <-s.end:
			return
		case <-s.full:
		}
		s.notice(fmt.Sprintf("the disk of data folder %s is full: nothing is stored, and turns wait; free at least %d "+
			"MB there, and they go on by themselves",
			s.opts.Dir, (reserve+leastRoom)>>20))
		for again := false; !again; {
			select {
			case <-s.end:
				return
			case <-time.After(lookForRoom):
			}
			if left, err := free(s.opts.Dir); err == nil && left >= reserve+leastRoom {
				again = s.renew()
			}
		}
		s.notice(fmt.Sprintf("the disk of data folder %s has room again, and the NATS server runs on what it holds",
			s.opts.Dir))
	}
}

// renew starts the server anew at the same address, and says whether it runs.
func (s *Server) renew() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return true
	}
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	select { // what the old one said of the disk until its end
	case <-s.full:
	default:
	}
	ns, err := s.boot(context.Background())
	if err != nil {
		s.notice(err.Error())
		return false
	}
	s.ns = ns
	return true
}

func (s *Server) notice(line string) {
	if s.opts.Notice != nil {
		s.opts.Notice(line)
	}
}
