package trials

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/lab/invariant"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// ScenesOptions size a run of one scene under kills.
type ScenesOptions struct {
	Turns  int           // that players say
	Pause  time.Duration // between two kills
	Seed   uint64
	Binary string
	Log    io.Writer
	Said   func(string, ...any)
}

// ScenesRun is what a scene came to.
type ScenesRun struct {
	Bench      string                `json:"bench"`
	Turns      int                   `json:"turns"`
	Rounds     int                   `json:"rounds"` // in which an NPC spoke behind another
	Moves      int                   `json:"moves"`
	Kills      int                   `json:"kills"`
	Told       int                   `json:"told"`     // replies that repeat what another said
	Memories   int                   `json:"memories"` // of what players said
	Statuses   map[string]int        `json:"statuses"`
	Violations []invariant.Violation `json:"violations"`
}

// Line is the one line in which a run ends.
func (r *ScenesRun) Line() string {
	return fmt.Sprintf("scenes turns=%d rounds=%d moves=%d kills=%d told=%d memories=%d violations=%d", r.Turns, r.Rounds,
		r.Moves, r.Kills, r.Told, r.Memories, len(r.Violations))
}

const sceneWorld, sceneID = "hollowmere", "lab"

var (
	sceneNPCs    = []string{"mira", "osric", "wren"}
	scenePlayers = []string{"Ansel", "Berta", "Corin", "Dora"}
)

// Scenes has three NPCs and four players talk in a scene while the processes of the mesh
// are killed in turn and NPCs come and go, and holds what is left against the invariants
// and the witness rule.
func Scenes(ctx context.Context, o ScenesOptions) (*ScenesRun, error) {
	dir, err := os.MkdirTemp("", "forsooth-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	server, err := embedded.Start(ctx, embedded.Options{Dir: filepath.Join(dir, "broker")})
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	f := &fleet{o: &RollingOptions{Kinds: 1, Replicas: 2, Pause: o.Pause, Binary: o.Binary, Log: o.Log, Said: o.Said},
		url: server.URL(), data: filepath.Join(dir, "data")}
	defer f.end()
	if err := f.start(ctx); err != nil {
		return nil, err
	}
	conn, err := transport.Connect(ctx, transport.Dial{URL: f.url, Name: "lab scenes"})
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	s := &staging{o: &o, client: mesh.NewClient(conn)}
	killed, err := s.play(ctx, f)
	if err != nil {
		return nil, err
	}
	settle, stop := context.WithTimeout(ctx, 2*time.Minute)
	defer stop()
	if err := s.settle(settle); err != nil {
		return nil, err
	}
	kept, err := invariant.Read(ctx, s.client)
	if err != nil {
		return nil, err
	}
	out := judgeScene(&invariant.Run{Accepted: s.accepted, Kept: kept})
	out.Turns, out.Kills = o.Turns, killed
	return out, nil
}

// staging is the game of a scene.
type staging struct {
	o      *ScenesOptions
	client *mesh.Client

	mu       sync.Mutex
	accepted []invariant.Accepted
}

// play lets players talk, NPCs move and processes die until all turns are said.
func (s *staging) play(ctx context.Context, f *fleet) (killed int, err error) {
	everybody := &schema.Presence{NPCs: sceneNPCs, Players: scenePlayers}
	if err := s.take(ctx, "enter-all", schema.Request{Scene: &schema.Scene{Enter: everybody}}); err != nil {
		return 0, err
	}
	playing, over := context.WithCancel(ctx)
	defer over()
	var beside errgroup.Group
	var r RollingRun
	beside.Go(func() error {
		for n := 0; playing.Err() == nil; n++ {
			if err := f.restart(playing, &r, f.members[n%len(f.members)], "kill -9"); err != nil && playing.Err() == nil {
				return err
			}
		}
		return nil
	})
	beside.Go(func() error { return s.move(playing) })
	var players errgroup.Group
	for i := range scenePlayers {
		players.Go(func() error { return s.talk(ctx, i) })
	}
	err = players.Wait()
	over()
	err = errors.Join(err, beside.Wait())
	return len(r.Restarts), err
}

// move has one NPC leave and come back, again and again.
func (s *staging) move(ctx context.Context) error {
	dice := rand.New(rand.NewPCG(s.o.Seed, 99))
	for n := 0; ctx.Err() == nil; n++ {
		who := &schema.Presence{NPCs: []string{sceneNPCs[dice.IntN(len(sceneNPCs))]}}
		for i, to := range []schema.Scene{{Leave: who}, {Enter: who}} {
			err := s.take(ctx, fmt.Sprintf("move-%d-%d", n, i), schema.Request{Scene: &to})
			if err != nil && ctx.Err() == nil {
				return err
			}
			_ = pause(ctx, time.Duration(dice.IntN(1500))*time.Millisecond)
		}
	}
	return nil
}

// talk has one player say its share: what nobody else knows, and what others have said.
func (s *staging) talk(ctx context.Context, player int) error {
	dice := rand.New(rand.NewPCG(s.o.Seed, uint64(player)))
	for n := player; n < s.o.Turns; n += len(scenePlayers) {
		npc, other := sceneNPCs[dice.IntN(len(sceneNPCs))], scenePlayers[dice.IntN(len(scenePlayers))]
		message := []string{
			fmt.Sprintf("%s, my dog is called %s.", npc, mark(n)),
			fmt.Sprintf("%s, what did %s say about the dog?", npc, other),
			fmt.Sprintf("%s, who burned the mill?", npc), "Good day to you all.",
		}[dice.IntN(4)]
		err := s.take(ctx, fmt.Sprintf("say-%d", n), schema.Request{Player: scenePlayers[player],
			PlayerName: scenePlayers[player], Message: message, Scene: &schema.Scene{Rounds: dice.IntN(3)}})
		if err != nil {
			return err
		}
		if err := pause(ctx, time.Duration(dice.IntN(400))*time.Millisecond); err != nil { // else nobody speaks unasked
			return err
		}
	}
	return nil
}

// mark is a name that stands in one player's message and nowhere else.
func mark(n int) string { return fmt.Sprintf("Vex%dq", n) }

// take publishes a turn until the mesh has it, and waits for its end.
func (s *staging) take(ctx context.Context, turn string, r schema.Request) error {
	r.TurnID, r.World, r.Scene.ID, r.DeadlineMS = turn, sceneWorld, sceneID, 20_000
	for {
		accepted, err := s.client.Publish(ctx, &r)
		var refused *mesh.RefusedError
		if errors.As(err, &refused) {
			if err := pause(ctx, 50*time.Millisecond); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.accepted = append(s.accepted, invariant.Accepted{Convo: r.Conversation(), Turn: turn, Sequence: accepted.Sequence,
			At: time.Now(), Deadline: r.Deadline()})
		s.mu.Unlock()
		break
	}
	events, err := s.client.Watch(ctx, r.Conversation(), turn)
	if err != nil {
		return err
	}
	for range events { // until it has ended
	}
	return ctx.Err()
}

// settle waits until nothing is under way.
func (s *staging) settle(ctx context.Context) error {
	for {
		if err := s.client.Idle(ctx); err != nil {
			return err
		}
		undone, err := s.client.Undone(ctx)
		if err == nil && len(undone) == 0 {
			if timers, err := invariant.Timers(ctx, s.client); err == nil && len(timers) == 0 {
				return nil
			}
		}
		if err := pause(ctx, 200*time.Millisecond); err != nil {
			return fmt.Errorf("something is still to be done: %v", undone)
		}
	}
}
