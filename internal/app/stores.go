package app

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	book "github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/mesh/admin"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/services/memory"
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

// ScrubStreams overwrites what the streams of the server in this process hold no
// more. The server starts anew for that; whoever is connected waits a moment.
func (a *App) ScrubStreams(ctx context.Context) (records int, err error) {
	held, err := admin.Holdings(ctx, a.Conn)
	if err != nil {
		return 0, err
	}
	blocks := map[string]embedded.Held{}
	for name, h := range held {
		blocks[name] = embedded.Held(h)
	}
	done, err := a.Server.Scrub(ctx, blocks)
	return done.Records, err
}

// Scrubber is a session whose file can be rid of what was deleted.
type Scrubber interface {
	Scrub(ctx context.Context) error
}

// ErasedIndex is the index of memories for an erasure.
type ErasedIndex struct {
	session  store.Session
	index    *memory.Index
	log      *transport.MemoryLog
	followed bool // by a running memory service: it is waited for
	handles  admin.Handles
}

// Among tells the index of the NPCs that must not be taken for a player.
func (x *ErasedIndex) Among(h admin.Handles) { x.handles = h }

// naming is the filter of a player's memories in a world; none is set where there
// are none. Where an NPC has that id for its handle, the index cannot tell the two.
func (x *ErasedIndex) naming(ctx context.Context, world, player string) (f store.MemoryFilter, none bool, err error) {
	f = store.MemoryFilter{World: world, Mentions: player}
	if !x.handles.Has(world, player) {
		return f, false, nil
	}
	points, err := x.session.Scroll(ctx, f, "", 0)
	f.Mentions, f.IDs = "", []string{}
	for i := range points {
		if m := &points[i].Memory; book.About(m, player) {
			f.IDs = append(f.IDs, m.ID)
		}
	}
	return f, len(f.IDs) == 0, err
}

// NewErasedIndex is over an open session. followed says that a running mesh keeps
// it in step with the log.
func NewErasedIndex(session store.Session, log *transport.MemoryLog, followed bool) (*ErasedIndex, error) {
	index, err := MemoryIndex(session, log, nil)
	return &ErasedIndex{session: session, index: index, log: log, followed: followed}, err
}

// indexWait is how long a running memory service may take to read the log.
const indexWait = 30 * time.Second

// Count is how many memories of the index name a player.
func (x *ErasedIndex) Count(ctx context.Context, worlds []string, player string) (n int, err error) {
	err = x.each(ctx, worlds, func(world string) error {
		f, none, err := x.naming(ctx, world, player)
		if none || err != nil {
			return err
		}
		more, err := x.session.Count(ctx, f)
		n += more
		return err
	})
	return n, err
}

// each is for the worlds; of none named, those of the log.
func (x *ErasedIndex) each(ctx context.Context, worlds []string, f func(string) error) error {
	if len(worlds) == 0 {
		seen := map[string]bool{}
		err := x.log.Read(ctx, "*", "", 0, func(l transport.Logged) error {
			if w := l.Event.World; w != "" && !seen[w] {
				seen[w], worlds = true, append(worlds, w)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, w := range worlds {
		if err := f(w); err != nil {
			return err
		}
	}
	return nil
}

// Erase brings the index in step with the log, deletes what still names the player,
// and rids the file of it.
func (x *ErasedIndex) Erase(ctx context.Context, worlds []string, player string) (int, error) {
	before, err := x.Count(ctx, worlds, player)
	if err != nil {
		return 0, err
	}
	if err := x.inStep(ctx); err != nil {
		return 0, err
	}
	err = x.each(ctx, worlds, func(world string) error {
		f, none, err := x.naming(ctx, world, player)
		if none || err != nil {
			return err
		}
		_, err = x.session.Delete(ctx, f)
		return err
	})
	if err != nil {
		return 0, err
	}
	if s, ok := x.session.(Scrubber); ok {
		return before, scrubbed(ctx, s)
	}
	return before, nil
}

func (x *ErasedIndex) inStep(ctx context.Context) error {
	if !x.followed {
		return x.index.CatchUp(ctx)
	}
	ctx, stop := context.WithTimeout(ctx, indexWait)
	defer stop()
	for {
		behind, err := x.index.Behind(ctx)
		if err == nil && behind == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the index of memories is %d entries behind its log and does not catch up; see `forsooth "+
				"doctor`, and run this again", behind)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// scrubbed tries for a while: a turn that is being answered may read the file.
func scrubbed(ctx context.Context, s Scrubber) error {
	var err error
	for range 20 {
		if err = s.Scrub(ctx); err == nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return err
}
