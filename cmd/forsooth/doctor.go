package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/language"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/world"
)

type doctorCmd struct {
	GuardsDiff string `name:"guards-diff" help:"Compare two settings of the guards over last week." placeholder:"A B"`
	With       string `arg:"" optional:"" name:"b" help:"The second, of --guards-diff."`
}

// Finding is one thing that doctor looked at.
type Finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // fine, note or bad
	Detail string `json:"detail"`
	Mend   string `json:"mend"` // empty where nothing is to be mended
}

const (
	statusFine = "fine"
	statusNote = "note" // worth knowing, stops nothing
	statusBad  = "bad"
)

// diagnosis collects findings.
type diagnosis struct {
	*env
	Findings []Finding `json:"findings"`
	Fit      bool      `json:"fit"`
}

func (d *diagnosis) add(check, status, mend, detail string, args ...any) {
	d.Findings = append(d.Findings,
		Finding{Check: check, Status: status, Detail: fmt.Sprintf(detail, args...), Mend: mend})
}

// Run looks at everything and changes nothing.
func (c *doctorCmd) Run(e *env) error {
	if (c.GuardsDiff == "") != (c.With == "") {
		return usage(errors.New("--guards-diff takes two settings: forsooth doctor --guards-diff config/guards.dev.yaml " +
			"config/guards.prod.yaml"))
	}
	if c.GuardsDiff != "" {
		return e.guardsDiff(c.GuardsDiff, c.With)
	}
	d := &diagnosis{env: e, Fit: true}
	d.settingsInUse()
	d.dataFolder()
	d.worldsServed()
	d.broker()
	d.models()
	d.verifiers()
	d.guards()
	for _, f := range d.Findings {
		d.Fit = d.Fit && f.Status != statusBad
	}
	if err := d.print(); err != nil {
		return err
	}
	if !d.Fit {
		return dependency(errSilent)
	}
	return nil
}

func (d *diagnosis) print() error {
	if d.json {
		return d.printJSON(struct {
			Fit      bool      `json:"fit"`
			Findings []Finding `json:"findings"`
		}{d.Fit, d.Findings})
	}
	for _, f := range d.Findings {
		if _, err := fmt.Fprintf(d.out, "%-4s  %-9s %s\n", f.Status, f.Check, f.Detail); err != nil {
			return err
		}
		if f.Mend != "" {
			fmt.Fprintf(d.out, "                → %s\n", f.Mend)
		}
	}
	return nil
}

func (d *diagnosis) settingsInUse() {
	file := d.settings.File
	if file == "" {
		file = "none"
	}
	d.add("settings", statusFine, "", "profile %s, file %s", d.settings.Profile, file)
}

// dataFolder looks at the folder, its disk and its holder.
func (d *diagnosis) dataFolder() {
	dir := d.settings.Data
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.add("data", statusFine, "", "%s is not there yet; the first start makes it", dir)
		return
	case err != nil || !info.IsDir():
		d.add("data", statusBad, "give --data a folder that can be written", "%s is no folder that can be read", dir)
		return
	case unix.Access(dir, unix.W_OK) != nil:
		d.add("data", statusBad, "mend its permissions or give another --data", "%s cannot be written", dir)
		return
	}
	var disk unix.Statfs_t
	free := int64(-1)
	if unix.Statfs(dir, &disk) == nil {
		free = int64(disk.Bavail) * int64(disk.Bsize) >> 20
	}
	status, mend := statusFine, ""
	if free >= 0 && free < 512 {
		status, mend = statusBad, "free at least 512 MB or give another --data"
	}
	d.add("data", status, mend, "%s, %d MB free", dir, free)
	if address, held := embedded.Holder(dir); d.settings.NATS.URL != "" {
		return // the mesh is that of the server
	} else if held {
		d.add("mesh", statusFine, "", "a mesh runs on this data folder at %s",
			orText(address, "an address it has yet to take"))
	} else {
		d.add("mesh", statusFine, "", "no mesh runs on this data folder; forsooth up starts one, and chat one of its own")
	}
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// worldsServed loads each world by itself, so that one broken world hides none.
func (d *diagnosis) worldsServed() {
	dirs := d.settings.World
	if len(dirs) == 0 {
		if dirs = app.Serving(d.settings.Data); len(dirs) == 0 {
			dirs = []string{app.DefaultWorld}
		}
	}
	for _, dir := range dirs {
		w, problems, err := app.LoadWorld(dir)
		if err != nil {
			d.add("world", statusBad, "forsooth lore lint "+dir, "%v", err)
			continue
		}
		errs := len(world.Errors(problems))
		status, mend := statusFine, ""
		if errs > 0 {
			status, mend = statusNote, "forsooth lore lint "+dir+" names each; a mesh that runs goes on with the last "+
				"version without one"
		}
		handles := w.Handles()
		listed := strings.Join(handles[:min(maxNamed, len(handles))], ", ")
		d.add("world", status, mend, "%s: %s, %s, %s; %s", w.Name, count(len(handles), "NPC"),
			count(len(w.Documents), "document"), count(errs, "error"), listed)
		d.index(w)
		if notice := language.Notice(w); notice != "" {
			d.add("language", statusNote, "", "%s", notice)
		}
	}
}

// index says how much of a world the index of Qdrant or of the data folder holds.
func (d *diagnosis) index(w *world.World) {
	if q := d.qdrant(); q.Addr != "" {
		d.onQdrant(q, w)
		return
	}
	path := app.IndexFile(d.settings.Data)
	if _, err := os.Stat(path); err != nil {
		d.add("index", statusFine, "", "%s is not indexed yet; the first start does it", w.Name)
		return
	}
	kept, err := app.Indexed(d.ctx, path, w)
	if err != nil {
		d.add("index", statusNote, "nothing to do: it is set aside and built anew at the next start", "%v", err)
		return
	}
	d.add("index", statusFine, "", "%s holds %s of %s", filepath.Base(path), count(kept, "file"), w.Name)
}

// qdrantLimit bounds how long doctor waits for Qdrant.
const qdrantLimit = 5 * time.Second

// onQdrant looks at the server that keeps memories and index. A mesh answers without it.
func (d *diagnosis) onQdrant(q app.Qdrant, w *world.World) {
	ctx, cancel := context.WithTimeout(d.ctx, qdrantLimit)
	defer cancel()
	words, meaning, err := q.Indexed(ctx, w)
	if err != nil {
		d.add("qdrant", statusBad, "start a Qdrant of version 1 there, or name another with --qdrant; until then turns "+
			"are answered, and nothing is remembered beyond the conversation at hand", "%v", err)
		return
	}
	d.add("qdrant", statusFine, "", "%s answers, and holds %s of %s, %d of them embedded by their meaning", q.Addr,
		count(words, "file"), w.Name, meaning)
}

// brokerLimit bounds how long doctor waits for a broker: until it has told what stands
// there, and again for what is looked at after that.
const brokerLimit = 5 * time.Second

// broker looks at the streams and at who works on them, where a mesh runs.
func (d *diagnosis) broker() {
	address := d.settings.NATS.URL
	if address == "" {
		held, running := embedded.Holder(d.settings.Data)
		if !running || held == "" {
			return
		}
		address = held
	}
	ctx, cancel := context.WithTimeout(d.ctx, brokerLimit)
	defer cancel()
	conn, err := transport.Connect(ctx, transport.Dial{URL: address, Name: "forsooth doctor", Login: d.login()})
	if err != nil {
		d.add("nats", statusBad, "start a NATS server with JetStream there, or name another with --nats", "%v", err)
		return
	}
	defer conn.Close()
	client := mesh.NewClient(conn)
	streams, consumers, err := client.Inspect(ctx)
	if err != nil {
		d.add("nats", statusBad, "look at the server's log", "%v", err)
		return
	}
	d.add("nats", statusFine, "", "%s answers, with JetStream", address)
	d.streams(streams)
	rest, cancelRest := context.WithTimeout(d.ctx, brokerLimit)
	defer cancelRest()
	d.clock(rest, conn)
	d.workers(rest, client, consumers)
	d.modelSwitch(rest, client)
}

// clock holds this machine's clock against the broker's, whose time deadlines are in.
func (d *diagnosis) clock(ctx context.Context, conn *transport.Conn) {
	err := conn.CheckClock(ctx, time.Now)
	var wrong *transport.ClockError
	switch {
	case errors.As(err, &wrong):
		d.add("clock", statusBad, "timedatectl set-ntp true, or another time service, on both", "%v", err)
	case err == nil:
		d.add("clock", statusFine, "", "it agrees with the broker's to within %s", transport.MaxSkew)
	}
}

func (d *diagnosis) streams(streams []mesh.StreamState) {
	var missing []string
	messages := uint64(0)
	for _, s := range streams {
		messages += s.Messages
		if s.Missing {
			missing = append(missing, s.Name)
		}
		if s.Unfit != "" {
			d.add("stream", statusBad, "forsooth migrate --dry-run says what would mend it", "%s", s.Unfit)
		}
		if s.Name == "DEAD" && s.Messages > 0 {
			d.add("dead", statusNote, "read them with: nats stream view DEAD", "%d messages could not be handled", s.Messages)
		}
	}
	if len(missing) > 0 {
		d.add("streams", statusNote, "forsooth migrate --apply makes them, and so do forsooth up and forsooth serve "+
			"where the server lets everybody", "missing: %s", strings.Join(missing, ", "))
		return
	}
	d.add("streams", statusFine, "", "all %d are there, %d messages", len(streams), messages)
}

func (d *diagnosis) workers(ctx context.Context, client *mesh.Client, consumers []mesh.ConsumerState) {
	if err := client.AwaitWorkers(ctx, consumers); err != nil {
		d.add("services", statusBad, "look at the server's log", "%v", err)
		return
	}
	var idle []string
	waiting := uint64(0)
	for _, c := range consumers {
		waiting += c.Waiting
		if !c.Workers {
			idle = append(idle, c.Name)
		}
	}
	if len(idle) > 0 {
		d.add("services", statusBad, "run them with forsooth up, or forsooth serve SERVICE",
			"nobody works on %s; %d messages wait", strings.Join(idle, ", "), waiting)
		return
	}
	d.add("services", statusFine, "", "all %d consumers have workers, %d messages wait", len(consumers), waiting)
}
