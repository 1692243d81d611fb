package gateway

import (
	"context"
	"net/http"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// completeStream streams a completion: the role first, each verified sentence as a
// delta, the actions as tool calls, why it ended, what it cost, and [DONE].
func (g *Gateway) completeStream(ctx context.Context, w http.ResponseWriter, on watched, out *completion) error {
	defer context.AfterFunc(g.living, on.stop)()
	s := startStream(w)
	s.fail = func(p *Problem) (string, any) { return "", asOpenAIError(p) }
	v := &chunks{o: out, s: s}
	return s.during(ctx, on.stop, func() error {
		if err := v.begin(); err != nil {
			return err
		}
		return g.events(ctx, on, func(e *Event) error {
			switch {
			case e.Sentence != nil:
				return v.sentence(e.Sentence)
			case e.Reply != nil:
				return v.finish(e.Reply)
			}
			return nil
		})
	})
}

// chunks writes the chunks of one completion.
type chunks struct {
	o    *completion
	s    *sse
	sent strings.Builder
	at   int // characters sent
}

func (v *chunks) chunk(choices []chunkChoice) *chatChunk {
	return &chatChunk{ID: v.o.id, Object: "chat.completion.chunk", Created: v.o.created, Model: v.o.model,
		Choices: choices}
}

func (v *chunks) delta(d chatDelta, finish *string, why *explanation) error {
	c := v.chunk([]chunkChoice{{Delta: d, FinishReason: finish}})
	c.Forsooth = why
	return v.s.send("", 0, c)
}

func (v *chunks) begin() error {
	empty := ""
	return v.delta(chatDelta{Role: "assistant", Content: &empty}, nil, nil)
}

func (v *chunks) sentence(s *schema.Sentence) error {
	words := s.Text
	if v.sent.Len() > 0 {
		words = " " + words
		v.at++
	}
	d := chatDelta{Content: &words, Annotations: v.o.annotations([]schema.Sentence{*s}, v.at)}
	v.sent.WriteString(words)
	v.at += len([]rune(s.Text))
	return v.delta(d, nil, nil)
}

// finish says what of the reply no event has told: an authored line at the deadline.
func (v *chunks) finish(r *Reply) error {
	if v.sent.Len() == 0 {
		if err := unanswered(r); err != nil {
			return err
		}
	}
	if rest, more := strings.CutPrefix(r.Text, v.sent.String()); more && rest != "" {
		if err := v.delta(chatDelta{Content: &rest}, nil, nil); err != nil {
			return err
		}
	}
	return v.end(r)
}

func (v *chunks) end(r *Reply) error {
	calls := v.o.calls(r, true)
	if len(calls) > 0 {
		if err := v.delta(chatDelta{ToolCalls: calls}, nil, nil); err != nil {
			return err
		}
	}
	why := finish(calls)
	if err := v.delta(chatDelta{}, &why, v.o.explained(r)); err != nil {
		return err
	}
	if v.o.usage {
		c := v.chunk([]chunkChoice{})
		usage := v.o.used(r)
		c.Usage = &usage
		if err := v.s.send("", 0, c); err != nil {
			return err
		}
	}
	return v.s.write([]byte("data: [DONE]\n\n"))
}
