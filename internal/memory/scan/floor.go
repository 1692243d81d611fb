package scan

import "strings"

// Thresholds of similarity are on the scale of a sentence model, as paper 004's
// 0.85 is. The table of token vectors that memories are embedded with has another
// scale: the floor of each threshold is where it finds as many of the paraphrases
// in testdata/paraphrases.txt: 0.85 finds 82 % of them, and so does 0.785 with the
// table. TestFloors measures them again.
var floors = []struct{ threshold, static float64 }{
	{0.50, 0.45}, {0.70, 0.63}, {0.75, 0.668}, {0.80, 0.71}, {0.85, 0.785}, {0.90, 0.858}, {0.95, 0.95}, {1, 1},
}

// staticModel stands in the ids of such tables.
const staticModel = "-static-"

// Floor is the cosine of an embedding from which two memories are as alike as the
// threshold says.
func Floor(model string, threshold float64) float64 {
	if !strings.Contains(model, staticModel) {
		return threshold
	}
	for i := 1; i < len(floors); i++ {
		low, high := floors[i-1], floors[i]
		if threshold <= high.threshold {
			share := max(0, (threshold-low.threshold)/(high.threshold-low.threshold))
			return low.static + share*(high.static-low.static)
		}
	}
	return 1
}
