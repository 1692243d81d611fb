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

// object is the body of a typed event.
type object = map[string]any

func (t *typed) send(kind string, body object) error {
	body["type"], body["sequence_number"] = kind, t.seq
	t.seq++
	return t.s.send(kind, 0, body)
}

// send of an event that is about the one part of the one item.
func (t *typed) ofPart(kind string, body object) error {
	body["item_id"], body["output_index"], body["content_index"] = "msg_"+t.turnID, 0, 0
	return t.send(kind, body)
}

func (t *typed) begin() error {
	open := t.response("in_progress")
	if err := t.send("response.created", object{"response": open}); err != nil {
		return err
	}
	if err := t.send("response.in_progress", object{"response": open}); err != nil {
		return err
	}
	if err := t.send("response.output_item.added", object{"output_index": 0,
		"item": t.item("in_progress", []responsePart{})}); err != nil {
		return err
	}
	return t.ofPart("response.content_part.added", object{"part": t.part()})
}

// text is a piece of what is said.
func (t *typed) text(words string) error {
	if words == "" {
		return nil
	}
	t.said.WriteString(words)
	t.at += len([]rune(words))
	return t.ofPart("response.output_text.delta", object{"delta": words, "logprobs": []any{}})
}

func (t *typed) event(e *Event) error {
	switch {
	case e.Sentence != nil:
		words := e.Sentence.Text
		if t.said.Len() > 0 {
			words = " " + words
		}
		if err := t.text(words); err != nil {
			return err
		}
		return t.cite(e)
	case e.Reply != nil:
		if t.said.Len() == 0 {
			if err := unanswered(e.Reply); err != nil {
				return err
			}
		}
		if rest, more := strings.CutPrefix(e.Reply.Text, t.said.String()); more {
			if err := t.text(rest); err != nil {
				return err
			}
		}
		return t.end()
	}
	return nil
}

// cite shows what a sentence that has just been said rests on.
func (t *typed) cite(e *Event) error {
	for _, path := range paths(e.Sentence) {
		a := responseCitation{"url_citation", citation{t.at - len([]rune(e.Sentence.Text)), t.at, path, t.link}}
		if err := t.ofPart("response.output_text.annotation.added", object{"annotation_index": len(t.cited),
			"annotation": a}); err != nil {
			return err
		}
		t.cited = append(t.cited, a)
	}
	return nil
}

func (t *typed) end() error {
	part := t.part()
	if err := t.ofPart("response.output_text.done", object{"text": part.Text, "logprobs": []any{}}); err != nil {
		return err
	}
	if err := t.ofPart("response.content_part.done", object{"part": part}); err != nil {
		return err
	}
	if err := t.send("response.output_item.done", object{"output_index": 0,
		"item": t.item("completed", []responsePart{part})}); err != nil {
		return err
	}
	return t.send("response.completed", object{"response": t.complete()})
}

// failed is the last event of a response that did not come to its end.
func (t *typed) failed(p *Problem) (string, any) {
	out := t.response("failed")
	fault := asOpenAIError(p).Error
	out.Error = &fault
	body := object{"type": "response.failed", "sequence_number": t.seq, "response": out}
	t.seq++
	return "response.failed", body
}
