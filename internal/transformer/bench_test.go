//go:build unix

package transformer

import (
	"syscall"
	"testing"
	"time"
)

// BenchmarkPool reads 16 pairs of 64 tokens with each kernel. Busy machines take
// time away, so what counts is cpu-ms/pair, the time that the processor worked.
// sidecar/nli/train/bench_onnx.py prints the same of onnxruntime.
func BenchmarkPool(b *testing.B) {
	_, m, _ := shipped(b)
	batch := make([]Sequence, 16)
	for i := range batch {
		batch[i] = Sequence{IDs: make([]int32, 64)}
		for k := range batch[i].IDs {
			batch[i].IDs[k] = int32(1000 + (i*64+k)*7919%29000)
		}
	}
	defer Use(Kernels()[0])
	for _, name := range Kernels() {
		b.Run(name, func(b *testing.B) {
			Use(name)
			s := m.Session()
			dst, err := s.Pool(nil, batch)
			if err != nil {
				b.Fatal(err)
			}
			from := worked(b)
			for b.Loop() {
				if dst, err = s.Pool(dst[:0], batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((worked(b)-from).Microseconds())/1e3/float64(b.N*len(batch)), "cpu-ms/pair")
		})
	}
}

// worked is the processor time of this process.
func worked(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
