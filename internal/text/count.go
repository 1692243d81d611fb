package text

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// SmallNumbers are the words that count up to ninety, and Scales those that multiply what
// stands before them. Callers leave both as they are.
var (
	SmallNumbers = map[string]float64{"zero": 0, "nought": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
		"six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
		"fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30,
		"forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
	Scales = map[string]float64{"hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9, "dozen": 12}
)

// NumberWords are both kinds for a regular expression, one or the other.
var NumberWords = strings.Join(slices.Sorted(maps.Keys(SmallNumbers)), "|") + "|" +
	strings.Join(slices.Sorted(maps.Keys(Scales)), "|")

// Number is what a lower-case word counts by itself: "seven", "twenty-one", "dozen", "12th".
func Number(word string) (value float64, ok bool) {
	if value, ok = SmallNumbers[word]; ok {
		return value, true
	}
	if value, ok = Scales[word]; ok {
		return value, true
	}
	if tens, ones, both := strings.Cut(word, "-"); both && SmallNumbers[tens] >= 20 && SmallNumbers[ones] > 0 {
		return SmallNumbers[tens] + SmallNumbers[ones], SmallNumbers[ones] < 10
	}
	n, err := strconv.Atoi(strings.TrimRight(word, "stndrh"))
	return float64(n), err == nil
}

// Digits is a lower-case word that counts, in digits; else it is empty. What holds a digit
// is given as it stands. "One" is a pronoun more often than a number.
func Digits(word string) string {
	if strings.ContainsFunc(word, unicode.IsDigit) {
		return word
	}
	if n, ok := Number(word); ok && word != "one" {
		return strconv.FormatFloat(n, 'f', -1, 64)
	}
	return ""
}

// Denials are the words that deny what they stand with, and NearDenials those that leave
// little of it.
const (
	Denials = `no not never none nobody nothing nowhere neither nor without cannot nay naught nought nil n't
		aint arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt werent wont wouldnt`
	NearDenials = `hardly scarcely barely seldom rarely`
)

var denials = Set(Denials)

// Denies says whether a lower-case word denies what it stands with.
func Denies(word string) bool { return denials[word] || strings.HasSuffix(word, "n't") }
