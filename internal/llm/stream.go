package llm

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/sashabaranov/go-openai"
)

// maxBlank is how long a model may say nothing but white space.
const maxBlank = 1 << 10

// streamed asks for a stream and reads it to its end. Whatever ends the reading
// ends the request, and so the model's work.
func (r *rung) streamed(ctx context.Context, c *call, request openai.ChatCompletionRequest) (spoken, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	stream, err := r.client.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return spoken{}, err
	}
	defer stream.Close() //nolint:errcheck // what was read is all there is
	l := &listener{c: c, most: c.limits.bytes(), cut: true, hold: toldOf(ctx).inOnePiece}
	for {
		chunk, err := stream.Recv()
		if err == nil {
			err = l.hear(chunk)
		}
		if errors.Is(err, io.EOF) {
			return l.spoken(), nil
		}
		if err != nil {
			return l.spoken(), err
		}
	}
}

// listener gathers a stream.
type listener struct {
	c     *call
	text  strings.Builder
	out   spoken
	most  int
	blank int
	cut   bool // nobody has said yet that this is all
	hold  bool // it is given when all is there
	open  opening
}

func (l *listener) spoken() spoken {
	l.out.text, l.out.cut = l.text.String(), l.cut
	return l.out
}

func (l *listener) hear(chunk openai.ChatCompletionStreamResponse) error {
	if chunk.Model != "" {
		l.out.model = chunk.Model
	}
	if u := chunk.Usage; u != nil {
		l.out.in, l.out.out = u.PromptTokens, u.CompletionTokens
	}
	if len(chunk.Choices) == 0 {
		return nil
	}
	choice := chunk.Choices[0]
	if choice.FinishReason != "" {
		l.cut = choice.FinishReason == openai.FinishReasonLength
	}
	return l.say(choice.Delta.Content)
}

func (l *listener) say(delta string) error {
	if delta == "" {
		return nil
	}
	l.text.WriteString(delta)
	if l.blank += len(delta); strings.TrimSpace(delta) != "" {
		l.blank = len(delta) - len(strings.TrimRight(delta, " \t\r\n"))
	}
	if l.text.Len() > l.most || l.blank > maxBlank {
		return errEndless
	}
	if l.hold {
		return nil
	}
	return l.c.read(l.open.feed(delta))
}

// opening lets through what comes from the brace that begins the JSON: models
// think aloud, open a fence, or say "Here is" before it.
type opening struct {
	before strings.Builder
	isOpen bool
}

func (o *opening) feed(delta string) string {
	if o.isOpen {
		return delta
	}
	o.before.WriteString(delta)
	text := o.before.String()
	i := begins(text)
	if i < 0 {
		return ""
	}
	o.isOpen = true
	return text[i:]
}

// begins is where the JSON of an answer begins; -1: nowhere.
func begins(text string) int {
	from := 0
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), thinking) {
		end := strings.Index(text, thought)
		if end < 0 {
			return -1
		}
		from = end + len(thought)
	}
	if i := strings.IndexByte(text[from:], '{'); i >= 0 {
		return from + i
	}
	return -1
}

// What some models put around their thoughts.
const thinking, thought = "<think>", "</think>"
