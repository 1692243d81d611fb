package admin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// FromReceipts erases anew whoever these receipts are of and a restored backup has
// brought back. It needs the key that lies beside them.
func FromReceipts(ctx context.Context, path string, o Erasure) ([]Receipt, error) {
	list, err := Receipts(path)
	if err != nil {
		return nil, err
	}
	from := folder(path)
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		from = folder(filepath.Dir(path))
	}
	key, err := from.key()
	if err != nil {
		return nil, err
	}
	if key == nil {
		return nil, fmt.Errorf("no key lies beside the receipts in %s; put the file named %s there that was kept with them",
			from, keyFile)
	}
	if own, err := folderOf(o.Data).key(); err != nil {
		return nil, err
	} else if own == nil {
		if err := folderOf(o.Data).keepKey(key); err != nil {
			return nil, err
		}
	}
	players, err := Players(ctx, o.Conn, nil)
	if err != nil {
		return nil, err
	}
	out := []Receipt{}
	for _, player := range players {
		for i := range list {
			if !same(list[i].Player, hashOf(key, player)) {
				continue
			}
			with := o
			with.Worlds = list[i].Worlds
			done, err := ErasePlayer(ctx, player, with)
			if errors.Is(err, ErrNothingKept) {
				continue // of another world than the one that was erased
			}
			if err != nil {
				return out, err
			}
			if !done.Again {
				out = append(out, done)
			}
		}
	}
	return out, nil
}

// Plan is what an erasure would do.
type Plan struct {
	Turns    int            `json:"turns_under_way"`
	Erased   map[string]int `json:"would_erase"`
	Memories int            `json:"memories_in_the_index"`
}

// PlanErasure says what an erasure would do, and changes nothing.
func PlanErasure(ctx context.Context, player string, o Erasure) (Plan, error) {
	o = o.withDefaults()
	r := &run{Erasure: o, player: player, eraser: NewEraser(o.Conn, player, o.Worlds, false).Among(o.Handles)}
	f, err := r.look(ctx)
	if err != nil {
		return Plan{}, err
	}
	if f.empty() {
		return Plan{}, ErrNothingKept
	}
	p := Plan{Turns: len(f.trail.Open), Erased: map[string]int{}, Memories: f.index}
	for _, place := range slices.Concat(f.trail.Repeats, f.trail.Places) {
		p.Erased[place.Name] += place.Count()
	}
	if n := f.trail.Scenes(); n > 0 {
		p.Erased[scenesPlace] = n
	}
	if n := len(f.log); n > 0 {
		p.Erased["memory logs of NPCs"] = n
	}
	return p, nil
}
