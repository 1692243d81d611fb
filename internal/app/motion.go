package app

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// motion looks at the folders of worlds, and puts what has changed in service.
type motion struct {
	app    *App
	o      Options
	static *embed.Static
	stop   context.CancelFunc
	wait   sync.WaitGroup
}

// Close stops it.
func (m *motion) Close() {
	if m != nil {
		m.stop()
		m.wait.Wait()
	}
}

// startMotion watches every world that has a folder; those of the binary do not
// change.
func (a *App) startMotion(ctx context.Context, o Options, static *embed.Static) {
	if o.Refresh <= 0 {
		return
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.motion = &motion{app: a, o: o, static: static, stop: stop}
	for _, w := range o.Worlds {
		if IsFolder(w.Dir) {
			a.motion.wait.Go(func() { a.motion.watch(ctx, w) })
		}
	}
}

// watch looks at one folder. A change is read when two looks in a row found the
// same: files that are being written are left alone.
func (m *motion) watch(ctx context.Context, w *world.World) {
	tick := time.NewTicker(m.o.Refresh)
	defer tick.Stop()
	read, last := "", "" // the first look reads: the folder may have changed since the start
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := outline(w.Dir)
		if fresh := err == nil && now == last && now != read; fresh {
			read = now
			if err := m.takeUp(ctx, w); err != nil && ctx.Err() == nil {
				m.o.notice(fmt.Sprintf("world %s has changed on disk and is not taken up, the version before stays: %v",
					w.Name, err))
			}
		}
		last = now
		if m.o.onLook != nil {
			m.o.onLook()
		}
	}
}

// outline is the names, sizes and times of a folder's files, which change with it.
func outline(dir string) (string, error) {
	var all []byte
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		all = fmt.Appendf(all, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return protocol.HashText(string(all)), err
}

// takeUp reads a world anew and puts it in service, unless lint finds an error in it.
func (m *motion) takeUp(ctx context.Context, w *world.World) error {
	next, problems, err := world.LoadDir(w.Dir)
	if err != nil {
		return err
	}
	served := m.app.Library.Get(w.Name)
	if next.Name != w.Name {
		return fmt.Errorf("its name is now %s; start again to serve it under that", next.Name)
	}
	if next.Version == served.World.Version {
		return nil
	}
	if wrong := world.Errors(problems); len(wrong) > 0 {
		return fmt.Errorf("%s:%d: %s (%d in all); forsooth lore lint %s names each", wrong[0].File, wrong[0].Line,
			wrong[0].Message, len(wrong), w.Dir)
	}
	index, err := retrieval.Open(ctx, m.app.corpus, m.static, next,
		retrieval.Options{Now: m.o.Now, Words: m.static, Notice: m.o.Notice, Vectors: m.o.vectors()})
	if err != nil {
		return err
	}
	if _, searching := m.app.corpus.(store.Searching); searching {
		next.Forget()
	}
	x := &lore.Lore{World: next, Index: index, Grounding: served.Grounding, Echo: served.Echo}
	if deep := m.o.Meaning != MeaningOff; deep && served.Index.Deep() {
		// A world that is searched by meaning stays so; any other is searched by words until its vectors are there.
		err = m.deepen(ctx, x)
		m.app.Library.Take(x)
	} else {
		m.app.Library.Take(x)
		if deep {
			err = m.deepen(ctx, x)
		}
	}
	m.o.notice(fmt.Sprintf("world %s has changed on disk: version %.12s is taken up", w.Name, next.Version))
	if err != nil {
		m.o.notice(fmt.Sprintf("world %s is searched by static vectors alone: %v", w.Name, err))
	}
	return nil
}

func (m *motion) deepen(ctx context.Context, x *lore.Lore) error {
	encoder, err := Encoder()
	if err != nil {
		return err
	}
	model, err := NLI()
	if err != nil {
		return err
	}
	_, err = x.Index.Deepen(ctx, m.app.corpus, encoder, model.Answers,
		retrieval.Options{Now: m.o.Now, Notice: m.o.Notice, Vectors: m.o.vectors()})
	return err
}
