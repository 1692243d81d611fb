package gateway

import (
	"strings"
)

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
