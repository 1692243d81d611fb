package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// openaiDeadline is how long a turn over OpenAI's protocol may take: its clients name
// none, and wait for minutes.
const openaiDeadline = 30_000

// chatRequest is what is read of a request; the rest changes nothing here.
type chatRequest struct {
	identity
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages"`
	Stream        bool          `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	N              *int `json:"n"`
	ResponseFormat struct {
		Type string `json:"type"`
	} `json:"response_format"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
}

type chatMessage struct {
	Role       string `json:"role"`
	Content    text   `json:"content"`
	ToolCallID string `json:"tool_call_id"`
}

// check refuses what would change the meaning of an answer.
func (r *chatRequest) check() error {
	switch {
	case len(r.Messages) == 0:
		return problem(http.StatusBadRequest, CodeInvalid, "messages are missing").on("messages")
	case r.N != nil && *r.N != 1:
		return problem(http.StatusBadRequest, CodeInvalid, "n is %d; an NPC gives one answer", *r.N).on("n")
	case r.ResponseFormat.Type != "" && r.ResponseFormat.Type != "text":
		return problem(http.StatusBadRequest, CodeInvalid, "an NPC answers in words, not as %s",
			cut(r.ResponseFormat.Type, 32)).on("response_format")
	}
	return nil
}

// said is what the player says: the last message of a user. Everything before it, and
// every card and instruction of the client, is neither lore nor order, and is not read:
// the mesh knows what was said.
func (r *chatRequest) said() (string, error) {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == "user" {
			return string(r.Messages[i].Content), nil
		}
	}
	return "", problem(http.StatusBadRequest, CodeInvalid,
		"no message is of role user: there is nothing to answer").on("messages")
}

// chat answers a chat completion, plain or streamed.
func (g *Gateway) chat(w http.ResponseWriter, r *http.Request, c *caller) error {
	var req chatRequest
	if err := readJSON(w, r, maxChatBody, &req, false); err != nil {
		return err
	}
	if err := req.check(); err != nil {
		return err
	}
	world, npc, err := g.npcOf(r, c, req.Model)
	if err != nil {
		return err
	}
	tools := map[string]bool{}
	for _, t := range req.Tools {
		tools[t.Function.Name] = true
	}
	out := completion{model: world + "/" + npc.Handle, usage: req.StreamOptions.IncludeUsage, tools: tools,
		created: g.now().Unix(),
		explain: r.Header.Get("X-Forsooth-Explain") == "1" && c.grant == nil}
	if results := req.results(); len(results) > 0 {
		return g.acted(w, r, c, &req, schema.ConversationID{World: world, NPC: npc.Handle}, results, &out)
	}
	message, err := req.said()
	if err != nil {
		return err
	}
	if answer, is := errand(message, npc.Name); is {
		out.id = "chatcmpl-" + g.client.NewID()
		return out.whole(w, req.Stream, answer)
	}
	out.asked = tokens(message)
	say := schema.Request{World: world, NPC: npc.Handle, Message: message, DeadlineMS: openaiDeadline}
	if say.Player, err = g.speaker(c, world, npc.Handle, &req.identity); err != nil {
		return err
	}
	return g.run(r, c, &say, func(ctx context.Context, stop context.CancelFunc, turn *client.Turn) error {
		out.turn(r, turn)
		if req.Stream {
			return g.completeStream(ctx, w, watched{c: c, turn: turn, stop: stop}, &out)
		}
		return completePlain(ctx, w, c, turn, &out)
	})
}

// maxChatBody bounds the body of a request: clients send their whole history.
const maxChatBody = 4 << 20

// run says something and has f answer with the turn. Who hangs up wants no more of it.
func (g *Gateway) run(r *http.Request, c *caller, say *schema.Request,
	f func(context.Context, context.CancelFunc, *client.Turn) error) error {
	if id := r.Header.Get("Idempotency-Key"); schema.CheckToken("turn_id", id) == nil {
		say.TurnID = id
	}
	if err := g.admit(r.Context(), c, say); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.Context(), say.Deadline()+grace)
	defer stop()
	turn, err := g.client.Say(ctx, *say)
	if err != nil {
		return err
	}
	defer turn.Close()
	err = f(ctx, stop, turn)
	if r.Context().Err() != nil {
		last, done := context.WithTimeout(context.WithoutCancel(r.Context()), askFor)
		defer done()
		_ = g.client.Cancel(last, turn.Conversation, turn.ID) // its deadline ends it otherwise
		return errGone
	}
	return err
}

func completePlain(ctx context.Context, w http.ResponseWriter, c *caller, turn *client.Turn, out *completion) error {
	reply, err := turn.Reply(ctx)
	if err != nil {
		return err
	}
	shown := c.shown(reply)
	if err := unanswered(shown); err != nil {
		return err
	}
	(&Problem{RetryAfterMS: shown.RetryAfterMS}).headers(w.Header())
	writeJSON(w, http.StatusOK, out.plain(shown))
	return nil
}

// unanswered is the error of a turn that has no words at all.
func unanswered(r *Reply) error {
	if r.Text != "" || r.Status != schema.StatusAborted {
		return nil
	}
	return problem(http.StatusBadGateway, r.Reason, "the turn ended without an answer")
}

// result is what a client did of an action that was a tool call.
type result struct {
	turn  string
	index int
	schema.ActionResult
}

// results are those at the end of the messages.
func (r *chatRequest) results() (out []result) {
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role == "tool"; i-- {
		m := r.Messages[i]
		rest, _ := strings.CutPrefix(m.ToolCallID, callPrefix)
		turn, index, _ := strings.Cut(rest, "_")
		n, err := strconv.Atoi(index)
		if err != nil || schema.CheckToken("turn", turn) != nil || n < 0 {
			n = -1 // a call of another model
		}
		out = append(out, result{turn, n, resultOf(string(m.Content))})
	}
	return out
}

// resultOf reads a tool's output: an error or a refusal is no, the rest is yes.
func resultOf(content string) schema.ActionResult {
	var said struct {
		Accepted *bool  `json:"accepted"`
		Error    string `json:"error"`
		Reason   string `json:"reason"`
	}
	if json.Unmarshal([]byte(content), &said) != nil {
		return schema.ActionResult{Accepted: true}
	}
	refused := said.Error != "" || said.Accepted != nil && !*said.Accepted
	reason := said.Reason
	if said.Error != "" {
		reason = said.Error
	}
	return schema.ActionResult{Accepted: !refused, Reason: cut(reason, 200)}
}

const callPrefix = "call_"

// acted tells the mesh what became of actions. The NPC has spoken already: there is
// nothing more to say.
func (g *Gateway) acted(w http.ResponseWriter, r *http.Request, c *caller, req *chatRequest,
	convo schema.ConversationID, results []result, out *completion) (err error) {
	if convo.Player, err = g.speaker(c, convo.World, convo.NPC, &req.identity); err != nil {
		return err
	}
	for _, done := range results {
		if done.index < 0 || schema.IsGuest(convo.Player) {
			continue
		}
		ctx, stop := context.WithTimeout(r.Context(), askFor)
		err := g.client.ActionResult(ctx, client.Proposal{Conversation: convo, Turn: done.turn, Index: done.index},
			done.ActionResult)
		stop()
		if err != nil && asProblem(err).Status != http.StatusNotFound {
			return err
		}
	}
	out.id = "chatcmpl-" + g.client.NewID()
	return out.whole(w, req.Stream, "")
}

// completion is what the answers to one request have in common.
type completion struct {
	id      string
	model   string
	created int64
	usage   bool
	explain bool
	tools   map[string]bool
	link    string // to the turn
	asked   int    // tokens, about
}

// turn names the completion after its turn.
func (o *completion) turn(r *http.Request, t *client.Turn) {
	o.id = "chatcmpl-" + t.ID
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	on := t.Conversation
	o.link = fmt.Sprintf("%s://%s/v1/worlds/%s/npcs/%s/turns/%s?player=%s&view=full", scheme, r.Host, on.World, on.NPC,
		t.ID, on.Player)
}

// whole answers with a text that no turn is behind.
func (o *completion) whole(w http.ResponseWriter, streamed bool, answer string) error {
	reply := &Reply{Text: answer, Sentences: []schema.Sentence{}}
	if !streamed {
		writeJSON(w, http.StatusOK, o.plain(reply))
		return nil
	}
	s := startStream(w)
	v := chunks{o: o, s: s}
	if err := v.begin(); err != nil {
		return err
	}
	if answer != "" {
		if err := v.delta(chatDelta{Content: &answer}, nil, nil); err != nil {
			return err
		}
	}
	return v.end(reply)
}
