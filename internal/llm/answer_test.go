package llm

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What models make of "answer with this JSON", and what is taken of it: the
// object in it where there is one, mended where it can be, and after one more try
// an error.
func TestAnswersAreMendedThenAskedForOnceMore(t *testing.T) {
	prose := "The mill burned in spring, they say."
	for _, c := range []struct {
		name     string
		says     []reaction
		want     string // "": an error
		requests int
	}{
		{"as asked", []reaction{say(good)}, good, 1},
		{"in a fence", []reaction{say("Here is the JSON:\n```json\n" + good + "\n```\nI hope this helps!")}, good, 1},
		{"behind thoughts", []reaction{say("<think>Perhaps {this}? No.</think>\n" + good)}, good, 1},
		{"with the wrong quotes", []reaction{say(`{'sentences':[{'text':'I saw it.'}]}`)}, `{"sentences":[{"text":"I saw ` +
			`it."}]}`, 1},
		{"with a comma too many", []reaction{say(`{"sentences":[{"text":"I saw it."},]}`)}, `{"sentences":[{"text":"I saw ` +
			`it."}]}`, 1},
		{"never closed", []reaction{say(`{"sentences":[{"text":"I saw it."}`)}, `{"sentences":[{"text":"I saw it."}]}`, 1},
		{"with a property too many", []reaction{say(`{"reason":"x","sentences":[{"text":"I saw it.","sure":true}]}`)},
			`{"sentences":[{"text":"I saw it."}]}`, 1},
		{"without what must be there, then right", []reaction{say(`{"sentences":[{}]}`), say(good)}, good, 2},
		{"of the wrong kind, twice", []reaction{say(`{"sentences":"The mill burned."}`)}, "", 2},
		{"in prose, then right", []reaction{say(prose), say(good)}, good, 2},
		{"in prose, twice", []reaction{say(prose)}, "", 2},
		{"empty, then right", []reaction{say(""), say(good)}, good, 2},
		{"empty, twice", []reaction{say(" \n ")}, "", 2},
		{"cut at its limit, twice", []reaction{saying(good[:40], "length", true)}, "", 2},
		{"cut without a word of it, twice", []reaction{say(good[:40])}, "", 2},
		{"refused by the caller, twice", []reaction{say(`{"sentences":[]}`)}, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.says...)
			m, told := client(t, Options{}, s.URL)
			turn := turnOf(schema.PassSpeak)
			q := request(turn)
			q.Validate = func(answer []byte) error {
				if strings.Contains(string(answer), "[]") {
					return errors.New("it says nothing")
				}
				return nil
			}
			answer, err := m.Complete(within(t, 10*time.Second), q)
			if n := len(s.requests()); n != c.requests || turn.Passes[0].LLMCalls != n {
				t.Errorf("the server was asked %d times, and %d calls counted; want %d", n, turn.Passes[0].LLMCalls, c.requests)
			}
			if c.want == "" {
				if !errors.Is(err, ErrAnswer) || !errors.Is(err, ErrUnavailable) {
					t.Errorf("got %q, %v; want ErrAnswer", answer.JSON, err)
				}
				if all := told.list(); len(all) != 1 || strings.Contains(all[0].Line, "\n") {
					t.Errorf("reported %+v, want one line", all)
				}
				return
			}
			if err != nil || !sameJSON(t, answer.JSON, c.want) {
				t.Errorf("got %s, %v; want %s", answer.JSON, err, c.want)
			}
			if answer.Attempts != c.requests || answer.Model != "small" || answer.Provider != "primary" {
				t.Errorf("got %+v", answer)
			}
		})
	}
}

// The second try shows the model what it said, what is wrong with it, and the
// schema in words.
func TestTheSecondTryNamesTheFault(t *testing.T) {
	s := serve(t, say(`{"sentences":[{"words":"no"}]}`), say(good))
	m, _ := client(t, Options{}, s.URL)
	if _, err := m.Complete(within(t, 10*time.Second), request(turnOf(schema.PassSpeak))); err != nil {
		t.Fatal(err)
	}
	first, second := s.requests()[0], s.requests()[1]
	if len(first.Messages) != 2 || first.ResponseFormat.JSONSchema["name"] != "speech" || first.MaxTokens == 0 ||
		first.ResponseFormat.JSONSchema["strict"] != false {
		t.Errorf("the first request is %+v", first)
	}
	if len(second.Messages) != 4 || second.Messages[2]["role"] != "assistant" ||
		second.message(2) != `{"sentences":[{"words":"no"}]}` {
		t.Errorf("the second request is %+v", second)
	}
	if why := second.message(3); !strings.Contains(why, "/sentences/0") || !strings.Contains(why, "text") {
		t.Errorf("the fault is told as %q", why)
	}
	if !strings.HasSuffix(second.message(0), speechSchema+"\n"+`Answer with one JSON object of the schema "speech":`) {
		t.Errorf("the second system message is %q", second.message(0))
	}
}

// A server that does not count is estimated, so that no call is free.
func TestTokensAndCostAreCounted(t *testing.T) {
	for _, c := range []struct {
		name    string
		usage   bool
		in, out int
	}{
		{"as the server says", true, 100, 20},
		{"estimated", false, tokensOf("You are Mira.") + tokensOf("Who burned the mill?"), tokensOf(good)},
	} {
		for _, stream := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				m, _ := client(t, Options{}, serve(t, saying(good, "stop", c.usage)).URL)
				turn := turnOf(schema.PassSpeak)
				var err error
				if stream {
					_, err = m.Stream(within(t, 10*time.Second), request(turn), func(string) error { return nil })
				} else {
					_, err = m.Complete(within(t, 10*time.Second), request(turn))
				}
				got := turn.Passes[0]
				want := (float64(c.in) + 10*float64(c.out)) / 1e6
				if err != nil || got.Tokens != c.in+c.out || got.TokensOut != c.out || got.Cost != want {
					t.Errorf("counted %+v, %v; want %d in, %d out, cost %v", got, err, c.in, c.out, want)
				}
			})
		}
	}
}

func TestAStrangeSchemaFollowsNoReference(t *testing.T) {
	m, _ := client(t, Options{}, serve(t, say(good)).URL)
	q := request(turnOf(schema.PassSpeak))
	q.Schema = json.RawMessage(`{"$ref":"file:///etc/hostname"}`)
	if _, err := m.Complete(within(t, 10*time.Second), q); err == nil ||
		!strings.Contains(err.Error(), "is not followed") {
		t.Errorf("got %v", err)
	}
}

func sameJSON(t *testing.T, got []byte, want string) bool {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Errorf("%s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(g)
	b, _ := json.Marshal(w)
	return string(a) == string(b)
}
