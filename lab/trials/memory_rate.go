package trials

import (
	"fmt"
	"math"
)

// Rate is how many of some got past a guard, with the interval in which the true
// share lies with 95 % certainty (Wilson's).
type Rate struct {
	Guard   string  `json:"guard"`
	Escaped int     `json:"escaped"`
	Of      int     `json:"of"`
	Rate    float64 `json:"rate"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// z95 is the normal quantile of a 95 % interval.
const z95 = 1.959963984540054

func rateOf(guard string, escaped, of int) Rate {
	r := Rate{Guard: guard, Escaped: escaped, Of: of, High: 1}
	if of == 0 {
		return r // nothing came so far: nothing is known
	}
	n, p := float64(of), float64(escaped)/float64(of)
	middle := (p + z95*z95/(2*n)) / (1 + z95*z95/n)
	half := z95 / (1 + z95*z95/n) * math.Sqrt(p*(1-p)/n+z95*z95/(4*n*n))
	r.Rate, r.Low, r.High = p, max(0, middle-half), min(1, middle+half)
	return r
}

// String is a rate in words.
func (r Rate) String() string {
	if r.Of == 0 {
		return "none came so far"
	}
	return fmt.Sprintf("%d of %d = %.3f [%.3f, %.3f]", r.Escaped, r.Of, r.Rate, r.Low, r.High)
}
