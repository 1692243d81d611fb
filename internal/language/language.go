// Package language says in which language a text is written, which languages the
// grounding of a sentence is proved in, and what may be released in the others.
// It is rules over scripts and function words, holds no state, translates
// nothing, and is no guard against a model: a text in a proved language is judged
// like any other.
package language

import "strings"

// Unknown is the language of a text that is in none this package knows, or in one
// it cannot tell from others of the same script.
const Unknown = "und"

// supported are the languages whose evaluation suite passes. A language joins
// them with its suite, not before.
var supported = map[string]bool{"en": true}

// Supported says whether a locale's language is one in which what an NPC says is
// verified.
func Supported(locale string) bool { return supported[Base(locale)] }

// Base is the language of a locale: "en" of "en-GB", "en_us" and "EN".
func Base(locale string) string {
	base, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(locale), "_", "-"), "-")
	return strings.ToLower(base)
}
