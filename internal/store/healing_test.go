package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/forsooth-npc/forsooth/internal/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// server is what sessions are opened on; it fails as it is told to.
type server struct {
	mu      sync.Mutex
	opening error // of the next opening
	asking  error // of each request
	opened  int
	closed  int
	told    []string
}

func (s *server) set(opening, asking error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opening, s.asking = opening, asking
}

func (s *server) open(context.Context) (store.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opening != nil {
		return nil, s.opening
	}
	s.opened++
	return &session{server: s}, nil
}

func (s *server) notice(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told = append(s.told, line)
}

func (s *server) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.told)
}

// session answers what the server says. Of a store's requests the tests make two.
type session struct {
	store.Session
	server *server
}

func (s *session) Marked(context.Context, string) (string, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return "marked", s.server.asking
}

func (s *session) Get(_ context.Context, _, id string) (store.MemoryPoint, error) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	return store.MemoryPoint{}, s.server.asking
}

func (s *session) Close() error {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.closed++
	return nil
}

var (
	errDown   = fmt.Errorf("the server %w: connection refused", store.ErrUnavailable)
	errGone   = fmt.Errorf("the collection %w", store.ErrGone)
	errUnfit  = errors.New("the collection holds vectors of 3 dimensions")
	errAbsent = fmt.Errorf("memory m1: %w", store.ErrNotFound)
)

func begin(t *testing.T, s *server) *store.Healing {
	t.Helper()
	h := store.NewHealing(t.Context(), store.HealingOptions{Open: s.open, Notice: s.notice})
	t.Cleanup(func() {
		if err := h.Close(); err != nil || s.closed != s.opened {
			t.Errorf("close: %v; %d opened, %d closed", err, s.opened, s.closed)
		}
	})
	return h
}

// healed waits until a request is answered.
func healed(t *testing.T, h *store.Healing) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if v, err := h.Marked(t.Context(), "k"); err == nil && v == "marked" {
			return
		}
	}
	t.Fatal("it is never back")
}

func TestAServerThatIsDownAtTheStart(t *testing.T) {
	s := &server{opening: errDown}
	h := begin(t, s)
	if _, err := h.Marked(t.Context(), "k"); !errors.Is(err, store.ErrUnavailable) || err.Error() != errDown.Error() {
		t.Errorf("%v", err)
	}
	s.set(nil, nil)
	healed(t, h)
	if told := s.lines(); len(told) != 2 || !strings.Contains(told[0], "connection refused") ||
		!strings.Contains(told[1], "again") {
		t.Errorf("%q", told)
	}
}

func TestAServerThatIsLostInTheMiddle(t *testing.T) {
	s := &server{}
	h := begin(t, s)
	healed(t, h)
	s.set(nil, errDown)
	for range 3 { // told once
		if _, err := h.Get(t.Context(), "w", "m1"); !errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%v", err)
		}
	}
	s.set(nil, nil)
	healed(t, h)
	if told := s.lines(); len(told) != 2 || s.opened != 1 {
		t.Errorf("%q, opened %d times", told, s.opened)
	}
}

func TestACollectionThatIsGoneIsOpenedAnew(t *testing.T) {
	s := &server{}
	h := begin(t, s)
	s.set(nil, errGone)
	if _, err := h.Get(t.Context(), "w", "m1"); !errors.Is(err, store.ErrGone) || !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	s.set(nil, nil)
	healed(t, h)
	if s.opened != 2 {
		t.Errorf("opened %d times", s.opened)
	}
}

// A server that is back may hold what cannot be used: that is another line, and
// none of what is asked meanwhile is answered.
func TestAServerThatIsBackAndUnfit(t *testing.T) {
	s := &server{opening: errDown}
	h := begin(t, s)
	s.set(errUnfit, nil)
	for until := time.Now().Add(10 * time.Second); len(s.lines()) < 2 && time.Now().Before(until); {
		time.Sleep(5 * time.Millisecond)
	}
	_, err := h.Marked(t.Context(), "k")
	if told := s.lines(); len(told) != 2 || !strings.Contains(told[1], "3 dimensions") || !errors.Is(err, errUnfit) ||
		!errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%q, %v", told, err)
	}
	s.set(nil, nil)
	healed(t, h)
}

func TestWhatIsNoFaultOfTheServer(t *testing.T) {
	s := &server{asking: errAbsent}
	h := begin(t, s)
	if _, err := h.Get(t.Context(), "w", "m1"); !errors.Is(err, store.ErrNotFound) ||
		errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	s.set(nil, context.Canceled)
	if _, err := h.Get(t.Context(), "w", "m1"); !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if told := s.lines(); len(told) != 0 {
		t.Errorf("%q", told)
	}
}
