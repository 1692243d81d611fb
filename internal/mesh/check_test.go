package mesh

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func TestCheckGroundingIsAnsweredByTheMesh(t *testing.T) {
	r := newRig(t)
	r.start(Options{}, func(m *Mesh) { m.ServeCheck(check) })
	ask := func(text string) (*schema.CheckResult, error) {
		return r.client.CheckGrounding(t.Context(),
			schema.CheckQuery{Text: text, Sources: []schema.CheckSource{{Content: "It is so."}}})
	}
	eventually(t, 5*time.Second, func() error { // until Run listens
		_, err := ask("It is so.")
		return err
	})
	out, err := ask("It is so.")
	if err != nil || !out.Grounded || out.Summary != "1 sources" {
		t.Errorf("%+v, %v", out, err)
	}
	for _, text := range []string{"fails", "panics", " "} {
		if _, err := ask(text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func check(_ context.Context, q schema.CheckQuery) (schema.CheckResult, error) {
	switch q.Text {
	case "fails":
		return schema.CheckResult{}, errors.New("no verifier")
	case "panics":
		panic("broken")
	}
	return schema.CheckResult{Grounded: true, Total: 1, Summary: fmt.Sprint(len(q.Sources), " sources")}, nil
}
