package gateway

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Chat clients ask the model itself for titles, tags and the like. No NPC is bothered
// with that: it would be remembered, and cost a turn.

// webuiTask begins what Open WebUI asks for; the answer is JSON of one key.
const webuiTask = "### Task:"

// webuiKeys are what it asks for, by words of the request, the first that fits.
var webuiKeys = []struct {
	word, key string
	list      bool
}{{"follow_ups", "follow_ups", true}, {`"tags"`, "tags", true}, {`"queries"`, "queries", true}, {`"title"`, "title",
	false}, {`"text"`, "text", false}}

// titles are what other clients ask for: a title of the talk, or its summary.
var titles = regexp.MustCompile(
	`(?is)^.{0,80}\b(generate|provide|write|create|suggest|give)\b[^.?!]{0,80}\b(title|tags?|topics?)\b`,
)

var summaries = regexp.MustCompile(
	`(?is)^\W{0,4}(pause your roleplay|ignore previous instructions\.? summari[sz]e|` +
		`summari[sz]e the (most important|conversation|chat|roleplay|story))`,
)

var aboutTalk = regexp.MustCompile(`(?i)\b(conversation|chat|dialogue|exchange)\b`)

// errand is the answer to a request that is for no NPC; false where it is for one. about
// is who the talk is with.
func errand(message, about string) (string, bool) {
	message = strings.TrimSpace(message)
	title := "Talk with " + about
	if rest, is := strings.CutPrefix(message, webuiTask); is {
		for _, k := range webuiKeys {
			if !strings.Contains(rest, k.word) {
				continue
			}
			var value any = []string{}
			switch {
			case !k.list && k.key == "title":
				value = title
			case !k.list:
				value = ""
			}
			data, _ := json.Marshal(map[string]any{k.key: value}) // a text or an empty list
			return string(data), true
		}
		return "", true
	}
	switch {
	case summaries.MatchString(message):
		return "", true
	case titles.MatchString(message) && aboutTalk.MatchString(message):
		return title, true
	}
	return "", false
}
