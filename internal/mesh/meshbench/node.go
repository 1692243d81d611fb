package meshbench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Node is a share of a chain's hops, done by one process.
type Node struct {
	Chain    Chain         `json:"chain"`
	URL      string        `json:"url"`
	Hops     []int         `json:"hops"` // of ChainHops; in a turn the passes of that number
	Workers  int           `json:"workers"`
	Bytes    int           `json:"bytes"`
	Replicas int           `json:"replicas"`
	Shared   bool          `json:"shared"` // others do the same hops
	Sleep    time.Duration `json:"sleep"`  // of each of its handlers
}

// Spawn makes a command that calls Serve with the node as JSON; its standard input
// is held open as long as it is to live.
type Spawn func(node string) *exec.Cmd

// Serve is a process of a bench: it does its share of the hops until its input ends.
func Serve(ctx context.Context, node string, in io.Reader, out io.Writer) error {
	var n Node
	if err := json.Unmarshal([]byte(node), &n); err != nil {
		return fmt.Errorf("a node of a bench: %w", err)
	}
	conn, err := transport.Connect(ctx, transport.Dial{URL: n.URL, Name: "bench node", Timeout: 10 * time.Second})
	if err != nil {
		return err
	}
	defer conn.Close()
	stop, err := n.start(ctx, conn)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "ready")
	if err == nil {
		_, err = io.Copy(io.Discard, in)
	}
	return errors.Join(err, stop())
}

// start does the node's share over a connection until it is stopped.
func (n *Node) start(ctx context.Context, conn *transport.Conn) (stop func() error, err error) {
	return n.run(ctx, conn, n.mesh(conn))
}

func (n *Node) run(ctx context.Context, conn *transport.Conn, m *mesh.Mesh) (stop func() error, err error) {
	if n.Chain == Bare {
		stop, err := mesh.Bare(conn).Work(ctx, n.Hops, n.Workers)
		return func() error { stop(); return nil }, err
	}
	if n.Chain == Hops {
		m.HopChain(n.passes()...)
	} else {
		n.register(m)
	}
	running, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- m.Run(running) }()
	stop = func() error {
		cancel()
		return <-done
	}
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for len(m.Unbound()) > 0 {
		select {
		case err := <-done:
			cancel()
			return nil, err
		case <-ticker.C:
		}
	}
	return stop, nil
}

func (n *Node) mesh(conn *transport.Conn) *mesh.Mesh {
	return mesh.New(conn, mesh.Options{Settings: transport.Settings{Replicas: n.Replicas}, Workers: n.Workers,
		Shared: n.Shared})
}

func (n *Node) passes() []schema.Pass {
	var out []schema.Pass
	for _, hop := range n.Hops {
		out = append(out, protocol.Passes[hop])
	}
	return out
}

// register composes passes that only pass on. The intake stands with the first
// pass and the ends with the last, as in the services.
func (n *Node) register(m *mesh.Mesh) {
	pad := padding(n.Bytes)
	for i, pass := range protocol.Passes {
		if !slices.Contains(n.Hops, i) {
			continue
		}
		next := schema.PassDone
		if i+1 < len(protocol.Passes) {
			next = protocol.Passes[i+1]
		}
		m.Handle(pass, func(ctx context.Context, t *protocol.Turn) (schema.Pass, error) {
			if n.Sleep > 0 {
				time.Sleep(n.Sleep)
			}
			switch pass {
			case schema.PassRetrieve:
				t.Evidence = pad
			case schema.PassReviewSpeech:
				if err := release(ctx, m, t); err != nil {
					return "", err
				}
			case schema.PassAct:
				t.Reply = &schema.Reply{Status: schema.StatusAnswered, Audit: schema.FullyCited, Sentences: t.Released}
			}
			return next, nil
		})
	}
	if slices.Contains(n.Hops, 0) {
		m.Intake(mesh.Intake{})
	}
	if slices.Contains(n.Hops, len(protocol.Passes)-1) {
		m.Ends(mesh.Ends{Apply: func(doc *schema.Conversation, r *schema.Reply) { doc.Turns++ }})
	}
}

func release(ctx context.Context, m *mesh.Mesh, t *protocol.Turn) error {
	state, err := m.Said().Load(ctx, t)
	if err != nil || state.Closed || len(state.Sentences) > 0 {
		return err
	}
	text := "The mill burned in spring."
	s := schema.Sentence{Seq: 1, Text: text, Evidence: []schema.EvidenceRef{}, Hash: protocol.HashText(text)}
	return m.Said().Release(ctx, t,
		protocol.ReviewRecord{TurnID: t.TurnID, Seq: 1, Hash: s.Hash, Evidence: []string{"lore/mill.md#1"}}, s)
}
