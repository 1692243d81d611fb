package admission

import "sync"

// Retries hold retries to a share of what is tried for the first time, so that what is
// in trouble is not asked all the more. The budget begins with a few, and never holds
// more than a burst of them.
type Retries struct {
	share, most float64

	mu   sync.Mutex
	left float64
}

// NewRetries makes a budget of so many retries for each first try, with some to begin
// with, of which at most so many are kept for later.
func NewRetries(share float64, first, most int) *Retries {
	return &Retries{share: share, left: float64(first), most: float64(max(first, most))}
}

// Earn adds the share of a first try.
func (r *Retries) Earn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = min(r.left+r.share, r.most)
}

// GiveBack returns a retry that went well: what it was for is in trouble no more.
func (r *Retries) GiveBack() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = min(r.left+1, r.most)
}

// Take says whether a retry may be made, and counts it.
func (r *Retries) Take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left < 1 {
		return false
	}
	r.left--
	return true
}
