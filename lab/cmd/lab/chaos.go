package main

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/lab/chaos"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// struckPlaces are the passes, and the places at a boundary, that a fault may strike.
const struckPlaces = "retrieve,think,review-thought,decide,speak,review-speech,act,intake,deadline,finisher,memory"

type chaosCmd struct {
	Minutes   float64       `help:"How long turns are published and things break." default:"3"`
	Turns     int           `help:"Turns in that time." default:"600"`
	Seed      uint64        `help:"Another seed, other faults; 0 takes one of the clock. It is printed." default:"0"`
	Processes int           `help:"Processes-in-one on the one broker." default:"3"`
	Deadline  time.Duration `help:"Of every turn; 0 draws four, eight or twelve seconds." default:"0"`
	Settle    time.Duration `help:"How long what is left at the end may take." default:"2m"`
	Ended     float64       `help:"The share of turns that their deadlines may end." default:"0.15"`
	Each      bool          `help:"Strike every fault alone, at every pass where it applies, a line each."`
	Short     bool          `help:"With --each: at one pass of each, by the seed."`
	Cluster   bool          `help:"On a cluster of three servers, with every stream on each."`
	Pass      string        `help:"The pass that faults strike; default: drawn." enum:",${struck}" default:""`
	Only      []string      `help:"Kinds of fault, with commas between; all otherwise." sep:"," placeholder:"KIND"`
}

// Run breaks a mesh of the first world of the settings.
func (c *chaosCmd) Run(e *env) error {
	if c.Minutes <= 0 || c.Minutes > 14 || c.Turns < 1 || c.Processes < 2 {
		return usage(fmt.Errorf("--minutes lies above 0 and is at most 14, for turns on their way are kept for 15; " +
			"--turns is at least 1, --processes at least 2"))
	}
	if err := chaos.CheckKinds(c.Only); err != nil {
		return usage(fmt.Errorf("--only: %w", err))
	}
	if c.Seed == 0 {
		c.Seed = uint64(time.Now().UnixNano()) % 1_000_000 //nolint:gosec // it is after 1970
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	fmt.Fprintf(e.err, "seed %d\n", c.Seed)
	o := chaos.Options{World: ws[0], For: time.Duration(c.Minutes * float64(time.Minute)), Turns: c.Turns, Seed: c.Seed,
		Processes: c.Processes, Only: c.Only, Pass: schema.Pass(c.Pass), Cluster: c.Cluster, Deadline: c.Deadline,
		Settle: c.Settle, Ended: c.Ended, Told: func(format string, args ...any) { fmt.Fprintf(e.err, format+"\n", args...) }}
	if c.Each {
		return c.each(e, o)
	}
	found, err := chaos.Run(e.ctx, o)
	if err != nil {
		return dependency(err)
	}
	if e.json {
		err = e.printJSON(found)
	} else {
		c.print(e, found)
	}
	if err == nil && len(found.Violations) > 0 {
		err = errFound
	}
	return err
}

// each strikes every fault alone.
func (c *chaosCmd) each(e *env, o chaos.Options) error {
	broken := 0
	all, err := chaos.Each(e.ctx, o, c.Short, func(a chaos.Alone) {
		broken += len(a.Violations)
		if e.json {
			return
		}
		for _, v := range a.Violations {
			fmt.Fprintf(e.out, "  broken: %s, turn %s: %s\n", v.Invariant, v.Turn, v.What)
		}
		fmt.Fprintln(e.out, a.Line())
	})
	if err != nil {
		return dependency(err)
	}
	if e.json {
		err = e.printJSON(all)
	} else {
		fmt.Fprintf(e.out, "chaos alone=%d violations=%d seed=%d\n", len(all), broken, c.Seed)
	}
	if err == nil && broken > 0 {
		err = errFound
	}
	return err
}

func (c *chaosCmd) print(e *env, r *chaos.Result) {
	for _, kind := range slices.Sorted(maps.Keys(r.ByKind)) {
		fmt.Fprintf(e.out, "  fault %-26s %6d\n", kind, r.ByKind[kind])
	}
	for _, status := range slices.Sorted(maps.Keys(r.Replies)) {
		fmt.Fprintf(e.out, "  reply %-26s %6d\n", status, r.Replies[status])
	}
	fmt.Fprintf(e.out, "  %d prompts, %d memory events, %.0f s\n", r.Prompts, r.Memories, r.TookS)
	if r.Away > 0 {
		fmt.Fprintf(e.out, "  the broker was away for %.1f s in all\n", r.Away)
	}
	if r.Still > 0 {
		fmt.Fprintf(e.out, "  the machine stood still for %.1f s in all; deadlines were moved by it\n", r.Still)
	}
	if r.Doors != nil {
		fmt.Fprintf(e.out, "  %s\n", r.Doors.Line())
	}
	for _, v := range r.Violations {
		fmt.Fprintf(e.out, "  broken: %s, turn %s: %s\n", v.Invariant, v.Turn, v.What)
		for _, blow := range r.Around[v.Turn] {
			fmt.Fprintf(e.out, "    beside it: %s\n", blow)
		}
	}
	fmt.Fprintln(e.out, r.Line())
}
