package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/limits"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/scene"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/retriever"
)

// servingFile says, beside the lock, which worlds the holder of a data folder
// serves, so that whoever joins it talks about the same ones.
const servingFile = "serving.json"

// announce writes what is served; only the holder of the folder does.
func (a *App) announce(o Options) error {
	if a.Server == nil {
		return nil
	}
	dirs := []string{}
	for _, w := range o.Worlds {
		dir := w.Dir
		if abs, err := filepath.Abs(dir); err == nil && IsFolder(dir) {
			dir = abs
		}
		dirs = append(dirs, dir)
	}
	data, err := json.Marshal(map[string][]string{"worlds": dirs})
	if err != nil {
		return err
	}
	path := filepath.Join(o.Data, servingFile)
	if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("data folder %s: %w; mend its permissions or give another --data", o.Data, err)
	}
	a.serving = path
	return nil
}

// Serving are the worlds that the holder of a data folder serves, as LoadWorlds
// takes them; nil when nobody said.
func Serving(data string) []string {
	raw, err := os.ReadFile(filepath.Join(data, servingFile))
	if err != nil {
		return nil
	}
	var said struct {
		Worlds []string `json:"worlds"`
	}
	if json.Unmarshal(raw, &said) != nil {
		return nil
	}
	return said.Worlds
}

// worldInfos are the worlds of this process as backends see them: nothing that an NPC
// knows or hides is among it.
func (a *App) worldInfos() []schema.WorldInfo {
	out := []schema.WorldInfo{}
	for _, name := range a.Library.Names() {
		if x := a.Library.Get(name); x != nil {
			out = append(out, described(x.World))
		}
	}
	return out
}

func described(w *world.World) schema.WorldInfo {
	info := schema.WorldInfo{Name: w.Name, Title: w.Title, Language: w.Language, Version: w.Version,
		DefaultNPC: w.DefaultNPC, NPCs: []schema.NPCInfo{}}
	for _, handle := range w.Handles() {
		npc := w.NPCs[handle]
		n := schema.NPCInfo{Handle: handle, Name: npc.Name, Greeting: npc.Greeting, Region: npc.Region}
		for _, a := range npc.Actions {
			n.Actions = append(n.Actions, schema.ActionSpec{Name: a.Name, Parameters: a.Parameters, Confirm: a.Confirm})
		}
		info.NPCs = append(info.NPCs, n)
	}
	return info
}

// intake is the doorbell with what it checks and bounds.
func (a *App) intake(o Options, author mesh.Author) mesh.Intake {
	in := mesh.Intake{Check: a.Library.Check, Author: author, Stage: a.stage()}
	if o.Limits.Bound() {
		in.Admission = limits.NewBuckets(o.Limits)
	}
	return in
}

// knowledge searches for what an NPC may know, as Pass 1 does. No model is asked, and no
// memory: those have a door of their own.
func (a *App) knowledge(o Options) func(context.Context, string, schema.KnowledgeQuery) (schema.KnowledgeFound, error) {
	search := retriever.New(a.Library, retriever.Options{})
	return func(ctx context.Context, world string, q schema.KnowledgeQuery) (schema.KnowledgeFound, error) {
		t := &protocol.Turn{AcceptedAt: o.now(), Request: schema.Request{TurnID: "knowledge", World: world, NPC: q.NPC,
			Player: "nobody", Message: q.Question, Trust: &q.Trust, Flags: q.Flags}}
		out := schema.KnowledgeFound{NPC: q.NPC, Passages: []schema.Knowledge{}}
		if err := t.Request.Validate(); err != nil {
			return out, err
		}
		x := a.Library.Get(world)
		if x == nil || x.World.NPCs[q.NPC] == nil {
			return out, fmt.Errorf("%s in %s: %w", q.NPC, world, transport.ErrNotFound)
		}
		if _, err := search.Retrieve(ctx, t); err != nil {
			return out, err
		}
		r := t.Retrieval
		out.Question, out.Confidence, out.Zone = r.Query, r.Confidence, string(r.Zone)
		out.Withheld, out.Unknown = r.Gated, t.Unknown
		for i := range t.Sources {
			s := &t.Sources[i]
			out.Passages = append(out.Passages, schema.Knowledge{Path: s.Path, Page: s.Page, Text: s.Content,
				Score: s.Score})
		}
		return out, nil
	}
}

// stage is what the mesh asks of scenes, over the worlds that are served.
func (a *App) stage() mesh.Stage {
	return mesh.Stage{
		Cast: func(req *schema.Request, doc *schema.Conversation) (*schema.Conversation, error) {
			x := a.Library.Get(req.World)
			if x == nil {
				return nil, fmt.Errorf("%w: world %q is not served here", mesh.ErrNoStage, req.World)
			}
			return scene.Cast(x.World, req, doc)
		},
		Next: func(doc *schema.Conversation, r *schema.Reply) *schema.Request {
			x := a.Library.Get(r.World)
			if x == nil {
				return nil
			}
			return scene.Next(x.World, doc, r)
		},
	}
}

// Check is one thing that a process needs for its work.
type Check struct {
	Name   string `json:"name"`
	Fit    bool   `json:"fit"`
	Detail string `json:"detail"`
}

// Ready says whether this process can do its work now: the broker is reached, its
// worlds are indexed, its verifier is loaded and its consumers are bound. It asks
// nobody and may be called as often as one likes.
func (a *App) Ready() []Check {
	broker := Check{Name: "broker", Fit: a.Conn.Connected(), Detail: a.Conn.URL()}
	if !broker.Fit {
		broker.Detail += " is out of reach; the connection is mended as soon as it is back"
	}
	index := Check{Name: "index", Fit: len(a.Library.Names()) > 0, Detail: strings.Join(a.Library.Names(), ", ")}
	verifier := Check{Name: "verifier", Fit: true, Detail: "loaded"}
	if a.tiers.Missing != nil {
		verifier.Fit, verifier.Detail = !a.reviews, fmt.Sprintf("the model in process does not load: %v", a.tiers.Missing)
	}
	consumers := Check{Name: "consumers", Fit: true, Detail: "bound"}
	if missing := a.Mesh.Unbound(); len(missing) > 0 {
		consumers.Fit, consumers.Detail = false, "not bound: "+strings.Join(missing, ", ")
	}
	return []Check{broker, index, verifier, consumers}
}
