package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/world"
)

// cacheAge is how long an index that nobody uses is kept.
const cacheAge = 30 * 24 * time.Hour

// IndexFile is where the index of a world is kept between runs: by its content,
// in the user's cache, never inside the world. What has not been used for long is
// removed.
func IndexFile(w *world.World, now time.Time) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder is known; set XDG_CACHE_HOME: %w", err)
	}
	dir := filepath.Join(cache, "forsooth", "eval")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("cache folder %s cannot be made: %w; set XDG_CACHE_HOME", dir, err)
	}
	sweep(dir, now.Add(-cacheAge))
	path := filepath.Join(dir, w.Version+".db")
	_ = os.Chtimes(path, now, now) // a use; one that is not there yet is made soon
	return path, nil
}

// sweep removes indexes last used before a time; one that cannot be removed is
// left for the next run.
func sweep(dir string, before time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.Contains(e.Name(), ".db") && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
