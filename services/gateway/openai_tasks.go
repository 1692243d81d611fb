package gateway

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Chat clients ask the model itself for titles, tags and the like. No NPC is bothered
// with that: it would be remembered, and cost a turn.

// webuiTask begins what Open WebUI asks for; the answer is JSON of one key.
const (
	webuiTask = "### Task:"
	webuiPart = "\n### " // it has further parts, which a player's words have not
)

// webuiKeys are what it asks for, by words of the request, the first that fits.
var webuiKeys = []struct {
	word, key string
	list      bool
}{{"follow_ups", "follow_ups", true}, {`"tags"`, "tags", true}, {`"queries"`, "queries", true},
	{`"title"`, "title", false}, {`"text"`, "text", false}}

// titles and summaries are what other clients ask for in words of their own, from the
// first word on: a player may ask an NPC for a story, a topic or what was said.
var (
	titles = regexp.MustCompile(`(?is)^\W*(please )?(generate|provide|write|create|suggest)\b[^.?!]{0,80}` +
		`\b(title|tags)\b[^.?!]{0,80}\b(conversation|chat|dialogue|exchange)\b`)
	summaries = regexp.MustCompile(`(?is)^\W{0,4}(pause your roleplay|ignore previous instructions)\.? summari[sz]e\b`)
)

// errand is the answer to a request that is for no NPC; false where it is for one. about
// is who the talk is with.
func errand(message, about string) (string, bool) {
	message = strings.TrimSpace(message)
	title := "Talk with " + about
	if rest, is := strings.CutPrefix(message, webuiTask); is && strings.Contains(rest, webuiPart) {
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
	case titles.MatchString(message):
		return title, true
	}
	return "", false
}
