package consistency_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/services/consistency"
)

// Where a server holds the texts and the files cannot be read, nothing is taken for lore:
// else all contradictions to it would be taken back.
func TestLoreThatIsNowhereToBeRead(t *testing.T) {
	d := newNight(t)
	d.Library.Get("village").World.Forget()
	d.options.World = func(string) (*world.World, error) { return nil, errors.New("no such folder") }
	err := consistency.New(d.options).Begin(t.Context(), "village")
	if err == nil || !strings.Contains(err.Error(), "no such folder") {
		t.Errorf("%v, want the reason", err)
	}
}
