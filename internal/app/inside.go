package app

import (
	"context"
	"encoding/json"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/memory"
)

// Inside is what the process of a whole mesh shows an operator, and a gateway apart from it
// cannot: its worlds, its queues, its reports and its models.
type Inside struct {
	app     *App
	options Options
	replays chan struct{} // one at a time: each may ask a model as often as a turn may
}

// Inside gives it. The options are those that the App was started with.
func (a *App) Inside(o Options) *Inside {
	return &Inside{app: a, options: o, replays: make(chan struct{}, 1)}
}

// Replay runs a turn again beside the mesh; see App.Replay. While another does it is
// replay.ErrBusy: whoever asks may come again, and does not wait without knowing for what.
func (i *Inside) Replay(ctx context.Context, id schema.ConversationID, turn string, change replay.Change) (
	*replay.Comparison, error) {
	select {
	case i.replays <- struct{}{}:
		defer func() { <-i.replays }()
	default:
		return nil, replay.ErrBusy
	}
	traces, err := i.app.Client.TurnTrace(ctx, id, turn)
	if err != nil {
		return nil, err
	}
	old, err := i.app.Client.Reply(ctx, id, turn)
	if err != nil {
		return nil, err
	}
	return i.app.Replay(ctx, i.options, traces, old, change)
}

// Relation is how an NPC and a player stand now, with what moved it.
func (i *Inside) Relation(ctx context.Context, id schema.ConversationID) (*schema.Relation, error) {
	x, npc, err := i.app.Library.Find(&schema.Request{World: id.World, NPC: id.NPC})
	if err != nil {
		return nil, err
	}
	in := relation.Input{World: x.World, NPC: npc, Player: id.Player, Now: i.gameTime(x)}
	if in.Convo, err = i.app.Client.Talk(ctx, id, false); err != nil {
		return nil, err
	}
	if session := i.app.Session(); session != nil {
		static, err := embed.NewStatic()
		if err != nil {
			return nil, err
		}
		recaller := memory.NewRecaller(session, static, i.app.Library.Predicates, i.options.now).Quiet()
		if in.Seen, err = recaller.Witnessed(ctx, id.World, id.NPC, id.Player); err != nil {
			return nil, err
		}
	}
	return relation.Of(in), nil
}

// Catalogue is what an NPC may tell a player now, what is closed to the player, and what the
// NPC does not know. Flags and the game's state are not known here: conditions on them fail.
func (i *Inside) Catalogue(ctx context.Context, id schema.ConversationID) (*world.Catalogue, error) {
	x, npc, err := i.app.Library.Find(&schema.Request{World: id.World, NPC: id.NPC})
	if err != nil {
		return nil, err
	}
	facts := world.Facts{}
	if id.Player != "" {
		r, err := i.Relation(ctx, id)
		if err != nil {
			return nil, err
		}
		t := &protocol.Turn{Relation: r}
		facts = lore.Facts(t)
	}
	return x.World.CatalogueOf(npc, facts, i.gameTime(x)), nil
}

func (i *Inside) gameTime(x *lore.Lore) time.Time {
	return x.GameTime(&schema.Request{}, i.options.now())
}

// Queues are the services' places in their streams.
func (i *Inside) Queues(ctx context.Context) ([]mesh.ConsumerState, error) {
	_, queues, err := i.app.Client.Inspect(ctx)
	return queues, err
}

// Weeks are the weekly reports of a world's guards that are kept, oldest first, and the week
// that ends now.
func (i *Inside) Weeks(ctx context.Context, world string) (kept []*report.Report, now *report.Report, err error) {
	kept = []*report.Report{}
	err = i.app.Client.Reports().Each(ctx, world, func(data []byte) error {
		var one weeklyReport
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		if one.Report != nil {
			kept = append(kept, one.Report)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	at := i.options.now()
	r, err := ReadReported(ctx, i.app.Client, i.options.guarded(), world, []string{world}, at)
	if err != nil {
		return nil, nil, err
	}
	return kept, r.Week(at), nil
}
