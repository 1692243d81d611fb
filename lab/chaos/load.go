package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/lore"
	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/text"
	"github.com/forsooth-npc/forsooth/internal/voice"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/lab/invariant"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// backendKinds are what a backend does that is hard on a mesh.
var backendKinds = []string{"published-twice", "published-again", publishedLate, "superseded", "cancelled", "due-early",
	"due-late", "due-twice"}

// publishedLate: a turn comes again when nobody remembers its id.
const publishedLate = "published-late"

// conversations is how many players talk at once.
const conversations = 24

// load is the players.
type load struct {
	r     *run
	asked map[string][]string // by NPC, what may be asked of it

	later sync.WaitGroup // what is still to happen to turns

	mu        sync.Mutex
	accepted  []accepted
	lateDue   map[string]bool
	forgotten []invariant.Outage
}

// accepted is a turn that the mesh took.
type accepted struct {
	invariant.Accepted
	request *schema.Request // nil: it was none
}

func newLoad(r *run) *load {
	l := &load{r: r, asked: map[string][]string{}, lateDue: map[string]bool{}}
	for _, handle := range r.World.Handles() {
		questions := []string{"Good day to you.", "Have you ever been to Quellamar?",
			"I work at the ropewalk, and I like cider.", "What did I tell you about me?"}
		for i, d := range r.World.Documents {
			if r.World.InScope(d, r.World.NPCs[handle]) && len(d.Keywords) > 0 {
				questions = append(questions, "What do you know about "+d.Keywords[i%len(d.Keywords)]+"?")
			}
		}
		l.asked[handle] = questions
	}
	return l
}

// mark is a word of one conversation.
func mark(convo int) string { return fmt.Sprintf("zq%03dn", convo) }

func (l *load) convo(n int) schema.ConversationID {
	handles := l.r.World.Handles()
	return schema.ConversationID{World: l.r.World.Name, NPC: handles[n%len(handles)], Player: fmt.Sprintf("p%d", n)}
}

// run has every conversation say its share of the turns; none begins one after
// breaking has ended.
func (l *load) run(ctx, breaking context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	n := min(conversations, l.r.Turns)
	for c := range n {
		turns := l.r.Turns / n
		if c < l.r.Turns%n {
			turns++
		}
		g.Go(func() error { return l.converse(ctx, breaking, c, turns) })
	}
	return g.Wait()
}

func (l *load) converse(ctx, breaking context.Context, c, turns int) error {
	d := l.r.dice(1000 + uint64(c))
	pause := l.r.For / time.Duration(turns+1)
	began := time.Now()
	var last string
	var err error
	for i := range turns {
		// By the clock, so that what a busy conversation lost is made up for.
		at := began.Add(pause*time.Duration(i) + between(d, 0, pause))
		if !sleep(breaking, time.Until(at)) {
			return ctx.Err()
		}
		if last, err = l.one(ctx, d, c, i, last); err != nil {
			return err
		}
	}
	return nil
}

// one is a turn with its trouble; its id is the last of the next.
func (l *load) one(ctx context.Context, d *rand.Rand, c, i int, last string) (string, error) {
	r := l.request(d, c, i)
	if x := d.Float64(); last != "" && (x < 0.03 || l.r.one != "") && l.r.allowed("superseded") {
		r.Supersedes = last
		l.r.counts.add("superseded", 1)
	}
	if socket := l.r.doors.of(c); socket != nil {
		if err := socket.say(ctx, r); err != nil {
			return "", err
		}
	}
	a, err := l.say(ctx, r) // of one that a socket has said it gives the place in the queue
	if err != nil {
		return "", err
	}
	l.trouble(ctx, d, r, a)
	return r.TurnID, nil
}

// single is turn i of the nth fault that is struck alone: in one conversation after
// the other, and now and then twice in one.
func (l *load) single(ctx context.Context, d *rand.Rand, n, i int) error {
	c := (n + i) % conversations
	last, err := l.one(ctx, d, c, 1000*n+2*i, "")
	if err == nil && i%2 == 0 {
		_, err = l.one(ctx, d, c, 1000*n+2*i+1, last)
	}
	return err
}

// request is turn i of a conversation. Its id is its player's name as well, by which
// it is found in a prompt; and now and then the player tells what no other does.
func (l *load) request(d *rand.Rand, c, i int) *schema.Request {
	convo := l.convo(c)
	id := fmt.Sprint(mark(c), i)
	questions := l.asked[convo.NPC]
	message := questions[d.IntN(len(questions))]
	if i%5 == 1 {
		message = "My dog is called " + mark(c) + "."
	}
	return &schema.Request{TurnID: id, World: convo.World, NPC: convo.NPC, Player: convo.Player, PlayerName: id,
		Message: message, DeadlineMS: l.deadline(d)}
}

// say publishes a turn until the mesh has it: the same turn as often as the answer is
// lost.
func (l *load) say(ctx context.Context, r *schema.Request) (invariant.Accepted, error) {
	for {
		taken, err := l.r.client.Publish(ctx, r)
		switch {
		case err == nil:
			a := invariant.Accepted{Convo: r.Conversation(), Turn: r.TurnID, Sequence: taken.Sequence, At: time.Now(),
				Deadline: r.Deadline()}
			l.take(accepted{a, r})
			return a, nil
		case ctx.Err() != nil:
			return invariant.Accepted{}, ctx.Err()
		case errors.Is(err, schema.ErrInvalid):
			return invariant.Accepted{}, err
		}
		wait := 100 * time.Millisecond
		var refused *mesh.RefusedError
		if errors.As(err, &refused) {
			wait = refused.RetryAfter
		}
		sleep(ctx, wait)
	}
}

// troubles are what a backend, and a broker's clock, do to turns besides, and how often.
var troubles = []struct {
	kind string
	rate float64
}{{"published-twice", 0.05}, {"published-again", 0.03}, {"cancelled", 0.03}, {"due-early", 0.007}, {"due-late", 0.007},
	{"due-twice", 0.007}}

// drawn is the trouble of a turn; empty for most.
func (l *load) drawn(d *rand.Rand) string {
	x := d.Float64()
	if l.r.one != "" {
		return l.r.one
	}
	for _, t := range troubles {
		if x -= t.rate; x < 0 {
			return t.kind
		}
	}
	return ""
}

// trouble is what a backend does to a turn besides.
func (l *load) trouble(ctx context.Context, d *rand.Rand, r *schema.Request, a invariant.Accepted) {
	kind := l.drawn(d)
	if !l.r.allowed(kind) {
		return
	}
	switch kind {
	case "published-twice":
		if _, err := l.r.client.Publish(ctx, r); err == nil {
			l.r.counts.add(kind, 1)
		}
	case "published-again": // once it has its reply, or nearly
		sleep(ctx, between(d, 500*time.Millisecond, 2*time.Second))
		if _, err := l.r.client.Publish(ctx, r); err == nil {
			l.r.counts.add(kind, 1)
		}
	case "cancelled":
		sleep(ctx, between(d, 0, 200*time.Millisecond))
		short, stop := context.WithTimeout(ctx, time.Second) // a lost cancel leaves the deadline
		defer stop()
		if l.r.client.Cancel(short, r.Conversation(), r.TurnID) == nil {
			l.r.counts.add(kind, 1)
		}
	case "due-early", "due-late", "due-twice":
		dueFaults[kind](ctx, l, d, a)
	}
}

// take keeps a turn that was accepted.
func (l *load) take(a accepted) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accepted = append(l.accepted, a)
}

// some are turns of requests, drawn from those that were accepted.
func (l *load) some(d *rand.Rand, n int) []accepted {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []accepted
	for range n {
		if len(l.accepted) == 0 {
			break
		}
		if a := l.accepted[d.IntN(len(l.accepted))]; a.request != nil {
			out = append(out, a)
		}
	}
	return out
}

// expectAll has every turn that is under way ended by its deadline, for all that
// anybody may expect.
func (l *load) expectAll(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.accepted {
		if now.Sub(a.At) < 2*a.Deadline {
			l.r.expect(a.Turn)
		}
	}
}

// late has a turn's deadline come late.
func (l *load) late(turn string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lateDue[turn] = true
}

// forgot is a time in which message ids were forgotten.
func (l *load) forgot(from, to time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forgotten = append(l.forgotten, invariant.Outage{Begin: from, End: to})
}

// found is the run as the invariants want it.
func (l *load) found(kept invariant.Kept) *invariant.Run {
	out := &invariant.Run{Ended: l.r.ended, MostEnded: l.r.Ended, Late: l.lateDue, Still: l.r.still.times(),
		Forgotten: l.forgotten, Outages: l.r.broker.away(), Prompts: l.r.models.asked(),
		Marks: map[string]schema.ConversationID{},
		Notes: notes(l.r.World), Authored: authored(l.r.World), Repeated: l.r.fleet.repeated, Heard: l.r.doors.heard(),
		Kept: kept}
	for _, a := range l.accepted {
		out.Accepted = append(out.Accepted, a.Accepted)
	}
	for c := range conversations {
		out.Marks[mark(c)] = l.convo(c)
	}
	return out
}

// notes are the sentences of each NPC's own documents that stand nowhere else.
func notes(w *world.World) map[string][]string {
	const telling = 40 // bytes: a shorter sentence may be anybody's
	owners := map[string]map[string]bool{}
	for _, d := range w.Documents {
		for _, p := range d.Passages {
			for _, s := range text.Sentences(p.Text) {
				if owners[s] == nil {
					owners[s] = map[string]bool{}
				}
				for _, handle := range w.Handles() {
					if w.InScope(d, w.NPCs[handle]) {
						owners[s][handle] = true
					}
				}
			}
		}
	}
	out := map[string][]string{}
	for s, knows := range owners {
		if len(knows) != 1 || len(s) < telling {
			continue
		}
		for handle := range knows {
			out[handle] = append(out[handle], s)
		}
	}
	return out
}

// authored says whether a text is a line, or a phrase of an action, of an NPC.
func authored(w *world.World) func(schema.ConversationID, string) bool {
	x := &lore.Lore{World: w}
	lines := map[string]map[string]bool{}
	for _, handle := range w.Handles() {
		npc := w.NPCs[handle]
		all := llmtest.Lines(npc, "")
		for _, a := range npc.Actions {
			all = append(all, a.SpeechActs...)
		}
		lines[handle] = map[string]bool{}
		for _, line := range all {
			lines[handle][voice.Release(line, x.Person(npc))] = true
		}
	}
	return func(c schema.ConversationID, line string) bool { return lines[c.NPC][line] }
}

// deadline is how long a turn may take, in milliseconds.
func (l *load) deadline(d *rand.Rand) int {
	drawn := []int{4000, 8000, 8000, 12000}[d.IntN(4)] // drawn in any case, so that a seed stays the same choices
	if l.r.Deadline > 0 {
		return int(l.r.Deadline / time.Millisecond)
	}
	return drawn
}
