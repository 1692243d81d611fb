package app

import (
	"github.com/forsooth-npc/forsooth/internal/limits"
	"github.com/forsooth-npc/forsooth/internal/mesh"
)

// intake is the doorbell with what it checks and bounds.
func (a *App) intake(o Options, author mesh.Author) mesh.Intake {
	in := mesh.Intake{Check: a.Library.Check, Author: author, Stage: a.stage()}
	if o.Limits.Bound() {
		in.Admission = limits.NewBuckets(o.Limits)
	}
	return in
}
