package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Index is the index of memories beside the log.
type Index interface {
	// Count is how many of its memories name the player.
	Count(ctx context.Context, worlds []string, player string) (int, error)
	// Erase waits until the index has taken in the log, deletes what still names the
	// player, and rids the file of the bytes.
	Erase(ctx context.Context, worlds []string, player string) (int, error)
}

// Erasure are what an erasure needs.
type Erasure struct {
	Conn   *transport.Conn
	Index  Index  // nil where the index is not at hand
	Qdrant string // the server that the index is on; empty: it is a file of the data folder
	Data   string // receipts lie in Data/receipts
	Worlds []string

	Handles Handles // of the NPCs of the worlds that are known: they are nobody's ids

	Running bool // other processes may be at work: what they were writing is waited for

	// Scrub overwrites what the streams hold no more, on the disk. id names the
	// erasure. nil where nobody can: then the broker overwrites each message, and what
	// it had deleted before stays until it compacts.
	Scrub    func(ctx context.Context, id string) (int, error)
	Replicas int // of the streams

	Now      func() time.Time
	NewID    func() string
	Progress func(step string)

	fault func(step string) error // tests: the process dies between two steps
}

// ErrNothingKept says that nothing is kept of a player, and never was erased.
var ErrNothingKept = errors.New("nothing is kept of this player")

// Places of the receipt that hold events of the game.
const (
	eventsPlace = "events"
	sharedPlace = "events that others witnessed too, now without the player"
	scenesPlace = "documents of scenes, now without the player"
)

// maxRounds is how often a player who keeps talking is erased anew.
const maxRounds = 5

// ErasePlayer erases a player. Done before and interrupted, it goes on; done before and
// ended, with nothing left, it returns the receipt of then.
func ErasePlayer(ctx context.Context, player string, o Erasure) (Receipt, error) {
	if err := schema.CheckToken("player", player); err != nil {
		return Receipt{}, err
	}
	o = o.withDefaults()
	r := &run{Erasure: o, player: player,
		eraser: NewEraser(o.Conn, player, o.Worlds, o.Scrub == nil).Among(o.Handles)}
	return r.all(ctx)
}

func (o Erasure) withDefaults() Erasure {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	return o
}

// run is one erasure.
type run struct {
	Erasure
	player  string
	eraser  *Eraser
	names   []string
	receipt Receipt
}

func (r *run) step(name string) error {
	if r.fault == nil {
		return nil
	}
	return r.fault(name)
}

func (r *run) all(ctx context.Context) (Receipt, error) {
	found, err := r.look(ctx)
	if err != nil {
		return Receipt{}, err
	}
	folder := folderOf(r.Data)
	known, err := folder.find(r.player)
	if err != nil {
		return Receipt{}, err
	}
	if found.empty() && (known == nil || known.Open == nil) {
		if known == nil {
			return Receipt{}, ErrNothingKept
		}
		known.Again = true
		return *known, nil
	}
	if err := r.begin(ctx, folder, known); err != nil {
		return Receipt{}, err
	}
	if err := r.rounds(ctx, folder); err != nil {
		return Receipt{}, err
	}
	if err := r.index(ctx); err != nil {
		return Receipt{}, err
	}
	if err := r.step("index"); err != nil {
		return Receipt{}, err
	}
	if err := r.disk(ctx); err != nil {
		return Receipt{}, err
	}
	if err := r.left(ctx); err != nil {
		return Receipt{}, err
	}
	return r.receipt, folder.close(&r.receipt, r.Now())
}

// begin makes or finds the record of this erasure, which lies open until it ends.
func (r *run) begin(ctx context.Context, folder folder, known *Receipt) error {
	offered, err := folder.key()
	if err != nil {
		return err
	}
	key, err := r.eraser.Key(ctx, offered)
	if err != nil {
		return err
	}
	if offered == nil {
		if err := folder.keepKey(key); err != nil {
			return err
		}
		offered = key
	}
	if known != nil && known.Open != nil {
		r.receipt = *known
		return nil
	}
	now := r.Now().UTC()
	r.receipt = Receipt{ID: r.NewID(), Player: hashOf(offered, r.player), Worlds: r.Worlds, Started: now, Open: &now,
		Erased: map[string]int{}}
	return folder.write(&r.receipt)
}

// found is what is kept of a player.
type found struct {
	trail *Trail
	log   []owner
	index int
}

func (f *found) empty() bool { return f.trail.Empty() && len(f.log) == 0 && f.index == 0 }

func (r *run) look(ctx context.Context) (found, error) {
	r.Progress("looking for the player")
	var f found
	var err error
	if f.trail, err = r.eraser.Follow(ctx); err != nil {
		return f, err
	}
	if f.log, err = r.concerned(ctx); err != nil {
		return f, err
	}
	if r.Index != nil {
		f.index, err = r.Index.Count(ctx, r.Worlds, r.player)
	}
	return f, err
}

// rounds erases until nothing is found: a worker may have been writing when the
// first round began.
func (r *run) rounds(ctx context.Context, folder folder) error {
	for range maxRounds {
		trail, err := r.eraser.Follow(ctx)
		if err != nil {
			return err
		}
		owners, err := r.concerned(ctx)
		if err != nil {
			return err
		}
		if trail.Empty() && len(owners) == 0 {
			return nil
		}
		if trail, err = r.end(ctx, trail); err != nil {
			return err
		}
		if err := r.refuse(ctx, trail); err != nil {
			return err
		}
		if err := r.forget(ctx, owners); err != nil {
			return err
		}
		if err := r.streams(ctx, trail); err != nil {
			return err
		}
		if err := folder.write(&r.receipt); err != nil {
			return err
		}
		if r.Running {
			if err := r.settle(ctx); err != nil {
				return err
			}
		}
	}
	return errors.New("turns of this player keep coming; keep them out of the game until the erasure is done, and " +
		"run it again")
}

// end ends the turns under way, and follows the trail anew where some have ended.
// Where nobody could, nobody works on them either.
func (r *run) end(ctx context.Context, trail *Trail) (*Trail, error) {
	if !r.Running || len(trail.Open) == 0 {
		return trail, nil
	}
	r.Progress("ending turns under way")
	err := r.eraser.End(ctx, trail.Open)
	if errors.Is(err, ErrNobodyEnds) {
		return trail, nil
	}
	if err != nil {
		return nil, err
	}
	return r.eraser.Follow(ctx)
}

// refuse comes before anything is deleted: from here on nothing of these turns is
// written again.
func (r *run) refuse(ctx context.Context, trail *Trail) error {
	r.Progress("refusing the turns for good")
	key, err := r.eraser.Key(ctx, nil)
	if err != nil {
		return err
	}
	if err := r.eraser.Refuse(ctx, key, trail.Turns); err != nil {
		return err
	}
	for _, n := range trail.Names {
		if !slices.Contains(r.names, n) {
			r.names = append(r.names, n)
		}
	}
	return r.step("refused")
}

func (r *run) streams(ctx context.Context, trail *Trail) error {
	shared, err := r.eraser.Share(ctx, trail)
	r.count(sharedPlace, shared)
	if err != nil {
		return err
	}
	if err := r.places(ctx, trail.Repeats); err != nil {
		return err
	}
	left, err := r.eraser.LeaveScenes(ctx, trail)
	r.count(scenesPlace, left)
	if err != nil {
		return err
	}
	if err := r.step(scenesPlace); err != nil {
		return err
	}
	return r.places(ctx, trail.Places)
}

func (r *run) places(ctx context.Context, places []Place) error {
	for i := range places {
		p := &places[i]
		r.Progress(fmt.Sprintf("deleting %d %s", p.Count(), p.Name))
		n, err := r.eraser.Erase(ctx, p)
		r.count(p.Name, n)
		if err != nil {
			return err
		}
		if err := r.step(p.Name); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) count(place string, n int) {
	if n > 0 {
		r.receipt.Erased[place] += n
	}
}

// settle waits out what was being written.
func (r *run) settle(ctx context.Context) error {
	r.Progress("waiting for services that were at work")
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(r.eraser.Settle()):
		return nil
	}
}

func (r *run) index(ctx context.Context) error {
	if r.Index == nil {
		return nil
	}
	r.Progress("erasing memories and vectors from the index")
	n, err := r.Index.Erase(ctx, r.Worlds, r.player)
	r.count("memories with their vectors in the index", n)
	return err
}

func (r *run) disk(ctx context.Context) error {
	if r.receipt.Unscrubbed = r.Scrub == nil; r.receipt.Unscrubbed {
		return nil
	}
	r.Progress("overwriting what deletion left on the disk")
	n, err := r.Scrub(ctx, r.receipt.ID)
	r.receipt.Scrubbed += n
	return err
}
