package app

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
)

// MigrateStores brings the files of a data folder to this build, or with dry only
// says how they stand. Both are indexes: what cannot be brought up is built anew,
// from the worlds' files and from the memory log.
func MigrateStores(ctx context.Context, data string, dry bool) ([]admin.Step, error) {
	var out []admin.Step
	for _, store := range []struct {
		path, source string
		look         func(context.Context, string) (sqlite.State, error)
		mend         func(context.Context, string) (string, error)
	}{
		{IndexFile(data), "the worlds' files", sqlite.LookCorpus, func(ctx context.Context, path string) (string, error) {
			c, note, err := sqlite.MendCorpus(ctx, path)
			if err != nil {
				return "", err
			}
			return note, c.Close()
		}},
		{SessionFile(data), "the memory log", sqlite.LookSession, func(ctx context.Context, path string) (string, error) {
			s, note, err := sqlite.MendSession(ctx, path)
			if err != nil {
				return "", err
			}
			return note, s.Close()
		}},
	} {
		step := admin.Step{What: "file " + filepath.Base(store.path), Action: admin.StepKeep, Detail: []string{}}
		state, err := store.look(ctx, store.path)
		switch {
		case err != nil:
			step.Action, step.Detail = admin.StepBlocked, []string{err.Error()}
		case !state.Current():
			way := "brought up in place"
			if !state.InPlace {
				way = "set aside, and built anew from " + store.source + " at the next start"
			}
			step.Action, step.Detail = admin.StepChange,
				[]string{fmt.Sprintf("version %d to %d: %s", state.Have, state.Want, way)}
		}
		if step.Action == admin.StepChange && !dry {
			note, err := store.mend(ctx, store.path)
			if err != nil {
				return out, err
			}
			if note != "" {
				step.Detail = []string{note}
			}
		}
		out = append(out, step)
	}
	return out, nil
}
