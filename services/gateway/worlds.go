package gateway

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What a game's backend reads and tells besides turns.

func (g *Gateway) listWorlds(w http.ResponseWriter, r *http.Request, c *caller) error {
	worlds, err := g.catalog.all(r.Context(), c)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, protocol.WorldsFound{Worlds: worlds})
	return nil
}

func (g *Gateway) showWorld(w http.ResponseWriter, r *http.Request, _ *caller) error {
	info, err := g.catalog.world(r.Context(), r.PathValue("world"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, info)
	return nil
}

// NPCs are those of a world.
type NPCs struct {
	NPCs []schema.NPCInfo `json:"npcs"`
}

func (g *Gateway) listNPCs(w http.ResponseWriter, r *http.Request, _ *caller) error {
	info, err := g.catalog.world(r.Context(), r.PathValue("world"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, NPCs{info.NPCs})
	return nil
}

func (g *Gateway) showNPC(w http.ResponseWriter, r *http.Request, _ *caller) error {
	npc, err := g.catalog.npc(r.Context(), r.PathValue("world"), r.PathValue("npc"))
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, npc)
	return nil
}

func (g *Gateway) showConversation(w http.ResponseWriter, r *http.Request, c *caller) error {
	return g.talk(w, r, c, g.client.Conversation)
}

func (g *Gateway) resetConversation(w http.ResponseWriter, r *http.Request, c *caller) error {
	return g.talk(w, r, c, g.client.Reset)
}

func (g *Gateway) talk(w http.ResponseWriter, r *http.Request, c *caller,
	do func(context.Context, schema.ConversationID) (*schema.Conversation, error)) error {
	convo, err := c.conversation(r)
	if err != nil {
		return err
	}
	if _, err := g.catalog.npc(r.Context(), convo.World, convo.NPC); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.Context(), askFor)
	defer stop()
	doc, err := do(ctx, convo)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, doc)
	return nil
}

// listMemories lists what the NPCs of a world remember, or shows one.
func (g *Gateway) listMemories(w http.ResponseWriter, r *http.Request, c *caller) error {
	in := r.URL.Query()
	q := schema.MemoriesQuery{NPC: in.Get("npc"), Player: in.Get("player"),
		Status: schema.MemoryStatus(in.Get("status")), After: in.Get("after"), ID: r.PathValue("memory")}
	if text := in.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return problem(http.StatusBadRequest, CodeInvalid, "limit must lie between 1 and %d",
				schema.MaxMemories).on("limit")
		}
		q.Limit = n
	}
	if c.key != nil && c.key.Player != "" {
		player, err := c.player(q.Player)
		if err != nil {
			return err
		}
		q.Player = player
	}
	if _, err := g.catalog.world(r.Context(), r.PathValue("world")); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.Context(), askFor)
	defer stop()
	found, err := g.client.Memories(ctx, r.PathValue("world"), q)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, found)
	return nil
}

// Told is an event that was taken.
type Told struct {
	ID string `json:"event_id"`
}

// tellEvent takes what the game saw happen.
func (g *Gateway) tellEvent(w http.ResponseWriter, r *http.Request, c *caller) error {
	var o schema.Occurrence
	if err := g.ofBackend(w, r, c, &o); err != nil {
		return err
	}
	if err := sameOrEmpty("event_id", &o.ID, r.Header.Get("Idempotency-Key"),
		"the header Idempotency-Key"); err != nil {
		return err
	}
	if err := sameOrEmpty("world", &o.World, r.PathValue("world"), "the path"); err != nil {
		return err
	}
	world, err := g.catalog.world(r.Context(), o.World)
	if err != nil {
		return err
	}
	if err := witnessed(world, &o); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.Context(), askFor)
	defer stop()
	if err := g.client.Witness(ctx, &o); err != nil {
		return err
	}
	writeJSON(w, http.StatusAccepted, Told{o.ID})
	return nil
}

// witnessed says whether an NPC is among the witnesses, who may be players too: nobody
// would remember the event otherwise, and nobody would say so.
func witnessed(w *schema.WorldInfo, o *schema.Occurrence) error {
	if slices.ContainsFunc(o.Witnesses, func(handle string) bool { return w.NPC(handle) != nil }) {
		return nil
	}
	return problem(http.StatusBadRequest, CodeInvalid, "none of the witnesses is an NPC of this world, so nobody would "+
		"remember the event; GET /v1/worlds/%s/npcs lists them", w.Name).on("witnesses")
}

// ofBackend reads the body of what no player may tell: it is the game's word.
func (g *Gateway) ofBackend(w http.ResponseWriter, r *http.Request, c *caller, into any) error {
	if err := c.isBackend(); err != nil {
		return err
	}
	return readJSON(w, r, maxBody, into, true)
}

func (c *caller) isBackend() error {
	if c.grant != nil || c.key != nil && c.key.Player != "" {
		return problem(http.StatusForbidden, CodeForbidden, "this is for the game's backend, not for a player")
	}
	return nil
}

// check says which claims of a text its sources support.
func (g *Gateway) check(w http.ResponseWriter, r *http.Request, _ *caller) error {
	var q schema.CheckQuery
	if err := readJSON(w, r, maxChatBody, &q, true); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(r.Context(), checkFor)
	defer stop()
	out, err := g.client.CheckGrounding(ctx, q)
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, out)
	return nil
}

// checkFor is how long a check may take: it may read 64 sources.
const checkFor = 30 * time.Second

// TokenRequest asks for a player's token.
type TokenRequest struct {
	World  string `json:"world"`
	Player string `json:"player"`
	NPC    string `json:"npc,omitempty"`   // with this NPC alone
	TTLS   int    `json:"ttl_s,omitempty"` // how many seconds it lives; default 900, at most 86,400
}

// Token lets its holder speak as one player.
type Token struct {
	Token   string    `json:"token"`
	Expires time.Time `json:"expires"`
}

// mint makes a player's token for a backend, which hands it to its game's client.
func (g *Gateway) mint(w http.ResponseWriter, r *http.Request, c *caller) error {
	var req TokenRequest
	if err := g.ofBackend(w, r, c, &req); err != nil {
		return err
	}
	if c.key == nil {
		return problem(http.StatusForbidden, CodeForbidden,
			"a token is made under a key; `forsooth keys add` makes one")
	}
	if err := c.may(access.Play, req.World); err != nil {
		return err
	}
	if err := g.isServed(r.Context(), &req); err != nil {
		return err
	}
	life := access.DefaultLife
	if req.TTLS != 0 {
		life = time.Duration(min(max(req.TTLS, -1), int(access.MaxLife.Seconds())+1)) * time.Second
	}
	grant := access.Grant{World: req.World, Player: req.Player, NPC: req.NPC, Expires: g.now().Add(life)}
	text, err := access.Mint(c.key, grant, g.now())
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusCreated, Token{text, grant.Expires.UTC().Truncate(time.Second)})
	return nil
}

// isServed says whether a token would name a world, and an NPC, that there are.
func (g *Gateway) isServed(ctx context.Context, req *TokenRequest) error {
	if req.NPC == "" {
		_, err := g.catalog.world(ctx, req.World)
		return err
	}
	_, err := g.catalog.npc(ctx, req.World, req.NPC)
	return err
}
