package voice

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// ofItself says what an NPC's file notes of its goals and its personality: "Earn enough for new
// strakes." becomes "I want to earn enough for new strakes.", "Wry and lonely." becomes "I am wry and lonely.".
func ofItself(e protocol.Evidence, sentence string, p Person) []Rendering {
	first, ok := FirstPerson(Subjected(e.Type, sentence, p.Name), p, true)
	if !ok {
		return nil
	}
	return []Rendering{{Text: first, How: "first-person"}}
}

// Subjected gives a note of goals or personality its subject: the NPC of that name.
func Subjected(kind, sentence, name string) string {
	words := text.Words(sentence)
	if len(words) == 0 || name == "" {
		return sentence
	}
	if strings.HasPrefix(sentence, name) {
		return sentence
	}
	rest := lowerStart(sentence)
	switch {
	case kind == protocol.TypePersonality && verbal(words[0]):
		return name + " " + rest
	case kind == protocol.TypePersonality && words[0] == "no":
		return name + " has " + rest
	case kind == protocol.TypePersonality:
		return name + " is " + rest
	case words[0] == "never" || words[0] == "not":
		return name + " wants " + words[0] + " to" + rest[len(words[0]):]
	case words[0] == "to":
		return name + " wants " + rest
	}
	return name + " wants to " + rest
}

// adjectival are endings of an adjective in s, which is no verb of the third person.
var adjectival = []string{"ous", "ss", "us", "is"}

// verbal says whether a note of a personality begins with a verb: "Loves the mere".
func verbal(word string) bool {
	switch word {
	case "has", "is", "does", "can", "cannot", "will", "would", "may", "must", "never", "always", "seldom":
		return true
	}
	if !strings.HasSuffix(word, "s") {
		return false
	}
	for _, end := range adjectival {
		if strings.HasSuffix(word, end) {
			return false
		}
	}
	return true
}

// lowerStart writes the first letter small, unless the first word is written in capitals.
func lowerStart(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[n:])
	if unicode.IsUpper(next) {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}
