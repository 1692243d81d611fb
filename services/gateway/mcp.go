package gateway

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/internal/mcp"
)

// RPC is a message of the Model Context Protocol, as JSON-RPC 2.0 has it.
type RPC struct {
	Version string         `json:"jsonrpc"`          // 2.0
	ID      any            `json:"id,omitempty"`     // a text or a number
	Method  string         `json:"method,omitempty"` // such as tools/call
	Params  map[string]any `json:"params,omitempty"`
	Result  map[string]any `json:"result,omitempty"`
	Error   map[string]any `json:"error,omitempty"`
}

// mcpPath is where assistants call.
const mcpPath = "/mcp"

// newTools are the tools for assistants. What an error says to a caller is what the other
// doors say of it.
func (g *Gateway) newTools(folders map[string]mcp.Folder) *mcp.Server {
	return mcp.New(mcp.Options{Client: g.client, Folders: folders, Now: g.now, Report: g.report,
		Told: func(err error) string {
			p := asProblem(err)
			if p.Code == CodeInternal {
				g.report(fmt.Errorf("%s: %w", mcpPath, err))
			}
			return p.Error()
		}})
}

// assist answers one message of an assistant. No session is kept, so that any replica may
// answer the next one.
func (g *Gateway) assist(w http.ResponseWriter, r *http.Request, c *caller) error {
	data, err := readBody(w, r, maxChatBody)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	g.tools.ServeHTTP(w, r, &assistant{g, c})
	return nil
}

// assistant is a caller of the gateway, as the tools ask about it.
type assistant struct {
	gateway *Gateway
	caller  *caller
}

// May says whether the caller has a right in a world.
func (a *assistant) May(right access.Right, world string) error { return a.caller.may(right, world) }

// Player is who speaks. On this machine, where there are no keys, somebody is named for
// whoever names nobody.
func (a *assistant) Player(named string) (string, error) {
	if a.caller.key == nil {
		named = cmp.Or(named, mcp.DefaultPlayer)
	}
	return a.caller.player(named)
}

// Bound is the player that the caller is kept to.
func (a *assistant) Bound() string {
	switch {
	case a.caller.grant != nil:
		return a.caller.grant.Player
	case a.caller.key != nil:
		return a.caller.key.Player
	}
	return ""
}

// With says whether the caller may talk to an NPC.
func (a *assistant) With(npc string) error { return a.caller.with(npc) }

// Turn counts a turn of a player.
func (a *assistant) Turn(world, player string) error {
	return a.gateway.limits.turn(a.caller, world, player)
}

// Evidence says whether the caller is shown passages; a player's own game is not.
func (a *assistant) Evidence() bool { return a.caller.grant == nil }
