package gateway

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The Responses API: the same turns, with typed events.

type responsesRequest struct {
	identity
	Model  string `json:"model"`
	Input  inputs `json:"input"`
	Stream bool   `json:"stream"`
	Text   struct {
		Format struct {
			Type string `json:"type"`
		} `json:"format"`
	} `json:"text"`
}

// inputs are a text, or items of which the last message of a user counts.
type inputs string

// UnmarshalJSON reads both forms.
func (in *inputs) UnmarshalJSON(data []byte) error {
	var plain *string
	if json.Unmarshal(data, &plain) == nil {
		if plain != nil {
			*in = inputs(*plain)
		}
		return nil
	}
	var items []chatMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return &schema.FieldError{Field: "input", Reason: "is neither text nor a list of messages"}
	}
	for i := len(items) - 1; i >= 0; i-- {
		if items[i].Role == "user" {
			*in = inputs(items[i].Content)
			break
		}
	}
	return nil
}

type response struct {
	ID        string         `json:"id"`
	Object    string         `json:"object"`
	CreatedAt int64          `json:"created_at"`
	Status    string         `json:"status"`
	Error     *openaiFault   `json:"error"`
	Details   *struct{}      `json:"incomplete_details"`
	Model     string         `json:"model"`
	Output    []responseItem `json:"output"`
	// What clients expect to be there, whatever it is.
	Instructions      *string           `json:"instructions"`
	Metadata          map[string]string `json:"metadata"`
	ParallelToolCalls bool              `json:"parallel_tool_calls"`
	ToolChoice        string            `json:"tool_choice"`
	Tools             []struct{}        `json:"tools"`
	Temperature       *float64          `json:"temperature"`
	TopP              *float64          `json:"top_p"`
	Usage             *responseUsage    `json:"usage"`
}

type responseUsage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Total  int `json:"total_tokens"`
	In     struct {
		Cached int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Out struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

type responseItem struct {
	ID      string         `json:"id"`
	Type    string         `json:"type"`
	Status  string         `json:"status"`
	Role    string         `json:"role"`
	Content []responsePart `json:"content"`
}

type responsePart struct {
	Type        string             `json:"type"`
	Text        string             `json:"text"`
	Annotations []responseCitation `json:"annotations"`
}

type responseCitation struct {
	Type string `json:"type"`
	citation
}

// responses answers POST /responses.
func (g *Gateway) responses(w http.ResponseWriter, r *http.Request, c *caller) error {
	var req responsesRequest
	if err := readJSON(w, r, maxChatBody, &req, false); err != nil {
		return err
	}
	if kind := req.Text.Format.Type; kind != "" && kind != "text" {
		return problem(http.StatusBadRequest, CodeInvalid, "an NPC answers in words, not as %s",
			cut(kind, 32)).on("text.format")
	}
	if strings.TrimSpace(string(req.Input)) == "" {
		return problem(http.StatusBadRequest, CodeInvalid, "input holds nothing that a user says").on("input")
	}
	world, npc, err := g.npcOf(r, c, req.Model)
	if err != nil {
		return err
	}
	out := &typed{completion: completion{model: world + "/" + npc.Handle, created: g.now().Unix(),
		asked: tokens(string(req.Input))}}
	if answer, is := errand(string(req.Input), npc.Name); is {
		return out.whole(w, req.Stream, g.client.NewID(), answer)
	}
	say := schema.Request{World: world, NPC: npc.Handle, Message: string(req.Input), DeadlineMS: openaiDeadline}
	if say.Player, err = g.speaker(c, world, npc.Handle, &req.identity); err != nil {
		return err
	}
	return g.run(r, c, &say, func(ctx context.Context, stop context.CancelFunc, turn *client.Turn) error {
		out.turn(r, turn)
		out.turnID = turn.ID
		if !req.Stream {
			return out.plain(ctx, w, c, turn)
		}
		defer context.AfterFunc(g.living, stop)()
		out.s = startStream(w)
		out.s.fail = out.failed
		return out.s.during(ctx, stop, func() error {
			if err := out.begin(); err != nil {
				return err
			}
			return g.events(ctx, watched{c: c, turn: turn, stop: stop}, out.event)
		})
	})
}

// typed writes a response, whole or event by event.
type typed struct {
	completion
	s      *sse
	turnID string
	seq    int
	said   strings.Builder
	at     int // characters said
	cited  []responseCitation
}

func (t *typed) response(status string) *response {
	return &response{ID: "resp_" + t.turnID, Object: "response", CreatedAt: t.created, Status: status, Model: t.model,
		Output:   []responseItem{},
		Metadata: map[string]string{}, ToolChoice: "none", Tools: []struct{}{}}
}

func (t *typed) item(status string, content []responsePart) responseItem {
	return responseItem{ID: "msg_" + t.turnID, Type: "message", Status: status, Role: "assistant", Content: content}
}

func (t *typed) part() responsePart {
	return responsePart{Type: "output_text", Text: t.said.String(), Annotations: append([]responseCitation{},
		t.cited...)}
}

// complete is the response with all that was said.
func (t *typed) complete() *response {
	out := t.response("completed")
	out.Output = append(out.Output, t.item("completed", []responsePart{t.part()}))
	n := tokens(t.said.String())
	out.Usage = &responseUsage{Input: t.asked, Output: n, Total: t.asked + n}
	return out
}

func (t *typed) plain(ctx context.Context, w http.ResponseWriter, c *caller, turn *client.Turn) error {
	reply, err := turn.Reply(ctx)
	if err != nil {
		return err
	}
	shown := c.shown(reply)
	if err := unanswered(shown); err != nil {
		return err
	}
	for _, a := range t.annotations(shown.Sentences, 0) {
		t.cited = append(t.cited, responseCitation{a.Type, a.URLCitation})
	}
	t.said.WriteString(shown.Text)
	writeJSON(w, http.StatusOK, t.complete())
	return nil
}

func (t *typed) whole(w http.ResponseWriter, streamed bool, id, answer string) error {
	t.turnID = id
	if !streamed {
		t.said.WriteString(answer)
		writeJSON(w, http.StatusOK, t.complete())
		return nil
	}
	t.s = startStream(w)
	if err := t.begin(); err != nil {
		return err
	}
	if err := t.text(answer); err != nil {
		return err
	}
	return t.end()
}
