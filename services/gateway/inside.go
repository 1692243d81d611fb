package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/memory/report"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/replay"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Inside is what the process that runs the mesh can show, and a gateway apart cannot: it takes
// the worlds, the models, the data folder and an operator's rights on the broker.
type Inside interface {
	Replay(ctx context.Context, id schema.ConversationID, turn string, change replay.Change) (*replay.Comparison, error)
	Relation(ctx context.Context, id schema.ConversationID) (*schema.Relation, error)
	Catalogue(ctx context.Context, id schema.ConversationID) (*world.Catalogue, error)
	Queues(ctx context.Context) ([]mesh.ConsumerState, error)
	Weeks(ctx context.Context, world string) (kept []*report.Report, now *report.Report, err error)
}

// Queues are the services' places in their streams.
type Queues struct {
	At     time.Time            `json:"at"`
	Queues []mesh.ConsumerState `json:"queues"`
}

// Weeks are the reports of a world's guards.
type Weeks struct {
	Reports []*report.Report `json:"reports"` // those of each week that are kept, oldest first
	Now     *report.Report   `json:"now"`     // of the seven days that end now
}

// inside are the doors to it.
func (g *Gateway) insideDoors(into map[string]door) {
	const world = "/v1/worlds/{world}"
	const npc = world + "/npcs/{npc}"
	into["POST "+npc+"/turns/{turn}/replay"] = door{access.Operate, g.replayTurn}
	into["GET "+npc+"/lore"] = door{access.Read, g.showCatalogue}
	into["GET "+npc+"/relations/{player}"] = door{access.Read, g.showRelation}
	into["GET "+world+"/reports"] = door{access.Read, g.showWeeks}
	into["GET /v1/queues"] = door{access.Operate, g.showQueues}
	into["GET /v1/suites"] = door{access.Read, g.listRuns}
	into["GET /v1/suites/compare"] = door{access.Read, g.compareRuns}
}

// within calls f with a time in which to answer, where this process is inside the mesh. It is
// for no player, whatever rights the key has.
func (g *Gateway) within(w http.ResponseWriter, r *http.Request, c *caller, limit time.Duration,
	f func(ctx context.Context) (any, error)) error {
	if err := g.ofWorlds(r, c); err != nil {
		return err
	}
	if g.inside == nil {
		return problem(http.StatusNotImplemented, CodeElsewhere, "this gateway runs apart from its mesh and cannot "+
			"show this; that of `forsooth up` can")
	}
	ctx, stop := context.WithTimeout(r.Context(), limit)
	defer stop()
	out, err := f(ctx)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// ofWorlds lets in a backend that asks about a world that there is, or about all of them with a
// key of all of them.
func (g *Gateway) ofWorlds(r *http.Request, c *caller) error {
	if err := c.isBackend(); err != nil {
		return err
	}
	if name := r.PathValue("world"); name != "" {
		_, err := g.catalog.world(r.Context(), name)
		return err
	}
	if c.key != nil && len(c.key.Worlds) > 0 {
		return problem(http.StatusForbidden, CodeForbidden, "this is of all worlds, and the key is bound to some")
	}
	return nil
}

// replayAgain is when to come again while another replay runs: most take a second or two.
const replayAgain = 2 * time.Second

// replayTurn runs a turn again with other settings, and writes nothing.
func (g *Gateway) replayTurn(w http.ResponseWriter, r *http.Request, c *caller) error {
	convo, err := c.conversation(r)
	if err != nil {
		return err
	}
	var change replay.Change
	if err := readJSON(w, r, maxBody, &change, true); err != nil {
		return err
	}
	if err := change.Check(); err != nil {
		return err
	}
	return g.within(w, r, c, writeLimit-eventLimit, func(ctx context.Context) (any, error) {
		return g.inside.Replay(ctx, convo, r.PathValue("turn"), change)
	})
}

// asked is the NPC of the path, and who is asked about: empty, nobody.
func (g *Gateway) asked(r *http.Request, player string) (schema.ConversationID, error) {
	id := schema.ConversationID{World: r.PathValue("world"), NPC: r.PathValue("npc"), Player: player}
	if player != "" {
		if err := schema.CheckToken("player", player); err != nil {
			return id, err
		}
	}
	_, err := g.catalog.npc(r.Context(), id.World, id.NPC)
	return id, err
}

// showCatalogue shows what an NPC may tell a player, what is closed, and what it does not know.
func (g *Gateway) showCatalogue(w http.ResponseWriter, r *http.Request, c *caller) error {
	id, err := g.asked(r, r.URL.Query().Get("player"))
	if err != nil {
		return err
	}
	return g.within(w, r, c, askFor, func(ctx context.Context) (any, error) { return g.inside.Catalogue(ctx, id) })
}

// showRelation shows how an NPC and a player stand.
func (g *Gateway) showRelation(w http.ResponseWriter, r *http.Request, c *caller) error {
	id, err := g.asked(r, r.PathValue("player"))
	if err != nil {
		return err
	}
	return g.within(w, r, c, askFor, func(ctx context.Context) (any, error) { return g.inside.Relation(ctx, id) })
}

// showQueues shows what waits for each service.
func (g *Gateway) showQueues(w http.ResponseWriter, r *http.Request, c *caller) error {
	return g.within(w, r, c, askFor, func(ctx context.Context) (any, error) {
		found, err := g.inside.Queues(ctx)
		return Queues{g.now().UTC(), found}, err
	})
}

// showWeeks shows what the guards of memory did, week by week.
func (g *Gateway) showWeeks(w http.ResponseWriter, r *http.Request, c *caller) error {
	return g.within(w, r, c, checkFor, func(ctx context.Context) (any, error) {
		kept, now, err := g.inside.Weeks(ctx, r.PathValue("world"))
		return Weeks{kept, now}, err
	})
}
