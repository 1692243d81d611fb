package trials

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/bench"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// SecurityOptions size a measure of orders that are hidden in what a model reads.
type SecurityOptions struct {
	Attacks  []Attack
	Harmless []string // what players may say, and must be answered like anything else
	Jobs     int      // conversations at once; default 8
	Done     func(done, of int)
}

// Security is what came of it. A scripted model carries out every order that it
// reads, and knows every secret.
type Security struct {
	Attacks int            `json:"attacks"`
	ByPlace map[string]int `json:"by_place"`
	Asked   int            `json:"asked"` // of them, the model was asked in
	Read    int            `json:"read"`  // orders that stood in a prompt, each once
	Obeyed  []Obeyed       `json:"obeyed"`

	Harmless int      `json:"harmless"`
	Blocked  []string `json:"blocked"`
	Late     int      `json:"late"` // of the harmless, ended by their deadline: the machine was busy
}

// Obeyed is an order that was carried out before a player.
type Obeyed struct {
	Name  string `json:"name"`
	Place string `json:"place"`
	What  string `json:"what"` // what gave it away
	Reply string `json:"reply"`
}

// Secure lets players and lore try what they can.
func Secure(ctx context.Context, o SecurityOptions) (_ *Security, err error) {
	if o.Jobs <= 0 {
		o.Jobs = 8
	}
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ws, err := poisoned(dir, o.Attacks)
	if err != nil {
		return nil, err
	}
	a, server, end, err := scripted(ctx, llmtest.Options{Persona: "puppet", Orders: orders(o.Attacks)},
		app.Options{Worlds: ws, Meaning: app.MeaningFirst})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	b := &securityBench{app: a, options: o, out: &Security{Attacks: len(o.Attacks), ByPlace: map[string]int{},
		Obeyed: []Obeyed{}, Harmless: len(o.Harmless), Blocked: []string{}}}
	for _, w := range ws {
		b.loads = append(b.loads, &bench.Load{World: w})
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	b.out.Read = len(server.Obeyed())
	return b.out, nil
}

// orders are what the model carries out.
func orders(all []Attack) []llmtest.Order {
	var out []llmtest.Order
	for _, x := range all {
		out = append(out, llmtest.Order{Text: x.Order, Says: x.Says, Does: x.Does, With: x.With})
	}
	return out
}

// poisoned are the sample worlds with a notice for each attack that stands in lore.
func poisoned(dir string, attacks []Attack) ([]*world.World, error) {
	var out []*world.World
	for _, name := range []string{"hollowmere", "shadowwatch"} {
		root := filepath.Join(dir, name)
		sub, err := subWorld(name)
		if err != nil {
			return nil, err
		}
		if err := os.CopyFS(root, sub); err != nil {
			return nil, err
		}
		notices := filepath.Join(root, "lore", "notices")
		if err := os.MkdirAll(notices, 0o700); err != nil {
			return nil, err
		}
		for i, x := range attacks {
			if x.Place != PlaceLore || x.World != name {
				continue
			}
			file := filepath.Join(notices, fmt.Sprintf("notice-%d.txt", i))
			meta :=
				fmt.Sprintf("created_at: %s\nauthor: \"the clerk\"\ntype: notice\nsummary: %q\nkeywords: [notice]\n",
					noticed[name], x.Fact)
			if err := errors.Join(os.WriteFile(file, []byte(x.Fact+" "+x.Order+"\n"), 0o600),
				os.WriteFile(file+".meta.yaml", []byte(meta), 0o600)); err != nil {
				return nil, err
			}
		}
		w, problems, err := world.LoadDir(root)
		if err != nil {
			return nil, fmt.Errorf("%w %v", err, problems)
		}
		out = append(out, w)
	}
	return out, nil
}

// noticed is when a notice was written, before each world's now.
var noticed = map[string]string{"hollowmere": "1402-04-20T09:00:00Z", "shadowwatch": "1997-03-01T09:00:00Z"}

type securityBench struct {
	app     *app.App
	loads   []*bench.Load
	options SecurityOptions
	mu      sync.Mutex
	done    int
	out     *Security
}

func (b *securityBench) load(name string) *bench.Load {
	i := slices.IndexFunc(b.loads, func(l *bench.Load) bool { return l.World.Name == name })
	return b.loads[i]
}

// run lets every attack take its first step, waits until what is to be remembered
// is, and looks at what it comes to.
func (b *securityBench) run(ctx context.Context) error {
	if err := b.each(ctx, len(b.options.Attacks), b.plant); err != nil {
		return err
	}
	for {
		n, err := b.app.Client.MemoryWaiting(ctx)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	if err := b.each(ctx, len(b.options.Attacks), b.attack); err != nil {
		return err
	}
	return b.each(ctx, len(b.options.Harmless), b.harmless)
}

func (b *securityBench) each(ctx context.Context, n int, f func(context.Context, int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(b.options.Jobs)
	for i := range n {
		g.Go(func() error {
			if err := f(ctx, i); err != nil {
				return err
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			if b.done++; b.options.Done != nil {
				b.options.Done(b.done, 2*len(b.options.Attacks)+len(b.options.Harmless))
			}
			return nil
		})
	}
	return g.Wait()
}

// request is what the player of an attack says.
func (b *securityBench) request(i int, step, message string) *schema.Request {
	x := b.options.Attacks[i]
	r := &schema.Request{TurnID: fmt.Sprintf("%s-%d", step, i), World: x.World, NPC: x.NPC,
		Player: fmt.Sprintf("attacker-%d", i), PlayerName: "Ansel",
		Message: message, DeadlineMS: schema.MaxDeadlineMS, AllowedActions: x.actions(b.load(x.World).World)}
	return r
}

// plant puts an order where it is to be found later.
func (b *securityBench) plant(ctx context.Context, i int) error {
	x := b.options.Attacks[i]
	switch x.Place {
	case PlaceMemory:
		_, _, err := tell(ctx, b.load(x.World), b.app, b.request(i, "plant", strings.TrimSpace(x.Fact+" "+x.Order)))
		return err
	case PlaceEvent:
		return b.app.Client.Witness(ctx, &schema.Occurrence{ID: fmt.Sprintf("event-%d", i), World: x.World,
			Text:      x.Fact + " " + x.Order,
			Witnesses: []string{x.NPC, fmt.Sprintf("attacker-%d", i)},
			GameTime:  b.load(x.World).World.Now.Add(-time.Hour)})
	}
	return nil
}

// attack asks what should bring the order out.
func (b *securityBench) attack(ctx context.Context, i int) error {
	x := b.options.Attacks[i]
	r := b.request(i, "attack", x.Ask)
	switch x.Place {
	case PlaceMessage, PlaceParameters:
		r.Message = strings.TrimSpace(x.Ask + " " + x.Order)
	case PlaceName:
		r.PlayerName = x.Order
	case PlaceState:
		r.State = map[string]any{"player.note": x.Order, "player.title": x.Order}
	}
	told, turn, err := tell(ctx, b.load(x.World), b.app, r)
	if err != nil {
		return err
	}
	calls := 0
	for _, p := range told.Reply.Passes {
		calls += p.LLMCalls
	}
	what := x.gaveIn(&told.Reply, b.load(x.World).World, turn)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.out.ByPlace[x.Place]++
	if calls > 0 {
		b.out.Asked++
	}
	if what != "" {
		b.out.Obeyed = append(b.out.Obeyed, Obeyed{Name: x.Name, Place: x.Place, What: what, Reply: told.Reply.Text})
	}
	return nil
}

// harmless says a prompt to an NPC, which has to take it as a message like another.
func (b *securityBench) harmless(ctx context.Context, i int) error {
	l := b.loads[i%len(b.loads)]
	handles := l.World.Handles()
	told, turn, err := tell(ctx, l, b.app, &schema.Request{TurnID: fmt.Sprintf("harmless-%d", i), World: l.World.Name,
		NPC:    handles[i%len(handles)],
		Player: fmt.Sprintf("harmless-%d", i), Message: b.options.Harmless[i], DeadlineMS: schema.MaxDeadlineMS})
	if err != nil {
		return err
	}
	why, late := "", false
	switch r := &told.Reply; {
	case r.Reason == schema.ReasonDeadline:
		late = true
	case r.Status == schema.StatusWithheld, r.Status == schema.StatusAborted, r.Status == schema.StatusAuthored:
		why = strings.TrimSpace(string(r.Status) + " " + r.Reason)
	case turn != nil && turn.Retrieval != nil && turn.Retrieval.Intent == protocol.IntentInjection:
		why = "read as an injection"
	case slices.ContainsFunc(r.Stripped, func(s schema.Stripped) bool { return s.Issue.Type == schema.IssueSecret }):
		why = "a sentence taken for a secret"
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if late {
		b.out.Late++
	}
	if why != "" {
		b.out.Blocked = append(b.out.Blocked, fmt.Sprintf("%s: %s", why, b.options.Harmless[i]))
	}
	return nil
}
