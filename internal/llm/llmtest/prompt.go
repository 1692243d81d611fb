package llmtest

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/text"
)

// Ask is a prompt as the server understands it: what is asked for, and the data
// that stands between tags.
type Ask struct {
	Name    string // of the schema
	NPC     string
	Unknown string // the line to say where nothing is known
	System  string
	User    string

	Evidence     []Line
	Sources      []Line
	Self         []string
	Said         []string
	Feedback     []string // the claims that were faulted
	OwnWords     []string // the evidence's own words, where feedback asks for them
	Actions      []Action
	Conversation []string
	From         string
	Message      string
	Sentences    []string // that a judge is asked about
	Remembered   []Line   // of the cluster
}

// Line is a line of data with an id.
type Line struct{ ID, Text string }

// Action is an action that the NPC may take.
type Action struct {
	Name       string
	Parameters json.RawMessage
}

var (
	askedFor  = regexp.MustCompile(`Answer with one JSON object of the schema "([a-z_]+)":`)
	opens     = regexp.MustCompile(`(?m)^<([a-z_]+)(?: from="((?:[^"\\]|\\.)*)")?>$`)
	marked    = regexp.MustCompile(`^\[([A-Za-z0-9_]+)\]\s*(.*)$`)
	faulted   = regexp.MustCompile(`^-?\s*claim: (.*?) \| issue: `)
	ownWords  = regexp.MustCompile(`say it in its own words: “(.*)”\s*$`)
	youAre    = regexp.MustCompile(`You are ([^.\n]{1,80}?)(?: and you |[.,\n])`)
	whoThinks = regexp.MustCompile(`what (\p{Lu}[^.,\n]{0,80}?) (?:thinks|will tell|should remember|remembers)`)
	unknownIs = regexp.MustCompile(`say that you do not know, as [^\n]{1,80}? would: "([^\n]*)"`)
	aboutTail = regexp.MustCompile(` \([^()]{1,120}\)$`)
)

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// ReadPrompt reads the messages of a request. The name is that of the schema in
// response_format; without one it is looked for in the system message.
func ReadPrompt(name, system, user string) Ask {
	a := Ask{Name: name, System: system, User: user}
	if a.Name == "" {
		if m := askedFor.FindAllStringSubmatch(system, -1); m != nil {
			a.Name = m[len(m)-1][1]
		}
	}
	for _, pattern := range []*regexp.Regexp{youAre, whoThinks} {
		if m := pattern.FindStringSubmatch(system); m != nil && a.NPC == "" {
			a.NPC = m[1]
		}
	}
	if m := unknownIs.FindStringSubmatch(system); m != nil {
		a.Unknown = m[1]
	}
	for left := user; ; {
		m := opens.FindStringSubmatchIndex(left)
		if m == nil {
			return a
		}
		tag, from := left[m[2]:m[3]], ""
		if m[4] >= 0 {
			from = left[m[4]:m[5]]
		}
		body, after, closed := strings.Cut(left[m[1]:], "\n</"+tag+">")
		if !closed {
			after = left[m[1]:]
		} else {
			a.take(tag, from, unescape.Replace(body))
		}
		left = after
	}
}

func (a *Ask) take(tag, from, body string) {
	lines := nonEmpty(strings.Split(body, "\n"))
	switch tag {
	case "evidence":
		a.Evidence = readLines(lines)
	case "sources":
		a.Sources = readLines(lines)
		for i, l := range a.Sources {
			a.Sources[i].Text = aboutTail.ReplaceAllString(l.Text, "")
		}
	case "remembered":
		a.Remembered = readLines(lines)
	case "self":
		a.Self = lines
	case "said":
		a.Said = lines
	case "conversation":
		a.Conversation = lines
	case "feedback":
		for _, l := range lines {
			if m := faulted.FindStringSubmatch(l); m != nil {
				a.Feedback = append(a.Feedback, m[1])
			}
			if m := ownWords.FindStringSubmatch(l); m != nil {
				a.OwnWords = append(a.OwnWords, m[1])
			}
		}
	case "actions":
		for _, l := range lines {
			name, parameters, _ := strings.Cut(l, ":")
			a.Actions = append(a.Actions, Action{strings.TrimSpace(name), json.RawMessage(strings.TrimSpace(parameters))})
		}
	case "sentences":
		for _, l := range lines {
			if _, said, ok := strings.Cut(l, ". "); ok {
				a.Sentences = append(a.Sentences, said)
			}
		}
	case "message":
		a.From, a.Message = unescape.Replace(from), strings.TrimSpace(body)
	}
}

func readLines(lines []string) []Line {
	var out []Line
	for _, l := range lines {
		if m := marked.FindStringSubmatch(l); m != nil {
			out = append(out, Line{m[1], m[2]})
		}
	}
	return out
}

func nonEmpty(lines []string) []string {
	var out []string
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// shown is a sentence of a line of data.
type shown struct {
	id, text string
	block    string // the text of the whole line
	score    float64
}

func sentencesOf(lines []Line) []shown {
	var out []shown
	for _, l := range lines {
		for _, s := range text.Sentences(l.Text) {
			if len(text.WordSpans(s)) > 1 {
				out = append(out, shown{id: l.ID, text: s, block: l.Text})
			}
		}
	}
	return out
}
