package logistic

import (
	"math"
	"testing"
)

// Of one feature that is 1 or 0, the model without penalty gives the shares of both groups.
func TestFitGivesTheSharesOfGroups(t *testing.T) {
	var rows []Row
	for i := range 8 {
		rows = append(rows, Row{X: []float64{1}, Right: i < 6}, Row{X: []float64{0}, Right: i < 2})
	}
	w := Fit(rows, 0)
	for _, c := range []struct{ logit, want float64 }{{w[0] + w[1], .75}, {w[1], .25}} {
		if got := 1 / (1 + math.Exp(-c.logit)); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%.4f, want %.2f", got, c.want)
		}
	}
}

// A row of weight two is two rows, an offset is taken off the bias, and a penalty shrinks.
func TestFitWeighsAndOffsets(t *testing.T) {
	x := func(v float64) []float64 { return []float64{v} }
	once := []Row{{X: x(1), Right: true, Weight: 2}, {X: x(1)}, {X: x(0), Right: true}, {X: x(0), Weight: 2}}
	twice := []Row{{X: x(1), Right: true}, {X: x(1), Right: true}, {X: x(1)}, {X: x(0), Right: true}, {X: x(0)}, {X: x(0)}}
	a, b, shrunk := Fit(once, 0), Fit(twice, 0), Fit(twice, 1)
	if math.Abs(a[0]-b[0]) > 1e-9 || math.Abs(a[1]-b[1]) > 1e-9 {
		t.Errorf("weighed %v, repeated %v", a, b)
	}
	if shrunk[0] <= 0 || shrunk[0] >= b[0] {
		t.Errorf("with a penalty %v, without %v", shrunk, b)
	}
	for i := range twice {
		twice[i].Offset = 1
	}
	if moved := Fit(twice, 0); math.Abs(moved[1]-(b[1]-1)) > 1e-6 {
		t.Errorf("with an offset of 1 the bias is %v, without %v", moved[1], b[1])
	}
}
