package mcp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/forsooth-npc/forsooth/internal/access"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// DefaultPlayer is who speaks where an assistant of this machine names nobody.
const DefaultPlayer = "assistant"

// Local is a caller that the operator of this process has let in, with these rights in
// every world.
type Local struct {
	Rights []access.Right
	As     string // the player where a call names none; empty: DefaultPlayer
}

// May says whether the operator gave the right.
func (l *Local) May(right access.Right, _ string) error {
	if !slices.Contains(l.Rights, right) {
		return fmt.Errorf("this takes the right %q, which --may does not give", right)
	}
	return nil
}

// Player is the one that is named, else the default.
func (l *Local) Player(named string) (string, error) {
	named = cmp.Or(named, l.As, DefaultPlayer)
	return named, schema.CheckToken("player", named)
}

// Bound is nobody.
func (l *Local) Bound() string { return "" }

// With lets the caller talk to everybody.
func (l *Local) With(string) error { return nil }

// Turn sets no limit of its own: those of the mesh stand.
func (l *Local) Turn(string, string) error { return nil }

// Evidence is shown.
func (l *Local) Evidence() bool { return true }
