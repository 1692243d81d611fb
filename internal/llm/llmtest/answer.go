package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// cite is a citation of a sentence; an empty claim means the whole sentence.
type cite struct {
	Claim string `json:"claim"`
	ID    string `json:"evidence_id"`
}

type sentence struct {
	Text      string `json:"text"`
	Citations []cite `json:"citations"`
}

type thought struct {
	Text      string   `json:"text"`
	Citations []string `json:"citations"`
}

type withheld struct {
	Topic  string `json:"topic"`
	Reason string `json:"reason"`
}

type called struct {
	Name       string         `json:"name"`
	Parameters map[string]any `json:"parameters"`
}

// answer is what a persona gives for one call: the JSON text, and the sentences
// that stand in it where it is speech.
type answer struct {
	json   string
	spoken []draft
}

// answered writes the answer of a persona, whatever the schema.
func (p persona) answered(s *scene) answer {
	switch s.Name {
	case "citation_query":
		return plain(map[string]any{"queries": s.queries()})
	case "rerank":
		return plain(map[string]any{"order": ids(s.best(sentencesOf(s.Sources), len(s.Sources)))})
	case "compact":
		return plain(map[string]any{"summary": p.summary(s)})
	case "monologue":
		return plain(map[string]any{"thoughts": p.thoughts(s)})
	case "decision":
		return plain(p.decision(s))
	case "lean":
		said := p.say(s)
		share := []string{}
		for _, d := range said {
			for _, c := range d.cites {
				share = appendNew(share, c.ID)
			}
		}
		return answer{spoken: said, json: compact(struct {
			Plan      string     `json:"plan"`
			Sentences []sentence `json:"sentences"`
			Actions   []string   `json:"actions"`
		}{planFor(share), wire(said), p.intended(s)})}
	case "actions":
		return plain(map[string]any{"actions": p.acts(s)})
	case "memories":
		return plain(map[string]any{"memories": p.remembered(s)})
	case "cluster":
		return plain(p.compared(s))
	default: // speech, and whatever else holds sentences
		said := p.say(s)
		return answer{spoken: said, json: compact(map[string]any{"sentences": wire(said)})}
	}
}

func plain(v any) answer { return answer{json: compact(v)} }

// compact is JSON without spaces and without escapes that a reader does not need.
func compact(v any) string {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf(`{"error":%q}`, err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func wire(said []draft) []sentence {
	out := []sentence{}
	for _, d := range said {
		s := sentence{Text: d.text, Citations: d.cites}
		if s.Citations == nil {
			s.Citations = []cite{}
		}
		out = append(out, s)
	}
	return out
}

func ids(all []shown) []string {
	out := []string{}
	for _, s := range all {
		out = appendNew(out, s.id)
	}
	return out
}

func appendNew(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

func planFor(share []string) string {
	if len(share) == 0 {
		return "Say that I do not know."
	}
	return "Answer from " + strings.Join(share[:min(len(share), 3)], ", ") + ", briefly."
}

// queries are the message itself and its telling words.
func (s *scene) queries() []string {
	out := []string{s.Message}
	if words := text.ContentWords(s.Message); len(words) > 1 {
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// summary keeps the sentences that answer best, each with its source.
func (p persona) summary(s *scene) string {
	var out []string
	room := 8000 // characters, about 2,000 tokens
	all := sentencesOf(s.Sources)
	for _, best := range append(s.best(all, len(all)), all...) {
		line := fmt.Sprintf("%s [%s]", best.text, best.id)
		if room -= len(line) + 1; room < 0 {
			break
		}
		out = appendNew(out, line)
	}
	if p.lies() {
		out = append([]string{p.lie(s).text}, out...)
	}
	return strings.Join(out, " ")
}

// thoughts recall the best sources; a liar lies in every third monologue.
func (p persona) thoughts(s *scene) []thought {
	out := []thought{}
	lines := s.Sources
	if len(lines) == 0 {
		lines = s.Evidence
	}
	for _, best := range s.best(sentencesOf(lines), maxSaid) {
		out = append(out, thought{best.text, []string{best.id}})
	}
	if p.lies() && s.dice.IntN(3) == 0 {
		s.Evidence = lines
		d := p.lie(s)
		th := thought{Text: d.text, Citations: []string{}}
		for _, c := range d.cites {
			th.Citations = append(th.Citations, c.ID)
		}
		out = append(out, th)
	}
	if len(out) == 0 {
		out = append(out, thought{"I would rather not say more than I know.", []string{"self"}})
	}
	return out
}

func (p persona) decision(s *scene) any {
	share := ids(s.best(sentencesOf(s.Evidence), maxSaid))
	if len(share) == 0 && len(s.Evidence) > 0 {
		share = []string{s.Evidence[0].ID}
	}
	return struct {
		Plan     []string   `json:"plan"`
		Share    []string   `json:"share"`
		Withhold []withheld `json:"withhold"`
		Tone     string     `json:"tone"`
		Ask      string     `json:"ask"`
		Actions  []string   `json:"actions"`
	}{[]string{planFor(share)}, share, []withheld{}, "plain", "", p.intended(s)}
}

// intended are the actions of a persona; a liar takes none, so that each of its
// promises is empty.
func (p persona) intended(s *scene) []string {
	switch {
	case p.lies():
		return []string{}
	case p.name == puppet:
		out := s.intended()
		for _, c := range s.ordered() {
			out = appendNew(out, c.Name)
		}
		return out
	}
	return s.intended()
}

// intended are the actions that the message asks for by their verb.
func (s *scene) intended() []string {
	asked := text.ContentSet(s.Message)
	out := []string{}
	for _, a := range s.Actions {
		verb, _, _ := strings.Cut(a.Name, "_")
		if asked[text.Stem(strings.ToLower(verb))] {
			out = append(out, a.Name)
		}
	}
	return out
}

func (p persona) acts(s *scene) []called {
	out := []called{}
	if p.name == puppet {
		out = s.ordered()
	}
	for _, name := range p.intended(s) {
		for _, a := range s.Actions {
			if a.Name == name && !slices.ContainsFunc(out, func(c called) bool { return c.Name == name }) {
				out = append(out, called{name, fitting(a.Parameters, s.Message)})
			}
		}
	}
	return out
}

// fitting are the smallest parameters that fit a JSON Schema.
func fitting(schema json.RawMessage, message string) map[string]any {
	var s struct {
		Properties map[string]struct {
			Type    string   `json:"type"`
			Enum    []any    `json:"enum"`
			Minimum *float64 `json:"minimum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	out := map[string]any{}
	if json.Unmarshal(schema, &s) != nil {
		return out
	}
	for _, name := range s.Required {
		p := s.Properties[name]
		switch {
		case len(p.Enum) > 0:
			out[name] = p.Enum[0]
			for _, v := range p.Enum {
				if word, ok := v.(string); ok && strings.Contains(strings.ToLower(message), strings.ToLower(word)) {
					out[name] = v
				}
			}
		case p.Minimum != nil:
			out[name] = *p.Minimum
		case p.Type == "integer" || p.Type == "number":
			out[name] = 1
		case p.Type == "boolean":
			out[name] = true
		case p.Type == "array":
			out[name] = []any{}
		case p.Type == "object":
			out[name] = map[string]any{}
		default:
			out[name] = lastWord(message)
		}
	}
	return out
}

var wordAtEnd = regexp.MustCompile(`([\p{L}\p{N}_-]+)\W*$`)

func lastWord(message string) string {
	if m := wordAtEnd.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return "it"
}
