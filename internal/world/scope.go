package world

import (
	"slices"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// everyone in known_by means every NPC.
const everyone = "all"

// checkAudience says what is wrong with an entry of known_by, or is empty.
func checkAudience(who string) string {
	if kind, name, ok := strings.Cut(who, ":"); ok {
		if (kind == "faction" || kind == "region") && strings.TrimSpace(name) != "" {
			return ""
		}
		return "write all, an NPC's handle, faction:x or region:x"
	}
	if err := schema.CheckToken("handle", who); err != nil {
		return "it " + strings.TrimPrefix(err.Error(), "handle: ")
	}
	return ""
}

// InScope says whether this NPC may know the document at all: its own, or one
// whose known_by names it. Times and conditions are judged at the turn.
func (w *World) InScope(d *Document, npc *NPC) bool {
	return inScope(d.NPC, d.KnownBy, npc)
}

// ScopeOf is the rule of InScope on a chunk.
func ScopeOf(chunk protocol.Chunk, npc *NPC) bool {
	return inScope(chunk.NPC, chunk.KnownBy, npc)
}

// inScope: an owner always knows what is its own; without known_by, what has no
// owner is known to all.
func inScope(owner string, knownBy []string, npc *NPC) bool {
	if npc == nil {
		return false
	}
	if owner == npc.Handle {
		return true
	}
	if len(knownBy) == 0 {
		return owner == ""
	}
	return slices.ContainsFunc(knownBy, npc.isMeant)
}

// isMeant says whether an entry of known_by means this NPC.
func (n *NPC) isMeant(who string) bool {
	kind, name, qualified := strings.Cut(who, ":")
	switch {
	case !qualified:
		return who == everyone || who == n.Handle
	case kind == "region":
		return n.Region == name || slices.Contains(n.Factions, who)
	case kind == "faction":
		return slices.Contains(n.Factions, name) || slices.Contains(n.Factions, who)
	}
	return false
}
