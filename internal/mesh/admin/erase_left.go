package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/memory"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// left says in the receipt what stays, and why.
func (r *run) left(ctx context.Context) error {
	r.Progress("listing what stays")
	elsewhere, err := r.eraser.Elsewhere(ctx, r.names)
	if err != nil {
		return err
	}
	r.receipt.Left = []Left{}
	for _, e := range elsewhere {
		until := ""
		if e.Ages > 0 {
			until = r.Now().Add(e.Ages).UTC().Format(time.RFC3339)
		}
		r.receipt.Left = append(r.receipt.Left, Left{Place: e.Place, Count: e.Count, Until: until,
			Why: "these are other players' and speak of the player by id or by the name shown to them"})
	}
	if err := r.retold(ctx); err != nil {
		return err
	}
	r.unsure()
	r.receipt.Beyond = []string{
		"backups and snapshots of the data folder that were made before",
		"logs, metrics and exports outside the data folder, and what the game itself keeps",
		"what the file system or the disk still holds of files that were written anew",
	}
	r.receipt.Operator = []string{
		fmt.Sprintf("keep %s with its key apart from the backups; after a restore run: forsooth memory erase "+
			"--from-receipts %s", folderOf(r.Data), folderOf(r.Data)),
	}
	if r.Index == nil {
		r.receipt.Beyond = append(r.receipt.Beyond, "the index of memories on the machine where the memory service "+
			"runs: it follows the log by itself, but its file keeps free pages")
		r.receipt.Operator = append(r.receipt.Operator, "run forsooth memory rebuild on the machine of the memory service")
	}
	if r.Qdrant != "" {
		r.receipt.Beyond = append(r.receipt.Beyond, fmt.Sprintf("the files of the Qdrant server at %s: the player's "+
			"points are deleted there, and their bytes lie in its segments and its write-ahead log until it rewrites them, "+
			"which it does by itself only where a segment of a thousand points or more has lost a fifth; its own snapshots "+
			"hold them until they are removed", r.Qdrant))
		r.receipt.Operator = append(r.receipt.Operator, fmt.Sprintf("to have those bytes gone at once: stop the mesh, "+
			"delete the collection session on the Qdrant server at %s, and run forsooth memory rebuild; remove the "+
			"server's snapshots", r.Qdrant))
	}
	if r.receipt.Unscrubbed {
		r.receipt.Beyond = append(r.receipt.Beyond, "what this NATS server had deleted before, turns that had ended, "+
			"older revisions of conversations and timers: their bytes lie in its blocks until it compacts them, which it "+
			"does as more of a block is deleted than is kept, and with the last block of a stream when that is full")
	}
	if r.Replicas > 1 {
		r.receipt.Beyond = append(r.receipt.Beyond, fmt.Sprintf("the Raft logs of %d replicas until their next "+
			"snapshot: a server makes one every few minutes while there is something new, and when it is stopped", r.Replicas))
		r.receipt.Operator = append(r.receipt.Operator, "restart the NATS servers one after another: each makes a "+
			"snapshot as it stops and lets go of its log")
	}
	return nil
}

// unsure says that events were taken for the player's by a bare id, where the NPCs
// are not known of which one may have it for its handle.
func (r *run) unsure() {
	n := r.receipt.Erased[eventsPlace] + r.receipt.Erased[sharedPlace]
	known := len(r.Handles) > 0 && !slices.ContainsFunc(r.Worlds, func(w string) bool { return r.Handles[w] == nil })
	if n > 0 && !known {
		r.receipt.Left = append(r.receipt.Left, Left{Place: "handles of NPCs", Count: n,
			Why: "events were erased without their worlds at hand: an NPC whose handle is the player's id was taken for " +
				"the player; name the worlds with --world, and the two are kept apart"})
	}
}

// retold counts memories of others whose words hold the player's name: whether
// another person of that name is meant nobody can decide.
func (r *run) retold(ctx context.Context) error {
	l := Left{Place: "memories of others", Why: "their words hold the name that the player was shown by; whether the " +
		"player is meant cannot be decided, so that forsooth memory show and undo are left to the operator"}
	for _, world := range orAll(r.Worlds) {
		err := r.Conn.MemoryLog().Read(ctx, world, "", 0, func(e transport.Logged) error {
			m := e.Event.Memory
			if m == nil || r.mentions(m) {
				return nil
			}
			words := m.Content + " " + m.Object
			for _, s := range m.Spans {
				words += " " + s.Text
			}
			if Names(words, r.names) {
				l.Count++
				l.IDs = append(l.IDs, m.ID)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if l.Count > 0 {
		r.receipt.Left = append(r.receipt.Left, l)
	}
	return nil
}

// owner is an NPC whose log speaks of the player.
type owner struct{ world, npc string }

// concerned are the NPCs whose logs must forget the player.
func (r *run) concerned(ctx context.Context) ([]owner, error) {
	var out []owner
	for _, world := range orAll(r.Worlds) {
		err := r.Conn.MemoryLog().Read(ctx, world, "", 0, func(l transport.Logged) error {
			o := owner{l.Event.World, l.Event.NPC}
			m := l.Event.Memory
			if (l.Player == r.player || m != nil && r.mentions(m)) && !slices.Contains(out, o) {
				out = append(out, o)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mentions says whether a memory speaks of the player.
func (r *run) mentions(m *schema.Memory) bool { return r.whom(m.World).Mentioned(m) }

// whom is the player as the memories of a world know them.
func (r *run) whom(world string) memory.Forgotten {
	return memory.Forgotten{ID: r.player, Handle: r.Handles.Has(world, r.player), Repeated: r.eraser.Repeats}
}

func orAll(worlds []string) []string {
	if len(worlds) == 0 {
		return []string{"*"}
	}
	return worlds
}

func (r *run) forget(ctx context.Context, owners []owner) error {
	for i, o := range owners {
		r.Progress(fmt.Sprintf("forgetting: NPC %d of %d", i+1, len(owners)))
		for {
			err := r.forgetOne(ctx, o)
			if errors.Is(err, transport.ErrLogMoved) {
				continue // somebody wrote meanwhile: read on, and decide again
			}
			if err != nil {
				return err
			}
			break
		}
	}
	return nil
}

// forgetOne appends what tells the keepers of books, and then overwrites the
// entries. Between the two a crash leaves both, and the next run does it anew.
func (r *run) forgetOne(ctx context.Context, o owner) error {
	log := r.Conn.MemoryLog()
	var entries []transport.Logged
	var list []memory.Entry
	last := map[string]uint64{}
	err := log.Read(ctx, o.world, o.npc, 0, func(l transport.Logged) error {
		entries = append(entries, l)
		list = append(list, memory.Entry{Event: l.Event, Player: l.Player, Bad: l.Bad != nil})
		last[l.Player] = l.Sequence
		return nil
	})
	if err != nil {
		return err
	}
	id := r.NewID()
	plan := memory.Forget(o.world, o.npc, list, r.whom(o.world), r.Now().UTC(),
		func(n int) string { return fmt.Sprintf("erase:%s:%d", id, n) })
	for i := range plan.Events {
		e := &plan.Events[i]
		of := e.Player
		if of == "" {
			of = "_"
		}
		at, err := log.Append(ctx, e, last[of])
		if errors.Is(err, transport.ErrErased) { // of another one who is being erased
			continue
		}
		if err != nil {
			return err
		}
		last[of] = at
	}
	if err := r.step("forgotten"); err != nil {
		return err
	}
	var gone []transport.Logged
	for _, i := range plan.Gone {
		gone = append(gone, entries[i])
	}
	n, err := r.eraser.EraseEntries(ctx, gone)
	r.count("entries of the memory log", n)
	r.count("memories", plan.Erased)
	r.count("memories of others, now without the player", plan.Kept)
	return err
}
