package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// strike is one fault: it says whether it struck. It has the processes, the services
// and the dice of its own.
type strike func(ctx context.Context, r *run, d *rand.Rand) (bool, error)

// fault is a kind of fault.
type fault struct {
	kind   string
	weight int
	strike strike
}

// ownFaults are the kinds that the run itself strikes with; the models' own and those of
// the backend come besides.
var ownFaults = []fault{
	{"kill-" + beforeHandle, 3, trapped(beforeHandle, true)},
	{"kill-" + afterHandle, 3, trapped(afterHandle, true)},
	{"kill-" + beforePublish, 3, trapped(beforePublish, true)},
	{"kill-" + afterPublish, 3, trapped(afterPublish, true)},
	{"kill-" + beforeAck, 3, trapped(beforeAck, true)},
	{"kill-" + afterSentence, 3, trapped(afterSentence, true)},
	{"duplicate-delivery", 4, trapped(beforeAck, false)},
	{answerLost, 4, trapped(answerLost, false)},
	{"pause", 3, pause},
	{"pause-" + inReview, 3, pauseInReview},
	{"pass-stuck", 1, passStuck},
	{"partition", 2, partition},
	{"flap", 3, flap},
	{"slow-consumer", 2, slowConsumer},
	{"broker-restart", 2, brokerRestart},
	{"disk-full", 1, diskFull},
	{"ids-forgotten", 1, idsForgotten},
	{"leader-killed", 2, leaderKilled},
	{"node-restarted", 2, nodeRestarted},
	{"node-parted", 2, parted},
	{"stopped", 2, stopped},
	{"clock-ahead", 1, clockOff(jump)},
	{"clock-behind", 2, clockOff(-jump)},
	{"poison-turn", 2, poisonTurn},
	{"poison-pass", 2, poisonPass},
	{"poison-due", 2, poisonDue},
	{"store-damaged", 1, storeDamaged},
	{"store-slow", 2, storeIs(storeSlow)},
	{"store-down", 2, storeIs(storeDown)},
	{"store-half-written", 2, storeIs(storeHalf)},
	{"models-down", 2, modelsDown},
	{"verifier-down", 2, verifierIs("down")},
	{"verifier-slow", 2, verifierIs("slow")},
	{"verifier-garbage", 2, verifierIs("garbage")},
	{"verifier-wrong", 2, verifierIs("wrong")},
	{"moderation-down", 1, moderationIs("down")},
	{"moderation-slow", 1, moderationIs("slow")},
	{gatewayKilled, 3, killGateway},
	{gatewaySpeaking, 3, killGatewaySpeaking},
	{gatewayStopped, 1, stopGateway},
}

// ofCluster are the kinds that strike at a cluster, and ofOne those at a broker of one
// server.
var (
	ofCluster = []string{"leader-killed", "node-restarted", "node-parted"}
	ofOne     = []string{"broker-restart", "disk-full", "ids-forgotten"}
)

// Kinds are the names of all kinds.
func Kinds() []string {
	var out []string
	for _, f := range ownFaults {
		out = append(out, f.kind)
	}
	for _, f := range modelFaults {
		out = append(out, "llm-"+f)
	}
	return append(out, backendKinds...)
}

// atPasses are the kinds that strike at a pass, each pass by itself.
var atPasses = []string{"kill-" + beforeHandle, "kill-" + afterHandle, "kill-" + beforePublish, "kill-" + afterPublish,
	"kill-" + beforeAck,
	"duplicate-delivery", answerLost, "pass-stuck", "poison-pass"}

// CheckKinds refuses a name that is none.
func CheckKinds(names []string) error {
	for _, name := range names {
		if !slices.Contains(Kinds(), name) {
			return fmt.Errorf("fault %q: there is none of this name; there are %s", name, strings.Join(Kinds(), ", "))
		}
	}
	return nil
}

func (r *run) allowed(kind string) bool {
	if slices.Contains(ofCluster, kind) && !r.Cluster || slices.Contains(ofOne, kind) && r.Cluster {
		return false
	}
	return len(r.Only) == 0 || slices.Contains(r.Only, kind)
}

// breakThings strikes with one fault after the other, some of them at once, until the
// context ends.
func (r *run) breakThings(ctx context.Context) error {
	var drawn []fault
	for _, f := range ownFaults {
		for range f.weight {
			if r.allowed(f.kind) {
				drawn = append(drawn, f)
			}
		}
	}
	if len(drawn) == 0 {
		<-ctx.Done()
		return nil
	}
	g := errgroup.Group{}
	for lane := range uint64(2) {
		d := r.dice(100 + lane)
		g.Go(func() error {
			for sleep(ctx, between(d, 300*time.Millisecond, 1200*time.Millisecond)) {
				f := drawn[d.IntN(len(drawn))]
				if err := r.hit(ctx, f, d); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return g.Wait()
}

// hit strikes once, and keeps when that was.
func (r *run) hit(ctx context.Context, f fault, d *rand.Rand) error {
	from := time.Now()
	struck, err := f.strike(ctx, r, d)
	if struck {
		r.counts.add(f.kind, 1)
		r.log.add(blow{kind: f.kind, from: from, to: time.Now()})
	}
	return err
}

// blow is a fault that struck, and for how long.
type blow struct {
	kind     string
	from, to time.Time
}

// blows are the faults of a run in the order in which they ended.
type blows struct {
	mu  sync.Mutex
	all []blow
}

func (l *blows) add(b blow) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, b)
}

// around are the faults that struck between two moments, for whoever looks for the
// cause of what broke then.
func (l *blows) around(from, to time.Time) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, b := range l.all {
		if b.from.Before(to) && b.to.After(from) {
			out = append(out, fmt.Sprintf("%s %.1f..%.1f s", b.kind, b.from.Sub(from).Seconds(), b.to.Sub(from).Seconds()))
		}
	}
	return out
}
