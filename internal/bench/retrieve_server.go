package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/sqlite"
	"github.com/forsooth-npc/forsooth/internal/world"
)

// million is how many passages the model of the cost is of.
const million = 1_000_000

// retrieveServer has a server hold the lore of a made-up world. What came with the lore
// before the first question grows with its files; the samples of scopes come with the
// questions and are bounded.
func retrieveServer(ctx context.Context, o RetrieveOptions, dir string) ([]Figure, error) {
	index, asked, err := onServer(ctx, o, dir)
	if err != nil {
		return nil, err
	}
	each := asked.Grown / float64(asked.Files) // the texts are gone: what is left is of files
	at := func(passages int) float64 { return asked.Resident + each*float64(million/passages-asked.Files) }
	return []Figure{
		Plain("passages", float64(asked.Passages), ""), Plain("files", float64(asked.Files), ""),
		Plain("retrieve_p50", asked.P50, "ms"), Plain("retrieve_p99", asked.P99, "ms"),
		Plain("retrieve_processor", asked.CPU, "ms"),
		Plain("start", asked.OpenS, "s"), Plain("index", index.OpenS, "s"),
		AtMost("resident", asked.Resident, "MB", 250), Plain("heap", asked.Heap, "MB"),
		Plain("heap_of_the_lore", asked.Grown, "MB"), Plain("heap_a_thousand_files", 1000*each, "MB"),
		AtMost("resident_at_1000000_in_files_of_20", at(20), "MB", 250),
		Plain("resident_at_1000000_in_files_of_5", at(5), "MB"),
	}, nil
}

// onServer has one process index a world and another ask, and deletes what they made.
func onServer(ctx context.Context, o RetrieveOptions, dir string) (index, asked Retrieved, err error) {
	s := RetrieveStep{Dir: dir, Random: o.Random, Server: fmt.Sprintf("bench%d_", os.Getpid())}
	defer func() {
		drop := s
		drop.Drop = true
		_, failed := o.step(context.WithoutCancel(ctx), drop)
		err = errors.Join(err, failed)
	}()
	if index, err = o.step(ctx, s); err != nil {
		return index, asked, fmt.Errorf("index: %w", err)
	}
	s.Ask = true
	if asked, err = o.step(ctx, s); err != nil {
		return index, asked, fmt.Errorf("ask: %w", err)
	}
	return index, asked, nil
}

// bare is what lives on the heap before a server's lore is opened, and the time that it
// took to see. What is cached of any world is no cost of this one.
func (s RetrieveStep) bare() (mb float64, took time.Duration, err error) {
	if s.Server == "" {
		return 0, 0, nil
	}
	began := time.Now()
	if _, _, err := world.LoadDir(filepath.Join(s.Dir, "world")); err != nil {
		return 0, 0, err
	}
	mb = livingMB()
	return mb, time.Since(began), nil
}

// settle lets the texts go, and has the names of the files read, as a first question does.
func settle(ctx context.Context, corpus store.Corpus, w *world.World, by ...embed.Embedder) error {
	w.Forget()
	searching, ok := corpus.(store.Searching)
	if !ok {
		return errors.New("the server does not search")
	}
	for _, emb := range by {
		if _, err := searching.Standing(ctx, w.Name, emb.ID()); err != nil {
			return err
		}
	}
	return nil
}

// livingMB is what lives on the heap.
func livingMB() float64 {
	runtime.GC()
	runtime.GC() // what pools hold goes with the second
	return heapMB()
}

// corpus is where the step's lore lies.
func (s RetrieveStep) corpus(ctx context.Context, static, encoder embed.Embedder) (store.Corpus, error) {
	if s.Server == "" {
		corpus, _, err := sqlite.MendCorpus(ctx, filepath.Join(s.Dir, "index.db"))
		if err != nil {
			return nil, err
		}
		return corpus, nil
	}
	corpus, _, err := s.onServer(ctx, static, encoder)
	return corpus, err
}

func (s RetrieveStep) onServer(
	ctx context.Context, static, encoder embed.Embedder,
) (_ store.Corpus, drop func(context.Context) error, err error) {
	if s.Qdrant.Addr == "" {
		return nil, nil, errors.New("no server is named")
	}
	q := s.Qdrant
	q.Prefix += s.Server
	return app.ServerCorpus(ctx, q, static, encoder)
}

// drop deletes what the steps before made.
func (s RetrieveStep) drop(ctx context.Context) error {
	static, err := embed.NewStatic()
	if err != nil {
		return err
	}
	encoder, _, err := s.models()
	if err != nil {
		return err
	}
	corpus, drop, err := s.onServer(ctx, static, encoder)
	if err != nil {
		return err
	}
	return errors.Join(drop(ctx), corpus.Close())
}
