//go:build race

package mesh

// Under the race detector everything is ten times slower: a fifth of the turns.
const (
	killTurns  = 200
	killConvos = 30
	longConvos = 1
)
