package chaos

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/lab/invariant"
)

// junk are bodies that nothing of the mesh can read, or must not.
var junk = []string{"", "{", "null", "[]", `{"turn_id":5}`, "\x00\xff\xfe", `{"schema_version":"9.0"}`,
	`{"schema_version":"9.0","turn_id":"x"}`}

func anyJunk(d *rand.Rand) []byte { return []byte(junk[d.IntN(len(junk))]) }

// poisonTurn puts what is no request into the queue of a conversation: it is answered
// as any turn is.
func poisonTurn(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	convo, body := r.load.convo(d.IntN(conversations)), anyJunk(d)
	short, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	sequence, err := r.tamper.Write(short, protocol.SubjectTurn(convo), body)
	if err != nil {
		return false, nil // the queue is full, or the broker away: and then nobody knows of it
	}
	turn := fmt.Sprint("seq-", sequence)
	if bytes.Contains(body, []byte(`"x"`)) {
		turn = "x" // it has one reply, however often somebody sends it
	}
	r.load.take(accepted{Accepted: invariant.Accepted{Convo: convo, Turn: turn, Sequence: sequence, At: time.Now(),
		Deadline: 8 * time.Second}})
	return true, nil
}

// poisonPass puts junk before a pass, beside a turn that is under way.
func poisonPass(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	pass, body := r.aim(d), anyJunk(d)
	some := r.load.some(d, 1)
	if len(some) == 0 {
		return false, nil
	}
	a := some[0]
	short, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	r.expect(a.Turn) // it may end that turn
	_, err := r.tamper.Write(short, protocol.SubjectPass(pass, a.Convo, a.Turn), body)
	return err == nil, nil
}

// poisonDue puts junk before the deadline's handler.
func poisonDue(ctx context.Context, r *run, d *rand.Rand) (bool, error) {
	convo, body := r.load.convo(d.IntN(conversations)), anyJunk(d)
	short, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	_, err := r.tamper.Write(short, protocol.SubjectDue(convo, fmt.Sprint("poison", d.IntN(1_000_000))), body)
	return err == nil, nil
}
