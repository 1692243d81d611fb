package world_test

import (
	"reflect"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/world"
)

// A world that let its texts go still knows what each NPC has, and says that they are gone.
func TestForget(t *testing.T) {
	w := loadHarbour(t)
	before := map[string]any{}
	for _, handle := range w.Handles() {
		before[handle] = w.CatalogueOf(w.NPCs[handle], world.Facts{}, w.Now)
	}
	w.Forget()
	if !w.Forgotten() {
		t.Error("it does not say so")
	}
	for _, d := range w.Documents {
		if len(d.Passages) > 0 {
			t.Errorf("%s has %d passages", d.Path, len(d.Passages))
		}
	}
	for _, handle := range w.Handles() {
		if got := w.CatalogueOf(w.NPCs[handle], world.Facts{}, w.Now); !reflect.DeepEqual(any(got),
			before[handle]) {
			t.Errorf("%s: %v, before %v", handle, got, before[handle])
		}
	}
}
