package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// spoken is what a model said in one call.
type spoken struct {
	text    string
	model   string
	in, out int  // tokens
	cut     bool // it did not come to its end
}

// said is a call's conversation: the request, and after an answer that did not
// fit, that answer with what is wrong with it.
type said struct {
	wrong, why string
}

// readerError is an error of the caller's onText.
type readerError struct{ err error }

func (e *readerError) Error() string { return e.err.Error() }
func (e *readerError) Unwrap() error { return errReader }

var errReader = errors.New("the reader of the stream has stopped")

// call asks once.
func (r *rung) call(ctx context.Context, q Request, l Limits, temperature float32, before said, read func(string) error) (spoken, *heard, error) {
	h := &heard{}
	ctx = context.WithValue(ctx, heardKey{}, h)
	request := r.request(q, l, temperature, before)
	out, err := r.breaker.Execute(func() (spoken, error) {
		if read == nil || r.noStream.Load() {
			return r.whole(ctx, request, read)
		}
		return r.streamed(ctx, request, read)
	})
	if h.html && err != nil {
		err = errPage
	}
	if out.in == 0 { // servers that do not count
		out.in = tokensOf(q.System) + tokensOf(q.User)
	}
	if out.out == 0 {
		out.out = tokensOf(out.text)
	}
	return out, h, err
}

// tokensOf estimates: English runs to four bytes a token.
func tokensOf(s string) int { return (len(s) + 3) / 4 }

// request is the call as this server takes it.
func (r *rung) request(q Request, l Limits, temperature float32, before said) openai.ChatCompletionRequest {
	model := r.Model
	if l.Model != "" {
		model = l.Model
	}
	system := q.System
	out := openai.ChatCompletionRequest{Model: model, MaxTokens: l.MaxTokens, Temperature: temperature}
	switch r.form.Load() {
	case formSchema:
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: q.Name, Schema: q.Schema}}
	case formObject:
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
		system = withSchema(q)
	default:
		system = withSchema(q)
	}
	out.Messages = []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleSystem, Content: system}, {Role: openai.ChatMessageRoleUser, Content: q.User}}
	if before.why != "" {
		wrong := before.wrong
		if len(wrong) > maxWrong {
			wrong = strings.ToValidUTF8(wrong[:maxWrong], "") + " …"
		}
		out.Messages = append(out.Messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: wrong},
			openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: "That is no answer of the schema: " + before.why + " Answer again, with the JSON object alone."})
	}
	return out
}

// maxWrong is how much of a wrong answer a model is shown again.
const maxWrong = 4 << 10

func withSchema(q Request) string {
	return fmt.Sprintf("%s\n\n%s\nAnswer with one JSON object of the schema %q:", q.System, q.Schema, q.Name)
}

// whole asks for an answer in one piece.
func (r *rung) whole(ctx context.Context, request openai.ChatCompletionRequest, read func(string) error) (spoken, error) {
	resp, err := r.client.CreateChatCompletion(ctx, request)
	if err != nil {
		return spoken{}, err
	}
	if len(resp.Choices) == 0 {
		return spoken{}, errEmpty
	}
	choice := resp.Choices[0]
	out := spoken{text: choice.Message.Content, model: resp.Model, in: resp.Usage.PromptTokens, out: resp.Usage.CompletionTokens, cut: choice.FinishReason == openai.FinishReasonLength}
	if strings.TrimSpace(out.text) == "" {
		return out, errEmpty
	}
	if read != nil {
		if err := read(out.text); err != nil {
			return out, &readerError{err}
		}
	}
	return out, nil
}

// errEmpty is an answer that says nothing.
var errEmpty = errors.New("its answer is empty")

// maxBlank is how long a model may say nothing but white space.
const maxBlank = 4 << 10

// streamed asks for a stream and reads it to its end.
func (r *rung) streamed(ctx context.Context, request openai.ChatCompletionRequest, read func(string) error) (spoken, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // whatever ends the reading ends the model's work
	if !r.noUsage.Load() {
		request.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	stream, err := r.client.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return spoken{}, err
	}
	defer stream.Close() //nolint:errcheck // what was read is all there is
	out := spoken{cut: true}
	var text strings.Builder
	blank := 0
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			out.text = text.String()
			if strings.TrimSpace(out.text) == "" {
				return out, errEmpty
			}
			return out, nil
		}
		if err != nil {
			out.text = text.String()
			return out, err
		}
		if chunk.Model != "" {
			out.model = chunk.Model
		}
		if u := chunk.Usage; u != nil {
			out.in, out.out = u.PromptTokens, u.CompletionTokens
		}
		if len(chunk.Choices) == 0 {
			continue
		}
		c := chunk.Choices[0]
		if c.FinishReason != "" {
			out.cut = c.FinishReason == openai.FinishReasonLength
		}
		delta := c.Delta.Content
		if delta == "" {
			continue
		}
		text.WriteString(delta)
		if blank += len(delta); strings.TrimSpace(delta) != "" {
			blank = 0
		}
		if text.Len() > maxAnswer || blank > maxBlank {
			out.text = text.String()
			return out, errEndless
		}
		if err := read(delta); err != nil {
			out.text = text.String()
			return out, &readerError{err}
		}
	}
}

// asStream turns an answer in one piece into a stream of one piece.
func asStream(resp *http.Response) (*http.Response, error) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	_ = resp.Body.Close()
	if err != nil {
		return nil, err
	}
	var whole openai.ChatCompletionResponse
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, fmt.Errorf("its answer is no JSON: %w", err)
	}
	chunk := openai.ChatCompletionStreamResponse{Model: whole.Model, Usage: &whole.Usage}
	for _, c := range whole.Choices {
		chunk.Choices = append(chunk.Choices, openai.ChatCompletionStreamChoice{Index: c.Index, FinishReason: c.FinishReason,
			Delta: openai.ChatCompletionStreamChoiceDelta{Content: c.Message.Content}})
	}
	data, err := json.Marshal(chunk)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(fmt.Appendf(nil, "data: %s\n\ndata: [DONE]\n\n", data)))
	resp.ContentLength = -1
	resp.Header.Set("Content-Type", "text/event-stream")
	return resp, nil
}
