package main

import (
	"errors"
	"os"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/lab/trials"
)

type socketsCmd struct {
	Sockets int `help:"Sockets that are open at once." default:"10000"`
	Turns   int `help:"Turns that are under way; each socket shows one." default:"20"`
}

// Run opens sockets at a gateway before a mesh of the first world of the settings.
func (c *socketsCmd) Run(e *env) error {
	if c.Turns < 1 || c.Sockets < c.Turns || c.Sockets > 25_000 {
		return usage(errors.New("--turns is at least 1, --sockets at least --turns and at most 25000"))
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	figures, err := trials.Sockets(e.ctx, ws[0], trials.SocketsOptions{Binary: e.forsooth, Dir: e.worldName(),
		Log: os.Stderr, Sockets: c.Sockets, Turns: c.Turns, Said: e.said})
	if err != nil {
		return dependency(err)
	}
	return e.measured(bench.Measured{Bench: "sockets", World: ws[0].Name, Figures: figures})
}
