package admin

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/intent"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/text"
)

// Bounds below which a text is not taken for somebody's words: much shorter ones, anybody may say.
const (
	fewestQuoted = 4 // words of a sentence that stands in another one
	fewestStems  = 2 // words of content of a statement that is told in other words
)

// anybodys are the kinds of sentences that tell nothing of who says them.
var anybodys = []string{protocol.IntentGreeting, protocol.IntentFarewell, protocol.IntentThanks}

// retelling tells whether others repeat what a player said: under the player's name, word
// for word, or as a statement with all its words of content.
type retelling struct {
	names  map[string]bool // by which the player was shown
	others map[string]bool // by which others were: such a name tells nothing
	quotes map[string]bool // sentences as words, with a space around each
	facts  []map[string]bool
}

func newRetelling() *retelling {
	return &retelling{names: map[string]bool{}, others: map[string]bool{}, quotes: map[string]bool{}}
}

// said notes what the player said. Greetings and thanks are anybody's.
func (r *retelling) said(message string) {
	for _, s := range text.Sentences(message) {
		if slices.Contains(anybodys, intent.Read(s).Kind) {
			continue
		}
		if words := text.Words(s); len(words) >= fewestQuoted {
			r.quotes[inWords(words)] = true
		}
		stems := text.ContentSet(s)
		if len(stems) >= fewestStems && !text.IsQuestion(s) && !slices.ContainsFunc(r.facts, func(f map[string]bool) bool {
			return len(f) == len(stems) && text.Within(stems, f)
		}) {
			r.facts = append(r.facts, stems)
		}
	}
}

// cited notes a sentence that an NPC released upon the player's words.
func (r *retelling) cited(sentence string) { r.quotes[inWords(text.Words(sentence))] = true }

// in says whether a text repeats the player.
func (r *retelling) in(s string) bool {
	for name := range r.names {
		if !r.others[name] && Names(s, []string{name}) {
			return true
		}
	}
	if len(r.quotes) == 0 && len(r.facts) == 0 {
		return false
	}
	words := inWords(text.Words(s))
	for q := range r.quotes {
		if strings.Contains(words, q) {
			return true
		}
	}
	for _, sentence := range text.Sentences(s) {
		stems := text.ContentSet(sentence)
		if slices.ContainsFunc(r.facts, func(f map[string]bool) bool { return text.Within(f, stems) }) {
			return true
		}
	}
	return false
}

// inMessage says whether a text of a message repeats the player.
func (r *retelling) inMessage(data []byte) bool {
	var v any
	if json.Unmarshal(data, &v) != nil {
		return r.in(string(data))
	}
	return r.inValue("", v)
}

func (r *retelling) inValue(field string, v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			if r.inValue(key, inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(inner any) bool { return r.inValue(field, inner) })
	case string:
		if field == "body" { // of a dead letter: the message itself
			body, err := base64.StdEncoding.DecodeString(v)
			return err == nil && r.inMessage(body)
		}
		return r.in(v)
	}
	return false
}

func inWords(words []string) string { return " " + strings.Join(words, " ") + " " }
