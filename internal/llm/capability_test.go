package llm

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

func noSchema(q asked) string {
	if q.ResponseFormat.Type == "json_schema" {
		return "response_format of type json_schema is not supported"
	}
	return ""
}

func noJSON(q asked) string {
	if q.ResponseFormat.Type != "" {
		return "Unknown parameter: 'response_format'."
	}
	return ""
}

// What a server does not take is found out by its first refusal and remembered;
// the call is made all the same, and counted once.
func TestWhatAServerCannotDoIsFoundOnce(t *testing.T) {
	for _, c := range []struct {
		name    string
		model   string
		refuses func(asked) string
		first   int // requests of the first call
		told    string
		last    func(asked) bool
		can     string
		stream  bool
	}{
		{"everything", "small", func(asked) string { return "" }, 1, "",
			func(q asked) bool { return q.ResponseFormat.Type == "json_schema" && q.StreamOptions != nil }, "schema", true},
		{"no JSON Schema", "small", noSchema, 2, "JSON Schemas",
			func(q asked) bool { return q.ResponseFormat.Type == "json_object" && inWords(q) }, "object", true},
		{"no JSON mode", "small", noJSON, 3, "JSON mode",
			func(q asked) bool { return q.ResponseFormat.Type == "" && inWords(q) }, "plain", true},
		{"no usage in streams", "small", func(q asked) string {
			if q.StreamOptions != nil {
				return "stream_options: extra fields not permitted"
			}
			return ""
		}, 2, "", func(q asked) bool { return q.Stream && q.StreamOptions == nil }, "schema", true},
		{"no streams", "small", func(q asked) string {
			if q.Stream {
				return "Streaming is not supported."
			}
			return ""
		}, 2, "does not stream", func(q asked) bool { return !q.Stream }, "schema", false},
		{"no max_tokens", "small", func(q asked) string {
			if q.MaxTokens > 0 {
				return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
			}
			return ""
		}, 2, "", func(q asked) bool { return q.MaxCompletionTokens > 0 }, "schema", true},
		{"no temperature", "small", func(q asked) string {
			if q.Temperature != 0 {
				return "Unsupported value: 'temperature' does not support 0.5 with this model."
			}
			return ""
		}, 2, "", func(q asked) bool { return q.Temperature == 0 }, "schema", true},
		{"a model whose limits the client library knows", "o3-mini", func(asked) string { return "" }, 1, "",
			func(q asked) bool { return q.MaxCompletionTokens > 0 && q.Temperature == 0 }, "schema", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, unless(c.refuses, say(good)))
			m, told := clientOf(t, Config{Primary: Provider{URL: s.URL, Model: c.model}, Temperature: 0.5}, Options{})
			for n, requests := range []int{c.first, c.first + 1} {
				turn := turnOf(schema.PassSpeak)
				answer, err := m.Stream(within(t, 10*time.Second), request(turn), func(string) error { return nil })
				if err != nil || answer.Attempts != 1 || turn.Passes[0].LLMCalls != 1 {
					t.Fatalf("call %d: %+v, %v, %d counted", n+1, answer, err, turn.Passes[0].LLMCalls)
				}
				if got := len(s.requests()); got != requests {
					t.Errorf("after call %d: %d requests, want %d", n+1, got, requests)
				}
			}
			if all := s.requests(); !c.last(all[len(all)-1]) {
				t.Errorf("the last request is %+v", all[len(all)-1])
			}
			if can := m.Capabilities()[0]; can.JSON != c.can || can.Stream != c.stream {
				t.Errorf("found %+v", can)
			}
			if all := told.list(); (c.told == "") != (len(all) == 0) || c.told != "" &&
				!strings.Contains(all[len(all)-1].Line, c.told) {
				t.Errorf("reported %+v, want %q", all, c.told)
			}
		})
	}
}

func inWords(q asked) bool {
	return strings.HasSuffix(q.message(0), `Answer with one JSON object of the schema "speech":`)
}

// Many calls that are refused at once take the server down one step, not many.
func TestCallsAtOnceLearnTheSameThing(t *testing.T) {
	s := serve(t, unless(noSchema, say(good)))
	m, told := client(t, Options{}, s.URL)
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			turn := turnOf(schema.PassSpeak)
			if _, err := m.Stream(within(t, 20*time.Second), request(turn), func(string) error { return nil }); err != nil ||
				turn.Passes[0].LLMCalls != 1 {
				t.Errorf("%v, %d calls counted", err, turn.Passes[0].LLMCalls)
			}
		})
	}
	all.Wait()
	if can := m.Capabilities()[0]; can.JSON != "object" || len(told.list()) != 1 {
		t.Errorf("found %+v, told %+v", can, told.list())
	}
}

// One model of a server is not another.
func TestAbilitiesAreOfAModel(t *testing.T) {
	s := serve(t, unless(func(q asked) string {
		if q.Model == "old" {
			return noSchema(q)
		}
		return ""
	}, say(good)))
	m, _ := client(t, Options{}, s.URL)
	for _, model := range []string{"old", "small"} {
		q := request(turnOf(schema.PassSpeak))
		q.Limits.Model = model
		if _, err := m.Complete(within(t, 10*time.Second), q); err != nil {
			t.Fatal(err)
		}
	}
	var forms []string
	for _, q := range s.requests() {
		forms = append(forms, q.Model+" "+q.ResponseFormat.Type)
	}
	if got := strings.Join(forms, ", "); got != "old json_schema, old json_object, small json_schema" {
		t.Errorf("asked %s", got)
	}
}

// A refusal that speaks of something else is no lesson.
func TestOtherRefusalsTeachNothing(t *testing.T) {
	s := serve(t, fail(400, "the upstream said that the context is too long"))
	m, _ := client(t, Options{}, s.URL)
	_, err := m.Stream(within(t, 10*time.Second), request(turnOf(schema.PassSpeak)), func(string) error { return nil })
	if can := m.Capabilities()[0]; err == nil || can.JSON != "schema" || !can.Stream || len(s.requests()) != 1 {
		t.Errorf("%v, found %+v with %d requests", err, can, len(s.requests()))
	}
}
