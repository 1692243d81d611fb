package app_test

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/app"
	"github.com/forsooth-npc/forsooth/internal/embed"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/store"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant"
	"github.com/forsooth-npc/forsooth/internal/store/qdrant/edgetest"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// notices are the lines that an app told.
type notices struct {
	mu   sync.Mutex
	all  []string
	more chan struct{} // closed when the next comes; nil: nobody waits
}

func (n *notices) take(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.all = append(n.all, line)
	if n.more != nil {
		close(n.more)
		n.more = nil
	}
}

// next is closed when one more comes.
func (n *notices) next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.more == nil {
		n.more = make(chan struct{})
	}
	return n.more
}

// await waits until one holds a text.
func (n *notices) await(t *testing.T, text string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	for {
		more := n.next() // before the look: none is missed between the two
		if len(n.of(text)) > 0 {
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			t.Fatalf("nothing is said of %q", text)
		}
	}
}

// of are those that hold a text.
func (n *notices) of(text string) (out []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, line := range n.all {
		if strings.Contains(line, text) {
			out = append(out, line)
		}
	}
	return out
}

// once wants exactly one line that holds the first text, and the others in it.
func (n *notices) once(t *testing.T, text string, more ...string) {
	t.Helper()
	lines := n.of(text)
	if len(lines) != 1 || strings.Contains(lines[0], "\n") || slices.ContainsFunc(more,
		func(m string) bool { return !strings.Contains(lines[0], m) }) {
		t.Errorf("want one line with %q and %q, got %q", text, more, lines)
	}
}

// sitBy is a table whose memories are on a server.
func sitBy(t *testing.T, addr, prefix string) (*table, *notices) {
	t.Helper()
	tb := &table{t: t, dir: t.TempDir(), guards: guards.Default(), qdrant: app.Qdrant{Addr: addr, Prefix: prefix,
		Nodes: 1}, notices: &notices{}}
	tb.start()
	return tb, tb.notices
}

// note is what the trace of the last turn says of the retrieval.
func (tb *table) note(r *schema.Reply) string {
	tb.t.Helper()
	traces, err := tb.app.Client.Trace(tb.t.Context(), r.TurnID)
	if err != nil {
		tb.t.Fatal(err)
	}
	for i := range traces {
		if turn := traces[i].Turn; turn != nil {
			for _, p := range turn.Passes {
				if p.Note != "" {
					return p.Note
				}
			}
		}
	}
	return ""
}

// answered says a line whose memories nobody waits for.
func (tb *table) answered(message string, at time.Time) *schema.Reply {
	tb.t.Helper()
	return tb.turn("mira", "p1", "Ansel", message, at, nil)
}

func TestQdrantIsDownAtTheStartAndComesBack(t *testing.T) {
	server := edgetest.Own(t)
	server.Stop(t)
	tb, told := sitBy(t, server.Addr, "")
	told.once(t, "the worlds are indexed in the data folder this time", server.Addr, "cannot be reached")
	told.once(t, "nothing is remembered beyond the conversation", server.Addr, "cannot be reached")

	begin := time.Now()
	tb.answered("I come from the coast.", dayOne)
	tb.answered("Well met.", dayOne)
	r := tb.answered("Where did I live two days ago?", dayOne)
	if r.Status != schema.StatusUnknown || !strings.Contains(tb.note(r), "memories: ") ||
		!strings.Contains(tb.note(r), server.Addr) {
		t.Errorf("%s %q; the trace says %q", r.Status, r.Text, tb.note(r))
	}
	if r := tb.answered("Who owns the ferry?", dayOne); r.Text != "Teague owns the ferry." {
		t.Errorf("of the world: %s %q", r.Status, r.Text)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("four turns without the store took %v", took)
	}

	server.Restart(t)
	tb.recovered()
	told.once(t, "can be reached again")
	if r := tb.say("mira", "p1", "Ansel", "Where do I come from?", dayOne.AddDate(0, 0, 1)); !strings.Contains(r.Text,
		"the coast") || tb.note(r) != "" {
		t.Errorf("%s %q, %q", r.Status, r.Text, tb.note(r))
	}
}

func TestQdrantIsLostInTheMiddleAndComesBack(t *testing.T) {
	server := edgetest.Own(t)
	tb, told := sitBy(t, server.Addr, "")
	tb.say("mira", "p1", "Ansel", "I come from the coast.", dayOne)
	server.Kill(t)
	r := tb.answered("Where did I live two days ago?", dayOne)
	if r.Status != schema.StatusUnknown || !strings.Contains(tb.note(r), "memories: ") {
		t.Errorf("%s %q; the trace says %q", r.Status, r.Text, tb.note(r))
	}
	tb.answered("My brother Tom works at the ropewalk in Osterwick.", dayOne)
	told.once(t, "nothing is remembered beyond the conversation", server.Addr)
	server.Restart(t)
	tb.recovered()
	told.once(t, "can be reached again")
	for question, want := range map[string]string{"Where do I come from?": "the coast",
		"Where does my brother work?": "ropewalk"} {
		if r := tb.say("mira", "p1", "Ansel", question, dayOne.AddDate(0, 0, 1)); !strings.Contains(r.Text, want) {
			t.Errorf("%s: %s %q", question, r.Status, r.Text)
		}
	}
	tb.restart() // the worlds are read from the server now
	if len(told.of("the worlds are indexed in the data folder")) > 0 {
		t.Errorf("%q", told.all)
	}
	if r := tb.say("mira", "p1", "Ansel", "Where do I come from?", dayOne.AddDate(0, 0, 2)); !strings.Contains(r.Text,
		"the coast") {
		t.Errorf("after a restart: %s %q", r.Status, r.Text)
	}
}

func TestCollectionsOfAnotherDimensionAreLeftAlone(t *testing.T) {
	server := edgetest.Own(t)
	other := qdrant.Options{Addr: server.Addr, Dimension: 3}
	session, err := qdrant.OpenSession(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := qdrant.OpenCorpus(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	kept := store.MemoryPoint{Memory: schema.Memory{ID: "m1", World: "w", NPC: "n", Content: "Kept.",
		Source: schema.OriginUser, Spans: []schema.MemorySpan{{Text: "Kept."}}}}
	if err := session.Put(t.Context(), []store.MemoryPoint{kept}); err != nil {
		t.Fatal(err)
	}
	tb, told := sitBy(t, server.Addr, "")
	told.once(t, "the worlds are indexed in the data folder this time", "3 dimensions", "another prefix")
	told.once(t, "nothing is remembered beyond the conversation", "3 dimensions", "another prefix")
	r := tb.answered("Where did I live two days ago?", dayOne)
	if r.Status != schema.StatusUnknown || !strings.Contains(tb.note(r), "3 dimensions") {
		t.Errorf("%s %q; the trace says %q", r.Status, r.Text, tb.note(r))
	}
	if r := tb.answered("Who owns the ferry?", dayOne); r.Text != "Teague owns the ferry." {
		t.Errorf("of the world: %s %q", r.Status, r.Text)
	}
	if n, err := session.Count(t.Context(), store.MemoryFilter{World: "w"}); n != 1 || err != nil {
		t.Errorf("what was there: %d, %v", n, err)
	}
	if session.Close() != nil || corpus.Close() != nil {
		t.Error("close")
	}
}

// A server with collections of a later build is left as it is, with one line for each;
// turns are answered, and the trace says without what.
func TestCollectionsOfAnotherSchemaVersionAreLeftAlone(t *testing.T) {
	server := edgetest.Own(t)
	tb, _ := sitBy(t, server.Addr, "")
	tb.say("mira", "p1", "Ansel", "I live in Oakham.", dayOne)
	tb.stop()
	own := map[string]int{}
	for _, name := range []string{"session", "corpus"} {
		own[name] = edgetest.SetVersion(t, server.Addr, name, 99)
	}
	tb.notices = &notices{}
	tb.start()
	tb.notices.once(t, "the worlds are indexed in the data folder this time", "schema version 99")
	tb.notices.once(t, "nothing is remembered beyond the conversation", "schema version 99")
	r := tb.answered("Where do I live?", dayOne)
	if !strings.Contains(tb.note(r), "schema version 99") {
		t.Errorf("%s %q; the trace says %q", r.Status, r.Text, tb.note(r))
	}
	if r := tb.answered("Who owns the ferry?", dayOne); r.Text != "Teague owns the ferry." {
		t.Errorf("of the world: %s %q", r.Status, r.Text)
	}
	tb.stop()
	for name, version := range own {
		edgetest.SetVersion(t, server.Addr, name, version)
	}
	tb.start()
	tb.settle()
	if r := tb.answered("Where do I live?", dayOne); !strings.Contains(r.Text, "Oakham") {
		t.Errorf("with its own version again: %s %q", r.Status, r.Text)
	}
}

// recovered waits until the server can be reached and the index has all of the log.
func (tb *table) recovered() {
	tb.t.Helper()
	ctx, cancel := context.WithTimeout(tb.t.Context(), 20*time.Second)
	defer cancel()
	for {
		err := tb.app.MemorySettled(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			tb.t.Fatalf("%v; told %q", err, tb.notices.all)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// unused is an address where nobody listens.
func unused(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// Without any server, the engine in Python included: what a start without Qdrant
// costs, and that it is told.
func TestNoServerAtAll(t *testing.T) {
	tb, told := sitBy(t, unused(t), "game_")
	told.once(t, "nothing is remembered beyond the conversation", "game_session")
	if r := tb.answered("Who owns the ferry?", dayOne); r.Text != "Teague owns the ferry." {
		t.Errorf("%s %q", r.Status, r.Text)
	}
	if s, _, err := app.OpenSession(t.Context(), app.Options{Qdrant: tb.qdrant,
		Worlds: []*world.World{}}); err == nil || s != nil {
		t.Errorf("a command opens %v, %v", s, err)
	}
}

func TestQdrantComesBackEmpty(t *testing.T) {
	server := edgetest.Own(t)
	tb, told := sitBy(t, server.Addr, "")
	tb.say("mira", "p1", "Ansel", "I come from the coast.", dayOne)
	server.Stop(t)
	_, port, _ := strings.Cut(server.Addr, ":")
	edgetest.Own(t, "--port", port)
	tb.answered("What did I tell you?", dayOne) // somebody notices
	tb.recovered()
	if r := tb.say("mira", "p1", "Ansel", "Where do I come from?", dayOne.AddDate(0, 0, 1)); !strings.Contains(r.Text,
		"the coast") {
		t.Errorf("%s %q; told %q", r.Status, r.Text, told.all)
	}
}

// While the server is away an NPC of whom all is kept answers, and another says that it
// cannot answer now: not that it does not know.
func TestLoreOnAServerThatIsAway(t *testing.T) {
	server := edgetest.Own(t)
	tb, _ := sitBy(t, server.Addr, "")
	const question, answer = "Who owns the ferry?", "Teague owns the ferry."
	if r := tb.answered(question, dayOne); r.Text != answer {
		t.Fatalf("with the server: %s %q", r.Status, r.Text)
	}
	server.Kill(t)
	if r := tb.answered(question, dayOne); r.Text != answer {
		t.Errorf("of whom all is kept: %s %q", r.Status, r.Text)
	}
	r := tb.turnWithin(3000, "osric", "p1", "Ansel", question, dayOne, nil)
	if r.Status != schema.StatusAuthored || r.Reason != schema.ReasonDeadline || r.Text != "Let me think." {
		t.Errorf("of whom nothing is kept: %s %s %q; want the line of a turn that found no time", r.Status, r.Reason,
			r.Text)
	}
	server.Restart(t)
	tb.recovered()
	if r := tb.turn("osric", "p1", "Ansel", question, dayOne, nil); r.Text != answer {
		t.Errorf("with the server again: %s %q", r.Status, r.Text)
	}
}

// A server that takes no writes keeps nobody from starting: one line says that the worlds
// are in the data folder.
func TestQdrantThatTakesNoWrites(t *testing.T) {
	static, err := embed.NewStatic()
	if err != nil {
		t.Fatal(err)
	}
	server := edgetest.Own(t)
	empty, err := qdrant.OpenCorpus(t.Context(), qdrant.Options{Addr: server.Addr, Dimension: static.Dim()})
	if err != nil {
		t.Fatal(err)
	}
	if err := empty.Close(); err != nil {
		t.Fatal(err)
	}
	server.Stop(t)
	server.RestartWith(t, "--read-only")
	tb, told := sitBy(t, server.Addr, "")
	told.once(t, "the worlds are indexed in the data folder this time", server.Addr, "API key")
	if r := tb.answered("Who owns the ferry?", dayOne); r.Text != "Teague owns the ferry." {
		t.Errorf("of the world: %s %q", r.Status, r.Text)
	}
}
