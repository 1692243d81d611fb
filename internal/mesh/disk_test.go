package mesh

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/faults"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// notices keep what a server says of its disk.
type notices struct {
	mu    sync.Mutex
	lines []string
}

func (s *notices) say(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
}

func (s *notices) has(part string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.lines, func(l string) bool { return strings.Contains(l, part) })
}

// The disk itself runs full under turns that are on their way: nothing is taken that is
// not stored, whoever runs the broker is told what to do, and once there is room every
// accepted turn is answered once, without anybody starting anything again.
func TestADiskThatRunsFullLosesNoTurn(t *testing.T) {
	const turns = 8
	disk, dir := faults.DiskForTest(t, 2048)
	var told notices
	r := newRigOn(t, embedded.Options{Dir: dir, Notice: told.say})
	gate, arrived := make(chan struct{}), make(chan struct{}, 100)
	r.start(Options{Settings: transport.Settings{}.Within(r.server.StoreLimit()), AckWait: 500 * time.Millisecond},
		with(schema.PassDecide, func(ctx context.Context, _ *protocol.Turn) (schema.Pass, error) {
			arrived <- struct{}{}
			select {
			case <-gate:
				return schema.PassSpeak, nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}))
	convo := func(i int) schema.ConversationID {
		return schema.ConversationID{World: "w", NPC: "n", Player: fmt.Sprint("p", i)}
	}
	for i := range turns {
		r.publish(within(60*time.Second, convo(i), fmt.Sprint("t", i)))
	}
	for range turns {
		<-arrived
	}

	if err := disk.Fill(); err != nil {
		t.Fatal(err)
	}
	short, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	late := within(60*time.Second, convo(turns), "late")
	late.Message = strings.Repeat("Who burned the mill? ", 1000) // more than is left of a page
	if _, err := r.client.Publish(short, late); err == nil {
		t.Error("a turn was accepted that nothing could store")
	} else if strings.Contains(err.Error(), "\n") {
		t.Errorf("not one line: %v", err)
	} else {
		t.Log(err)
	}
	close(gate)
	eventually(t, 10*time.Second, func() error {
		for _, part := range []string{dir, "is full", "free at least"} {
			if !told.has(part) {
				return fmt.Errorf("nobody is told of %q", part)
			}
		}
		return nil
	})
	if err := disk.Empty(); err != nil {
		t.Fatal(err)
	}

	for i := range turns {
		if _, reply := r.watch(convo(i), fmt.Sprint("t", i)); reply.Status != schema.StatusAnswered {
			t.Errorf("turn %d: %s %s", i, reply.Status, reply.Reason)
		}
	}
	eventually(t, 10*time.Second, func() error {
		if !told.has("has room again") {
			return errors.New("nobody is told that there is room again")
		}
		return nil
	})
	r.publish(late)
	if _, reply := r.watch(convo(turns), "late"); reply.Status != schema.StatusAnswered {
		t.Errorf("the turn that was refused: %s %s", reply.Status, reply.Reason)
	}
	r.queueIsEmpty()
	for i := range turns + 1 {
		if doc, _, err := r.client.Conversation(t.Context(), convo(i)); err != nil || len(doc.Applied) != 1 {
			t.Errorf("conversation %d: %d turns applied, %v", i, len(doc.Applied), err)
		}
	}
}
