package memory

import (
	"strconv"
	"strings"
	"unicode"
)

// Negates says whether a lower-case word denies.
func Negates(w string) bool {
	switch w {
	case "not", "no", "never", "none", "nobody", "nothing", "without", "cannot", "neither", "nor":
		return true
	}
	return strings.HasSuffix(w, "n't")
}

// numberWords are words that count, in digits. "one" is a pronoun more often than a number.
var numberWords = func() map[string]string {
	out := map[string]string{"zero": "0", "dozen": "12", "thousand": "1000"}
	for i, w := range strings.Fields(`two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
		sixteen seventeen eighteen nineteen twenty`) {
		out[w] = strconv.Itoa(i + 2)
	}
	for i, w := range strings.Fields(`thirty forty fifty sixty seventy eighty ninety hundred`) {
		out[w] = strconv.Itoa(30 + 10*i)
	}
	return out
}()

// Number is a lower-case word that counts, in digits; else it is empty.
func Number(w string) string {
	if strings.ContainsFunc(w, unicode.IsDigit) {
		return w
	}
	return numberWords[w]
}
