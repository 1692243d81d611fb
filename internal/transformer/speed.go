package transformer

import (
	"runtime"
	"slices"
	"time"
)

// Timing is what one kernel takes for a sequence.
type Timing struct {
	Kernel      string
	PerSequence time.Duration // the median of the rounds
}

// Speed times each kernel of this machine on a batch of sequences of so many
// tokens, in so many rounds, on one core. It changes the kernel in use while it
// runs, so it is for benches, where nothing else works.
func Speed(m *Model, sequences, tokens, rounds int) ([]Timing, error) {
	batch := make([]Sequence, sequences)
	for i := range batch {
		batch[i].IDs = make([]int32, tokens)
		for k := range batch[i].IDs {
			batch[i].IDs[k] = int32((i*tokens + k) * 7919 % m.words) //nolint:gosec // below the number of words
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	was := inUse()
	defer chosen.Store(was)
	var out []Timing
	for _, k := range usable {
		chosen.Store(k)
		each, err := timed(m, batch, rounds)
		if err != nil {
			return nil, err
		}
		out = append(out, Timing{k.name, each / time.Duration(sequences)})
	}
	return out, nil
}

// timed is the median time of a batch.
func timed(m *Model, batch []Sequence, rounds int) (time.Duration, error) {
	s := m.Session()
	defer m.Release(s)
	dst, err := s.Pool(nil, batch) // grows the workspace
	if err != nil {
		return 0, err
	}
	took := make([]time.Duration, max(1, rounds))
	for i := range took {
		from := time.Now()
		if dst, err = s.Pool(dst[:0], batch); err != nil {
			return 0, err
		}
		took[i] = time.Since(from)
	}
	slices.Sort(took)
	return took[len(took)/2], nil
}
