package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/natstest"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// asked are the messages of the fleet's tests.
var asked = []string{
	"Who owns the ferry?", "What does a crossing cost?", "When did the mill burn?", "How much rye was lost in the fire?",
	"Who forged the hinges of the north gate?", "What does Osric owe you?", "Where were you born?", "Hello.", "Thank you.",
	"What walks the lake at night?", "Who was found guilty of arson?", "Who is the king of Ardenmoor?",
	"What is your trade?",
	"Where is the ledger?", "The mill burned in May, did it not?",
}

// backend publishes turns to a mesh and reads their replies.
type backend struct {
	t      *testing.T
	client *mesh.Client
}

func newBackend(t *testing.T, url string) *backend { return newBackendAs(t, url, transport.Login{}) }

func newBackendAs(t *testing.T, url string, login transport.Login) *backend {
	t.Helper()
	conn, err := transport.Connect(t.Context(), transport.Dial{URL: url, Name: t.Name(), Login: login})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return &backend{t: t, client: mesh.NewClient(conn)}
}

func turnOf(i int) *schema.Request {
	npc := []string{"mira", "osric"}[i%2]
	return &schema.Request{TurnID: fmt.Sprintf("turn-%03d", i), World: "village", NPC: npc, Player: fmt.Sprint("p", i),
		Message: asked[i/2%len(asked)], DeadlineMS: schema.MaxDeadlineMS}
}

func (b *backend) publish(i int) {
	b.t.Helper()
	if _, err := b.client.Publish(b.t.Context(), turnOf(i)); err != nil {
		b.t.Error(err)
	}
}

// reply waits for the reply of a turn.
func (b *backend) reply(i int) *schema.Reply {
	b.t.Helper()
	q := turnOf(i)
	ctx, cancel := context.WithTimeout(b.t.Context(), 90*time.Second)
	defer cancel()
	events, err := b.client.Watch(ctx, q.Conversation(), q.TurnID)
	if err != nil {
		b.t.Fatal(err)
	}
	var reply *schema.Reply
	for e := range events {
		if e.Reply != nil {
			reply = e.Reply
		}
	}
	if reply == nil {
		b.t.Fatalf("turn %d has no reply", i)
	}
	return reply
}

// essence is what players and auditors see of a reply.
func essence(r *schema.Reply) string {
	out := string(r.Status) + " " + r.Reason
	for _, s := range r.Sentences {
		var evidence []string
		for _, e := range s.Evidence {
			evidence = append(evidence, e.Path+": "+e.Text)
		}
		out += "\n" + s.Text + " <- " + strings.Join(evidence, " | ")
	}
	return out
}

// fleet is a process for each of these services.
type fleet struct {
	s         *site
	url       string
	services  []string
	processes []*process
}

func (f *fleet) begin(service string) *process {
	p := f.s.start("serve", service, "--world", f.s.path("village"), "--nats", f.url)
	p.says("ready in .*" + service)
	return p
}

func newFleet(s *site, url string, services ...string) *fleet {
	f := &fleet{s: s, url: url, services: services}
	for _, name := range services {
		f.processes = append(f.processes, f.begin(name))
	}
	return f
}

// The whole mesh in one process, and a fleet of processes on a server of its own,
// answer the same turns with the same words from the same evidence. Then every
// process of the fleet is restarted while turns flow: none is lost, none is run
// twice.
func TestAFleetAnswersAsUpDoesAndIsRestartedWithoutLoss(t *testing.T) {
	const turns = 30
	s, alone := newSite(t), newSite(t)
	s.village()
	alone.village()
	s.run("lore", "index", s.path("village")).wants(t, exitFine)
	alone.run("lore", "index", alone.path("village")).wants(t, exitFine)

	up := alone.start("up", "--world", alone.path("village"), "--json")
	var ready Ready
	if err := json.Unmarshal([]byte(up.says(`(?s)(\{.*\})\n`)[1]), &ready); err != nil {
		t.Fatal(err)
	}
	one := newBackend(t, ready.NATS)
	for i := range turns {
		one.publish(i)
	}
	want := map[int]string{}
	statuses := map[schema.Status]int{}
	for i := range turns {
		r := one.reply(i)
		want[i] = essence(r)
		statuses[r.Status]++
	}
	up.signal(syscall.SIGTERM)
	up.end()

	server := natstest.Start(t, natstest.JetStream(t))
	f := newFleet(s, server.URL, "retriever", "retriever", "monologue", "reviewer", "reviewer", "speaker", "actions",
		"memory")
	many := newBackend(t, server.URL)
	for i := range turns {
		many.publish(i)
	}
	for i := range turns {
		if got := essence(many.reply(i)); got != want[i] {
			t.Errorf("turn %d, %q: the fleet answers\n%s\nand up\n%s", i, turnOf(i).Message, got, want[i])
		}
	}
	t.Logf("%d turns alike: %v", turns, statuses)
	f.restartEach(t, many, turns)
}

func (f *fleet) restartEach(t *testing.T, b *backend, first int) {
	var next, redelivered atomic.Int64
	next.Store(int64(first))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var flow sync.WaitGroup
	flow.Go(func() {
		for ctx.Err() == nil {
			b.publish(int(next.Add(1)) - 1)
			_, consumers, err := b.client.Inspect(t.Context())
			if err != nil {
				t.Error(err)
			}
			for _, c := range consumers {
				redelivered.Add(int64(c.Redelivered))
			}
			time.Sleep(200 * time.Millisecond)
		}
	})
	for i, name := range f.services {
		f.processes[i].signal(syscall.SIGTERM)
		if code := f.processes[i].end(); code != exitFine {
			t.Errorf("%s ends with %d: %s", name, code, f.processes[i].err.text)
		}
		f.processes[i] = f.begin(name)
	}
	stop()
	flow.Wait()
	again := 0
	for i := first; i < int(next.Load()); i++ {
		r := b.reply(i)
		if r.Status == schema.StatusAuthored || r.Status == schema.StatusAborted {
			t.Errorf("turn %d ends %s %s", i, r.Status, r.Reason)
		}
		for _, p := range r.Passes {
			if p.Attempt > 1 {
				again++
			}
		}
	}
	t.Logf("rolling restart: %d processes, %d turns, 0 lost, %d redelivered, %d passes run again", len(f.services),
		int(next.Load())-first, redelivered.Load(), again)
	if redelivered.Load() > 0 || again > 0 {
		t.Errorf("%d redelivered, %d passes run again", redelivered.Load(), again)
	}
}
