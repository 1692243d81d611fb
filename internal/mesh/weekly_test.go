package mesh

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
)

// heard are the reports that were due, in order.
type heard struct {
	mu  sync.Mutex
	got []string
}

func (h *heard) register(m *Mesh) {
	m.OnReport(func(_ context.Context, world, id string) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.got = append(h.got, world+" "+id)
		return nil
	})
}

func (h *heard) all() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.got)
}

// atLeast waits for so many.
func (h *heard) atLeast(t *testing.T, n int) {
	t.Helper()
	eventually(t, 20*time.Second, func() error {
		if got := h.all(); len(got) < n {
			return fmt.Errorf("%v are fewer than %d", got, n)
		}
		return nil
	})
}

// Of two processes one has each report that is due.
func TestADueReportIsTakenOnce(t *testing.T) {
	r := newRig(t)
	var h heard
	for range 2 {
		r.start(Options{}, h.register)
	}
	m := New(r.conn, Options{})
	must(t, m.ScheduleReport(t.Context(), "hollowmere", "* * * * * *", "UTC"))
	if worlds, err := m.ScheduledReports(t.Context()); err != nil || !slices.Equal(worlds, []string{"hollowmere"}) {
		t.Fatalf("%v, %v", worlds, err)
	}
	h.atLeast(t, 3)
	must(t, m.UnscheduleReport(t.Context(), "hollowmere"))
	got := h.all()
	if unique := slices.Compact(slices.Sorted(slices.Values(got))); len(unique) != len(got) {
		t.Errorf("taken twice: %v", got)
	}
	if worlds, err := m.ScheduledReports(t.Context()); err != nil || len(worlds) > 0 {
		t.Errorf("%v, %v", worlds, err)
	}
}

// Four reports fall due while no service runs: one comes when a service is back.
func TestReportsMissedWhileServicesAreDownComeOnce(t *testing.T) {
	r := newRig(t)
	m, stop := r.start(Options{}, func(*Mesh) {})
	stop()
	must(t, m.ScheduleReport(t.Context(), "hollowmere", "* * * * * *", "UTC"))
	time.Sleep(4500 * time.Millisecond)
	must(t, m.UnscheduleReport(t.Context(), "hollowmere"))
	var h heard
	r.start(Options{}, h.register)
	h.atLeast(t, 1)
	time.Sleep(1500 * time.Millisecond)
	if got := h.all(); len(got) != 1 {
		t.Errorf("it came %d times: %v", len(got), got)
	}
}

// The broker itself is down over several times: it makes up for them once. Its
// schedule is set to a second of the minute that is seldom, so that what comes soon
// after the start is what was missed.
func TestReportsMissedWhileTheBrokerIsDownComeOnce(t *testing.T) {
	dir := t.TempDir()
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: dir})
	must(t, err)
	conn, err := transport.Connect(t.Context(), transport.Dial{InProcess: server, Name: t.Name()})
	must(t, err)
	m := New(conn, Options{})
	must(t, m.Setup(t.Context()))
	now := time.Now().UTC()
	var seconds []string // four of the next five, and none of the half minute behind them
	for i := 2; i <= 5; i++ {
		seconds = append(seconds, fmt.Sprint(now.Add(time.Duration(i)*time.Second).Second()))
	}
	must(t, m.ScheduleReport(t.Context(), "hollowmere", strings.Join(seconds, ",")+" * * * * *", "UTC"))
	conn.Close()
	server.Stop()
	time.Sleep(time.Until(now.Add(6500 * time.Millisecond)))
	r := newRigOn(t, embedded.Options{Dir: dir})
	var h heard
	r.start(Options{}, h.register)
	h.atLeast(t, 1)
	time.Sleep(3 * time.Second)
	if got := h.all(); len(got) != 1 {
		t.Errorf("it came %d times: %v", len(got), got)
	}
}

// A schedule holds in its zone: the clocks of Kolkata are half an hour off those of UTC.
func TestAReportIsDueInItsZone(t *testing.T) {
	r := newRig(t)
	var h heard
	m, _ := r.start(Options{}, h.register)
	for time.Now().Second() > 50 {
		time.Sleep(time.Second) // the minute must not end under the test
	}
	zone, err := time.LoadLocation("Asia/Kolkata")
	must(t, err)
	at := fmt.Sprintf("* %d * * * *", time.Now().In(zone).Minute())
	must(t, m.ScheduleReport(t.Context(), "there", at, "Asia/Kolkata"))
	must(t, m.ScheduleReport(t.Context(), "here", at, "UTC"))
	h.atLeast(t, 1)
	for _, world := range []string{"there", "here"} {
		must(t, m.UnscheduleReport(t.Context(), world))
	}
	for _, got := range h.all() {
		if !strings.HasPrefix(got, "there ") {
			t.Errorf("%s came, whose zone has another minute", got)
		}
	}
}

// A report that is made again, because its maker died on the way, is published once.
func TestAReportIsPublishedOnce(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(*Mesh) {})
	s := r.conn.Reports()
	for _, a := range [][3]string{{"one", "a", "first"}, {"one", "a", "first"}, {"two", "b", "other"},
		{"one", "c", "second"}} {
		stands, err := s.Add(t.Context(), a[0], a[1], []byte(a[2]+" try"))
		if err != nil || string(stands) != a[2]+" try" {
			t.Fatalf("%v: %q, %v", a, stands, err)
		}
	}
	if stands, err := s.Add(t.Context(), "one", "c", []byte("later words")); err != nil || string(stands) != "second try" {
		t.Errorf("what stands is %q, %v", stands, err)
	}
	for world, want := range map[string]string{"one": "first try,second try,", "two": "other try,", "three": ""} {
		got := ""
		if err := s.Each(t.Context(), world, func(data []byte) error { got += string(data) + ","; return nil }); err != nil ||
			got != want {
			t.Errorf("%q: %q, %v", world, got, err)
		}
	}
	if _, err := s.Add(t.Context(), "no token", "x", nil); err == nil {
		t.Error("a world that is no token was taken")
	}
}
