package gateway

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// identity are the fields of OpenAI's protocol that may say who speaks.
type identity struct {
	User             string            `json:"user"`
	SafetyIdentifier string            `json:"safety_identifier"`
	Metadata         map[string]string `json:"metadata"`
}

// speaker is who speaks: whom the key or token is kept to, else whom a signed field
// names, else the user of a caller that is believed about it. Nobody of these is a
// guest, who is new at every request and whom no NPC remembers.
func (g *Gateway) speaker(c *caller, world, npc string, id *identity) (player string, err error) {
	if c.grant != nil || c.key != nil && c.key.Player != "" {
		return c.player("")
	}
	for _, field := range []string{id.Metadata["player_token"], id.User, id.SafetyIdentifier} {
		if access.IsToken(field) {
			return g.signed(c, world, npc, field)
		}
	}
	if name := cmp.Or(id.User, id.SafetyIdentifier); name != "" && (c.key == nil || c.key.Users) {
		return userToken(name), nil
	}
	return schema.GuestPrefix + strings.ToLower(g.client.NewID()), nil
}

// signed is the player of a token in a field, made under the key of the caller.
func (g *Gateway) signed(c *caller, world, npc, field string) (string, error) {
	refused := problem(http.StatusUnauthorized, CodeUnauthorized,
		"the player's token in this request is not known here, or no longer").on("user")
	if g.keys == nil || c.key == nil {
		return "", refused
	}
	key, grant, err := g.keys.Find(field)
	if err != nil || key.ID != c.key.ID || grant.World != world || grant.NPC != "" && grant.NPC != npc {
		return "", refused
	}
	return grant.Player, nil
}

// userToken is a player's id for whatever a client calls its user.
func userToken(name string) string {
	if schema.CheckToken("player", name) == nil {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return "u-" + hex.EncodeToString(sum[:16])
}
