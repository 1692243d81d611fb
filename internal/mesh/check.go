package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/forsooth-npc/forsooth/internal/mesh/transport"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/nats-io/nats.go/micro"
)

// Checker holds a text against the sources that a caller brings.
type Checker func(ctx context.Context, q schema.CheckQuery) (schema.CheckResult, error)

// ServeCheck has Run answer svc.check_grounding as a NATS micro service. Replicas
// share its requests.
func (m *Mesh) ServeCheck(check Checker) { m.check = check }

// serveCheck starts the service, if there is one, until stopped.
func (m *Mesh) serveCheck(ctx context.Context) (stop func(), err error) {
	if m.check == nil {
		return func() {}, nil
	}
	service, err := micro.AddService(m.conn.Core(), micro.Config{
		Name: "forsooth-check-grounding", Version: "1.0.0", Description: "Says which claims of a text its sources support.",
		Endpoint: &micro.EndpointConfig{Subject: protocol.SubjectCheckGrounding,
			Handler: micro.ContextHandler(ctx, m.handleCheck)},
	})
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", protocol.SubjectCheckGrounding, err)
	}
	return func() { _ = service.Stop() }, nil
}

func (m *Mesh) handleCheck(ctx context.Context, r micro.Request) {
	ctx, stop := context.WithTimeout(ctx, messageTimeout)
	defer stop()
	if !isInbox(r.Reply()) {
		return
	}
	out, err := answerCheck(ctx, m.check, r.Data())
	if err != nil {
		_ = r.Error("400", strings.Join(strings.Fields(err.Error()), " "), nil)
		return
	}
	_ = r.RespondJSON(out)
}

func answerCheck(ctx context.Context, check Checker, data []byte) (out schema.CheckResult, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("check grounding: panic: %v", r)
		}
	}()
	var q schema.CheckQuery
	if err := json.Unmarshal(data, &q); err != nil {
		return out, fmt.Errorf("the query is not JSON such as "+
			"{\"text\":…,\"sources\":[{\"chunk_id\":…,\"content\":…}]}: %w", err)
	}
	return check(ctx, q)
}

// CheckGrounding asks the running mesh whether a text is grounded in sources.
func (c *Client) CheckGrounding(ctx context.Context, q schema.CheckQuery) (*schema.CheckResult, error) {
	if err := q.Validate(); err != nil {
		return nil, err
	}
	data, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	answer, _, err := c.ask(ctx, transport.NewMessage(protocol.SubjectCheckGrounding, data))
	if err != nil {
		return nil, fmt.Errorf("check grounding: %w", err)
	}
	if why := answer.Header.Get(micro.ErrorHeader); why != "" {
		return nil, fmt.Errorf("check grounding: %s", why)
	}
	var out schema.CheckResult
	if err := json.Unmarshal(answer.Data, &out); err != nil {
		return nil, fmt.Errorf("check grounding: the answer is not JSON: %w", err)
	}
	return &out, nil
}
