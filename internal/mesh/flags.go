package mesh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// FlagLLM is the switch of all language models.
const FlagLLM = "llm"

// FlagOff is the value of a switch that is off. Any other value, or none, is on.
const FlagOff = "off"

// headerKVErased is on what a key-value tool leaves of a key it deleted.
const headerKVErased = "KV-Operation"

// maxFlagBytes bounds a flag's value: it is a word, not a document.
const maxFlagBytes = 256

// SetFlag stores an operator's switch for every process of the mesh, those that
// start later among them.
func (c *Client) SetFlag(ctx context.Context, name, value string) error {
	if err := schema.CheckToken("flag", name); err != nil {
		return err
	}
	if value == "" || len(value) > maxFlagBytes {
		return &schema.FieldError{Field: "flag", Reason: fmt.Sprintf("%s needs a value of 1 to %d bytes", name, maxFlagBytes)}
	}
	// A mesh that an older build set up has no flags yet.
	if _, err := c.conn.Look(ctx, transport.StreamFlags); errors.Is(err, jetstream.ErrStreamNotFound) {
		if err := c.conn.EnsureStream(ctx,
			transport.StreamTable(transport.Settings{}.WithDefaults(), transport.StreamFlags)); err != nil {
			return err
		}
	}
	_, err := c.conn.Publish(ctx, transport.NewMessage(transport.FlagPrefix+name, []byte(value)), c.attempt)
	return transport.Wrap(err, "set flag %s", name)
}

// Flag reads a switch as it is stored; empty when nobody has set it.
func (c *Client) Flag(ctx context.Context, name string) (string, error) {
	if err := schema.CheckToken("flag", name); err != nil {
		return "", err
	}
	all, err := storedFlags(ctx, c.conn)
	return all[name], err
}

// flags reads every switch.
func storedFlags(ctx context.Context, c *transport.Conn) (map[string]string, error) {
	out := map[string]string{}
	err := c.Each(ctx, transport.StreamFlags, transport.FlagPrefix+">", func(msg *transport.Entry) bool {
		erased := transport.IsMarker(msg.Header) || msg.Header.Get(headerKVErased) != ""
		if !erased {
			out[strings.TrimPrefix(msg.Subject, transport.FlagPrefix)] = strings.TrimSpace(string(msg.Data))
		}
		return true
	})
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return out, nil
	}
	return out, err
}

// Flags are the operator's switches as this process knows them: a copy in memory,
// kept by Run. Before Run every switch is on.
type Flags struct {
	known atomic.Pointer[map[string]string]
}

// Value is a switch's value, empty when nobody has set it.
func (f *Flags) Value(name string) string {
	if all := f.known.Load(); all != nil {
		return (*all)[name]
	}
	return ""
}

// On says whether a switch is on: nobody has turned it off.
func (f *Flags) On(name string) bool { return f.Value(name) != FlagOff }

// Flags are the operator's switches.
func (m *Mesh) Flags() *Flags { return &m.flags }

// flagsAgain is how often the switches are read although nothing was heard: the
// broker's word of a change can be lost, and a change is in force within a second.
const flagsAgain = 500 * time.Millisecond

// watchFlags keeps the copy until the context ends. While the broker is away the
// copy stands as it was; it is read again as soon as the connection is mended.
func (m *Mesh) watchFlags(ctx context.Context) error {
	heard := make(chan *transport.Message, 16)
	sub, err := m.conn.Core().ChanSubscribe(transport.LivePrefix+"flag.>", heard)
	if err != nil {
		return fmt.Errorf("listen for flags: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	mended := m.conn.Core().StatusChanged(nats.CONNECTED)
	defer m.conn.Core().RemoveStatusListener(mended)
	tick := time.NewTicker(flagsAgain)
	defer tick.Stop()
	for unread := false; ; {
		err := m.readFlags(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil && !unread {
			m.opts.Report(Report{Where: "flags", Outcome: "retry", Err: err})
		}
		unread = err != nil
		select {
		case <-ctx.Done():
			return nil
		case <-heard:
		case <-mended:
		case <-tick.C:
		}
	}
}

// readFlags replaces the copy by what is stored.
func (m *Mesh) readFlags(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, transport.ReadTimeout)
	defer cancel()
	all, err := storedFlags(ctx, m.conn)
	if err == nil {
		m.flags.known.Store(&all)
	}
	return err
}
