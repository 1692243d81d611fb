// Package play is a small simulated game server over a Forsooth mesh: players walk
// through Hollowmere and talk to its people, the game carries out what NPCs
// propose and tells what was to be seen of it, players interrupt and walk away,
// shards of the backend crash and come back. It imports what a game backend
// imports, pkg/client and pkg/schema, and it is the mesh's load generator: of the
// command mmo, and of the benches that need players.
package play

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/client"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The exit codes.
const (
	exitFine  = 0
	exitLost  = 1 // an accepted turn had no reply by its deadline
	exitUsage = 2
	exitMesh  = 3 // no mesh to talk to
)

// Options are what the flags say.
type Options struct {
	NATS      string
	World     string
	Players   int
	Shards    int           // connections that they share
	Duration  time.Duration // how long new turns are said
	Turns     int           // so many at most; 0: as many as fit
	Rate      float64       // turns a second; 0: as fast as they get answers
	Seed      uint64
	Deadline  time.Duration
	Restart   time.Duration // one shard crashes that often; 0: none
	Cancel    int           // percent of turns
	Supersede int
	JSON      bool
	Login     client.Login

	Heard func(*schema.Reply) // every reply, from many goroutines; may be nil
}

func parse(args []string, stderr io.Writer) (*Options, error) {
	o := &Options{}
	var password, token string
	f := flag.NewFlagSet("mmo", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.NATS, "nats", "nats://127.0.0.1:4222", "address of the mesh's NATS server")
	f.StringVar(&o.World, "world", "hollowmere", "world of the mesh; the players' map is Hollowmere's")
	f.IntVar(&o.Players, "players", 20, "simulated players")
	f.IntVar(&o.Shards, "shards", 2, "connections that they share, each a process of the backend")
	f.DurationVar(&o.Duration, "duration", 30*time.Second, "how long new turns are said")
	f.IntVar(&o.Turns, "turns", 0, "say that many turns, those that supersede another apart; 0: as many as fit the "+
		"duration")
	f.Float64Var(&o.Rate, "rate", 0, "turns a second, over all players; 0: as fast as they get answers")
	f.Uint64Var(&o.Seed, "seed", 1, "another seed, other players")
	f.DurationVar(&o.Deadline, "deadline", 8*time.Second, "deadline of each turn, 2s to 60s")
	f.DurationVar(&o.Restart, "restart", 7*time.Second, "one shard crashes and comes back that often; 0: none")
	f.IntVar(&o.Cancel, "cancel", 3, "percent of turns that are cancelled under way")
	f.IntVar(&o.Supersede, "supersede", 5, "percent of turns that a newer one supersedes")
	f.BoolVar(&o.JSON, "json", false, "print one JSON object")
	f.StringVar(&o.Login.Creds, "creds", "", "credentials file")
	f.StringVar(&o.Login.User, "user", "", "user, with -password-file")
	f.StringVar(&password, "password-file", "", "file that holds the password")
	f.StringVar(&token, "token-file", "", "file that holds a token")
	f.StringVar(&o.Login.CA, "ca", "", "PEM file of trusted certificates")
	f.StringVar(&o.Login.Cert, "cert", "", "PEM file of this client's certificate")
	f.StringVar(&o.Login.Key, "key", "", "PEM file of its key")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if password != "" {
		o.Login.Password = client.SecretFile(password)
	}
	if token != "" {
		o.Login.Token = client.SecretFile(token)
	}
	switch {
	case f.NArg() > 0:
		return nil, fmt.Errorf("%q is no flag; see -help", f.Arg(0))
	case o.Players < 1 || o.Shards < 1:
		return nil, errors.New("-players and -shards must be 1 at least")
	case o.Duration <= 0 || o.Rate < 0 || o.Turns < 0 || o.Restart < 0:
		return nil, errors.New("-duration must be above 0; -rate, -turns and -restart must not be negative")
	case o.Cancel < 0 || o.Supersede < 0 || o.Cancel+o.Supersede > 100:
		return nil, errors.New("-cancel and -supersede are percents, 100 together at most")
	case o.Deadline < 2*time.Second || o.Deadline > time.Minute:
		return nil, fmt.Errorf("-deadline is %s; it must lie between 2s and 60s", o.Deadline)
	}
	o.Shards = min(o.Shards, o.Players)
	return o, nil
}

// Command is the command mmo: it plays until the duration is over or a signal comes, hears
// the turns under way to their end, and reports. A second signal ends it at once.
func Command(ctx context.Context, args []string, signals <-chan os.Signal, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitFine
	}
	if err != nil {
		fmt.Fprintln(stderr, "mmo:", err)
		return exitUsage
	}
	r, err := Play(ctx, o, signals, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "mmo:", err)
		return exitMesh
	}
	if o.JSON {
		err = json.NewEncoder(stdout).Encode(r)
	} else {
		r.print(stdout)
	}
	if err != nil || !r.Kept() {
		return exitLost
	}
	return exitFine
}

// Play runs the game: until the duration is over, the turns are said or a signal
// comes. What is under way is heard to its end.
func Play(ctx context.Context, o *Options, signals <-chan os.Signal, stderr io.Writer) (*Report, error) {
	lines, err := readScript(linesFile)
	if err != nil {
		return nil, err
	}
	var shards []*shard
	defer func() {
		for _, s := range shards {
			s.close()
		}
	}()
	for i := range o.Shards {
		s, err := newShard(ctx, o.NATS, client.Options{Name: fmt.Sprintf("mmo shard %d", i), Login: o.Login})
		if err != nil {
			return nil, err
		}
		shards = append(shards, s)
	}
	// hearing ends what is under way; playing ends earlier, and with it new turns.
	hearing, breakOff := context.WithCancel(ctx)
	defer breakOff()
	playing, stop := context.WithTimeout(hearing, o.Duration)
	defer stop()
	began := time.Now()
	g, t := newGame(o.World, time.Now), newTally(o, time.Now)

	var serving sync.WaitGroup
	serve, stopServing := context.WithCancel(hearing)
	serving.Go(func() { obey(serve, signals, stop, breakOff, stderr) })
	serving.Go(func() {
		if err := shards[0].carryOut(serve, g, t); err != nil {
			t.fault("actions", err)
		}
	})
	serving.Go(func() { crash(playing, hearing, shards, o.Restart, t) })

	dice := rand.New(rand.NewPCG(o.Seed, 0))
	permits := make(chan struct{})
	var people sync.WaitGroup
	for i := range o.Players {
		p := newPlayer(i, rand.New(rand.NewPCG(dice.Uint64(), dice.Uint64())), g, shards[i%len(shards)], lines, t, o)
		people.Go(func() { p.live(hearing, permits) })
	}
	issue(playing, permits, o.Rate, o.Turns)
	people.Wait()
	took := time.Since(began)
	stop()
	stopServing()
	serving.Wait()
	r := t.report(took)
	return &r, nil
}

// issue gives out permits to say something, at a rate, until ctx ends or so many
// were taken.
func issue(ctx context.Context, permits chan<- struct{}, rate float64, turns int) {
	defer close(permits)
	var tick <-chan time.Time
	if rate > 0 {
		ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
		defer ticker.Stop()
		tick = ticker.C
	}
	for n := 0; turns == 0 || n < turns; n++ {
		if tick != nil {
			select {
			case <-ctx.Done():
				return
			case <-tick:
			}
		}
		select {
		case <-ctx.Done():
			return
		case permits <- struct{}{}:
		}
	}
}

// crash restarts one shard after the other; one that has begun is finished.
func crash(playing, hearing context.Context, shards []*shard, every time.Duration, t *tally) {
	if every == 0 {
		return
	}
	for n := 0; sleep(playing, every); n++ {
		if err := shards[n%len(shards)].restart(hearing); err != nil {
			return // told to end at once
		}
		t.restarted()
	}
}

// obey ends the playing at the first signal and everything at the second.
func obey(ctx context.Context, signals <-chan os.Signal, stop, breakOff func(), stderr io.Writer) {
	for _, f := range []func(){func() {
		fmt.Fprintln(stderr, "mmo: nothing more is said; the turns under way are heard to their end, ctrl-c again ends "+
			"at once")
		stop()
	}, breakOff} {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			f()
		}
	}
}
