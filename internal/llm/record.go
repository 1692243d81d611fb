package llm

import "github.com/sashabaranov/go-openai"

// Exchange is one request to a model as it was sent, with what came back. It holds what the
// player said: whoever keeps one keeps that too.
type Exchange struct {
	Call     string    `json:"call"` // the name of the schema
	Provider string    `json:"provider"`
	Model    string    `json:"model"`
	Attempt  int       `json:"attempt"` // of this call, from 1
	Messages []Message `json:"messages"`
	Answer   string    `json:"answer"`
	Outcome  string    `json:"outcome"` // see Told
	In       int       `json:"tokens_in"`
	Out      int       `json:"tokens_out"`
}

// record shows a request to whoever asked for it.
func (m *Models) record(r *rung, c *call, sent []openai.ChatCompletionMessage, out spoken, outcome string) {
	if m.options.Record == nil {
		return
	}
	x := Exchange{Call: c.Name, Provider: r.Name, Model: c.model, Attempt: c.attempts, Messages: []Message{},
		Answer: out.text, Outcome: outcome, In: out.in, Out: out.out}
	for _, s := range sent {
		x.Messages = append(x.Messages, Message{s.Role, s.Content})
	}
	m.options.Record(x)
}
