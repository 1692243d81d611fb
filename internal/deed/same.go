package deed

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// SameParameters says whether parameters are those that are wanted: numbers and values
// are the same, and a text has nearly the same words, at least seven of ten.
func SameParameters(want, got map[string]any) bool {
	if len(want) != len(got) {
		return false
	}
	for name, w := range want {
		g, ok := got[name]
		if !ok || !sameValue(w, g) {
			return false
		}
	}
	return true
}

// nearlySame is the share of words that two texts must have in common.
const nearlySame = 0.7

func sameValue(want, got any) bool {
	a, b := text.Words(fmt.Sprint(want)), text.Words(fmt.Sprint(got))
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	left := map[string]int{}
	for _, w := range a {
		left[w]++
	}
	shared := 0
	for _, w := range b {
		if left[w] > 0 {
			left[w]--
			shared++
		}
	}
	if len(a) == 1 || len(b) == 1 {
		return len(a) == len(b) && shared == 1
	}
	return float64(2*shared)/float64(len(a)+len(b)) >= nearlySame
}
