package heap

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"pgregory.net/rapid"
)

func TestLimitLeavesRoomAboveWhatLives(t *testing.T) {
	for _, c := range []struct{ live, want uint64 }{
		{0, 400}, {60, 460}, {128, 528}, {200, 672}, {1000, 2272},
	} {
		if got := Limit(c.live << 20); got != int64(c.want<<20) {
			t.Errorf("%d MB live: %d MB, want %d", c.live, got>>20, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Uint64Range(0, 1<<40).Draw(t, "a")
		b := rapid.Uint64Range(a, 1<<40).Draw(t, "b")
		switch {
		case Limit(a) < int64(a)+room:
			t.Errorf("%d live leave less than the room", a)
		case Limit(a) > Limit(b):
			t.Errorf("%d live have more than %d", a, b)
		}
	})
}

func TestLowsForgetWhatIsLongPast(t *testing.T) {
	var l lows
	if got := l.add(70); got != 70 {
		t.Errorf("the first look: %d", got)
	}
	for range window - 1 {
		if got := l.add(300); got != 70 {
			t.Fatalf("a busy moment raised it to %d", got)
		}
	}
	if got := l.add(300); got != 300 {
		t.Errorf("after a whole window: %d", got)
	}
	if got := l.add(90); got != 90 {
		t.Errorf("a quiet moment: %d", got)
	}
}

func TestHoldPutsBackWhatWasBefore(t *testing.T) {
	runtime.GC()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); Hold(ctx) }()
	for debug.SetMemoryLimit(-1) == math.MaxInt64 {
		runtime.Gosched()
	}
	if held := debug.SetMemoryLimit(-1); held < room || held > room+1<<30 {
		t.Errorf("the limit is %d", held)
	}
	cancel()
	<-done
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the limit stays at %d", got)
	}
}

func TestHoldLeavesAGivenLimit(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "1GiB")
	Hold(t.Context())
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the limit is %d", got)
	}
}
