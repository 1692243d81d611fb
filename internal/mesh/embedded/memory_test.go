package embedded

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"pgregory.net/rapid"
)

func TestLimitLeavesRoomAboveWhatLives(t *testing.T) {
	for _, c := range []struct{ needs, live, want uint64 }{
		{0, 0, 400}, {60, 60, 460}, {128, 128, 528}, {200, 200, 672}, {1000, 1000, 2272},
		{60, 300, 460},   // blocks of a busy moment have no more room
		{60, 1000, 1100}, // a large world that has just come is not pressed
	} {
		if got := memoryLimit(c.needs<<20, c.live<<20); got != int64(c.want<<20) {
			t.Errorf("%d MB needed, %d live: %d MB, want %d", c.needs, c.live, got>>20, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		needs := rapid.Uint64Range(0, 1<<40).Draw(t, "needs")
		live := rapid.Uint64Range(needs, 1<<40).Draw(t, "live")
		more := rapid.Uint64Range(live, 1<<40).Draw(t, "more")
		switch limit := memoryLimit(needs, live); {
		case limit < int64(needs)+room || limit < int64(live)+room/4:
			t.Errorf("%d needed and %d live leave no room below %d", needs, live, limit)
		case limit > memoryLimit(needs, more) || limit > memoryLimit(live, more):
			t.Errorf("%d needed and %d live have more than what is larger", needs, live)
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
	go func() { defer close(done); HoldMemory(ctx) }()
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
	HoldMemory(t.Context())
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("the limit is %d", got)
	}
}
