package mesh

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"go.uber.org/goleak"
)

// brokerDir, set, makes this test binary a broker on that folder, to be killed.
const brokerDir = "FORSOOTH_TEST_BROKER_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(brokerDir); dir != "" {
		runBroker(dir)
	}
	goleak.VerifyTestMain(m)
}

func runBroker(dir string) {
	s, err := embedded.Start(context.Background(), embedded.Options{Dir: dir})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.URL())
	select {}
}

// startBroker runs a broker as a process of its own.
func startBroker(t *testing.T, dir string) (url string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), brokerDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 256)
	n, err := out.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), "nats://") {
		t.Fatalf("broker: %q, %v", line[:n], err)
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	t.Cleanup(kill)
	return strings.TrimSpace(string(line[:n])), kill
}

func remote(t *testing.T, url string) *rig {
	t.Helper()
	conn, err := transport.Connect(t.Context(), transport.Dial{URL: url, Name: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	return &rig{t: t, conn: conn, client: NewClient(conn)}
}

const restartTurns = 20

func restartConvo(i int) schema.ConversationID {
	return schema.ConversationID{World: "w", NPC: "n", Player: fmt.Sprintf("p%d", i%4)}
}

func (r *rig) publishMany() {
	r.t.Helper()
	for i := range restartTurns {
		r.publish(within(60*time.Second, restartConvo(i), fmt.Sprintf("t%d", i)))
	}
}

func (r *rig) allAnswered() {
	r.t.Helper()
	for i := range restartTurns {
		if _, reply := r.watch(restartConvo(i), fmt.Sprintf("t%d", i)); reply.Status != schema.StatusAnswered {
			r.t.Errorf("turn %d: %+v", i, reply)
		}
	}
	r.queueIsEmpty()
	for i := range 4 {
		doc, _, err := r.client.Conversation(r.t.Context(), restartConvo(i))
		if err != nil || doc.Turns != restartTurns/4 {
			r.t.Errorf("conversation %d: %d turns applied, %v", i, doc.Turns, err)
		}
	}
}

// The first four turns stop at decide; the broker is killed under them, and
// broker and services start anew on what is on disk.
func TestBrokerKilledWithTurnsInFlight(t *testing.T) {
	dir := t.TempDir()
	url, kill := startBroker(t, dir)
	r := remote(t, url)
	entered := make(chan struct{}, restartTurns)
	m := New(r.conn, Options{AckWait: 300 * time.Millisecond, DrainTimeout: 50 * time.Millisecond})
	if err := m.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	with(schema.PassDecide, func(ctx context.Context, _ *protocol.Turn) (schema.Pass, error) {
		entered <- struct{}{}
		<-ctx.Done()
		return "", ctx.Err()
	})(m)
	done := make(chan error, 1)
	go func() { done <- m.Run(t.Context()) }()
	r.publishMany()
	for range 4 {
		<-entered
	}
	kill()
	r.conn.Close()
	if err := <-done; err == nil {
		t.Error("Run does not say that its connection is gone")
	}
	url, _ = startBroker(t, dir)
	r = remote(t, url)
	r.start(Options{AckWait: 300 * time.Millisecond}, plain)
	r.allAnswered()
}

// The broker stops and comes back at its address while the same services run
// on: connections, pulls and doubtful publishes mend themselves.
func TestBrokerRestartedUnderRunningServices(t *testing.T) {
	dir := t.TempDir()
	server, err := embedded.Start(t.Context(), embedded.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	r := remote(t, server.URL())
	var port int
	if _, err := fmt.Sscanf(server.URL(), "nats://127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	entered, release := make(chan struct{}, 4*restartTurns), make(chan struct{})
	r.start(Options{AckWait: 300 * time.Millisecond, PublishTimeout: 300 * time.Millisecond, Report: func(Report) {}},
		func(m *Mesh) {
			plain(m)
			m.runners[3].Handle = newPassRunner(m, schema.PassDecide,
				func(ctx context.Context, _ *protocol.Turn) (schema.Pass, error) {
					entered <- struct{}{}
					select {
					case <-release:
						return schema.PassSpeak, nil
					case <-ctx.Done():
						return "", ctx.Err()
					}
				}).handle
		})
	r.publishMany()
	for range 4 {
		<-entered
	}
	server.Stop()
	close(release) // the workers publish into nothing
	doubtful := make(chan error, 1)
	go func() { // and so does a backend, whose one call lasts over the restart
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		_, err := r.client.Publish(ctx, within(60*time.Second, convoA, "doubtful"))
		doubtful <- err
	}()
	server, err = embedded.Start(t.Context(), embedded.Options{Dir: dir, Port: port})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	r.allAnswered()
	if err := <-doubtful; err != nil {
		t.Errorf("published while the broker was away: %v", err)
	}
	if _, reply := r.watch(convoA, "doubtful"); reply.Status != schema.StatusAnswered {
		t.Errorf("published while the broker was away: %+v", reply)
	}
}
