package text

import "strings"

// Words of grammar. A reader that needs one more writes it behind them.
const (
	Determiners  = ` the a an this that these those my your his her its our their `
	Quantifiers  = ` no every each some any all both `
	Prepositions = ` of in on at by with from for under over into through behind near beside between against about like
		before after below above inside outside beyond upon within without towards toward onto across around along during `
	Conjunctions = ` and or but because when while if since though although so that who which where until as `
	Adverbs      = ` still also never always often only rarely sometimes usually now once just even long seldom
		already mostly `
)

// contractions are words that stand for two, with one reading.
var contractions = map[string]string{
	"i'm": "i am", "i've": "i have", "i'll": "i will", "you're": "you are", "you've": "you have", "you'll": "you will",
	"he'll": "he will", "she'll": "she will", "it'll": "it will", "we're": "we are", "we've": "we have",
	"we'll": "we will", "they're": "they are", "they've": "they have", "they'll": "they will", "that'll": "that will",
	"there'll": "there will", "can't": "can not", "cannot": "can not", "won't": "will not", "shan't": "shall not",
	"let's": "let us", "who've": "who have", "who'll": "who will", "'tis": "it is", "'twas": "it was",
}

// Contracted are the two words of a lower-case word that stands for both, as far as nothing
// but the word tells them: "he's" may be either.
func Contracted(word string) (full string, ok bool) {
	if full, ok = contractions[word]; ok {
		return full, true
	}
	verb, denied := strings.CutSuffix(word, "n't")
	return verb + " not", denied && verb != "" && verb != "ai"
}

// Bare is a word without the mark of an owner.
func Bare(word string) string {
	return strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "\u2019s")
}

// WithoutPerson is a verb of the present without the -s of the third person; a word that
// is no such verb stays, as far as its ending tells.
func WithoutPerson(verb string) string {
	switch verb {
	case "has":
		return "have"
	case "was", "this", "his", "its", "us", "yes", "always", "perhaps", "sometimes", "as", "thus":
		return verb
	}
	switch stem, ok := strings.CutSuffix(verb, "s"); {
	case len(verb) < 4 || !ok || strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "'"):
		return verb
	case strings.HasSuffix(verb, "ies"):
		return verb[:len(verb)-3] + "y"
	case strings.HasSuffix(verb, "ches"), strings.HasSuffix(verb, "shes"), strings.HasSuffix(verb, "sses"),
		strings.HasSuffix(verb, "xes"), strings.HasSuffix(verb, "oes"):
		return verb[:len(verb)-2]
	default:
		return stem
	}
}
