package sample_test

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/memory/scan"
	"github.com/forsooth-npc/forsooth/lab/sample"
)

func made(t testing.TB, o sample.Options) []scan.Item {
	t.Helper()
	items, err := sample.Make(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func TestMadeUpMemoriesAreSound(t *testing.T) {
	a, b := made(t, sample.Usual(7, 3000, nil)), made(t, sample.Usual(7, 3000, nil))
	if !reflect.DeepEqual(a, b) || len(a) != 3000 {
		t.Fatalf("one seed gives two samples, or not 3000 but %d", len(a))
	}
	ids := map[string]bool{}
	for i := range a {
		if err := memory.Check(&a[i].Memory); err != nil || ids[a[i].ID] {
			t.Errorf("%s: %v, twice: %v", a[i].ID, err, ids[a[i].ID])
		}
		ids[a[i].ID] = true
	}
	if reflect.DeepEqual(a, made(t, sample.Usual(8, 3000, nil))) {
		t.Error("two seeds give one sample")
	}
}

func scanned(t testing.TB, o sample.Options) scan.Result {
	t.Helper()
	e, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	o.Embed = e
	s := scan.Scanner{Settings: scan.From(guards.Default().Consistency, e.ID()), Rule: memory.DefaultRule(),
		Predicates: sample.Predicates()}
	out, err := s.Run(context.Background(),
		scan.Input{World: sample.World, Memories: made(t, o), Now: sample.Start.AddDate(2, 0, 0)})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Of 500 memories one really changes, and exactly one is superseded.
func TestCollateral(t *testing.T) {
	for seed := range uint64(5) {
		out := scanned(t, sample.Options{Seed: seed, Memories: 500, Evolutions: 1})
		if a := out.Report.Actions; a["supersede"] != 1 || len(out.Events) != 1 {
			t.Errorf("seed %d: %s; %+v", seed, out.Report.Summary(), out.Report.Details)
		}
	}
}

func TestTheScanFindsWhatWasPlanted(t *testing.T) {
	out := scanned(t, sample.Options{Seed: 3, Memories: 5000, Evolutions: 7, Contradictions: 5, Equivalents: 9})
	if a := out.Report.Actions; a["supersede"] != 7 || a["flag"] != 5 || a["merge"] != 9 {
		t.Errorf("%s; %+v", out.Report.Summary(), out.Report.Details)
	}
}

// BenchmarkScan is a nightly scan without a language model, on one core. The
// vectors are those of the store and made beforehand. Seconds are of the processor
// and not of the clock, so that what else the machine does counts little. "heap" is
// the worst there is: all memories of one NPC, and of no player.
func BenchmarkScan(b *testing.B) {
	e, err := embed.NewStatic()
	if err != nil {
		b.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, n := range []int{1000, 10_000, 100_000} {
		in := scan.Input{World: sample.World, Memories: made(b, sample.Usual(1, n, e)), Now: sample.Start.AddDate(2, 0, 0)}
		heap := in
		heap.Memories = slices.Clone(in.Memories)
		for i := range heap.Memories {
			heap.Memories[i].NPC, heap.Memories[i].Player = "n00", ""
		}
		s := scan.Scanner{Settings: scan.From(guards.Default().Consistency, e.ID()), Rule: memory.DefaultRule(),
			Predicates: sample.Predicates()}
		b.Run(strconv.Itoa(n), func(b *testing.B) { measure(b, &s, in) })
		b.Run(strconv.Itoa(n)+"/heap", func(b *testing.B) { measure(b, &s, heap) })
	}
}

func measure(b *testing.B, s *scan.Scanner, in scan.Input) {
	var out scan.Result
	var err error
	runtime.GC()
	before := processor(b)
	for b.Loop() {
		if out, err = s.Run(context.Background(), in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((processor(b)-before).Seconds()/float64(b.N), "cpu-s/op")
	b.ReportMetric(float64(out.Report.Clusters), "clusters")
	b.ReportMetric(float64(len(out.Events)), "actions")
	b.ReportMetric(float64(out.Report.Pairs), "pairs")
}

// processor is the time that this process has had.
func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
