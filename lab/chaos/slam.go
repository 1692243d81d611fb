package chaos

import (
	"bytes"
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// slammed waits in a gateway for an event of a turn on its way to a player.
type slammed struct {
	event  string
	act    faults.Act    // what becomes of the event
	after  time.Duration // it, the gateway dies
	struck chan struct{}
	once   atomic.Bool
}

// look finds an event in what a gateway sends: its frames are text, and unmasked.
func (d *door) look(toGateway bool, piece []byte) faults.Act {
	t := d.trap.Load()
	if t == nil || toGateway || !bytes.Contains(piece, []byte(`"type":"`+t.event+`"`)) ||
		!t.once.CompareAndSwap(false, true) {
		return faults.Pass
	}
	close(t.struck)
	time.AfterFunc(t.after, d.kill)
	return t.act
}

// killGateway ends a gateway in the midst of a turn that it has just shown as accepted.
func killGateway(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	return r.slam(ctx, d, &slammed{event: string(schema.SaidAccepted), after: between(d, 0, 250*time.Millisecond)})
}

// killGatewaySpeaking ends a gateway that has a sentence on its way to its player. Half of
// these sentences arrive.
func killGatewaySpeaking(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	acts := []faults.Act{faults.CutBefore, faults.CutAfter}
	return r.slam(ctx, d, &slammed{event: string(schema.SaidSentence), act: acts[d.IntN(len(acts))], after: soon})
}

// slam lays a trap for a gateway, and says whether one sprang it.
func (r *run) slam(ctx context.Context, d *rand.Rand, t *slammed) (bool, error) {
	at := r.doors.victim(d.IntN(gateways))
	if at == nil {
		return false, nil
	}
	t.struck = make(chan struct{})
	at.trap.Store(t)
	defer at.trap.Store(nil)
	timer := time.NewTimer(5 * time.Second)
	defer timer.Stop()
	select {
	case <-t.struck:
		return true, nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return false, nil
}

// stopGateway ends a gateway as an operator does.
func stopGateway(_ context.Context, r *run, d *rand.Rand) (bool, error) {
	at := r.doors.victim(d.IntN(gateways))
	if at == nil {
		return false, nil
	}
	at.stop()
	return true, nil
}
