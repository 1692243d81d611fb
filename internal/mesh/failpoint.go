//go:build failpoint

package mesh

// failpoints let a test kill a worker between two steps.
type failpoints struct {
	fault func(step string) error
}

func (f failpoints) reach(step string) error {
	if f.fault == nil {
		return nil
	}
	return f.fault(step)
}
