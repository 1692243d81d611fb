package mesh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestWorldsAreSpreadOverTenMinutes(t *testing.T) {
	at := map[string]bool{}
	for i := range 200 {
		world := fmt.Sprintf("world-%d", i)
		got, err := Nightly("0 3 * * *", world)
		again, _ := Nightly("0 3 * * *", world)
		var second, minute int
		if _, scanErr := fmt.Sscanf(got, "%d %d 3 * * *", &second, &minute); err != nil || scanErr != nil || got != again ||
			second > 59 || minute > 9 {
			t.Fatalf("%s: %q, %q, %v", world, got, again, err)
		}
		at[got] = true
	}
	if len(at) < 150 {
		t.Errorf("200 worlds begin at %d times", len(at))
	}
	for _, c := range []struct{ schedule, want string }{{"59 3 * * 1", " 59 3 * * 1"}, {"*/5 * * * *", " */5 * * * *"}} {
		if got, err := Nightly(c.schedule, "hollowmere"); err != nil || !strings.HasSuffix(got, c.want) {
			t.Errorf("%q: %q, %v", c.schedule, got, err)
		}
	}
	if _, err := Nightly("0 0 3 * * *", "w"); err == nil {
		t.Error("six fields were taken")
	}
}

// Two processes schedule the same scan; each time it is due one of them has it, and
// one that fails is given again under the same id.
func TestADueScanIsTakenOnce(t *testing.T) {
	r := newRig(t)
	var mu sync.Mutex
	var got []string
	for range 2 {
		r.start(Options{}, func(m *Mesh) {
			m.OnScan(func(_ context.Context, world, id string) error {
				mu.Lock()
				defer mu.Unlock()
				got = append(got, world+" "+id)
				if len(got) == 1 {
					return errors.New("the store is away")
				}
				return nil
			})
		})
	}
	m := New(r.conn, Options{})
	if err := m.ScheduleScan(t.Context(), "hollowmere", "* * * * * *", "UTC"); err != nil {
		t.Fatal(err)
	}
	if worlds, err := m.ScheduledScans(t.Context()); err != nil || !slices.Equal(worlds, []string{"hollowmere"}) {
		t.Fatalf("%v, %v", worlds, err)
	}
	seen := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(got)
	}
	for until := time.Now().Add(20 * time.Second); len(seen()) < 3 && time.Now().Before(until); {
		time.Sleep(50 * time.Millisecond)
	}
	if err := m.UnscheduleScan(t.Context(), "hollowmere"); err != nil {
		t.Fatal(err)
	}
	times := map[string]int{}
	for _, s := range seen() {
		times[s]++
	}
	if len(times) < 2 || times[seen()[0]] > 2 {
		t.Errorf("%v", seen())
	}
	if err := m.UnscheduleScan(t.Context(), "hollowmere"); err != nil {
		t.Errorf("what is gone is taken away again: %v", err)
	}
	if worlds, err := m.ScheduledScans(t.Context()); err != nil || len(worlds) > 0 {
		t.Errorf("%v, %v", worlds, err)
	}
}

func TestScansAreKept(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(*Mesh) {})
	s := r.conn.Scans()
	for _, a := range [][2]string{{"one", "a"}, {"one", "a"}, {"two", "b"}, {"one", "c"}} {
		if err := s.Add(t.Context(), a[0], a[1], []byte(a[1])); err != nil {
			t.Fatal(err)
		}
	}
	for world, want := range map[string]string{"one": "ac", "two": "b", "": "abc", "three": ""} {
		got := ""
		if err := s.Each(t.Context(), world, func(data []byte) error { got += string(data); return nil }); err != nil ||
			got != want {
			t.Errorf("%q: %q, %v", world, got, err)
		}
	}
	if err := s.Add(t.Context(), "no token", "x", nil); err == nil {
		t.Error("a world that is no token was taken")
	}
}
