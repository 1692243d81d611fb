package retriever

import (
	"context"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Begins says which turn an event begins: of the first witness that is an NPC and speaks
// on events of this kind, with the player whom the event concerns, else with the first
// one who witnessed it. nil: none.
func Begins(library *lore.Library) func(*schema.Occurrence) *schema.Request {
	return func(o *schema.Occurrence) *schema.Request {
		x := library.Get(o.World)
		if x == nil {
			return nil
		}
		player := witnessing(o, x.World)
		at := slices.IndexFunc(o.Witnesses, func(handle string) bool {
			npc := x.World.NPCs[handle]
			return npc != nil && npc.Beginning(o.Kind()) != nil
		})
		if player == "" || at < 0 {
			return nil
		}
		req := &schema.Request{
			TurnID: schema.BegunTurn(o.ID), World: o.World, NPC: o.Witnesses[at], Player: player,
			Message: x.World.NPCs[o.Witnesses[at]].Beginning(o.Kind()).Topic,
			Begin:   &schema.Begin{EventID: o.ID, Kind: o.Kind()},
		}
		if !o.GameTime.IsZero() {
			req.GameTime = &o.GameTime
		}
		return req
	}
}

// witnessing is the player to whom an NPC may speak of an event: one who saw it.
func witnessing(o *schema.Occurrence, w *world.World) string {
	if o.Player != "" && slices.Contains(o.Witnesses, o.Player) && w.NPCs[o.Player] == nil {
		return o.Player
	}
	for _, who := range o.Witnesses {
		if w.NPCs[who] == nil {
			return who
		}
	}
	return ""
}

// begin is Pass 1 of a turn in which the NPC speaks first. It holds the rule against the
// conversation as it stands, which no other turn changes meanwhile. An NPC with a line of
// its author says that; one with a topic asks itself, and the empty pass is given.
func (s *Service) begin(ctx context.Context, t *protocol.Turn, x *lore.Lore, npc *world.NPC) schema.Pass {
	t.Class = protocol.ClassGreeting
	t.Retrieval = &protocol.Retrieval{Query: t.Message, Intent: protocol.IntentBegin, Zone: protocol.ZoneNone,
		LoreHash: x.World.Version}
	t.Sources, t.Evidence, t.Unknown = nil, nil, nil
	s.relate(ctx, t, x, npc)
	rule := npc.Beginning(t.Begin.Kind)
	reason := ""
	switch {
	case rule == nil: // another version of the world
		reason = schema.ReasonCondition
	case !rule.Condition.Holds(lore.Facts(t)):
		reason = schema.ReasonCondition
	default:
		reason = tooSoon(t, rule)
	}
	switch {
	case reason != "":
		t.Abort = &protocol.Abort{Reason: reason}
		return schema.PassAct
	case rule.Topic != "":
		t.Message = rule.Topic // as its author words it now, whoever sent the request
		return ""
	}
	t.Message = ""
	t.Decision = &protocol.Decision{Kind: protocol.KindSocial, Plan: []string{"Say the line of this occasion."}}
	return schema.PassSpeak
}

// tooSoon says why an NPC has spoken first too lately or too often; "" where it has not.
func tooSoon(t *protocol.Turn, rule *world.SpeaksOn) string {
	if t.Convo == nil {
		return ""
	}
	lately := 0
	for _, b := range t.Convo.Begun {
		since := t.AcceptedAt.Sub(b.At)
		if b.Kind == rule.Event && since < rule.Cooldown {
			return schema.ReasonCooldown
		}
		if since < time.Hour {
			lately++
		}
	}
	if lately >= rule.PerHour {
		return schema.ReasonEnough
	}
	return ""
}
