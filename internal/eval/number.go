package eval

import (
	"math"
	"strconv"
)

// Number prints a figure with four digits that count, and never as a power.
func Number(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1000 || a == 0:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a < 0.0001:
		return strconv.FormatFloat(v, 'f', 7, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// Signed prints a change, and a dash where there is none.
func Signed(v float64) string {
	switch {
	case math.Abs(v) < 1e-9:
		return "–"
	case v > 0:
		return "+" + Number(v)
	}
	return Number(v)
}
