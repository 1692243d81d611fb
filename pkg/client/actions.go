package client

import (
	"context"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Proposal is an action that an NPC proposes to the game: of this conversation
// and turn, the action at this index of the reply's actions.
type Proposal struct {
	Conversation schema.ConversationID
	Turn         string
	Index        int
	Action       schema.Action
	At           time.Time // when it was proposed, by the broker's clock
}

// Actions gives do the actions that a world's NPCs propose, one after the other,
// until ctx ends (nil) or the client is closed (ErrDisconnected). They begin with
// those proposed at the time since, zero meaning now; what the game had answered
// before the call is left out, so that a backend which starts again passes the
// time it was last sure of, and misses none. Actions are kept for seven days.
//
// Each action comes at least once, and may come twice: conversation, turn and index
// name it. The answer is sent with ActionResult. An action with Confirm holds back
// the sentence that promises it until the game has answered, at most 1.5 seconds
// after Proposal.At; silence is no. The others have been spoken of or need no word,
// and the answer tells the NPC how it went.
func (c *Client) Actions(ctx context.Context, world string, since time.Time, do func(Proposal)) error {
	return owned(c.mesh.Actions(ctx, world, since, func(p mesh.Proposal) { do(Proposal(p)) }))
}

// ActionResult is the game's answer to a proposed action: carried out, or refused
// with a reason. The first answer stands, and a later one changes nothing.
func (c *Client) ActionResult(ctx context.Context, p Proposal, result schema.ActionResult) error {
	return owned(c.mesh.Answer(ctx, p.Conversation, p.Turn, p.Index, result))
}
