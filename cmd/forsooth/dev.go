package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
)

type devCmd struct {
	Up  devUpCmd  `cmd:"" default:"withargs" help:"Run the whole mesh in one process, with HTTP open on this machine."`
	LLM devLLMCmd `cmd:"" name:"llm" help:"A scripted model server: honest, lying or failing, at a stated speed."`
}

type devUpCmd struct{ upCmd }

// Run is up, with doors.
func (c *devUpCmd) Run(e *env) error {
	c.HTTP = cmp.Or(c.HTTP, e.settings.HTTP.Listen, defaultHTTP)
	return c.upCmd.Run(e)
}

type devLLMCmd struct {
	Persona   string        `help:"What it is like; several with commas between: each call picks one." default:"quote"`
	Port      int           `help:"Port on 127.0.0.1; one that is free otherwise."`
	TTFT      time.Duration `name:"ttft" help:"Time to the first token; 0 is none." default:"60ms"`
	Rate      float64       `help:"Tokens a second; 0 is as fast as can be." default:"100"`
	Seed      uint64        `help:"Another seed, other lies." default:"1"`
	FaultRate float64       `help:"Share of the calls that a fault spoils, 0 to 1."`
	Faults    string        `help:"The faults that spoil them, with commas between; all that pass otherwise."`
	Key       string        `help:"The key that callers must show." env:"FORSOOTH_DEV_LLM_KEY" placeholder:"KEY"`
	Model     string        `help:"The only model there is; any otherwise." placeholder:"NAME"`
	From      string        `help:"Recorded speeches, for the persona \"recorded\"." placeholder:"FILE.jsonl" type:"path"`
	Judge     string        `help:"Judges honest, lying, coin or failing; as its persona otherwise." placeholder:"WAY"`
	Log       string        `help:"File to write each sentence to, with its truth." placeholder:"FILE.jsonl" type:"path"`
}

// Listening is what `dev llm --json` prints once.
type Listening struct {
	URL     string `json:"url"`
	Persona string `json:"persona"`
}

// Run serves until it is told to stop.
func (c *devLLMCmd) Run(e *env) (err error) {
	if c.TTFT < 0 || c.Rate < 0 || c.FaultRate < 0 || c.FaultRate > 1 {
		return usage(fmt.Errorf("--ttft and --rate must not be negative, and --fault-rate lies between 0 and 1"))
	}
	o := llmtest.Options{Addr: fmt.Sprintf("127.0.0.1:%d", c.Port), Persona: c.Persona,
		Pace: llmtest.Pace{First: c.TTFT, Rate: c.Rate},
		Seed: c.Seed, FaultRate: c.FaultRate, Faults: c.Faults, Key: c.Key, Model: c.Model, Judge: c.Judge}
	if c.From != "" {
		if o.Rows, err = llmtest.ReadSpeechFile(c.From); err != nil {
			return usage(err)
		}
	} else if strings.Contains(c.Persona, "recorded") {
		return usage(errors.New("--persona recorded needs --from FILE.jsonl: the speeches that it says"))
	}
	if err := o.Check(); err != nil {
		return usage(err)
	}
	if c.Log != "" {
		file, opened := os.Create(c.Log)
		if opened != nil {
			return usage(fmt.Errorf("--log: %w", opened))
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		o.Log = file
	}
	s, err := llmtest.Start(o)
	if err != nil {
		return dependency(err)
	}
	if e.json {
		err = e.printJSON(Listening{URL: s.URL(), Persona: c.Persona})
	} else {
		_, err = fmt.Fprintf(e.out, "scripted model %s at %s; its log is at /log, its counts at /stats; ctrl-c "+
			"stops it\n", c.Persona, s.URL())
	}
	if err == nil {
		<-e.ctx.Done()
	}
	if closed := s.Close(); err == nil {
		err = closed
	}
	return failed(err)
}
