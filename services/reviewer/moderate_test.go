package reviewer_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// moderated is the village with a hook that answers as the test says, and what it
// was asked.
func moderated(t *testing.T, answer func(moderation.Item) string) (*servicetest.Bench, func() []moderation.Item) {
	t.Helper()
	var mu sync.Mutex
	var asked []moderation.Item
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var item moderation.Item
		if err := json.NewDecoder(r.Body).Decode(&item); err != nil {
			t.Error(err)
		}
		mu.Lock()
		asked = append(asked, item)
		mu.Unlock()
		said := answer(item)
		if said == "down" {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(said))
	}))
	t.Cleanup(hook.Close)
	files := servicetest.Village()
	files["world.yaml"] = &fstest.MapFile{
		Data: append(files["world.yaml"].Data, "moderation: {url: \""+hook.URL+"\", timeout_ms: 1000}\n"...)}
	return servicetest.New(t, files), func() []moderation.Item { mu.Lock(); defer mu.Unlock(); return asked }
}

const allow = `{"verdict":"allow"}`

func TestModeration(t *testing.T) {
	sentence := func(to string) func(moderation.Item) string {
		return func(i moderation.Item) string {
			if i.Kind == moderation.KindSentence {
				return to
			}
			return allow
		}
	}
	message := func(to string) func(moderation.Item) string {
		return func(i moderation.Item) string {
			if i.Kind == moderation.KindMessage {
				return to
			}
			return allow
		}
	}
	for _, c := range []struct {
		name   string
		answer func(moderation.Item) string
		reply  string
		status schema.Status
		reason string
	}{
		{"all allowed", sentence(allow), "Teague owns the ferry.", schema.StatusExtractive, ""},
		{"a sentence blocked", sentence(`{"verdict":"block","reason":"no ferries"}`), "That stays with me.",
			schema.StatusWithheld, schema.ReasonModerated},
		{"a sentence replaced by a true one", sentence(`{"verdict":"replace","text":"A crossing costs two bits."}`),
			"A crossing costs two bits.", schema.StatusExtractive, ""},
		{"a sentence replaced by an invention", sentence(`{"verdict":"replace","text":"Teague stole the ferry."}`),
			"That stays with me.", schema.StatusWithheld, schema.ReasonModerated},
		{"the hook is down for sentences", sentence("down"), "", schema.StatusAuthored, schema.ReasonModerationFailed},
		{"a verdict that is none", sentence(`{"verdict":"maybe"}`), "", schema.StatusAuthored, schema.ReasonModerationFailed},
		{"the message blocked", message(`{"verdict":"block"}`), "That stays with me.", schema.StatusWithheld,
			schema.ReasonModerated},
		{"the message replaced", message(`{"verdict":"replace","text":"What does a crossing cost?"}`),
			"A crossing costs two bits.", schema.StatusExtractive, ""},
		{"the hook is down for messages", message("down"), "", schema.StatusAuthored, schema.ReasonModerationFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, _ := moderated(t, c.answer)
			r := b.Say(t, "mira", "who owns the ferry?")
			if r.Status != c.status || r.Reason != c.reason || c.reply != "" && !strings.Contains(r.Text, c.reply) {
				t.Errorf("%s, %s: %q", r.Status, r.Reason, r.Text)
			}
			if c.reply == "" && (len(r.Sentences) != 1 || !r.Sentences[0].Authored) {
				t.Errorf("released unmoderated: %+v", r.Sentences)
			}
			if c.name == "the message blocked" && r.Message != "" {
				t.Errorf("the reply keeps the blocked message %q", r.Message)
			}
		})
	}
}

// A streamed speech is moderated sentence by sentence; one that is blocked takes
// none of the others with it, and is not asked of the model again.
func TestModerationOfAStreamedSpeech(t *testing.T) {
	b, asked := moderated(t, func(i moderation.Item) string {
		if strings.Contains(i.Text, "two bits") {
			return `{"verdict":"block","reason":"no prices"}`
		}
		return allow
	})
	turn := prepared(t, b, "mira", "who owns the ferry?")
	turn.Speech = &protocol.Speech{Attempt: 1, Speaker: "test", Run: "1.1", Sentences: []protocol.DraftSentence{
		bound(turn, cite("A crossing costs two bits.", "ferry")), bound(turn, cite("Teague owns the ferry.", "ferry"))}}
	r := b.Walk(t, turn, schema.PassReviewSpeech)
	if r.Text != "Teague owns the ferry." || len(r.Stripped) != 1 || r.Stripped[0].Issue.Type != schema.IssueModerated {
		t.Errorf("%q, stripped %+v", r.Text, r.Stripped)
	}
	for _, i := range asked() {
		if i.Kind == moderation.KindSentence && i.TurnID != turn.TurnID {
			t.Errorf("asked about %+v", i)
		}
	}
}

// A German question over an English world: nothing of the world is released, and
// the line is German.
func TestAQuestionInALanguageThatIsNotVerified(t *testing.T) {
	b := servicetest.New(t, servicetest.Village())
	for _, message := range []string{"Wem gehört die Fähre und was kostet die Überfahrt?",
		"À qui appartient le bac et combien coûte la traversée ?"} {
		r := b.Say(t, "mira", message)
		if r.Reason != schema.ReasonLanguage || len(r.Sentences) != 1 || !r.Sentences[0].Authored ||
			r.Text == "That I could not tell you." {
			t.Errorf("%s\n%s, %s: %q", message, r.Status, r.Reason, r.Text)
		}
	}
	if r := b.Say(t, "mira", "Hallo Mira!"); r.Status != schema.StatusAnswered {
		t.Errorf("a greeting: %s, %s: %q", r.Status, r.Reason, r.Text)
	}
}
