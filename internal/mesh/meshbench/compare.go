package meshbench

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Row is a setting with its chains beside each other.
type Row struct {
	Replicas   int     `json:"replicas"`
	Processes  int     `json:"processes"`
	Workers    int     `json:"workers"`
	Bare       Result  `json:"bare"` // each of its middle round
	Hops       Result  `json:"hops"`
	Whole      Result  `json:"whole"`
	HopsRatio  float64 `json:"hops_to_bare"`  // turns a second; the median of the rounds
	WholeRatio float64 `json:"whole_to_bare"` // likewise
}

// Compare measures the three chains in turn, several times: on a machine with other
// work a single round says little.
func Compare(ctx context.Context, o Options, rounds int) (Row, error) {
	o = o.withDefaults()
	got := map[Chain][]Result{}
	var hops, whole []float64
	for range max(rounds, 1) {
		round := map[Chain]Result{}
		for _, chain := range []Chain{Bare, Hops, Whole} {
			r, err := Measure(ctx, chain, o)
			if err != nil {
				return Row{}, err
			}
			round[chain] = r
			got[chain] = append(got[chain], r)
		}
		hops = append(hops, round[Hops].PerSecond/round[Bare].PerSecond)
		whole = append(whole, round[Whole].PerSecond/round[Bare].PerSecond)
	}
	return Row{Replicas: o.Replicas, Processes: o.Processes, Workers: o.Workers,
		Bare: middle(got[Bare]), Hops: middle(got[Hops]), Whole: middle(got[Whole]), HopsRatio: median(hops),
		WholeRatio: median(whole)}, nil
}

func middle(all []Result) Result {
	slices.SortFunc(all, func(a, b Result) int { return cmp.Compare(a.PerSecond, b.PerSecond) })
	return all[len(all)/2]
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// Tax measures turns one at a time, each when the mesh has done with the one before
// it: as its passes return at once, all of their time is the mesh's.
func Tax(ctx context.Context, o Options) (Result, error) {
	o = o.withDefaults()
	o.Workers = 16
	var out Result
	err := withBroker(ctx, o.Replicas, func(b broker) error {
		s, err := build(ctx, b, Whole, o)
		if err != nil {
			return err
		}
		out, err = s.oneAtATime(ctx, o.Turns)
		if ended := s.end(); err == nil {
			err = ended
		}
		return err
	})
	return out, err
}

// warmUp is how many turns go before those that are measured.
const warmUp = 20

func (s *site) oneAtATime(ctx context.Context, n int) (Result, error) {
	client := mesh.NewClient(s.conn)
	return turns(ctx, client, func(ctx context.Context, ask func(context.Context, *schema.Request) error) (Result, error) {
		var took []time.Duration
		var sum time.Duration
		for i := range warmUp + n {
			begun := time.Now()
			if err := ask(ctx, request(i%8, i)); err != nil {
				return Result{}, err
			}
			if i >= warmUp {
				took = append(took, time.Since(begun))
				sum += took[len(took)-1]
			}
			if err := client.Idle(ctx); err != nil {
				return Result{}, err
			}
		}
		return resultOf(took, sum), nil
	})
}

// Scaled is the throughput of a turn of which so many replicas do one pass.
type Scaled struct {
	Replicas  int     `json:"replicas"`
	PerSecond float64 `json:"turns_per_second"`
	Linear    float64 `json:"to_linear"` // over what one replica does, times their number
}

// Sleeping is how long the handler of the pass takes that is scaled.
const Sleeping = 50 * time.Millisecond

// Scale adds replicas of the pass `think`, whose handler sleeps: each a process or at
// least a connection of its own, with o.Workers workers. The other passes are in a
// process of their own.
func Scale(ctx context.Context, o Options, replicas []int) ([]Scaled, error) {
	o = o.withDefaults()
	var out []Scaled
	for _, n := range replicas {
		of := o
		of.Turns = n * o.Turns // each for about as long
		var r Result
		err := withBroker(ctx, o.Replicas, func(b broker) error {
			s, err := buildOf(ctx, b, Whole, of, scaling(of, n))
			if err != nil {
				return err
			}
			r, err = s.load(ctx, of)
			if ended := s.end(); err == nil {
				err = ended
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		out = append(out, Scaled{Replicas: n, PerSecond: r.PerSecond})
	}
	for i := range out {
		out[i].Linear = out[i].PerSecond / float64(out[i].Replicas) / (out[0].PerSecond / float64(out[0].Replicas))
	}
	return out, nil
}

// scaling shares a turn out among a process with every pass but think, and n with
// that alone.
func scaling(o Options, n int) []Node {
	think := slices.Index(protocol.Passes, schema.PassThink)
	rest := Node{Chain: Whole, Workers: 64, Bytes: o.Bytes, Replicas: o.Replicas, Shared: true}
	for hop := range protocol.Passes {
		if hop != think {
			rest.Hops = append(rest.Hops, hop)
		}
	}
	nodes := []Node{rest}
	for range n {
		nodes = append(nodes, Node{Chain: Whole, Hops: []int{think}, Workers: o.Workers, Bytes: o.Bytes, Replicas: o.Replicas,
			Shared: true, Sleep: Sleeping})
	}
	return nodes
}
