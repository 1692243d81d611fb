package llm

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Check makes one small call and says in one line what is wrong with a provider,
// and how to mend it; nil is a provider that answers as it should.
func Check(ctx context.Context, p Provider) error {
	if p.Name == "" {
		p.Name = "primary"
	}
	m, err := New(Config{Primary: p}, Options{})
	if err != nil {
		return err
	}
	defer m.Close()
	r := m.rungs[0]
	t := &schema.Turn{Passes: []schema.PassRecord{{Pass: schema.PassSpeak, Attempt: 1}}}
	q := Request{Name: "speech", Schema: json.RawMessage(checkSchema), Meter: NewMeter(t), World: "doctor", Player: "doctor",
		System: `Answer as JSON of the schema "speech": {"sentences":[{"text":"...","citations":[]}]}. Say one short greeting.`, User: "Good day."}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	pieces := 0
	_, err = m.ask(ctx, r, q, Limits{MaxTokens: 200}, func(string) error { pieces++; return nil })
	if err != nil {
		return errors.New(r.line(err))
	}
	return nil
}

// Capability says what was found out about a provider's server.
type Capability struct {
	JSON   string // schema, object or plain
	Stream bool
}

// Capabilities are those of the providers, in the order of the ladder.
func (m *Models) Capabilities() []Capability {
	var out []Capability
	for _, r := range m.rungs {
		out = append(out, Capability{JSON: []string{"schema", "object", "plain"}[r.form.Load()], Stream: !r.noStream.Load()})
	}
	return out
}

const checkSchema = `{"type":"object","properties":{"sentences":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"citations":{"type":"array"}},"required":["text"]}}},"required":["sentences"]}`
