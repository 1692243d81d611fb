package main

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
)

type benchCmd struct {
	Turn     benchTurnCmd     `cmd:"" help:"Whole turns: latency, throughput beside a bare chain, start and memory."`
	Speech   benchSpeechCmd   `cmd:"" help:"Recorded speeches against the review: what is spoken."`
	Verify   benchVerifyCmd   `cmd:"" help:"The verifier in process: its time beside onnxruntime, memory and worth."`
	Retrieve benchRetrieveCmd `cmd:"" help:"The index in process, over a made-up world."`
}

type benchTurnCmd struct {
	Single        int `help:"Turns one at a time." default:"400"`
	Turns         int `help:"Turns of all conversations." default:"3000"`
	Conversations int `help:"Conversations at once." default:"64"`

	TTFT time.Duration `name:"ttft" help:"With --llm-url: the time to first token that the server states." default:"60ms"`
	Rate float64       `help:"With --llm-url: the tokens a second that the server states." default:"100"`

	HTTP bool `name:"http" help:"What a turn costs more over the gateway than over pkg/client, in the same run."`

	benchPlayers
}

// Run measures the first world of the settings.
func (c *benchTurnCmd) Run(e *env) error {
	if len(c.Players) > 0 {
		return c.play(e, c.TTFT, c.Rate)
	}
	ws, err := e.worlds()
	if err != nil {
		return err
	}
	if c.HTTP {
		figures, err := bench.HTTP(e.ctx, ws[0], c.Single)
		if err != nil {
			return dependency(err)
		}
		return e.measured(bench.Measured{Bench: "turn, over HTTP", World: ws[0].Name, Figures: figures})
	}
	models, err := e.models()
	if err != nil {
		return err
	}
	if models.Primary.URL != "" {
		figures, err := bench.Model(e.ctx, ws[0], bench.ModelOptions{LLM: models, Single: c.Single / 40,
			Conversations: c.Conversations, FirstToken: c.TTFT, Rate: c.Rate})
		if err != nil {
			return dependency(err)
		}
		return e.measured(bench.Measured{Bench: "turn, with a model", World: ws[0].Name, Figures: figures})
	}
	cost, err := bench.Cost(e.ctx, ws[0], c.Single)
	if err != nil {
		return dependency(err)
	}
	figures, err := bench.Turn(e.ctx, ws[0], bench.Options{Single: c.Single, Turns: c.Turns,
		Conversations: c.Conversations})
	if err != nil {
		return dependency(err)
	}
	self, err := os.Executable()
	if err != nil {
		return dependency(err)
	}
	start, err := bench.Start(e.ctx, self, e.worldDir(""), os.Stderr)
	if err != nil {
		return dependency(err)
	}
	return e.measured(bench.Measured{Bench: "turn", World: ws[0].Name, Figures: slices.Concat(figures, cost, start)})
}

func (e *env) measured(m bench.Measured) error {
	return m.Print(e.out, e.json, "bench "+m.Bench+" "+m.World, time.Now())
}

func (e *env) heading(of string) {
	bench.Heading(e.out, "bench "+of, time.Now())
}

// said tells how far a bench is.
func (e *env) said(format string, args ...any) { fmt.Fprintf(e.err, format+"\n", args...) }
