package app

import (
	"fmt"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/scene"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// stage is what the mesh asks of scenes, over the worlds that are served.
func (a *App) stage() mesh.Stage {
	return mesh.Stage{
		Cast: func(req *schema.Request, doc *schema.Conversation) (*schema.Conversation, error) {
			x := a.Library.Get(req.World)
			if x == nil {
				return nil, fmt.Errorf("%w: world %q is not served here", mesh.ErrNoStage, req.World)
			}
			return scene.Cast(x.World, req, doc)
		},
		Next: func(doc *schema.Conversation, r *schema.Reply) *schema.Request {
			x := a.Library.Get(r.World)
			if x == nil {
				return nil
			}
			return scene.Next(x.World, doc, r)
		},
	}
}
