//go:build !race

package mesh

const (
	killTurns  = 1000
	killConvos = 100
	longConvos = 5 // of them, with longTurns each
)
