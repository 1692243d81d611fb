package app

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/worlds"
)

// DefaultWorld is the world that a command without --world serves.
const DefaultWorld = "hollowmere"

// LoadWorlds reads worlds from folders; none gives the one that the binary
// carries. A name without a folder of that name is one of the binary's worlds.
func LoadWorlds(dirs []string) ([]*world.World, []world.Problem, error) {
	if len(dirs) == 0 {
		dirs = []string{DefaultWorld}
	}
	var out []*world.World
	var problems []world.Problem
	for _, dir := range dirs {
		w, p, err := loadWorld(dir)
		if err != nil {
			return nil, problems, err
		}
		out, problems = append(out, w), append(problems, p...)
	}
	return out, problems, nil
}

func loadWorld(dir string) (*world.World, []world.Problem, error) {
	if _, err := os.Stat(dir); err == nil {
		return world.LoadDir(dir)
	}
	sub, err := fs.Sub(worlds.FS, dir)
	if err == nil {
		if _, err := fs.Stat(sub, "world.yaml"); err == nil {
			return world.Load(sub, dir)
		}
	}
	return nil, nil, fmt.Errorf("world %s: there is no such folder, and the binary carries no world of that name; give --world a folder with a world.yaml", dir)
}
