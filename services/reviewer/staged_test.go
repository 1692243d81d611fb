package reviewer_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/forsooth-npc/forsooth/internal/entail"
	"github.com/forsooth-npc/forsooth/internal/grounding"
	"github.com/forsooth-npc/forsooth/internal/guards"
	"github.com/forsooth-npc/forsooth/internal/llm"
	"github.com/forsooth-npc/forsooth/internal/llm/llmtest"
	"github.com/forsooth-npc/forsooth/internal/model"
	"github.com/forsooth-npc/forsooth/internal/moderation"
	"github.com/forsooth-npc/forsooth/internal/protocol"
	"github.com/forsooth-npc/forsooth/internal/world"
	"github.com/forsooth-npc/forsooth/pkg/schema"
	"github.com/forsooth-npc/forsooth/services/reviewer"
	"github.com/forsooth-npc/forsooth/services/servicetest"
)

// court is a scripted model whose judgements and speeches a test may write itself;
// what it leaves empty the persona says.
type court struct {
	persona   *llmtest.Server
	judgement answering
	splitting answering
	speech    string // the answer to each speech call
	service   *reviewer.Service
	model     *model.Model // the judge

	mu    sync.Mutex
	cases [][]string // the sentences that each call of the judge was about, in order
	split [][]string // and those that it was to take apart
	spoke int        // speech calls
}

// answering is how a judge answers about some sentences; nil: as the persona does.
type answering func(sentences []string) string

// ruling is what a judge says of one sentence.
type ruling struct {
	N          int     `json:"n"`
	Kind       string  `json:"kind"`
	Verdict    string  `json:"verdict"`
	Difference string  `json:"difference"`
	Confidence float64 `json:"confidence"`
}

// ruled answers about each sentence as a test says.
func ruled(of func(sentence string) ruling) answering {
	return func(sentences []string) string {
		var answer struct {
			Verdicts []ruling `json:"verdicts"`
		}
		for i, s := range sentences {
			r := of(s)
			r.N = i + 1
			answer.Verdicts = append(answer.Verdicts, r)
		}
		data, _ := json.Marshal(answer)
		return string(data)
	}
}

// each answers the same about every sentence.
func each(r ruling) answering { return ruled(func(string) ruling { return r }) }

// saying answers the same words to every call.
func saying(answer string) answering { return func([]string) string { return answer } }

func (c *court) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var q struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
		ResponseFormat struct {
			JSONSchema struct {
				Name string `json:"name"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	answer := ""
	if json.Unmarshal(body, &q) == nil {
		c.mu.Lock()
		switch q.ResponseFormat.JSONSchema.Name {
		case "judge":
			var said []string
			for _, m := range q.Messages { // an answer that has to be repaired stands behind the question
				said = append(said, llmtest.ReadPrompt("judge", "", m.Content).Sentences...)
			}
			if c.cases = append(c.cases, said); c.judgement != nil {
				answer = c.judgement(said)
			}
		case "claims":
			said := llmtest.ReadPrompt("claims", "", q.Messages[len(q.Messages)-1].Content).Sentences
			if c.split = append(c.split, said); c.splitting != nil {
				answer = c.splitting(said)
			}
		case "speech":
			c.spoke++
			answer = c.speech
		}
		c.mu.Unlock()
	}
	if answer == "" {
		r.Body = io.NopCloser(bytes.NewReader(body))
		c.persona.ServeHTTP(w, r)
		return
	}
	said, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if q.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0`+
			`,"delta":{"role":"assistant","content":`+string(said)+"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant"`+
		`,"content":`+string(said)+`},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":9}}`)
}

// asked is what the judge was asked so far, call by call.
func (c *court) asked() [][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.cases)
}

// stage is how a bench of a test is set.
type stage struct {
	persona   string                          // of the model; empty: quote
	judgement answering                       // in place of the persona's
	splitting answering                       // of sentences into their claims, in place of the persona's
	whole     bool                            // no sentence is taken apart
	speech    string                          // in place of the persona's
	judge     bool                            // the judge is asked, and believed
	unskilled bool                            // it has shown no skill
	grounder  func(*world.World) *model.Model // a judge of another kind, believed
	reader    entail.Reader
	world     string // further lines of world.yaml
	settings  func(*grounding.Settings)
	guard     guards.Faithfulness // Guard 3
	meter     reviewer.Meter
	scorer    reviewer.Scorer
	scores    bool                                          // the model is the scorer
	releases  func(*servicetest.Releases) reviewer.Releaser // in place of the bench's
}

// staged composes the services over the village with a model and a reviewer of the
// test's own.
func staged(t *testing.T, s stage) (*servicetest.Bench, *court) {
	t.Helper()
	if s.persona == "" {
		s.persona = "quote"
	}
	persona, err := llmtest.New(llmtest.Options{Persona: s.persona, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = persona.Close() })
	c := &court{persona: persona, judgement: s.judgement, splitting: s.splitting, speech: s.speech}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	files := servicetest.Village()
	files["world.yaml"] = &fstest.MapFile{Data: append(files["world.yaml"].Data, s.world+"\n"...)}
	b := servicetest.NewWithModel(t, files, server.URL+"/v1")
	x := b.Library.Get("village")
	if s.settings != nil {
		settings := grounding.DefaultSettings()
		s.settings(&settings)
		x.Grounding = &settings
	}
	if s.reader == nil {
		s.reader = &servicetest.Reader{}
	}
	hooks, err := moderation.NewHooks([]*world.World{x.World}, moderation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(hooks.Close)
	o := reviewer.Options{Faithfulness: s.guard, Meter: s.meter, Hooks: hooks, Alert: b.Alert, Claims: !s.whole,
		Judgement: servicetest.Judgement(s.reader)}
	if o.Scorer = s.scorer; s.scores {
		o.Scorer.Model = judgeAt(t, x.World, server.URL+"/v1")
	}
	if s.judge {
		c.model = judgeAt(t, x.World, server.URL+"/v1")
		o.Judge = c.model
	}
	if s.grounder != nil {
		s.judge, o.Judge = true, s.grounder(x.World)
	}
	var releases reviewer.Releaser = b.Releases
	if s.releases != nil {
		releases = s.releases(b.Releases)
	}
	r := reviewer.New(b.Library, releases, o)
	if s.judge && !s.unskilled {
		r.Believe(servicetest.Skilled())
	}
	c.service = r
	b.Handlers[schema.PassReviewThought], b.Handlers[schema.PassReviewSpeech] = r.ReviewThoughts, r.ReviewSpeech
	return b, c
}

func judgeAt(t *testing.T, w *world.World, url string) *model.Model {
	t.Helper()
	models, err := llm.New(llm.Config{Primary: llm.Provider{URL: url, Model: "scripted"}}, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(models.Close)
	m, err := model.New(models, []*world.World{w}, model.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// draft is a speech of a model on its last attempt, in a turn that is ready for it.
func draft(t *testing.T, b *servicetest.Bench, said ...protocol.DraftSentence) *protocol.Turn {
	t.Helper()
	turn := prepared(t, b, "mira", "who owns the ferry?")
	turn.SpeechReview = &protocol.Review{Attempt: 2}
	turn.Speech = &protocol.Speech{Attempt: 3, Speaker: "test"}
	for _, d := range said {
		turn.Speech.Sentences = append(turn.Speech.Sentences, bound(turn, d))
	}
	return turn
}

// takenApart are the sentences that a model was asked to take apart so far.
func (c *court) takenApart() [][]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.split)
}

// unquoted are the released sentences that are neither authored nor stand in the
// evidence they are released with.
func unquoted(r *schema.Reply) (out []string) {
	for _, s := range r.Sentences {
		if !s.Authored && (len(s.Evidence) == 0 || !strings.Contains(s.Evidence[0].Text, s.Text)) {
			out = append(out, s.Text)
		}
	}
	return out
}
