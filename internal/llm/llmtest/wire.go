package llmtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// call is one request on its way to an answer.
type call struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	request request
	scene   *scene
	persona persona
	pace    Pace
	came    time.Time
	number  int
	prompt  int // tokens
}

// record writes down what is said, before it is said.
func (c *call) record(said []draft) {
	var out []Entry
	for _, d := range said {
		e := Entry{Call: c.number, Schema: c.scene.Name, Persona: c.persona.name, NPC: c.scene.NPC, Message: c.scene.Message,
			Text: d.text, Truth: d.truth, Of: d.of, False: d.false, Evidence: d.block, Cited: []string{}}
		for _, cited := range d.cites {
			e.Cited = append(e.Cited, cited.ID)
		}
		out = append(out, e)
	}
	c.server.book.add(out...)
}

// send answers with this text at the stated pace, whole or streamed.
func (c *call) send(content string) {
	finish := "stop"
	limit := max(c.request.MaxTokens, c.request.MaxCompletionTokens)
	tokens := pieces(content)
	if limit > 0 && len(tokens) > limit {
		tokens, finish = tokens[:limit], "length"
	}
	if !c.request.Stream {
		if c.wait(c.pace.Due(len(tokens)-1)) == nil {
			c.whole(tokens, finish)
		}
		return
	}
	if c.stream(tokens) != nil {
		return // the caller went away
	}
	_ = c.event(chunk(c, nil, &finish, nil)) // whoever went away by now has heard it all
	if c.request.StreamOptions.IncludeUsage {
		_ = c.event(chunk(c, []string{}, nil, c.usage(len(tokens))))
	}
	fmt.Fprint(c.w, "data: [DONE]\n\n")
	_ = http.NewResponseController(c.w).Flush()
}

func (c *call) whole(tokens []string, finish string) {
	c.server.book.sent(len(tokens))
	reply(c.w, http.StatusOK, map[string]any{
		"id": c.id(), "object": "chat.completion", "created": c.came.Unix(), "model": c.model(),
		"usage": c.usage(len(tokens)),
		"choices": []any{map[string]any{"index": 0, "finish_reason": finish,
			"message": map[string]any{"role": "assistant", "content": joined(tokens)}}},
	})
}

// burst is the most tokens of one event, so that a late or an unpaced answer still
// comes in parts.
const burst = 16

// stream sends tokens as events, each when it is due; those that are late go
// together. It returns an error when the caller is gone.
func (c *call) stream(tokens []string) error {
	c.head()
	for at := 0; at < len(tokens); {
		if err := c.wait(c.pace.Due(at)); err != nil {
			return err
		}
		due := c.pace.Ready(c.server.options.Now().Sub(c.came), len(tokens))
		end := min(max(due, at+1), at+burst, len(tokens))
		c.server.book.sent(end - at)
		if err := c.event(chunk(c, tokens[at:end], nil, nil)); err != nil {
			return err
		}
		at = end
	}
	return nil
}

func (c *call) head() {
	c.w.Header().Set("Content-Type", "text/event-stream")
	c.w.Header().Set("Cache-Control", "no-cache")
	c.w.WriteHeader(http.StatusOK)
}

// wait sleeps until this long after the request came, or until the caller goes
// away.
func (c *call) wait(since time.Duration) error {
	left := since - c.server.options.Now().Sub(c.came)
	if left <= 0 {
		return c.gone()
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return c.gone()
	case <-c.r.Context().Done():
	case <-c.server.ctx.Done():
	}
	return context.Canceled
}

// gone says whether anybody still listens.
func (c *call) gone() error {
	if err := c.r.Context().Err(); err != nil {
		return err
	}
	return c.server.ctx.Err()
}

// event sends one server-sent event at once.
func (c *call) event(v any) error {
	var out bytes.Buffer
	out.WriteString("data: ")
	if err := json.NewEncoder(&out).Encode(v); err != nil {
		return err
	}
	out.WriteByte('\n')
	if _, err := c.w.Write(out.Bytes()); err != nil {
		return err
	}
	return http.NewResponseController(c.w).Flush()
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func (c *call) usage(sent int) *usage { return &usage{c.prompt, sent, c.prompt + sent} }

func (c *call) id() string { return fmt.Sprintf("chatcmpl-%d", c.number) }

func (c *call) model() string {
	if c.request.Model == "" {
		return "scripted"
	}
	return c.request.Model
}

type delta struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content,omitempty"`
}

type choice struct {
	Index  int     `json:"index"`
	Delta  delta   `json:"delta"`
	Finish *string `json:"finish_reason"`
}

type chunked struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

// chunk is one event of a stream; the one with the usage has no choice in it.
func chunk(c *call, tokens []string, finish *string, u *usage) chunked {
	out := chunked{ID: c.id(), Object: "chat.completion.chunk", Created: c.came.Unix(), Model: c.model(),
		Choices: []choice{}, Usage: u}
	if u == nil {
		out.Choices = append(out.Choices, choice{Delta: delta{Content: joined(tokens)}, Finish: finish})
	}
	return out
}

func joined(tokens []string) string {
	var out bytes.Buffer
	for _, t := range tokens {
		out.WriteString(t)
	}
	return out.String()
}
