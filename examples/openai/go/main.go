// Command talk asks an NPC something with OpenAI's official client for Go: plain,
// streamed, and over the Responses API. OPENAI_BASE_URL and OPENAI_API_KEY say where.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: talk MODEL MESSAGE")
		os.Exit(2)
	}
	out, err := talk(context.Background(), os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(out)
}

// transcript is what every client of this folder prints.
type transcript struct {
	Models    []string `json:"models"`
	Plain     string   `json:"plain"`
	Finish    string   `json:"finish"`
	Sources   []string `json:"sources"`
	Streamed  string   `json:"streamed"`
	Usage     bool     `json:"usage"`
	Response  string   `json:"response"`
	Typed     string   `json:"typed"`
	Completed bool     `json:"completed"`
	Unknown   string   `json:"unknown"` // the code of an error
}

func talk(ctx context.Context, model, message string) (*transcript, error) {
	client := openai.NewClient()
	out := &transcript{}
	models, err := client.Models.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range models.Data {
		out.Models = append(out.Models, m.ID)
	}
	ask := openai.ChatCompletionNewParams{Model: model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(message)}}
	plain, err := client.Chat.Completions.New(ctx, ask)
	if err != nil {
		return nil, err
	}
	out.Plain, out.Finish = plain.Choices[0].Message.Content, string(plain.Choices[0].FinishReason)
	for _, a := range plain.Choices[0].Message.Annotations {
		out.Sources = append(out.Sources, a.URLCitation.Title)
	}
	ask.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Chat.Completions.NewStreaming(ctx, ask)
	whole := openai.ChatCompletionAccumulator{}
	for stream.Next() {
		whole.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil {
		return nil, err
	}
	out.Streamed, out.Usage = whole.Choices[0].Message.Content, whole.Usage.TotalTokens > 0
	ask.Model = "nobody"
	_, err = client.Chat.Completions.New(ctx, ask)
	var refused *openai.Error
	if errors.As(err, &refused) {
		out.Unknown = refused.Code
	}
	return out, respond(ctx, &client, model, message, out)
}

func respond(ctx context.Context, client *openai.Client, model, message string, out *transcript) error {
	ask := responses.ResponseNewParams{Model: model,
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(message)}}
	whole, err := client.Responses.New(ctx, ask)
	if err != nil {
		return err
	}
	out.Response = whole.OutputText()
	events := client.Responses.NewStreaming(ctx, ask)
	for events.Next() {
		switch e := events.Current().AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			out.Typed += e.Delta
		case responses.ResponseCompletedEvent:
			out.Completed = e.Response.OutputText() == out.Typed
		}
	}
	return events.Err()
}
