package lore

import (
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/relation"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// checkScene says whether the world and the NPCs that a request of a scene names exist, and
// whether its state can be.
func (l *Library) checkScene(r *schema.Request) error {
	x := l.Get(r.World)
	if x == nil {
		return &schema.FieldError{Field: "world",
			Reason: fmt.Sprintf("%q is not served here; these are: %s", r.World, strings.Join(l.Names(), ", "))}
	}
	named := map[string]string{}
	if r.NPC != "" {
		named[r.NPC] = "npc"
	}
	if r.Scene.Enter != nil {
		for _, handle := range r.Scene.Enter.NPCs {
			named[handle] = "scene.enter"
		}
	}
	for handle, field := range named {
		if x.World.NPCs[handle] == nil {
			return &schema.FieldError{Field: field,
				Reason: fmt.Sprintf("%q is not an NPC of %s%s", handle, r.World, nearest(x.World, handle))}
		}
	}
	return relation.Check(x.World, x.World.NPCs[r.NPC], r)
}
