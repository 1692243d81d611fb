package main

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

// benchPlayers are the flags of bench turn for a mesh with players.
type benchPlayers struct {
	Players  []int         `help:"Simulated players of Hollowmere instead, such as 10,100." sep:"," placeholder:"N"`
	For      time.Duration `help:"With --players: how long they talk, each number of them." default:"60s"`
	Every    time.Duration `help:"With --players: how often each says something." default:"120s"`
	Deadline time.Duration `help:"With --players: of each turn." default:"8s"`
	Scripted bool          `help:"With --players: a scripted model speaks, at the pace of --ttft and --rate."`
	PriceIn  float64       `help:"With --scripted: the price of a million tokens that are sent." default:"0.15"`
	PriceOut float64       `help:"With --scripted: the price of a million tokens that are written." default:"0.60"`
}

// play has players talk to a mesh that runs as the settings say.
func (c *benchPlayers) play(e *env, first time.Duration, rate float64) error {
	if slices.Min(c.Players) < 1 || c.For <= 0 || c.Every <= 0 || c.Deadline < 2*time.Second || c.Deadline > time.Minute {
		return usage(errors.New("--players are 1 at least, --for and --every above 0, --deadline between 2s and 60s"))
	}
	if e.worldDir("") != "hollowmere" && len(e.settings.World) > 0 {
		return usage(errors.New("--players walk through Hollowmere; leave --world away, or give --world hollowmere"))
	}
	self, err := os.Executable()
	if err != nil {
		return dependency(err)
	}
	o := bench.PlayersOptions{Players: c.Players, For: c.For, Every: c.Every, Deadline: c.Deadline, Seed: 1,
		Scripted: c.Scripted,
		Pace:     llmtest.Pace{First: first, Rate: rate}, PriceIn: c.PriceIn, PriceOut: c.PriceOut,
		Binary: self, Args: e.again("--world", "hollowmere"), Log: e.err, Said: e.said}
	r, err := bench.Players(e.ctx, o)
	if err != nil {
		return dependency(err)
	}
	if e.json {
		return e.printJSON(r)
	}
	e.heading(r.Bench)
	r.Print(e.out)
	return nil
}

// again are the flags that give a process of a bench this one's model; settings file
// and environment reach it by themselves.
func (e *env) again(args ...string) []string {
	if e.llmFlags {
		args = append(args, "--llm-url", e.settings.LLM.URL, "--llm-model", e.settings.LLM.Model)
	}
	return args
}
