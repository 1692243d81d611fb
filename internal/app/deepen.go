package app

import (
	"context"
	"errors"
	"sync"

	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/retrieval"
	"github.com/forsooth-npc/forsooth/internal/store"
)

// Meaning is when the worlds are embedded with the sentence encoder. Until then,
// and without it, the static vectors answer.
type Meaning int

// The times.
const (
	MeaningLater Meaning = iota // in the background, while turns are answered
	MeaningFirst                // before the first turn
	MeaningOff                  // never
)

// background is work beside the turns: the embedding of the worlds, the tests of a judge.
type background struct {
	stop context.CancelFunc
	wait sync.WaitGroup
}

// inBackground starts it; it ends when it is closed, and outlives the start's context.
func inBackground(ctx context.Context, work func(context.Context)) *background {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	b := &background{stop: stop}
	b.wait.Go(func() { work(ctx) })
	return b
}

// Close stops it where it is.
func (b *background) Close() {
	if b != nil {
		b.stop()
		b.wait.Wait()
	}
}

// startDeepening embeds the worlds now or in the background. A failure costs the
// better search and nothing else: it is told, and the static vectors go on.
func (a *App) startDeepening(ctx context.Context, o Options) error {
	if o.Meaning == MeaningOff {
		return nil
	}
	if o.Meaning == MeaningFirst {
		return deepen(ctx, a.Library, a.Library.Names(), a.corpus, o)
	}
	later, err := deepenStored(ctx, a.Library, a.corpus, o)
	if err != nil {
		o.notice(staticAlone + err.Error())
	}
	if len(later) == 0 {
		return nil
	}
	a.deepening = inBackground(ctx, func(ctx context.Context) {
		if err := deepen(ctx, a.Library, later, a.corpus, o); err != nil && ctx.Err() == nil {
			o.notice(staticAlone + err.Error())
		}
	})
	return nil
}

// staticAlone begins the notice of a world that could not be embedded.
const staticAlone = "the worlds are searched by static vectors alone: "

// deepenStored has every world whose vectors are stored searched by them before the first
// turn, so that a question has the same answer at any age of a process. It names the
// worlds that have to be embedded first.
func deepenStored(ctx context.Context, library *lore.Library, corpus store.Corpus, o Options) (
	later []string, err error) {
	encoder, err := Encoder()
	if err != nil {
		return nil, err
	}
	var stored []string
	for _, name := range library.Names() {
		there, err := library.Get(name).Index.Stored(ctx, corpus, encoder)
		if err != nil {
			return nil, err
		}
		if there {
			stored = append(stored, name)
		} else {
			later = append(later, name)
		}
	}
	return later, deepen(ctx, library, stored, corpus, o)
}

// deepen embeds worlds of a library, as far as they are not embedded yet.
func deepen(ctx context.Context, library *lore.Library, names []string, corpus store.Corpus, o Options) error {
	encoder, err := Encoder()
	if err != nil {
		return err
	}
	model, err := NLI()
	if err != nil {
		return err
	}
	var failed error
	for _, name := range names {
		if _, err := library.Get(name).Index.Deepen(ctx, corpus, encoder, model.Answers, deepOptions(o, name)); err != nil {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

func deepOptions(o Options, world string) retrieval.Options {
	opts := retrieval.Options{Now: o.Now, Notice: o.Notice, Vectors: o.vectors()}
	if o.Progress != nil {
		opts.Progress = func(done, total int) { o.Progress(world+", by meaning", done, total) }
	}
	return opts
}
