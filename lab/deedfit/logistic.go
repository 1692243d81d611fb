package main

import (
	"math"

	"github.com/forsooth-npc/forsooth/internal/deed/request"
)

// row is an example of a model.
type row struct {
	x     []float64
	right bool
}

// logistic fits a logistic model by Newton's method with an L2 penalty; the bias is not
// penalised.
func logistic(rows []row, penalty float64) request.Model {
	n := len(rows[0].x)
	w := make([]float64, n+1)
	z := make([]float64, n+1)
	for range 12 {
		gradient, hessian := make([]float64, n+1), make([][]float64, n+1)
		for i := range hessian {
			hessian[i] = make([]float64, n+1)
		}
		for _, r := range rows {
			copy(z, r.x)
			z[n] = 1
			dot := 0.0
			for i := range z {
				dot += z[i] * w[i]
			}
			p, y := 1/(1+math.Exp(-dot)), 0.0
			if r.right {
				y = 1
			}
			for i, zi := range z {
				if zi == 0 {
					continue
				}
				gradient[i] += (p - y) * zi
				s, h := p*(1-p)*zi, hessian[i]
				for j := 0; j <= i; j++ {
					h[j] += s * z[j]
				}
			}
		}
		for i := range n {
			gradient[i] += penalty * w[i]
			hessian[i][i] += penalty
		}
		hessian[n][n] += 1e-6
		if moved := descend(w, hessian, gradient); moved < 1e-4 {
			break
		}
	}
	return request.Model{Weights: w[:n], Bias: w[n]}
}

// descend takes one step, solved by Cholesky's method, and says how far it went.
func descend(w []float64, h [][]float64, g []float64) float64 {
	for j := range h {
		for k := range j {
			h[j][j] -= h[j][k] * h[j][k]
		}
		h[j][j] = math.Sqrt(h[j][j])
		for i := j + 1; i < len(h); i++ {
			for k := range j {
				h[i][j] -= h[i][k] * h[j][k]
			}
			h[i][j] /= h[j][j]
		}
	}
	for i := range g {
		for k := range i {
			g[i] -= h[i][k] * g[k]
		}
		g[i] /= h[i][i]
	}
	moved := 0.0
	for i := len(g) - 1; i >= 0; i-- {
		for k := i + 1; k < len(g); k++ {
			g[i] -= h[k][i] * g[k]
		}
		g[i] /= h[i][i]
		w[i] -= g[i]
		moved = max(moved, math.Abs(g[i]))
	}
	return moved
}
