package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// place names an NPC of a world.
type place struct {
	World string `json:"world,omitempty" jsonschema:"name of the world; not needed where there is only one"`
	NPC   string `json:"npc,omitempty" jsonschema:"handle of the NPC, such as mira; the world's default otherwise"`
}

type askInput struct {
	place
	Message    string `json:"message" jsonschema:"what is said to the NPC"`
	Player     string `json:"player,omitempty" jsonschema:"who says it; the NPC remembers each player apart"`
	DeadlineMS int    `json:"deadline_ms,omitempty" jsonschema:"milliseconds to the reply at most; 8000 otherwise"`
}

// said is a sentence with what stands behind it.
type said struct {
	Text     string  `json:"text"`
	Authored bool    `json:"authored,omitempty" jsonschema:"a line that a person wrote, which claims nothing"`
	Evidence []cited `json:"evidence"`
}

type cited struct {
	Path string `json:"path"`
	Page int    `json:"page,omitempty"`
	Text string `json:"text"`
}

type answer struct {
	TurnID    string        `json:"turn_id" jsonschema:"explain_turn takes it"`
	World     string        `json:"world"`
	NPC       string        `json:"npc"`
	Player    string        `json:"player"`
	Reply     string        `json:"reply"`
	Status    schema.Status `json:"status"`
	Reason    string        `json:"reason,omitempty" jsonschema:"why the NPC did not answer, as a code"`
	Sentences []said        `json:"sentences"`
	Actions   []string      `json:"actions" jsonschema:"names of what the NPC proposes to the game"`
}

type worldsOutput struct {
	Worlds []worldOutput `json:"worlds"`
}

type worldOutput struct {
	Name  string      `json:"name"`
	Title string      `json:"title,omitempty"`
	NPCs  []npcOutput `json:"npcs"`
	Files bool        `json:"files" jsonschema:"lint_world and add_lore_draft work on it here"`
}

type npcOutput struct {
	Handle string `json:"handle"`
	Name   string `json:"name"`
}

// play are the tools of whoever may play.
func (d *desk) play() {
	add(d, access.Play, &sdk.Tool{Name: "ask_npc", Annotations: adding("Ask an NPC"), Description: "Says something to " +
		"an NPC of a game world and gives its reply. Every sentence comes with the documents that support it. The NPC " +
		"remembers the conversation with that player."}, d.ask)
	for _, right := range access.Rights { // any right will do
		add(d, right, &sdk.Tool{Name: "list_worlds", Annotations: reading("List worlds"),
			Description: "Lists the worlds and their NPCs."}, d.list)
	}
}

func (d *desk) ask(ctx context.Context, in askInput) (answer, error) {
	info, err := d.world(ctx, access.Play, in.World)
	if err != nil {
		return answer{}, err
	}
	npc, err := d.npc(info, in.NPC)
	if err != nil {
		return answer{}, err
	}
	r := schema.Request{TurnID: d.o.Client.NewID(), World: info.Name, NPC: npc.Handle, Message: in.Message,
		DeadlineMS: in.DeadlineMS}
	if r.Player, err = d.caller.Player(in.Player); err != nil {
		return answer{}, err
	}
	if err := r.Validate(); err != nil {
		return answer{}, err
	}
	if err := d.caller.Turn(r.World, r.Player); err != nil {
		return answer{}, err
	}
	ctx, stop := context.WithTimeout(ctx, r.Deadline()+grace)
	defer stop()
	turn, err := d.o.Client.Say(ctx, r)
	if err != nil {
		return answer{}, err
	}
	defer turn.Close()
	reply, err := turn.Reply(ctx)
	if err != nil {
		return answer{}, err
	}
	return d.answerOf(reply), nil
}

func (d *desk) answerOf(r *schema.Reply) answer {
	out := answer{TurnID: r.TurnID, World: r.World, NPC: r.NPC, Player: r.Player, Reply: r.Text, Status: r.Status,
		Reason: r.Reason, Sentences: []said{}, Actions: []string{}}
	for i := range r.Sentences {
		out.Sentences = append(out.Sentences, d.saidOf(&r.Sentences[i]))
	}
	for i := range r.Actions {
		out.Actions = append(out.Actions, r.Actions[i].Name)
	}
	return out
}

func (d *desk) saidOf(s *schema.Sentence) said {
	one := said{Text: s.Text, Authored: s.Authored, Evidence: []cited{}}
	if d.caller.Evidence() {
		for _, e := range s.Evidence {
			one.Evidence = append(one.Evidence, cited{e.Path, e.Page, e.Text})
		}
	}
	return one
}

func (d *desk) list(ctx context.Context, _ struct{}) (worldsOutput, error) {
	all, err := d.worlds(ctx)
	out := worldsOutput{Worlds: []worldOutput{}}
	for i := range all {
		_, here := d.o.Folders[all[i].Name]
		w := worldOutput{Name: all[i].Name, Title: all[i].Title, NPCs: []npcOutput{}, Files: here}
		for _, n := range all[i].NPCs {
			w.NPCs = append(w.NPCs, npcOutput{n.Handle, n.Name})
		}
		out.Worlds = append(out.Worlds, w)
	}
	return out, err
}
