package llm

import (
	"context"
	"encoding/json"
	"time"

	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// checkTime is how long a provider may take to answer Check.
const checkTime = 20 * time.Second

// Check makes one small call and says in one line what is wrong with a provider,
// and how to mend it; nil is a provider that answers as it should, in whatever
// form it takes the question.
func Check(ctx context.Context, p Provider) error {
	m, err := New(Config{Primary: p}, Options{})
	if err != nil {
		return err
	}
	defer m.Close()
	turn := &protocol.Turn{Passes: []schema.PassRecord{{Pass: schema.PassSpeak, Attempt: 1}}}
	c := &call{Request: Request{
		Name: "speech", Schema: json.RawMessage(checkSchema), Meter: NewMeter(turn), World: "doctor", Player: "doctor",
		System: `Answer as JSON of the schema "speech": {"sentences":[{"text":"...","citations":[]}]}. Say one short ` +
			`greeting.`, User: "Good day.",
	}, model: p.Model, limits: Limits{MaxTokens: 200}, reader: func(string) error { return nil }}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	if _, err := m.ask(ctx, m.rungs[0], c); err != nil {
		return &plain{line: m.rungs[0].line(err, p.Model), is: kinds(err)}
	}
	return nil
}

const checkSchema = `{"type":"object","properties":{"sentences":{"type":"array","items":{"type":"object"` +
	`,"properties":{"text":{"type":"string"},"citations":{"type":"array"}},"required":["text"]}}}` +
	`,"required":["sentences"]}`
