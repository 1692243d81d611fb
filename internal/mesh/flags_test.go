package mesh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/embedded"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// inForce is how long a change may take to reach every process.
const inForce = time.Second

func (r *rig) setFlag(name, value string) {
	r.t.Helper()
	if err := r.client.SetFlag(r.t.Context(), name, value); err != nil {
		r.t.Fatal(err)
	}
}

func knows(m *Mesh, name, want string) func() error {
	return func() error {
		if got := m.Flags().Value(name); got != want {
			return fmt.Errorf("%s is %q, want %q", name, got, want)
		}
		return nil
	}
}

func TestASwitchIsInForceEverywhereWithinASecond(t *testing.T) {
	r := newRig(t)
	here, _ := r.start(Options{}, plain)
	other := &rig{t: t, server: r.server, conn: r.connect()}
	there, _ := other.start(Options{}, plain)
	if !here.Flags().On(FlagLLM) || here.Flags().Value(FlagLLM) != "" {
		t.Error("a switch that nobody has touched is on")
	}
	for _, value := range []string{"off", "on", "off"} {
		r.setFlag(FlagLLM, value)
		eventually(t, inForce, knows(here, FlagLLM, value))
		eventually(t, inForce, knows(there, FlagLLM, value))
		if on := here.Flags().On(FlagLLM); on != (value == "on") {
			t.Errorf("at %q, On is %v", value, on)
		}
		if stored, err := r.client.Flag(t.Context(), FlagLLM); err != nil || stored != value {
			t.Errorf("stored %q, %v", stored, err)
		}
	}
	if !there.Flags().On("other") {
		t.Error("one switch turns another off")
	}
}

func TestASwitchIsKnownBeforeTheFirstTurn(t *testing.T) {
	r := newRig(t)
	if err := New(r.conn, Options{}).Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.setFlag(FlagLLM, FlagOff)
	r.publish(request(convoA, "t1"))
	seen := make(chan bool, 8)
	r.start(Options{}, func(m *Mesh) {
		with(schema.PassThink, func(context.Context, *protocol.Turn) (schema.Pass, error) {
			seen <- m.Flags().On(FlagLLM)
			return schema.PassReviewThought, nil
		})(m)
	})
	r.watch(convoA, "t1")
	if <-seen {
		t.Error("the first turn saw the switch on")
	}
}

// The process hears nothing of the change: it is made while the process has no
// broker, on the very disk that the broker comes back with.
func TestASwitchThatChangedWhileTheBrokerWasAway(t *testing.T) {
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
	m, _ := r.start(Options{Report: func(Report) {}}, plain)
	r.setFlag(FlagLLM, "on")
	eventually(t, inForce, knows(m, FlagLLM, "on"))
	server.Stop()

	elsewhere, err := embedded.Start(t.Context(), embedded.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	operator := remote(t, elsewhere.URL())
	operator.setFlag(FlagLLM, FlagOff)
	operator.conn.Close()
	elsewhere.Stop()
	if err := knows(m, FlagLLM, "on")(); err != nil {
		t.Errorf("while the broker is away the copy stands: %v", err)
	}

	server, err = embedded.Start(t.Context(), embedded.Options{Dir: dir, Port: port})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Stop)
	eventually(t, 10*time.Second, func() error {
		if !r.conn.Core().IsConnected() {
			return errors.New("not connected again")
		}
		return nil
	})
	eventually(t, 2*inForce, knows(m, FlagLLM, FlagOff)) // a second more for the read that was under way
}

func TestSwitchesAreAKeyValueBucketForEveryTool(t *testing.T) {
	r := newRig(t)
	m, _ := r.start(Options{}, plain)
	kv, err := r.conn.JetStream().KeyValue(t.Context(), "flags")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), FlagLLM, "off\n"); err != nil {
		t.Fatal(err)
	}
	eventually(t, inForce, knows(m, FlagLLM, FlagOff))
	if err := kv.Delete(t.Context(), FlagLLM); err != nil {
		t.Fatal(err)
	}
	eventually(t, inForce, knows(m, FlagLLM, ""))
}

func TestASwitchOnABrokerThatNobodySetUp(t *testing.T) {
	r := newRig(t)
	if v, err := r.client.Flag(t.Context(), FlagLLM); err != nil || v != "" {
		t.Errorf("before anything is there: %q, %v", v, err)
	}
	r.setFlag(FlagLLM, FlagOff)
	m, _ := r.start(Options{}, plain) // Setup takes the bucket as it stands
	eventually(t, inForce, knows(m, FlagLLM, FlagOff))
}

func TestFlagsAreRefusedWithAReason(t *testing.T) {
	r := newRig(t)
	for _, c := range []struct{ name, value, want string }{
		{"", "off", "flag:"},
		{"a.b", "off", "flag:"},
		{">", "off", "flag:"},
		{"llm", "", "needs a value of 1 to 256 bytes"},
		{"llm", strings.Repeat("x", 257), "needs a value of 1 to 256 bytes"},
	} {
		err := r.client.SetFlag(t.Context(), c.name, c.value)
		if !errors.Is(err, schema.ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q=%.10q: %v", c.name, c.value, err)
		}
	}
	if _, err := r.client.Flag(t.Context(), "*"); !errors.Is(err, schema.ErrInvalid) {
		t.Errorf("read of *: %v", err)
	}
}
