package prompt

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/forsooth-npc/forsooth/internal/protocol"
)

// Bounds of an answer: what is longer is cut, for no NPC says it.
const (
	maxThoughts  = 12
	maxSentences = 8
	maxItems     = 12
	maxText      = 2000 // bytes of one sentence
)

// Choice is a decoded decision: names and ids as the model gave them, unchecked.
type Choice struct {
	Plan     []string            `json:"plan"`
	Share    []string            `json:"share"`
	Withhold []protocol.Withhold `json:"withhold"`
	Tone     string              `json:"tone"`
	Ask      string              `json:"ask"`
	Actions  []string            `json:"actions"`
}

// Thoughts reads a monologue. A citation may stand in brackets, in the list or
// in the text; markers leave the text.
func Thoughts(answer []byte) ([]protocol.Thought, error) {
	var a struct {
		Thoughts []struct {
			Text      string   `json:"text"`
			Citations []string `json:"citations"`
		} `json:"thoughts"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("monologue: %w", err)
	}
	var out []protocol.Thought
	for _, th := range a.Thoughts[:min(len(a.Thoughts), maxThoughts)] {
		said, ids := unmark(th.Text)
		for _, c := range th.Citations {
			ids = appendID(ids, bareID(c))
		}
		if said != "" {
			out = append(out, protocol.Thought{Text: said, Citations: ids})
		}
	}
	if len(out) == 0 {
		return nil, errors.New("monologue: it holds no thought")
	}
	return out, nil
}

// Decide reads a decision.
func Decide(answer []byte) (Choice, error) {
	var c Choice
	if err := json.Unmarshal(answer, &c); err != nil {
		return c, fmt.Errorf("decision: %w", err)
	}
	for i := range c.Share {
		c.Share[i] = bareID(c.Share[i])
	}
	c.Plan, c.Share, c.Actions = c.Plan[:min(len(c.Plan), 3)], c.Share[:min(len(c.Share), maxItems)],
		c.Actions[:min(len(c.Actions), maxItems)]
	c.Withhold = c.Withhold[:min(len(c.Withhold), maxItems)]
	return c, nil
}

// Draft is a decoded speech, with the plan where the call was lean.
type Draft struct {
	Plan      string
	Actions   []string
	Sentences []protocol.DraftSentence
}

// Read reads a speech or a lean answer.
func Read(answer []byte) (Draft, error) {
	var a struct {
		Plan      string          `json:"plan"`
		Actions   []string        `json:"actions"`
		Sentences []draftSentence `json:"sentences"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return Draft{}, fmt.Errorf("speech: %w", err)
	}
	d := Draft{Plan: a.Plan, Actions: a.Actions}
	for _, s := range a.Sentences {
		d.Sentences = append(d.Sentences, s.read()...)
	}
	d.Sentences = d.Sentences[:min(len(d.Sentences), maxSentences)]
	return d, nil
}

// draftSentence is one element of the list of sentences.
type draftSentence struct {
	Text      string            `json:"text"`
	Citations []json.RawMessage `json:"citations"`
}

// read gives the sentence, or none where it says nothing.
func (s draftSentence) read() []protocol.DraftSentence {
	said, ids := unmark(s.Text)
	if said == "" {
		return nil
	}
	d := protocol.DraftSentence{Text: said}
	for _, raw := range s.Citations[:min(len(s.Citations), maxItems)] {
		d.Citations = append(d.Citations, readCitation(raw))
	}
	for _, id := range ids {
		d.Citations = append(d.Citations, protocol.Citation{EvidenceID: id})
	}
	return []protocol.DraftSentence{d}
}

// readCitation takes {"claim","evidence_id"} and, from servers without schemas, a
// bare id. What is neither stays a citation of nothing, which the review refuses.
func readCitation(raw json.RawMessage) protocol.Citation {
	var c protocol.Citation
	if json.Unmarshal(raw, &c) == nil && c.EvidenceID != "" {
		return protocol.Citation{Claim: clean(c.Claim), EvidenceID: bareID(c.EvidenceID)}
	}
	var id string
	if json.Unmarshal(raw, &id) == nil {
		return protocol.Citation{EvidenceID: bareID(id)}
	}
	return protocol.Citation{EvidenceID: bareID(strings.TrimSpace(string(raw)))}
}

var marker = regexp.MustCompile(`\s*\[((?:[A-Z]?[0-9]{1,3}|self)(?:\s*,\s*(?:[A-Z]?[0-9]{1,3}|self))*)\]`)

// unmark takes citation markers out of a sentence and gives their ids.
func unmark(s string) (string, []string) {
	var ids []string
	for _, m := range marker.FindAllStringSubmatch(s, -1) {
		for id := range strings.SplitSeq(m[1], ",") {
			ids = appendID(ids, strings.TrimSpace(id))
		}
	}
	return clean(marker.ReplaceAllString(s, "")), ids
}

// clean folds white space, drops control characters and gives back the signs
// that the data was escaped with.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.Join(strings.Fields(unescape.Replace(s)), " ")
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

func appendID(ids []string, id string) []string {
	for _, have := range ids {
		if have == id {
			return ids
		}
	}
	return append(ids, id)
}

func bareID(s string) string { return strings.Trim(strings.TrimSpace(s), "[]\"'") }

// Called is an action as the model chose it.
type Called struct {
	Name       string         `json:"name"`
	Parameters map[string]any `json:"parameters"`
}

// Acts reads the answer of the actions call.
func Acts(answer []byte) ([]Called, error) {
	var a struct {
		Actions []Called `json:"actions"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("actions: %w", err)
	}
	return a.Actions[:min(len(a.Actions), maxItems)], nil
}

// Summary reads the answer of the compact call.
func Summary(answer []byte) (string, error) {
	var a struct {
		Summary string `json:"summary"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return "", fmt.Errorf("compact: %w", err)
	}
	return strings.TrimSpace(a.Summary), nil
}

// Queries reads the answer of the citation query.
func Queries(answer []byte) ([]string, error) {
	var a struct {
		Queries []string `json:"queries"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("citation query: %w", err)
	}
	var out []string
	for _, q := range a.Queries {
		if q = clean(q); q != "" && len(out) < 3 {
			out = append(out, q)
		}
	}
	return out, nil
}

// Order reads the answer of the rerank call.
func Order(answer []byte) ([]string, error) {
	var a struct {
		Order []string `json:"order"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return nil, fmt.Errorf("rerank: %w", err)
	}
	for i := range a.Order {
		a.Order[i] = bareID(a.Order[i])
	}
	return a.Order, nil
}

// schemas are the answers' JSON Schemas. They are small on purpose: servers
// differ in what they take, and every answer is validated here again.
var schemas = map[string]string{
	CitationQuery: `{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},"maxItems":3}}` +
		`,"required":["queries"],"additionalProperties":false}`,
	Rerank: `{"type":"object","properties":{"order":{"type":"array","items":{"type":"string"}}}` +
		`,"required":["order"],"additionalProperties":false}`,
	Compact: `{"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]` +
		`,"additionalProperties":false}`,
	Monologue: `{"type":"object","properties":{"thoughts":{"type":"array","items":{"type":"object"` +
		`,"properties":{"text":{"type":"string"},"citations":{"type":"array","items":{"type":"string"}}}` +
		`,"required":["text","citations"],"additionalProperties":false}}},"required":["thoughts"]` +
		`,"additionalProperties":false}`,
	Decision: `{"type":"object","properties":{"plan":{"type":"array","items":{"type":"string"}}` +
		`,"share":{"type":"array","items":{"type":"string"}},"withhold":{"type":"array","items":{"type":"object"` +
		`,"properties":{"topic":{"type":"string"},"reason":{"type":"string"}},"required":["topic","reason"]` +
		`,"additionalProperties":false}},"tone":{"type":"string"},"ask":{"type":"string"},"actions":{"type":"array"` +
		`,"items":{"type":"string"}}},"required":["plan","share","withhold","tone","ask","actions"]` +
		`,"additionalProperties":false}`,
	Speech: `{"type":"object","properties":{"sentences":` + sentences + `},"required":["sentences"]` +
		`,"additionalProperties":false}`,
	Lean: `{"type":"object","properties":{"plan":{"type":"string"},"sentences":` + sentences +
		`,"actions":{"type":"array","items":{"type":"string"}}},"required":["plan","sentences","actions"]` +
		`,"additionalProperties":false}`,
	Actions: `{"type":"object","properties":{"actions":{"type":"array","items":{"type":"object"` +
		`,"properties":{"name":{"type":"string"},"parameters":{"type":"object"}},"required":["name","parameters"]` +
		`,"additionalProperties":false}}},"required":["actions"],"additionalProperties":false}`,
	Claims: `{"type":"object","properties":{"sentences":{"type":"array","items":{"type":"object"` +
		`,"properties":{"n":{"type":"integer"},"claims":{"type":"array","items":{"type":"string"}}}` +
		`,"required":["n","claims"],"additionalProperties":false}}},"required":["sentences"],"additionalProperties":false}`,
	Memories: `{"type":"object","properties":{"memories":{"type":"array","maxItems":12,"items":{"type":"object"` +
		`,"properties":{"kind":{"type":"string","enum":["fact","preference","relation","event","promise"]}` +
		`,"subject":{"type":"string"},"predicate":{"type":"string"},"object":{"type":"string"}` +
		`,"content":{"type":"string"},"confidence":{"type":"number"},"evidence_spans":{"type":"array"` +
		`,"items":{"type":"string"}}},"required":["kind","subject","predicate","object","content","confidence"` +
		`,"evidence_spans"],"additionalProperties":false}}},"required":["memories"],"additionalProperties":false}`,
	Cluster: `{"type":"object","properties":{"verdict":{"type":"string","enum":["EQUIVALENT","TEMPORAL_EVOLUTION"` +
		`,"CONTRADICTION","DISTINCT"]},"reasoning":{"type":"string"}},"required":["verdict","reasoning"]` +
		`,"additionalProperties":false}`,
	Judge: `{"type":"object","properties":{"verdicts":{"type":"array","items":{"type":"object"` +
		`,"properties":{"n":{"type":"integer"},"kind":{"type":"string","enum":["world","self","social"]}` +
		`,"verdict":{"type":"string","enum":["supported","contradicted","unverifiable"]},"difference":{"type":"string"}` +
		`,"confidence":{"type":"number"}},"required":["n","kind","verdict","difference","confidence"]` +
		`,"additionalProperties":false}}},"required":["verdicts"],"additionalProperties":false}`,
}

const sentences = `{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"}` +
	`,"citations":{"type":"array","items":{"type":"object","properties":{"claim":{"type":"string"}` +
	`,"evidence_id":{"type":"string"}},"required":["claim","evidence_id"],"additionalProperties":false}}}` +
	`,"required":["text","citations"],"additionalProperties":false}}`

// Schema is the JSON Schema of a call's answer.
func Schema(name string) json.RawMessage { return json.RawMessage(schemas[name]) }
