package meshbench

import (
	"slices"
	"syscall"
	"testing"
	"time"
)

func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

func BenchmarkNoop(b *testing.B) {
	for b.Loop() {
		r, err := Noop(b.Context(), Options{Turns: 3200})
		if err != nil {
			b.Fatal(err)
		}
		b.Log("noop", r)
	}
}

func BenchmarkPair(b *testing.B) {
	for b.Loop() {
		var ratios, cpus, nc, bc []float64
		for range 7 {
			c := cpu()
			x, err := Bare(b.Context(), Options{Turns: 1600})
			if err != nil {
				b.Fatal(err)
			}
			bare := float64(cpu()-c) / 1600
			c = cpu()
			y, err := Noop(b.Context(), Options{Turns: 960})
			if err != nil {
				b.Fatal(err)
			}
			noop := float64(cpu()-c) / 960
			ratios = append(ratios, y.PerSecond/x.PerSecond)
			cpus = append(cpus, bare/noop)
			nc = append(nc, noop/1e6)
			bc = append(bc, bare/1e6)
		}
		for _, x := range [][]float64{ratios, cpus, nc, bc} {
			slices.Sort(x)
		}
		b.Logf("turns: ratio median %.3f [%.3f..%.3f]  cpu ratio %.3f  cpu ms noop %.2f bare %.2f", ratios[3], ratios[0], ratios[6], cpus[3], nc[3], bc[3])
	}
}

func BenchmarkAlone(b *testing.B) {
	for b.Loop() {
		for _, bytes := range []int{1 << 10, 8 << 10, 24 << 10} {
			r, err := Noop(b.Context(), Options{Turns: 300, Conversations: 1, Bytes: bytes})
			if err != nil {
				b.Fatal(err)
			}
			b.Log(bytes, r)
		}
	}
}
