package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"
	"github.com/sony/gobreaker/v2"
)

// spoken is what a model said in one call.
type spoken struct {
	text    string
	model   string
	in, out int  // tokens
	cut     bool // it did not come to its end
	tokens  []Token
}

// call asks once.
func (r *rung) call(ctx context.Context, c *call, f form) (spoken, *told, error) {
	request := r.request(c, f)
	t := &told{sent: request.Messages}
	began := time.Now()
	out, err := r.breaker.Execute(func() (spoken, error) {
		ctx := context.WithValue(ctx, toldKey{}, t)
		out, err := r.exchange(ctx, c, request, f.stream)
		if ctx.Err() != nil && err != nil {
			err = interrupted(ctx, err, time.Since(began))
		}
		return out, err
	})
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return spoken{}, t, r.resting()
	}
	if out.in == 0 { // servers that do not count
		for _, m := range request.Messages {
			out.in += tokensOf(m.Content)
		}
	}
	if out.out == 0 {
		out.out = tokensOf(out.text)
	}
	return out, t, err
}

func (r *rung) exchange(
	ctx context.Context, c *call, request openai.ChatCompletionRequest, stream bool,
) (spoken, error) {
	if stream {
		return r.streamed(ctx, c, request)
	}
	return r.whole(ctx, c, request)
}

// interrupted is why a call ended before its answer: its time was up, or its
// caller went away, for whatever cause.
func interrupted(ctx context.Context, err error, took time.Duration) error {
	var reader *readerError
	cause := context.Cause(ctx)
	late := errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(cause, context.DeadlineExceeded)
	switch {
	case errors.As(err, &reader):
		return err
	case late && took < fairTime:
		return fmt.Errorf("%w: %w", errHasty, context.DeadlineExceeded)
	case late:
		return context.DeadlineExceeded
	}
	return fmt.Errorf("%w: %w", context.Canceled, cause)
}

// fairTime is what a server must have had before its silence counts against it.
const fairTime = time.Second

// errHasty is a call whose turn had hardly any time left.
var errHasty = errors.New("the turn had hardly any time left")

// tokensOf estimates: English runs to four bytes a token.
func tokensOf(s string) int { return (len(s) + 3) / 4 }

// request is the call as this server takes it. After an answer that did not fit
// the schema stands in words too, for some servers take a response_format and do
// nothing with it.
func (r *rung) request(c *call, f form) openai.ChatCompletionRequest {
	out := openai.ChatCompletionRequest{Model: c.model}
	if f.newTokens {
		out.MaxCompletionTokens = c.limits.MaxTokens
	} else {
		out.MaxTokens = c.limits.MaxTokens //nolint:staticcheck // what servers other than OpenAI's own take
	}
	if f.heat {
		out.Temperature = c.temperature
	}
	if f.usage {
		out.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	switch f.json {
	case asSchema:
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: c.Name, Schema: c.Schema}}
	case asObject:
		out.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	if c.Word != nil {
		out.Messages = c.Word.messages()
		if out.ResponseFormat = nil; f.word {
			out.LogProbs, out.TopLogProbs = true, alternatives
		}
		return out
	}
	system := c.System
	if f.json != asSchema || c.before.why != "" {
		system = fmt.Sprintf("%s\n\n%s\nAnswer with one JSON object of the schema %q:", c.System, c.Schema, c.Name)
	}
	out.Messages = append(messages(system, c.User), c.before.messages()...)
	return out
}

func messages(system, user string) []openai.ChatCompletionMessage {
	return []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleSystem, Content: system},
		{Role: openai.ChatMessageRoleUser, Content: user}}
}

// messages show a model its wrong answer, and say what is wrong with it.
func (w wrong) messages() []openai.ChatCompletionMessage {
	if w.why == "" {
		return nil
	}
	var out []openai.ChatCompletionMessage
	if text := strings.TrimSpace(w.text); text != "" {
		out = append(out, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: upTo(text, maxWrong)})
	}
	return append(out, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser,
		Content: "That was not taken: " + upTo(w.why, maxWhy) + ". Answer again, with the JSON object alone."})
}

// How much of a wrong answer, and of what is wrong with it, a model is shown.
const (
	maxWrong = 4 << 10
	maxWhy   = 1 << 10
)

// whole asks for an answer in one piece.
func (r *rung) whole(ctx context.Context, c *call, request openai.ChatCompletionRequest) (spoken, error) {
	resp, err := r.client.CreateChatCompletion(ctx, request)
	if err != nil {
		return spoken{}, err
	}
	out := spoken{model: resp.Model, in: resp.Usage.PromptTokens, out: resp.Usage.CompletionTokens}
	if len(resp.Choices) == 0 {
		return out, nil
	}
	out.text, out.tokens = resp.Choices[0].Message.Content, tokensIn(resp.Choices[0].LogProbs)
	out.cut = resp.Choices[0].FinishReason == openai.FinishReasonLength
	if most := c.limits.bytes(); len(out.text) > most {
		out.text = upTo(out.text, most)
		return out, errEndless
	}
	return out, nil
}

// bytes is what is read of an answer: some way beyond what its tokens take, for a
// server that does not hold to them.
func (l Limits) bytes() int { return min(maxAnswer, 4<<10+16*l.MaxTokens) }

// errEndless is an answer longer than any that was asked for.
var errEndless = fmt.Errorf("%w: it does not end", ErrAnswer)
