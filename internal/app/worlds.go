package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/forsooth-npc/forsooth/evals"
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
		w, p, err := LoadWorld(dir)
		if err != nil {
			return nil, problems, err
		}
		out, problems = append(out, w), append(problems, p...)
	}
	return out, problems, nil
}

// ErrNoWorld is a name that is neither a folder nor a world of the binary.
var ErrNoWorld = errors.New("there is no such folder, and the binary carries no world of that name; give --world " +
	"a folder with a world.yaml")

// IsFolder says whether a world is named by its folder.
func IsFolder(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

// LoadWorld reads one world, from its folder or from the binary. Where the world
// cannot load, the problems say why.
func LoadWorld(dir string) (*world.World, []world.Problem, error) {
	if IsFolder(dir) {
		return world.LoadDir(dir)
	}
	sub, err := fs.Sub(worlds.FS, dir)
	if err == nil {
		if _, err := fs.Stat(sub, "world.yaml"); err == nil {
			w, problems, err := world.Load(sub, ".")
			if w != nil {
				w.Dir = dir
			}
			return w, problems, err
		}
	}
	return nil, nil, fmt.Errorf("world %s: %w", dir, ErrNoWorld)
}

// CarriedSuite is a suite that the binary carries: a world's own by the name of
// the world, another by its name. A file or folder of that name comes first. The
// world is as LoadWorld takes it.
func CarriedSuite(name string) (data []byte, world string, ok bool) {
	if _, err := os.Stat(name); err == nil || !fs.ValidPath(name) {
		return nil, "", false
	}
	if data, err := worlds.FS.ReadFile(name + "/evals.yaml"); err == nil {
		return data, name, true
	}
	data, err := evals.FS.ReadFile(name + ".yaml")
	return data, "", err == nil
}
