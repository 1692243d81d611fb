package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh"
	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A backend that imports the SDK must not carry the mesh's weights: no server,
// no store, no model.
func TestDependenciesStayLight(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if !bytes.Contains(out, []byte("github.com/nats-io/nats.go")) {
		t.Fatal("the list does not hold nats.go: it is no list of dependencies")
	}
	for dep := range strings.Lines(string(out)) {
		for _, heavy := range []string{"nats-server", "sqlite", "internal/embed", "internal/store", "internal/entail",
			"internal/llm", "forsooth/worlds"} {
			if strings.Contains(strings.TrimPrefix(dep, "github.com/forsooth-npc/"), heavy) {
				t.Errorf("pkg/client pulls in %s", strings.TrimSpace(dep))
			}
		}
	}
}

func TestIDsAreSortedAndUniqueWithinAMillisecond(t *testing.T) {
	now := time.UnixMilli(1_700_000_000_000)
	next := ids(Options{Now: func() time.Time { return now }, Rand: rand.NewChaCha8([32]byte{})})
	last := ""
	for range 100 {
		id := next()
		if id <= last || len(id) != 26 {
			t.Fatalf("%q does not follow %q", id, last)
		}
		last = id
	}
}

// A backend's whole day: say, read the sentences, read the reply again, be
// refused, cancel.
func TestSay(t *testing.T) {
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	stop := runMesh(t, server)
	defer stop()
	c, err := Connect(t.Context(), server.URL(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()

	request := schema.Request{World: "hollowmere", NPC: "mira", Player: "p42", Message: "Who burned the mill?"}
	turn, err := c.Say(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for s, err := range turn.Sentences(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, s.Text)
	}
	reply, err := turn.Reply(t.Context())
	if err != nil || reply.Text != strings.Join(said, " ") || len(said) != 1 {
		t.Fatalf("said %v, reply %+v, %v", said, reply, err)
	}
	again, err := c.Reply(t.Context(), turn.Conversation, turn.ID)
	if err != nil || again.Text != reply.Text {
		t.Errorf("read again: %+v, %v", again, err)
	}
	if _, err := c.Reply(t.Context(), turn.Conversation, "never"); !errors.Is(err, ErrNotFound) {
		t.Errorf("a turn that never was: %v", err)
	}
	request.Player = "a.b"
	if _, err := c.Say(t.Context(), request); !errors.Is(err, schema.ErrInvalid) || RetryAfter(err) != 0 {
		t.Errorf("a bad id: %v", err)
	}

	request.Player, request.Message = "p43", "wait"
	turn, err = c.Say(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := turn.Next(t.Context()); err == nil && e.Kind != schema.SaidThinking; e, err = turn.Next(t.Context()) {
	}
	if err := c.Cancel(t.Context(), turn.Conversation, turn.ID); err != nil {
		t.Fatal(err)
	}
	if reply, err := turn.Reply(t.Context()); err != nil || reply.Status != schema.StatusAborted {
		t.Errorf("cancelled: %+v, %v", reply, err)
	}

	short, cancel := context.WithCancel(t.Context())
	turn, err = c.Watch(short, turn.Conversation, "unheard-of")
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if reply, err := turn.Reply(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("nothing to wait for: %+v, %v", reply, err)
	}
}

// runMesh answers every turn with one sentence, except a message "wait".
func runMesh(t *testing.T, server *embedded.Server) (stop func()) {
	t.Helper()
	conn, err := transport.Connect(t.Context(), transport.Dial{InProcess: server})
	if err != nil {
		t.Fatal(err)
	}
	m := mesh.New(conn, mesh.Options{})
	if err := m.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, p := range protocol.Passes {
		m.Handle(p, func(ctx context.Context, turn *protocol.Turn) (schema.Pass, error) {
			switch {
			case p == schema.PassThink && turn.Message == "wait":
				<-ctx.Done()
				return "", ctx.Err()
			case p == schema.PassReviewSpeech:
				s := schema.Sentence{Seq: 1, Text: "Not I.", Evidence: []schema.EvidenceRef{}, Hash: protocol.HashText("Not I.")}
				if err := m.Said().Release(ctx, turn, protocol.ReviewRecord{Seq: 1, Hash: s.Hash}, s); err != nil {
					return "", err
				}
			case p == schema.PassAct:
				turn.Reply = &schema.Reply{Status: schema.StatusAnswered, Sentences: turn.Released}
				return schema.PassDone, nil
			}
			return protocol.Passes[i+1], nil
		})
	}
	m.Intake(mesh.Intake{})
	m.Ends(mesh.Ends{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		conn.Close()
	}
}

func TestWitness(t *testing.T) {
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	c, err := Connect(t.Context(), server.URL(), Options{NewID: func() string { return "ev1" }})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := mesh.New(c.conn, mesh.Options{}).Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := &schema.Occurrence{World: "w", Text: "Ansel gave Mira a sword.", Witnesses: []string{"mira"}}
	if err := c.Witness(t.Context(), o); err != nil || o.ID != "ev1" {
		t.Errorf("%q, %v", o.ID, err)
	}
	if err := c.Witness(t.Context(), &schema.Occurrence{World: "w", Witnesses: []string{"mira"}}); !errors.Is(err,
		schema.ErrInvalid) {
		t.Errorf("without a text: %v", err)
	}
}

// What the user of a connection may not do comes as this package's type, whatever the
// mesh wraps it in.
func TestARightThatIsMissingIsNamed(t *testing.T) {
	err := owned(fmt.Errorf("say: %w", &transport.RightError{Subject: "forsooth.v1.turn.w.n.p", What: "publish a turn"}))
	var right *RightError
	if !errors.As(err, &right) || right.Subject != "forsooth.v1.turn.w.n.p" || right.What != "publish a turn" {
		t.Fatalf("%#v", err)
	}
	if !strings.HasPrefix(err.Error(), "say: ") {
		t.Errorf("the error lost its words: %v", err)
	}
	if err := owned(ErrBusy); !errors.Is(err, ErrBusy) || errors.As(err, &right) && right.Subject == "" {
		t.Errorf("another error: %v", err)
	}
}

// A call that hands the mesh's error on as it is would give a backend an error whose type
// it cannot name.
func TestNoCallHandsTheMeshsErrorOn(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(f, "_test.go") && strings.Contains(string(data), "\treturn c.mesh.") {
			t.Errorf("%s returns what the mesh returned; pass its error through owned", f)
		}
	}
}
