package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Holding is what a stream holds: every sequence from First to Last but Deleted.
type Holding struct {
	First, Last uint64
	Deleted     []uint64 // in order
}

// Holdings are what the streams of the mesh hold now.
func Holdings(ctx context.Context, c *transport.Conn) (map[string]Holding, error) {
	out := map[string]Holding{}
	for _, config := range transport.Streams(transport.Settings{}.WithDefaults()) {
		s, err := c.Look(ctx, config.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", config.Name, err)
		}
		info, err := s.Info(ctx, jetstream.WithDeletedDetails(true))
		if err != nil {
			return nil, fmt.Errorf("stream %s: %w", config.Name, err)
		}
		h := Holding{First: info.State.FirstSeq, Last: info.State.LastSeq, Deleted: info.State.Deleted}
		slices.Sort(h.Deleted)
		out[config.Name] = h
	}
	return out, nil
}

// ScrubFunc overwrites on the disk what the streams hold no more.
type ScrubFunc func(ctx context.Context) (records int, err error)

// subjectScrub is where the process that runs the broker hears of it.
const subjectScrub = protocol.Prefix + "svc.scrub"

// scrubAnswer is what that process says: Done once it is.
type scrubAnswer struct {
	Done    bool   `json:"done"`
	Records int    `json:"records"`
	Error   string `json:"error,omitempty"`
}

// ServeScrub has Run scrub the broker of this process when asked to.
func ServeScrub(m *mesh.Mesh, scrub ScrubFunc) {
	s := &scrubber{scrub: scrub, answers: map[string]scrubAnswer{}, ask: make(chan scrubQuery)}
	m.Beside(s.run)
	m.Serve(subjectScrub, s.answer)
}

// scrubber does one scrubbing at a time. The answer does not wait for its end: the
// connection it would travel on breaks meanwhile.
type scrubber struct {
	scrub   ScrubFunc
	answers map[string]scrubAnswer
	ask     chan scrubQuery
}

type scrubQuery struct {
	id     string
	answer chan scrubAnswer
}

// run works until the context ends.
func (s *scrubber) run(ctx context.Context) {
	type ended struct {
		id     string
		answer scrubAnswer
	}
	done := make(chan ended)
	busy := false
	for {
		select {
		case <-ctx.Done():
			if busy {
				<-done
			}
			return
		case e := <-done:
			busy, s.answers[e.id] = false, e.answer
		case q := <-s.ask:
			answer, known := s.answers[q.id]
			if !known && !busy && q.id != "" {
				busy = true
				go func() {
					n, err := s.scrub(ctx)
					answer := scrubAnswer{Done: true, Records: n}
					if err != nil {
						answer.Error = err.Error()
					}
					done <- ended{q.id, answer}
				}()
			}
			q.answer <- answer
		}
	}
}

func (s *scrubber) answer(ctx context.Context, id []byte) []byte {
	q := scrubQuery{id: string(id), answer: make(chan scrubAnswer, 1)}
	select {
	case <-ctx.Done():
		return nil
	case s.ask <- q:
	}
	data, err := json.Marshal(<-q.answer)
	if err != nil {
		return nil
	}
	return data
}

// Scrubs says whether a process of the mesh runs the broker, and so can scrub it.
func Scrubs(ctx context.Context, conn *transport.Conn) (bool, error) {
	err := transport.RetryWhile(ctx,
		func(err error) bool { return transport.IsLost(err) && !errors.Is(err, nats.ErrNoResponders) },
		func() error {
			_, err := conn.Request(ctx, transport.NewMessage(subjectScrub, nil), transport.ReadTimeout)
			return err
		})
	if errors.Is(err, nats.ErrNoResponders) {
		return false, nil
	}
	return err == nil, transport.Wrap(err, "ask whether the broker can be scrubbed")
}

// Scrub asks the process that runs the broker to scrub it, and waits for the end.
// id names the scrubbing: asked for again, it is done once.
func Scrub(ctx context.Context, conn *transport.Conn, id string) (records int, err error) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		answer, err := conn.Request(ctx, transport.NewMessage(subjectScrub, []byte(id)), time.Second)
		if err == nil {
			var a scrubAnswer
			if err := json.Unmarshal(answer.Data, &a); err != nil {
				return 0, fmt.Errorf("scrub: the answer is not JSON: %w", err)
			}
			if a.Error != "" {
				return a.Records, fmt.Errorf("scrub: %s", a.Error)
			}
			if a.Done {
				return a.Records, nil
			}
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("scrub: %w", errors.Join(err, ctx.Err()))
		case <-tick.C:
		}
	}
}
