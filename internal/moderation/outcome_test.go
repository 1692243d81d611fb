package moderation_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// hook answers by text, and remembers what it was asked.
type hook struct {
	verdicts map[string]string // JSON by text; what is absent is allowed
	asked    []string
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var item moderation.Item
	_ = json.NewDecoder(r.Body).Decode(&item)
	h.asked = append(h.asked, string(item.Kind)+" "+item.Text)
	verdict, ok := h.verdicts[item.Text]
	if !ok {
		verdict = `{"verdict":"allow"}`
	}
	_, _ = io.WriteString(w, verdict)
}

func turn(message string) *protocol.Turn {
	return &protocol.Turn{Request: schema.Request{TurnID: "t1", World: "w", NPC: "mira", Player: "p", Message: message}}
}

func TestMessage(t *testing.T) {
	for name, c := range map[string]struct {
		verdict string
		want    moderation.Outcome
	}{
		"allowed": {`{"verdict":"allow"}`, moderation.Outcome{Text: "You old fool, who burned the mill?"}},
		"replaced": {`{"verdict":"replace","text":"Who burned the mill?","reason":"insult"}`,
			moderation.Outcome{Text: "Who burned the mill?", Detail: "insult"}},
		"blocked": {`{"verdict":"block","reason":"insult"}`,
			moderation.Outcome{Status: schema.StatusWithheld, Reason: schema.ReasonModerated, Line: world.LineRefuse,
				Detail: "insult"}},
		"failed": {`{"verdict":"perhaps"}`,
			moderation.Outcome{Status: schema.StatusAuthored, Reason: schema.ReasonModerationFailed, Line: world.LineError}},
	} {
		tn := turn("You old fool, who burned the mill?")
		h := &hook{verdicts: map[string]string{tn.Message: c.verdict}}
		m, s := serve(t, h.ServeHTTP)
		o, err := m.Message(t.Context(), s, tn)
		if err != nil {
			t.Fatal(err)
		}
		if o.Failed() != (name == "failed") || o.Released() != (c.want.Text != "") {
			t.Errorf("%s: failed %v, released %v", name, o.Failed(), o.Released())
		}
		if o.Failed() {
			if !strings.Contains(o.Detail, `"perhaps"`) {
				t.Errorf("%s: %q does not say what failed", name, o.Detail)
			}
			o.Detail = ""
		}
		if o != c.want {
			t.Errorf("%s: %+v, want %+v", name, o, c.want)
		}
		kept, _ := json.Marshal(tn)
		if name != "allowed" && strings.Contains(string(kept), "old fool") {
			t.Errorf("%s: the turn still holds the original", name)
		}
		if tn.Message != c.want.Text {
			t.Errorf("%s: the turn goes on with %q", name, tn.Message)
		}
	}
}

func TestSentence(t *testing.T) {
	lower := func(ok bool) moderation.Review {
		return func(_ context.Context, s string) (string, bool, error) { return strings.ToLower(s), ok, nil }
	}
	same := func(_ context.Context, s string) (string, bool, error) { return s, true, nil }
	for name, c := range map[string]struct {
		said     string
		verdicts map[string]string
		review   moderation.Review
		text     string
		reason   string
		asked    []string
	}{
		"allowed": {said: "A.", text: "A.", asked: []string{"sentence A."}},
		"blocked": {said: "A.", verdicts: map[string]string{"A.": `{"verdict":"block"}`},
			reason: schema.ReasonModerated, asked: []string{"sentence A."}},
		"failed": {said: "A.", verdicts: map[string]string{"A.": `no`},
			reason: schema.ReasonModerationFailed, asked: []string{"sentence A."}},
		"replaced": {said: "A.", verdicts: map[string]string{"A.": `{"verdict":"replace","text":"B."}`},
			review: same, text: "B.", asked: []string{"sentence A."}},
		"replaced, unsupported": {said: "A.", verdicts: map[string]string{"A.": `{"verdict":"replace","text":"B."}`},
			review: lower(false), reason: schema.ReasonModerated, asked: []string{"sentence A."}},
		"replaced where none may be": {said: "A.", verdicts: map[string]string{"A.": `{"verdict":"replace","text":"B."}`},
			reason: schema.ReasonModerated, asked: []string{"sentence A."}},
		"replaced, voiced, allowed": {said: "A.", verdicts: map[string]string{"A.": `{"verdict":"replace","text":"B."}`},
			review: lower(true), text: "b.", asked: []string{"sentence A.", "sentence b."}},
		"replaced, voiced, blocked": {said: "A.",
			verdicts: map[string]string{"A.": `{"verdict":"replace","text":"B."}`, "b.": `{"verdict":"block"}`},
			review:   lower(true), reason: schema.ReasonModerated, asked: []string{"sentence A.", "sentence b."}},
		"replaced, voiced, once more": {said: "A.",
			verdicts: map[string]string{"A.": `{"verdict":"replace","text":"B."}`, "b.": `{"verdict":"replace","text":"C."}`},
			review:   lower(true), reason: schema.ReasonModerated, asked: []string{"sentence A.", "sentence b."}},
		"replaced, voiced, no verdict": {said: "A.",
			verdicts: map[string]string{"A.": `{"verdict":"replace","text":"B."}`, "b.": `?`}, review: lower(true),
			reason: schema.ReasonModerationFailed, asked: []string{"sentence A.", "sentence b."}},
	} {
		h := &hook{verdicts: c.verdicts}
		m, s := serve(t, h.ServeHTTP)
		o, err := m.Sentence(t.Context(), s, turn("x"), 1, c.said, c.review)
		if err != nil || o.Text != c.text || o.Reason != c.reason || !slices.Equal(h.asked, c.asked) {
			t.Errorf("%s: %+v, %v after %q; want %q %s after %q", name, o, err, h.asked, c.text, c.reason, c.asked)
		}
		if o.Released() != (o.Text != "") {
			t.Errorf("%s: %+v is both released and not", name, o)
		}
	}
}

// A turn that is over is not a hook that failed: its worker hands the error on.
func TestATurnThatIsOver(t *testing.T) {
	m, s := serve(t, answer(`{"verdict":"allow"}`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tn := turn("hello")
	if _, err := m.Message(ctx, s, tn); !errors.Is(err, context.Canceled) || tn.Message != "hello" {
		t.Errorf("%v, %q", err, tn.Message)
	}
	if _, err := m.Sentence(ctx, s, tn, 1, "A.", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	broken := errors.New("the verifier is gone")
	m, s = serve(t, answer(`{"verdict":"replace","text":"B."}`))
	_, err := m.Sentence(t.Context(), s, tn, 1, "A.",
		func(context.Context, string) (string, bool, error) { return "", false, broken })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}
