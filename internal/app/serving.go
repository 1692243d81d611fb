package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// servingFile says, beside the lock, which worlds the holder of a data folder
// serves, so that whoever joins it talks about the same ones.
const servingFile = "serving.json"

// announce writes what is served; only the holder of the folder does.
func (a *App) announce(o Options) error {
	if a.Server == nil {
		return nil
	}
	dirs := []string{}
	for _, w := range o.Worlds {
		dir := w.Dir
		if abs, err := filepath.Abs(dir); err == nil && IsFolder(dir) {
			dir = abs
		}
		dirs = append(dirs, dir)
	}
	data, err := json.Marshal(map[string][]string{"worlds": dirs})
	if err != nil {
		return err
	}
	path := filepath.Join(o.Data, servingFile)
	if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("data folder %s: %w; mend its permissions or give another --data", o.Data, err)
	}
	a.serving = path
	return nil
}

// Serving are the worlds that the holder of a data folder serves, as LoadWorlds
// takes them; nil when nobody said.
func Serving(data string) []string {
	raw, err := os.ReadFile(filepath.Join(data, servingFile))
	if err != nil {
		return nil
	}
	var said struct {
		Worlds []string `json:"worlds"`
	}
	if json.Unmarshal(raw, &said) != nil {
		return nil
	}
	return said.Worlds
}
