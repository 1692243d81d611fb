// Package logistic fits the logistic models of the laboratory's tools. What the features are,
// and how they are scaled, is the tools' matter.
package logistic

import "math"

// Row is an example of a model.
type Row struct {
	X      []float64
	Right  bool
	Weight float64 // 0: 1
	Offset float64 // added to the logit, whatever the model
}

// Newton's method ends after so many steps, or when the weights move less than this in all.
const (
	steps = 30
	still = 1e-8
)

// Fit fits a model by Newton's method with an L2 penalty. The last of its weights is the
// bias, which is not penalised.
func Fit(rows []Row, penalty float64) []float64 {
	n := len(rows[0].X)
	w := make([]float64, n+1)
	for range steps {
		gradient, hessian := slopes(rows, w)
		for i := range n {
			gradient[i] += penalty * w[i]
			hessian[i][i] += penalty
		}
		hessian[n][n] += 1e-6
		moved := 0.0
		for i, step := range solve(hessian, gradient) {
			w[i] -= step
			moved += math.Abs(step)
		}
		if moved < still {
			break
		}
	}
	return w
}

// slopes are the gradient and the lower half of the hessian of the loss.
func slopes(rows []Row, w []float64) (gradient []float64, hessian [][]float64) {
	n := len(w) - 1
	gradient, hessian = make([]float64, n+1), make([][]float64, n+1)
	for i := range hessian {
		hessian[i] = make([]float64, n+1)
	}
	z := make([]float64, n+1)
	for _, r := range rows {
		copy(z, r.X)
		z[n] = 1
		logit := r.Offset
		for i := range z {
			logit += z[i] * w[i]
		}
		p, y, weight := 1/(1+math.Exp(-logit)), 0.0, r.Weight
		if r.Right {
			y = 1
		}
		if weight == 0 {
			weight = 1
		}
		for i, zi := range z {
			if zi == 0 {
				continue
			}
			gradient[i] += weight * (p - y) * zi
			s, h := weight*p*(1-p)*zi, hessian[i]
			for j := 0; j <= i; j++ {
				h[j] += s * z[j]
			}
		}
	}
	return gradient, hessian
}

// solve is x of a x = b, for a symmetric positive definite a of which only the lower half is
// given (Cholesky).
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	l := make([][]float64, n)
	for i := range l {
		l[i] = make([]float64, n)
		for j := 0; j <= i; j++ {
			s := a[i][j]
			for k := range j {
				s -= l[i][k] * l[j][k]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(s, 1e-12))
			} else {
				l[i][j] = s / l[j][j]
			}
		}
	}
	x := make([]float64, n)
	for i := range n {
		s := b[i]
		for k := range i {
			s -= l[i][k] * x[k]
		}
		x[i] = s / l[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		s := x[i]
		for k := i + 1; k < n; k++ {
			s -= l[k][i] * x[k]
		}
		x[i] = s / l[i][i]
	}
	return x
}
