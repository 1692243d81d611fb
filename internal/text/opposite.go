package text

import "strings"

// Opposites are stems that exclude one another, by a list of words on both sides of slashes.
func Opposites(list string) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	link := func(a, b string) {
		if out[a] == nil {
			out[a] = map[string]bool{}
		}
		out[a][b] = true
	}
	for pair := range strings.SplitSeq(list, ";") {
		left, right, _ := strings.Cut(pair, "/")
		for _, a := range strings.Fields(left) {
			for _, b := range strings.Fields(right) {
				if a, b := Stem(a), Stem(b); a != b {
					link(a, b)
					link(b, a)
				}
			}
		}
	}
	return out
}

// OppositeStates are words for the ways of somebody and the state of things.
const OppositeStates = `concise brief short terse / detailed long lengthy verbose thorough;
	likes like love loves enjoys enjoy / dislikes dislike hates hate loathes loathe; open opened / closed shut locked;
	alive living / dead; married / unmarried single; friend ally / enemy foe; trusts trust / distrusts distrust;
	rich wealthy / poor penniless; innocent / guilty; loyal / treacherous disloyal; early / late; hot warm / cold cool;
	sweet / bitter sour; strong / weak; honest / dishonest; safe / dangerous; public / secret private; always / never;
	healthy well / sick ill; employed / unemployed; buyer / seller; sober / drunk; full / empty;
	quiet silent / loud noisy; formal / informal casual`
