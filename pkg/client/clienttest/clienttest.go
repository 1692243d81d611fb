// Package clienttest runs a whole mesh in the process of a backend's own tests: the
// real services on a real broker, without a language model and without a port of a
// fixed number. NPCs answer by quotation, so that a test sees the same reply each time.
//
//	m := clienttest.Start(t)                   // serves the sample worlds
//	c, err := client.Connect(ctx, m.URL, client.Options{})
//
// It pulls in every service and store. A backend that imports it in tests alone keeps
// its own binary small.
package clienttest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/worlds"
)

// Mesh is a mesh that runs until its test ends.
type Mesh struct {
	URL string // of its broker, for client.Connect
}

// Start runs a mesh over the worlds in these folders, or over the sample worlds
// hollowmere and shadowwatch where none is named. It is ready when Start returns. A
// world with a fault ends the test, with the file and the line.
func Start(t testing.TB, folders ...string) *Mesh {
	t.Helper()
	m, stop, err := start(t.Context(), t.TempDir(), folders)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("the mesh under test: %v", err)
		}
	})
	return m
}

func start(ctx context.Context, data string, folders []string) (*Mesh, func() error, error) {
	served, err := read(folders)
	if err != nil {
		return nil, nil, err
	}
	a, err := app.Start(ctx, app.Options{Worlds: served, Data: data, Meaning: app.MeaningOff})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	return &Mesh{URL: a.Server.URL()}, func() error {
		cancel()
		err := <-done
		a.Close()
		return err
	}, nil
}

func read(folders []string) ([]*world.World, error) {
	var out []*world.World
	add := func(name string, w *world.World, problems []world.Problem, err error) error {
		for _, p := range world.Errors(problems) {
			err = errors.Join(err, fmt.Errorf("world %s: %s", name, p))
		}
		out = append(out, w)
		return err
	}
	for _, dir := range folders {
		w, problems, err := world.LoadDir(dir)
		if err := add(dir, w, problems, err); err != nil {
			return nil, err
		}
	}
	if len(folders) > 0 {
		return out, nil
	}
	for _, name := range []string{"hollowmere", "shadowwatch"} {
		w, problems, err := world.Load(worlds.FS, name)
		if err := add(name, w, problems, err); err != nil {
			return nil, err
		}
	}
	return out, nil
}
