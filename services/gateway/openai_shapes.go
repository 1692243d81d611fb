package gateway

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The shapes of chat completions, as strict clients want them.

type chatCompletion struct {
	ID       string       `json:"id"`
	Object   string       `json:"object"`
	Created  int64        `json:"created"`
	Model    string       `json:"model"`
	Choices  []chatChoice `json:"choices"`
	Usage    *chatUsage   `json:"usage"`
	Forsooth *explanation `json:"forsooth,omitempty"` // asked for by X-Forsooth-Explain: 1
}

type chatChoice struct {
	Index        int        `json:"index"`
	Message      chatAnswer `json:"message"`
	Logprobs     *struct{}  `json:"logprobs"`
	FinishReason string     `json:"finish_reason"`
}

type chatAnswer struct {
	Role        string       `json:"role"`
	Content     string       `json:"content"`
	Refusal     *string      `json:"refusal"`
	Annotations []annotation `json:"annotations"`
	ToolCalls   []toolCall   `json:"tool_calls,omitempty"`
}

type chatChunk struct {
	ID       string        `json:"id"`
	Object   string        `json:"object"`
	Created  int64         `json:"created"`
	Model    string        `json:"model"`
	Choices  []chunkChoice `json:"choices"`
	Usage    *chatUsage    `json:"usage,omitempty"`
	Forsooth *explanation  `json:"forsooth,omitempty"`
}

type chunkChoice struct {
	Index        int       `json:"index"`
	Delta        chatDelta `json:"delta"`
	Logprobs     *struct{} `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"` // null until the last
}

type chatDelta struct {
	Role        string       `json:"role,omitempty"`
	Content     *string      `json:"content,omitempty"`
	Annotations []annotation `json:"annotations,omitempty"`
	ToolCalls   []toolCall   `json:"tool_calls,omitempty"`
}

type chatUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

type toolCall struct {
	Index    *int   `json:"index,omitempty"` // of a delta
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type annotation struct {
	Type        string   `json:"type"`
	URLCitation citation `json:"url_citation"`
}

type citation struct {
	StartIndex int    `json:"start_index"` // in characters of the content
	EndIndex   int    `json:"end_index"`
	Title      string `json:"title"`
	URL        string `json:"url"`
}

// explanation is why it was said, for whoever asks by a header.
type explanation struct {
	TurnID    string              `json:"turn_id"`
	Status    schema.Status       `json:"status"`
	Reason    string              `json:"reason,omitempty"`
	Audit     schema.Audit        `json:"audit,omitempty"`
	Sentences []explainedSentence `json:"sentences"`
	Doubt     *Doubt              `json:"doubt,omitempty"`
}

type explainedSentence struct {
	Start    int                  `json:"start"`
	End      int                  `json:"end"`
	Authored bool                 `json:"authored,omitempty"`
	Evidence []schema.EvidenceRef `json:"evidence"`
}

func (o *completion) plain(r *Reply) *chatCompletion {
	calls := o.calls(r, false)
	usage := o.used(r)
	return &chatCompletion{ID: o.id, Object: "chat.completion", Created: o.created, Model: o.model, Usage: &usage,
		Forsooth: o.explained(r),
		Choices: []chatChoice{{Message: chatAnswer{Role: "assistant", Content: r.Text,
			Annotations: o.annotations(r.Sentences, 0), ToolCalls: calls}, FinishReason: finish(calls)}}}
}

func finish(calls []toolCall) string {
	if len(calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

// used is about what it cost: models of several kinds, or none, are behind an answer.
func (o *completion) used(r *Reply) chatUsage {
	out := tokens(r.Text)
	return chatUsage{PromptTokens: o.asked, CompletionTokens: out, TotalTokens: o.asked + out}
}

// tokens is about how many a text has.
func tokens(s string) int { return (len([]rune(s)) + 3) / 4 }

// calls are the actions of a reply that the client has listed as tools.
func (o *completion) calls(r *Reply, delta bool) (out []toolCall) {
	for _, a := range r.Actions {
		if !o.tools[a.Name] {
			continue
		}
		call := toolCall{ID: fmt.Sprintf("%s%s_%d", callPrefix, a.Turn, a.Index), Type: "function"}
		call.Function.Name, call.Function.Arguments = a.Name, "{}"
		if data, err := json.Marshal(a.Parameters); err == nil && a.Parameters != nil {
			call.Function.Arguments = string(data)
		}
		if delta {
			n := len(out)
			call.Index = &n
		}
		out = append(out, call)
	}
	return out
}

// annotations are the evidence of sentences, of which the first begins at a place.
func (o *completion) annotations(sentences []schema.Sentence, at int) []annotation {
	out := []annotation{}
	for _, s := range sentences {
		end := at + len([]rune(s.Text))
		for _, path := range paths(&s) {
			out = append(out, annotation{"url_citation", citation{at, end, path, o.link}})
		}
		at = end + 1
	}
	return out
}

func (o *completion) explained(r *Reply) *explanation {
	if !o.explain {
		return nil
	}
	out := &explanation{TurnID: r.TurnID, Status: r.Status, Reason: r.Reason, Audit: r.Audit,
		Sentences: []explainedSentence{}, Doubt: r.Doubt}
	at := 0
	for _, s := range r.Sentences {
		end := at + len([]rune(s.Text))
		out.Sentences = append(out.Sentences, explainedSentence{at, end, s.Authored, s.Evidence})
		at = end + 1
	}
	return out
}

// paths are the documents that a sentence rests on, each once.
func paths(s *schema.Sentence) (out []string) {
	for _, e := range s.Evidence {
		if !slices.Contains(out, e.Path) {
			out = append(out, e.Path)
		}
	}
	return out
}
