// Command mmo is a small simulated game server over a Forsooth mesh, and the mesh's
// load generator. All of it is in the package play.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/forsooth-npc/forsooth/examples/mmo/play"
)

func main() {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	os.Exit(play.Command(context.Background(), os.Args[1:], signals, os.Stdout, os.Stderr))
}
