package chaos

import (
	"bytes"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// The boundaries at which a process dies or loses its connection.
const (
	beforeHandle  = "before-handle"
	afterHandle   = "after-handle"
	beforePublish = "before-publish"
	afterPublish  = "after-publish"
	beforeAck     = "before-ack"
	afterSentence = "after-sentence-2"
	inReview      = "in-review"   // between a review record and its sentence
	answerLost    = "answer-lost" // what was published is stored, and the answer never comes
)

// trap waits in a process for a boundary of a pass.
type trap struct {
	at     string
	pass   schema.Pass
	kills  bool // else the connection alone is cut
	struck chan struct{}
	once   atomic.Bool

	consumer string // of beforeAck: whose ack
}

// strike says whether the trap is this caller's to spring.
func (t *trap) strike() bool {
	if !t.once.CompareAndSwap(false, true) {
		return false
	}
	close(t.struck)
	return true
}

// sprung kills the process at a boundary inside a pass.
func (p *process) sprung(at string, pass schema.Pass) bool {
	t := p.trap.Load()
	if t == nil || t.at != at || t.pass != pass || !t.strike() {
		return false
	}
	p.kill()
	return true
}

// soon is how long what was cut after has to arrive before the process is gone.
const soon = 20 * time.Millisecond

// look finds the boundaries that lie outside a pass in what the process says to the
// broker: nothing in the mesh knows that it is looked at.
func (p *process) look(toBroker bool, piece []byte) faults.Act {
	t := p.trap.Load()
	if t == nil || !toBroker {
		return faults.Pass
	}
	act := t.act(piece)
	if act == faults.Hold {
		p.proxy.Freeze() // before anybody hears of it, and thaws
	}
	if act == faults.Pass || !t.strike() {
		return faults.Pass
	}
	if t.kills {
		time.AfterFunc(soon, p.kill)
	}
	return act
}

func (t *trap) act(piece []byte) faults.Act {
	has := func(s string) bool { return bytes.Contains(piece, []byte(s)) }
	switch t.at {
	case beforePublish:
		if has("PUB " + protocol.Prefix + "pass." + string(t.pass) + ".") {
			return faults.CutBefore
		}
	case afterPublish:
		if has("PUB " + protocol.Prefix + "pass." + string(t.pass) + ".") {
			return faults.CutAfter
		}
	case inReview:
		if has("PUB "+protocol.Prefix+"said.") && has(`"sentence":`) {
			return faults.Hold
		}
	case beforeAck:
		if has("PUB $JS.ACK." + t.consumer + ".") {
			return faults.CutBefore
		}
	case afterSentence:
		if has("PUB "+protocol.Prefix+"said.") && has(`"seq":2,`) {
			return faults.CutAfter
		}
	case answerLost:
		for _, kind := range []string{"pass." + string(t.pass) + ".", "reply.", "said.", "review.", "timer.", "memory."} {
			if has("PUB " + protocol.Prefix + kind) {
				return faults.CutAfter
			}
		}
	}
	return faults.Pass
}
