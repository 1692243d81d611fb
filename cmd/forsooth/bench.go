package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
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

type benchRetrieveCmd struct {
	Docs      int    `help:"Documents of the made-up world, of about four passages each." default:"4095"`
	Seed      uint64 `help:"Another seed, another world." default:"1"`
	Questions int    `help:"Questions asked." default:"200"`
	Random    bool   `help:"Random vectors, so that a very large world is indexed in minutes."`
	Step      string `hidden:"" help:"A process of this bench, as JSON."`
}

// retrieved is what the bench prints.
type retrieved struct {
	Docs   int    `json:"docs"`
	Seed   uint64 `json:"seed"`
	Random bool   `json:"random_vectors"`
	bench.Measured
}

// Run measures the index in process, in processes of its own.
func (c *benchRetrieveCmd) Run(e *env) error {
	if c.Step != "" {
		return c.step(e)
	}
	if c.Docs < 100 || c.Questions < 10 {
		return usage(errors.New("give at least 100 --docs and 10 --questions"))
	}
	self, err := os.Executable()
	if err != nil {
		return dependency(err)
	}
	figures, err := bench.Retrieve(e.ctx, bench.RetrieveOptions{
		Docs: c.Docs, Seed: c.Seed, Questions: c.Questions, Random: c.Random, Server: e.settings.Qdrant.URL != "",
		Step: func(ctx context.Context, step string) *exec.Cmd {
			cmd := exec.CommandContext(ctx, self, c.again(e, "bench", "retrieve", "--step", step)...)
			cmd.Stderr = os.Stderr
			return cmd
		}})
	if err != nil {
		return dependency(err)
	}
	name := "retrieve"
	if e.settings.Qdrant.URL != "" {
		name += ", on a server"
	}
	if c.Random {
		name += ", with vectors of chance in place of the encoder's"
	}
	out := retrieved{Docs: c.Docs, Seed: c.Seed, Random: c.Random, Measured: bench.Measured{Bench: name,
		Figures: figures}}
	if e.json {
		out.Missed = bench.Missed(figures)
		return e.printJSON(out)
	}
	return e.measured(out.Measured)
}

// again are the flags that give a step this one's server; settings file and environment
// reach it by themselves.
func (c *benchRetrieveCmd) again(e *env, args ...string) []string {
	if e.settings.Qdrant.URL != "" {
		args = append(args, "--qdrant", e.settings.Qdrant.URL)
	}
	return args
}

func (c *benchRetrieveCmd) step(e *env) error {
	var s bench.RetrieveStep
	if err := json.Unmarshal([]byte(c.Step), &s); err != nil {
		return usage(err)
	}
	s.Qdrant = e.qdrant()
	r, err := s.Run(e.ctx)
	if err != nil {
		return dependency(err)
	}
	return json.NewEncoder(e.out).Encode(r)
}

type benchSpeechCmd struct {
	From   string `help:"Speeches with labels, one JSON object a line." placeholder:"FILE.jsonl" required:""`
	Judge  string `help:"Judge; recorded: the file's." enum:"none,recorded,lying,coin,failing" default:"none"`
	Policy string `help:"Policy; that of the settings otherwise." enum:",strict,balanced,lively" default:""`
	Prices string `help:"Measure every policy, and write the table into this page." placeholder:"PAGE.md" type:"path"`
}

// Run lets the review judge recorded speeches.
func (c *benchSpeechCmd) Run(e *env) error {
	rows, err := llmtest.ReadSpeechFile(c.From)
	if err != nil {
		return usage(err)
	}
	if c.Prices != "" {
		return c.prices(e, rows)
	}
	out, err := bench.Speech(e.ctx, rows, c.options(e, c.Policy, bench.SpeechJudge(c.Judge)))
	if err != nil {
		return failed(err)
	}
	if e.json {
		return e.printJSON(out)
	}
	c.tell(e, out)
	return nil
}

func (c *benchSpeechCmd) options(e *env, policy string, judge bench.SpeechJudge) bench.SpeechOptions {
	settings := e.grounding()
	if policy != "" {
		settings.Level = grounding.Level(policy)
	}
	return bench.SpeechOptions{Grounding: settings, Judge: judge, Claims: e.settings.Grounding.Judge.Claims}
}

// tell prints one measurement.
func (c *benchSpeechCmd) tell(e *env, out bench.SpeechResult) {
	e.heading("speech")
	fmt.Fprintf(e.out, "  %d speeches, %d of which were heard in part at least\n\n", out.Speeches, out.Heard)
	for _, label := range []string{llmtest.Supported, llmtest.Unsupported, llmtest.NoClaim} {
		s := out.ByLabel[label]
		fmt.Fprintf(e.out, "  %-14s %5d, spoken %5d (%.1f %%)\n", label, s.N, s.Spoken, s.Percent())
	}
	fmt.Fprintf(e.out, "\n  judge calls a turn %.2f, first sentence after %.1f ms\n", out.Calls, out.First)
	if s := out.Skill; s != nil {
		fmt.Fprintf(e.out, "  the judge supports %.0f %% of the true and %.0f %% of the false test pairs; believed: %v\n",
			100*s.Sensitivity, 100*(1-s.Specificity), s.Qualified)
	}
	fmt.Fprintf(e.out, "\n  %-36s %6s %6s\n", "refused", "true", "false")
	for _, r := range out.Refused {
		fmt.Fprintf(e.out, "  %-36s %6d %6d\n", strings.TrimSuffix(r.Cause+", "+r.Rule, ", "), r.True, r.False)
	}
}

// pricesMark encloses the table in a page.
const pricesMark = "<!-- prices -->"

// prices writes what each policy lets through into a page.
func (c *benchSpeechCmd) prices(e *env, rows []llmtest.Speech) error {
	place, err := bench.PlaceIn(c.Prices, pricesMark)
	if err != nil {
		return usage(err)
	}
	var table bytes.Buffer
	table.WriteString("| policy | judge | true sentences spoken | false ones | sentences without a claim | judge " +
		"calls a turn |\n")
	table.WriteString("|---|---|---|---|---|---|\n")
	for _, level := range grounding.Levels {
		for _, judge := range []bench.SpeechJudge{bench.NoJudge, bench.RecordedJudge} {
			out, err := bench.Speech(e.ctx, rows, c.options(e, string(level), judge))
			if err != nil {
				return failed(err)
			}
			percent := func(label string) float64 { return out.ByLabel[label].Percent() }
			fmt.Fprintf(&table, "| `%s` | %s | %.1f %% | %.1f %% | %.1f %% | %.2f |\n", level, judge,
				percent(llmtest.Supported), percent(llmtest.Unsupported), percent(llmtest.NoClaim), out.Calls)
		}
	}
	fmt.Fprint(e.out, "\n"+table.String())
	return failed(place.Write(table.String()))
}
