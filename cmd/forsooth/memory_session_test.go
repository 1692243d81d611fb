package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// act is a step of the session that docs/memory.md shows: one of day, say, saw, show
// and do.
type act struct {
	day  string // the mesh is stopped, and started again with this game time
	say  string
	saw  string   // what the game saw, of the player's gift
	show string   // show the memory whose content holds this
	do   []string // a command on the data folder, with the mesh stopped

	want []string // in the reply, or what the command prints
	not  []string
}

// session is how an NPC comes to know a player, over four days and one scan, until
// she is made to forget him.
var session = []act{
	{day: "1402-03-02T18:00:00Z"},
	{say: "I live in Westbank."},
	{say: "I work at the ropewalk in Osterwick."},
	{say: "My cousin Ulric works at the saltworks."},
	{saw: "Ansel gave Mira a sword."},
	{day: "1402-03-03T18:00:00Z"},
	{say: "Where do I work?", want: []string{"You told me", "ropewalk in Osterwick"}},
	{say: "What did I give you?", want: []string{"you gave me a sword"}},
	{show: "they live in Westbank", want: []string{`player: "I live in Westbank"`, "SUPPORTED"}},
	{show: "sword", want: []string{`"Ansel gave Mira a sword."`, "system"}},
	{day: "1402-05-05T18:00:00Z"},
	{say: "I have a house in Westbank.", not: []string{"hamlet"}},
	{say: "I work at the tannery in Pennick now."},
	{say: "My cousin works at the brewery now."},
	{say: "My brother Perrin lives in Pennick."},
	{say: "My brother lives in Saltmere.", not: []string{"know"}},
	{do: []string{"memory", "list", "--player", "p42", "--status", "active"},
		want: []string{"tannery in Pennick", "cousin Ulric works at the saltworks", "cousin works at the brewery"}},
	{do: []string{"memory", "scan"},
		want: []string{"1 merged, 1 superseded, 1 flagged", "EQUIVALENT", "TEMPORAL EVOLUTION", "CONTRADICTION"},
		not:  []string{"UNPROVEN"}},
	{show: "ropewalk", want: []string{"superseded", "by guard1"}},
	{show: "cousin Ulric works at the saltworks", want: []string{"superseded by", "by guard2", `the newer says "now"`}},
	{show: "brother lives in Saltmere", want: []string{"contradicts", "flagged by guard2"}},
	{day: "1402-05-06T18:00:00Z"},
	{say: "Where do I work?", want: []string{"tannery in Pennick"}, not: []string{"ropewalk"}},
	{say: "Where did I work two months ago?", want: []string{"ropewalk"}, not: []string{"tannery"}},
	{say: "Where does my cousin work?", want: []string{"brewery"}, not: []string{"saltworks"}},
	{say: "Where does my brother live?", want: []string{"two stories", "Pennick", "Saltmere"}},
	{do: []string{"memory", "erase", "--player", "p42", "--world", "hollowmere"}, want: []string{"receipt"}},
	{do: []string{"memory", "list", "--player", "p42"}, not: []string{"Westbank", "ropewalk", "sword"}},
	{day: "1402-05-07T18:00:00Z"},
	{say: "Where do I work?", not: []string{"ropewalk", "tannery"}},
	{say: "What did I give you?", not: []string{"sword"}},
}

// stage plays the session on a site and writes down what is said and printed.
type stage struct {
	t      *testing.T
	s      *site
	qdrant app.Qdrant
	flags  []string
	at     time.Time
	n      int
	mesh   *app.App
	stop   func()
	script strings.Builder
}

func TestTheSessionOfTheDocs(t *testing.T) {
	t.Run("in the data folder", func(t *testing.T) { play(t, app.Qdrant{}, nil) })
	t.Run("on Qdrant", func(t *testing.T) {
		server := edgetest.Own(t)
		play(t, app.Qdrant{Addr: server.Addr, Nodes: 1}, []string{"--qdrant", "http://" + server.Addr})
	})
}

func play(t *testing.T, q app.Qdrant, flags []string) {
	p := &stage{t: t, s: newSite(t), qdrant: q, flags: flags, stop: func() {}}
	defer func() { p.stop() }()
	for i := range session {
		p.step(&session[i])
	}
	if file := os.Getenv("FORSOOTH_DEV_SESSION"); file != "" { // for docs/memory.md
		if err := os.WriteFile(file, []byte(p.script.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *stage) step(a *act) {
	p.t.Helper()
	var got string
	switch {
	case a.day != "":
		p.stop()
		at, err := time.Parse(time.RFC3339, a.day)
		if err != nil {
			p.t.Fatal(err)
		}
		p.at = at
		fmt.Fprintf(&p.script, "\n# %s\n", at.Format("2 January 2006, 15:04"))
		p.start()
		return
	case a.say != "":
		got = p.say(a.say)
		fmt.Fprintf(&p.script, "Ansel: %s\nMira:  %s\n", a.say, got)
	case a.saw != "":
		p.saw(a.saw)
		fmt.Fprintf(&p.script, "(the game: %s)\n", a.saw)
	case a.show != "":
		p.stop()
		got = p.run("memory", "show", p.find(a.show))
	default:
		p.stop()
		got = p.run(a.do...)
	}
	for _, w := range a.want {
		if !strings.Contains(got, w) {
			p.t.Errorf("%+v: %q lacks %q", *a, got, w)
		}
	}
	for _, w := range a.not {
		if strings.Contains(got, w) {
			p.t.Errorf("%+v: %q holds %q", *a, got, w)
		}
	}
}

func (p *stage) start() {
	p.t.Helper()
	w, _, err := app.LoadWorld("hollowmere")
	if err != nil {
		p.t.Fatal(err)
	}
	p.mesh, err = app.Start(p.t.Context(),
		app.Options{Worlds: []*world.World{w}, Data: p.s.path("data/forsooth"), Qdrant: p.qdrant, Meaning: app.MeaningOff})
	if err != nil {
		p.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.mesh.Run(ctx) }()
	p.stop = func() {
		cancel()
		if err := <-done; err != nil {
			p.t.Error(err)
		}
		p.mesh.Close()
		p.stop = func() {}
	}
}

func (p *stage) settle() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	if err := p.mesh.MemorySettled(ctx); err != nil {
		p.t.Fatal(err)
	}
}

func (p *stage) say(message string) string {
	p.t.Helper()
	p.n++
	req := &schema.Request{TurnID: fmt.Sprintf("t%d", p.n), World: "hollowmere", NPC: "mira", Player: "p42",
		PlayerName: "Ansel", Message: message, GameTime: &p.at, DeadlineMS: 30_000}
	if _, err := p.mesh.Client.Publish(p.t.Context(), req); err != nil {
		p.t.Fatal(err)
	}
	events, err := p.mesh.Client.Watch(p.t.Context(), req.Conversation(), req.TurnID)
	if err != nil {
		p.t.Fatal(err)
	}
	text := ""
	for e := range events {
		if e.Reply != nil {
			text = e.Reply.Text
		}
	}
	p.settle()
	return text
}

func (p *stage) saw(text string) {
	p.t.Helper()
	p.n++
	err := p.mesh.Client.Witness(p.t.Context(),
		&schema.Occurrence{ID: fmt.Sprintf("e%d", p.n), World: "hollowmere", GameTime: p.at, Subject: "player:p42",
			Predicate: "gave",
			Object:    "sword", Text: text, Player: "p42", Witnesses: []string{"mira", "p42"}})
	if err != nil {
		p.t.Fatal(err)
	}
	p.settle()
}

// run runs a command on the data folder and gives what it prints.
func (p *stage) run(args ...string) string {
	p.t.Helper()
	r := p.s.run(append(args, p.flags...)...)
	r.wants(p.t, exitFine)
	fmt.Fprintf(&p.script, "$ forsooth %s\n%s", strings.Join(args, " "), r.out)
	return r.out
}

// find is the id of the memory whose content or words hold a text.
func (p *stage) find(text string) string {
	p.t.Helper()
	r := p.s.run(append([]string{"memory", "list", "--player", "p42", "--json"}, p.flags...)...)
	r.wants(p.t, exitFine)
	for line := range strings.Lines(r.out) {
		var m schema.Memory
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			p.t.Fatal(err)
		}
		if strings.Contains(m.Content, text) {
			return m.ID
		}
	}
	p.t.Fatalf("no memory holds %q: %s", text, r.out)
	return ""
}
