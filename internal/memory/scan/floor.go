package scan

import "strings"

// Thresholds of similarity are on the scale of a sentence model over plain
// sentences, as paper 004's 0.85 is. Memories are embedded with a table of token
// vectors, and begin with who told them, which makes any two more alike. The floor
// of each threshold is where the table finds as many of the paraphrases in
// testdata/paraphrases.txt, so told, as the sentence model does plain: 0.85 finds
// 82 % of them, and so does 0.807. TestFloors measures them again.
var floors = []struct{ threshold, static float64 }{
	{0.50, 0.50}, {0.70, 0.70}, {0.75, 0.722}, {0.80, 0.757}, {0.85, 0.807}, {0.90, 0.865}, {0.95, 0.942}, {1, 1},
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
