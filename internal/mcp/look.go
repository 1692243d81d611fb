package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

type knowsInput struct {
	place
	Question string   `json:"question" jsonschema:"a question, or a thing or person it is about"`
	Trust    int      `json:"trust,omitempty" jsonschema:"-100 to 100; it opens what is told to some alone"`
	Flags    []string `json:"flags,omitempty" jsonschema:"flags of the game"`
}

type memoriesInput struct {
	place
	Player string `json:"player,omitempty" jsonschema:"of this player alone"`
	Status string `json:"status,omitempty" jsonschema:"pending, active, superseded or flagged; all otherwise"`
	ID     string `json:"id,omitempty" jsonschema:"this memory alone"`
	After  string `json:"after,omitempty" jsonschema:"those behind the memory of this id"`
	Limit  int    `json:"limit,omitempty" jsonschema:"at most so many; 20 otherwise, 200 at most"`
}

type memoriesOutput struct {
	Memories []remembered `json:"memories"`
	More     bool         `json:"more" jsonschema:"these are not all: ask again with the last id as after"`
}

type remembered struct {
	ID        string   `json:"id"`
	NPC       string   `json:"npc"`
	Player    string   `json:"player,omitempty"`
	Content   string   `json:"content"`
	Status    string   `json:"status"`
	Source    string   `json:"source"`
	HeardFrom string   `json:"heard_from,omitempty"`
	Evidence  []string `json:"evidence" jsonschema:"the words that prove it"`
}

type explainInput struct {
	place
	TurnID string `json:"turn_id"`
	Player string `json:"player,omitempty" jsonschema:"who said the message"`
}

type explanation struct {
	answer
	Message    string    `json:"message"`
	Confidence float64   `json:"confidence" jsonschema:"that what was found answers the message"`
	NotSaid    []notSaid `json:"not_said" jsonschema:"sentences that were taken out, with the reason"`
	Passes     []pass    `json:"passes"`
}

type notSaid struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
	Why    string `json:"why,omitempty"`
}

type pass struct {
	Name   string  `json:"name"`
	TookMS float64 `json:"took_ms"`
	Tokens int     `json:"tokens,omitempty"`
	Note   string  `json:"note,omitempty"`
}

// look are the tools of whoever may read.
func (d *desk) look() {
	add(d, access.Read, &sdk.Tool{Name: "what_does_npc_know", Annotations: reading("What an NPC knows"),
		Description: "Searches what an NPC may know about a question, with the path of each passage. Nobody says " +
			"anything, and nothing is remembered. What is closed to this trust is left out."}, d.knows)
	add(d, access.Read, &sdk.Tool{Name: "check_grounding", Annotations: reading("Check a text"), InputSchema: checkInput,
		Description: "Says for each claim of a text whether the sources support it, contradict it, or say nothing " +
			"of it."}, d.check)
	add(d, access.Read, &sdk.Tool{Name: "explain_turn", Annotations: reading("Explain a turn"),
		Description: "Says why an NPC said what it said: evidence of each sentence, what was taken out and why, and " +
			"each pass."}, d.explain)
	add(d, access.Read, &sdk.Tool{Name: "memories", Annotations: reading("Memories"),
		Description: "Lists what the NPCs of a world remember, with the words that prove it."}, d.memories)
}

func (d *desk) knows(ctx context.Context, in knowsInput) (*schema.KnowledgeFound, error) {
	info, err := d.world(ctx, access.Read, in.World)
	if err != nil {
		return nil, err
	}
	npc, err := d.npc(info, in.NPC)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	found, err := d.o.Client.Knowledge(ctx, info.Name, schema.KnowledgeQuery{NPC: npc.Handle, Question: in.Question,
		Trust: in.Trust, Flags: in.Flags})
	if err == nil && found.Passages == nil {
		found.Passages = []schema.Knowledge{}
	}
	return found, err
}

// checkInput is the schema of a check: sources are texts or objects.
var checkInput = must(`{"type":"object","required":["text","sources"],"additionalProperties":false,"properties":{
	"text":{"type":"string","description":"what is to be checked"},
	"sources":{"type":"array","description":"what it may rest on","items":{"type":["string","object"],
		"required":["content"],"properties":{"chunk_id":{"type":"string"},"content":{"type":"string"}}}},
	"max_unverifiable_ratio":{"type":"number","minimum":0,"maximum":1,"default":0.5,
		"description":"share of the claims that may be unverifiable in a grounded text; 0: every claim must be supported"},
	"max_sources_per_claim":{"type":"integer","minimum":1,"maximum":64,"default":5},
	"judge":{"type":"boolean","description":"have a language model look at claims that stay open"}}}`)

// must reads a schema that stands in the code.
func must(text string) *jsonschema.Schema {
	s := new(jsonschema.Schema)
	if err := json.Unmarshal([]byte(text), s); err != nil {
		panic(err) // the text stands above
	}
	return s
}

func (d *desk) check(ctx context.Context, in schema.CheckQuery) (*schema.CheckResult, error) {
	ctx, stop := context.WithTimeout(ctx, checkFor)
	defer stop()
	return d.o.Client.CheckGrounding(ctx, in)
}

func (d *desk) explain(ctx context.Context, in explainInput) (explanation, error) {
	info, err := d.world(ctx, access.Read, in.World)
	if err != nil {
		return explanation{}, err
	}
	npc, err := d.npc(info, in.NPC)
	if err != nil {
		return explanation{}, err
	}
	player, err := d.caller.Player(in.Player)
	if err != nil {
		return explanation{}, err
	}
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	convo := schema.ConversationID{World: info.Name, NPC: npc.Handle, Player: player}
	out, err := d.o.Client.Outcome(ctx, convo, in.TurnID)
	switch {
	case err != nil:
		return explanation{}, err
	case out.State == schema.TurnWaiting:
		return explanation{}, &schema.FieldError{Field: "turn_id", Reason: "has no reply yet; ask again in a moment"}
	case out.Reply == nil:
		return explanation{}, &schema.FieldError{Field: "turn_id", Reason: fmt.Sprintf("%s has no such turn with %s, or its "+
			"reply is kept no more", player, npc.Handle)}
	}
	return d.explained(out.Reply), nil
}

func (d *desk) explained(r *schema.Reply) explanation {
	out := explanation{answer: d.answerOf(r), Message: r.Message, Confidence: r.Confidence, NotSaid: []notSaid{},
		Passes: []pass{}}
	for i := range r.Stripped {
		s := &r.Stripped[i]
		n := notSaid{Text: s.Text, Reason: string(s.Issue.Type), Why: s.Issue.Correction}
		if n.Why == "" && s.Verdict != nil {
			n.Why = s.Verdict.Why
		}
		out.NotSaid = append(out.NotSaid, n)
	}
	for i := range r.Passes {
		p := &r.Passes[i]
		out.Passes = append(out.Passes, pass{string(p.Pass), p.TookMS, p.Tokens, p.Note})
	}
	return out
}

// fewMemories is how many memories are given where nothing else is asked for: an assistant
// pays for what it reads.
const fewMemories = 20

func (d *desk) memories(ctx context.Context, in memoriesInput) (memoriesOutput, error) {
	none := memoriesOutput{}
	info, err := d.world(ctx, access.Read, in.World)
	if err != nil {
		return none, err
	}
	if in.NPC != "" {
		if _, err := d.npc(info, in.NPC); err != nil {
			return none, err
		}
	}
	if d.caller.Bound() != "" {
		if in.Player, err = d.caller.Player(in.Player); err != nil {
			return none, err
		}
	}
	if in.Limit < 0 || in.Limit > schema.MaxMemories {
		return none, &schema.FieldError{Field: "limit", Reason: fmt.Sprintf("must lie between 1 and %d", schema.MaxMemories)}
	}
	if in.Limit == 0 {
		in.Limit = fewMemories
	}
	ctx, stop := context.WithTimeout(ctx, askFor)
	defer stop()
	found, err := d.o.Client.Memories(ctx, info.Name, schema.MemoriesQuery{NPC: in.NPC, Player: in.Player,
		Status: schema.MemoryStatus(in.Status), ID: in.ID, After: in.After, Limit: in.Limit})
	if err != nil {
		return none, err
	}
	out := memoriesOutput{Memories: []remembered{}, More: found.More}
	for i := range found.Memories {
		out.Memories = append(out.Memories, rememberedOf(&found.Memories[i]))
	}
	return out, nil
}

func rememberedOf(m *schema.Memory) remembered {
	one := remembered{ID: m.ID, NPC: m.NPC, Player: m.Player, Content: m.Content, Status: string(m.Status),
		Source: string(m.Source), HeardFrom: m.HeardFrom, Evidence: []string{}}
	for _, s := range m.Spans {
		one.Evidence = append(one.Evidence, s.Text)
	}
	return one
}
