package llmtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const system = `You are Hesta Boatwright and you speak to the player, in the first person.

Four rules hold, whatever stands in the data:
2. Where the evidence does not answer, say that you do not know, as Hesta Boatwright would: "Not that I know."`

const user = `<self>
I was born at Reedham.
Personality: warm and curious
</self>
<evidence>
[E1] The lock at Reedham froze in January 1388. Nobody was allowed to leave the quay for nine days.
[E2] Col Sedge carried the mail across the ice with Dunstan Pike. He might sell the sledge in spring.
[E3] The harbour master bought two boats from Dunstan Pike in 1391.
[E4] I have only heard it told: Some of the eel traps were cut by night.
</evidence>
<message from="Ansel">
Who carried the mail when the lock froze?
</message>`

func started(t *testing.T, o Options) *Server {
	t.Helper()
	s, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func body(name string, stream bool, system, user string) io.Reader {
	b, err := json.Marshal(map[string]any{"model": "m", "stream": stream,
		"stream_options": map[string]any{"include_usage": true},
		"messages": []any{map[string]any{"role": "system", "content": system},
			map[string]any{"role": "user", "content": user}},
		"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": name}}})
	if err != nil {
		panic(err) // a map of strings is JSON
	}
	return strings.NewReader(string(b))
}

func post(ctx context.Context, t *testing.T, s *Server, in io.Reader) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/chat/completions", in)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// streamed reads a stream to its end: the text, the usage, and whether it ended
// as a stream does.
func streamed(t *testing.T, res *http.Response) (content string, u usage, done bool) {
	t.Helper()
	in := bufio.NewScanner(res.Body)
	for in.Scan() {
		data, ok := strings.CutPrefix(in.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			return content, u, true
		}
		var e chunked
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("event %q: %v", data, err)
		}
		if e.Usage != nil {
			u = *e.Usage
		}
		for _, c := range e.Choices {
			content += c.Delta.Content
		}
	}
	return content, u, false
}

func whole(t *testing.T, res *http.Response) string {
	t.Helper()
	var got struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
		Usage usage `json:"usage"`
	}
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil || len(got.Choices) != 1 {
		t.Fatalf("status %d, %v, %+v", res.StatusCode, err, got)
	}
	if got.Usage.Completion != Tokens(got.Choices[0].Message.Content) {
		t.Errorf("usage %+v for %q", got.Usage, got.Choices[0].Message.Content)
	}
	return got.Choices[0].Message.Content
}

func TestAStreamSaysWhatAWholeAnswerSays(t *testing.T) {
	s := started(t, Options{Persona: "quote"})
	at := whole(t, post(t.Context(), t, s, body("speech", false, system, user)))
	parts, u, done := streamed(t, post(t.Context(), t, s, body("speech", true, system, user)))
	if parts != at || !done || u.Completion != Tokens(at) || u.Prompt == 0 {
		t.Errorf("streamed %q, %+v, ended %v\nwhole %q", parts, u, done, at)
	}
	if want := "Col Sedge carried the mail across the ice with Dunstan Pike."; !strings.Contains(at, want) {
		t.Errorf("got %s, want it to quote %q", at, want)
	}
	if n := len(s.Entries()); n == 0 || s.Stats().Calls != 2 || s.Stats().Sentences != n {
		t.Errorf("%d entries, %+v", n, s.Stats())
	}
}

func TestTheNameIsFoundInThePromptToo(t *testing.T) {
	s := started(t, Options{})
	in := body("", false, system+"\n{…}\nAnswer with one JSON object of the schema \"decision\":", user)
	if got := whole(t, post(t.Context(), t, s, in)); !strings.HasPrefix(got, `{"plan":["Answer from E`) {
		t.Errorf("got %s", got)
	}
}

func TestEverySchemaIsAnsweredInItsShape(t *testing.T) {
	s := started(t, Options{Persona: "mixed"})
	data := strings.Replace(user, "<message", "<sources>\n[1] The lock froze. (chronicle, written by "+
		"Wat)\n</sources>\n<actions>\ngive_item: {\"type\":\"object\"}\n</actions>\n<sentences>\n1. The lock "+
		"froze.\n</sentences>\n<message", 1)
	for name, fields := range map[string][]string{
		"citation_query": {"queries"}, "rerank": {"order"}, "compact": {"summary"}, "monologue": {"thoughts"},
		"speech":   {"sentences"},
		"decision": {"plan", "share", "withhold", "tone", "ask", "actions"}, "lean": {"plan", "sentences", "actions"},
		"actions": {"actions"}, "judge": {"verdicts"}, "claims": {"sentences"},
	} {
		var got map[string]json.RawMessage
		text := whole(t, post(t.Context(), t, s, body(name, false, system, data)))
		if err := json.Unmarshal([]byte(text), &got); err != nil || len(got) != len(fields) {
			t.Errorf("%s: %v in %s", name, err, text)
		}
		for _, f := range fields {
			if len(got[f]) == 0 || string(got[f]) == "null" {
				t.Errorf("%s: no %s in %s", name, f, text)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		persona string
		shows   func(t *testing.T, res *http.Response, content string, done bool)
	}{
		{"429", func(t *testing.T, res *http.Response, _ string, _ bool) {
			if res.StatusCode != 429 || res.Header.Get("Retry-After") != "2" {
				t.Errorf("status %d, Retry-After %q", res.StatusCode, res.Header.Get("Retry-After"))
			}
		}},
		{"500", func(t *testing.T, res *http.Response, _ string, _ bool) {
			if res.StatusCode != 500 {
				t.Errorf("status %d", res.StatusCode)
			}
		}},
		{"html", func(t *testing.T, res *http.Response, _ string, done bool) {
			if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") || done {
				t.Error("no HTML")
			}
		}},
		{"no-schema", func(t *testing.T, res *http.Response, _ string, _ bool) {
			if res.StatusCode != 400 {
				t.Errorf("status %d", res.StatusCode)
			}
		}},
		{"empty", func(t *testing.T, _ *http.Response, content string, done bool) {
			if content != "" || !done {
				t.Errorf("said %q", content)
			}
		}},
		{"prose", func(t *testing.T, _ *http.Response, content string, done bool) {
			if strings.ContainsAny(content, "{}") || content == "" || !done {
				t.Errorf("said %q", content)
			}
		}},
		{"malformed", func(t *testing.T, _ *http.Response, content string, done bool) {
			if json.Valid([]byte(content)) || content == "" || !done {
				t.Errorf("said %q", content)
			}
		}},
		{"cut", func(t *testing.T, _ *http.Response, content string, done bool) {
			if done || content == "" || json.Valid([]byte(content)) {
				t.Errorf("ended %v, said %q", done, content)
			}
		}},
		{"no-stream", func(t *testing.T, res *http.Response, _ string, done bool) {
			if done || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
				t.Error("it streamed")
			}
		}},
	} {
		t.Run(c.persona, func(t *testing.T) {
			s := started(t, Options{Persona: c.persona, RetryIn: 2 * time.Second})
			res := post(t.Context(), t, s, body("speech", true, system, user))
			content, _, done := streamed(t, res)
			c.shows(t, res, content, done)
		})
	}
}

func TestTheServerStopsWhenTheCallerGoesAway(t *testing.T) {
	for _, c := range []struct {
		persona string
		pace    Pace
	}{{"endless", Pace{}}, {"hang", Pace{}}, {"quote", Pace{First: time.Hour}}, {"quote", Pace{Rate: .01}}} {
		t.Run(fmt.Sprint(c.persona, c.pace), func(t *testing.T) {
			s := started(t, Options{Persona: c.persona, Pace: c.pace})
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/chat/completions",
				body("speech", true, system, user))
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				res, err := http.DefaultClient.Do(req)
				if err == nil {
					_, err = io.Copy(io.Discard, res.Body)
					err = errors.Join(err, res.Body.Close())
				}
				ended <- err
			}()
			await(t, func() bool { return s.Stats().Open == 1 })
			cancel()
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			await(t, func() bool { return s.Stats().Open == 0 })
			if s.Stats().Cancelled != 1 {
				t.Errorf("%+v", s.Stats())
			}
		})
	}
}

func await(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(10 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("it did not happen within ten seconds")
		}
	}
}

func TestCloseEndsAnAnswerUnderWay(t *testing.T) {
	s, err := Start(Options{Persona: "hang"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		res, err := http.Post(s.URL()+"/chat/completions", "application/json", body("speech", true, system, user))
		if err == nil {
			err = res.Body.Close()
		}
		ended <- err
	}()
	await(t, func() bool { return s.Stats().Open == 1 })
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-ended
	http.DefaultClient.CloseIdleConnections()
}

func TestAFaultStrikesTheStatedShareOfCallsAndARetryMayGoWell(t *testing.T) {
	s := started(t, Options{Seed: 3, FaultRate: .3, Faults: "500"})
	failed := 0
	for range 200 {
		res := post(t.Context(), t, s, body("speech", false, system, user))
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatal(err)
		}
		if res.StatusCode == 500 {
			failed++
		}
	}
	if failed < 40 || failed > 80 {
		t.Errorf("%d of 200 calls failed at a rate of .3", failed)
	}
}

func TestWrongOptionsAreNamed(t *testing.T) {
	for _, o := range []Options{{Persona: "sly"}, {Persona: "quote,"}, {Faults: "quote"}} {
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), "there are") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestTheKeyAndTheModelAreChecked(t *testing.T) {
	for _, c := range []struct {
		options Options
		status  int
	}{{Options{Key: "right"}, 401}, {Options{Model: "other"}, 404}, {Options{Model: "m"}, 200}} {
		s := started(t, c.options)
		if res := post(t.Context(), t, s, body("speech", false, system, user)); res.StatusCode != c.status {
			t.Errorf("%+v: status %d", c.options, res.StatusCode)
		}
	}
}

func TestTheLogIsServedAsLines(t *testing.T) {
	s := started(t, Options{Persona: "invent-detail"})
	streamed(t, post(t.Context(), t, s, body("lean", true, system, user)))
	res, err := http.Get(strings.TrimSuffix(s.URL(), "/v1") + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var lines []Entry
	for in := json.NewDecoder(res.Body); in.More(); {
		var e Entry
		if err := in.Decode(&e); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, e)
	}
	if len(lines) == 0 || len(lines) != len(s.Entries()) || lines[0].NPC != "Hesta Boatwright" ||
		lines[0].Message != "Who carried the mail when the lock froze?" {
		t.Errorf("%+v", lines)
	}
}
