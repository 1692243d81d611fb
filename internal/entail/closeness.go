package entail

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Unaligned are the content words of a claim that no word of the evidence stands
// for, in the order in which they are said: by stem, and by a short list of words
// that mean the same. It measures how far a sentence stands from its evidence and
// says nothing of whether it is true.
func Unaligned(premise, hypothesis string) []string {
	have := map[string]bool{}
	var stems []string
	for _, w := range contentWords(clip(premise, maxPremise)) {
		stem := text.Stem(w)
		stems = append(stems, stem)
		have[stem] = true
		for _, o := range sameAs[stem] {
			have[o] = true
		}
	}
	var out []string
	for _, w := range contentWords(clip(hypothesis, maxHypothesis)) {
		stem := text.Stem(w)
		kin := slices.ContainsFunc(stems, func(o string) bool { return inflected(stem, o) })
		if !have[stem] && !kin && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// contentWords are the words of a text that are no words of grammar, as they stand.
func contentWords(s string) []string {
	var out []string
	for _, w := range text.Words(s) {
		if !text.IsStop(w) {
			out = append(out, w)
		}
	}
	return out
}

// inflected guesses that two stems are of one word: "leav" and "leave".
func inflected(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 4 && len(b)-len(a) <= 2 && strings.HasPrefix(b, a)
}

// Closeness is the share of a claim's content words that the evidence holds, 1
// where it has none.
func Closeness(premise, hypothesis string) float64 {
	all := len(contentWords(clip(hypothesis, maxHypothesis)))
	if all == 0 {
		return 1
	}
	return max(0, 1-float64(len(Unaligned(premise, hypothesis)))/float64(all))
}

// Nearest is the sentence of the premise that holds most of the hypothesis.
func Nearest(premise, hypothesis string) string {
	best, share := "", -1.0
	for _, s := range text.Sentences(clip(premise, maxPremise)) {
		if v := Closeness(s, hypothesis); v > share {
			best, share = s, v
		}
	}
	return best
}

// alike are words that people put for one another when they retell something.
var alike = []string{
	"buy purchase bought", "sell sold", "start begin began begun started", "end finish finished ended stop stopped",
	"near close nearby",
	"big large great huge", "small little tiny", "talk speak spoke spoken", "tell told say said",
	"kill slay slew slain killed", "die died dead death",
	"home house", "road path way track", "coin gold money", "sick ill sickly", "fast quick swift", "angry cross furious",
	"happy glad",
	"child kid", "woods forest wood", "sea ocean", "boat ship", "fix mend repair", "hide hid hidden conceal",
	"steal stole stolen thief",
	"make made build built craft", "give gave given hand handed", "take took taken", "see saw seen",
	"leave left gone go went depart", "fire burn burned burnt blaze",
	"old aged elder", "live lives dwell reside stay", "work works job labour", "need require want", "get got obtain",
	"ask asked question", "hear heard",
}

var sameAs = byStem(alike)

func byStem(groups []string) map[string][]string {
	out := map[string][]string{}
	for _, g := range groups {
		var stems []string
		for _, w := range strings.Fields(g) {
			stems = append(stems, text.Stem(w))
		}
		for _, s := range stems {
			out[s] = append(out[s], stems...)
		}
	}
	return out
}
