package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// What four clients send, as their sources have it, is answered by the NPC's words.
func TestTheRequestsOfClients(t *testing.T) {
	s := open(t)
	for name, c := range map[string]struct {
		body    string
		headers []string
		stream  bool
	}{
		"SillyTavern": {
			body: `{"messages":[{"role":"system","content":"Write Mira's next reply in a fictional chat between Mira and ` +
				`Ansel."},{"role":"system","content":"[Start a new Chat]"},
			{"role":"assistant","content":"*She looks up.* Mind the sparks."},{"role":"user","content":"Who owns the ` +
				`ferry?"}],"model":"village/mira","temperature":1,"max_tokens":300,"stream":true,
			"presence_penalty":0,"frequency_penalty":0,"top_p":1,"stop":["\nAnsel:"],"logit_bias":{},"seed":7}`,
			stream: true},
		"Open WebUI": {
			body: `{"stream":true,"model":"village/mira","messages":[{"role":"user","content":"Who owns the ` +
				`ferry?"}],"stream_options":{"include_usage":true},"metadata":{}}`,
			headers: []string{"X-OpenWebUI-User-Id", "u1", "X-OpenWebUI-User-Role", "admin"}, stream: true},
		"LibreChat": {
			body: `{"model":"village/mira","user":"65f0c0ffee","stream":true,"messages":[{"role":"system","content":"You ` +
				`are helpful."},{"role":"user","content":"Who owns the ferry?"}],"top_p":1,"n":1}`,
			headers: []string{"User-Agent", "OpenAI/JS 4.0"}, stream: true},
		"Mantella": {
			body: `{"messages":[{"role":"system","content":"You are Mira in Skyrim."},{"role":"user","content":"Who owns the ` +
				`ferry?"}],"model":"village/mira","max_tokens":250,"temperature":1.0,
			"top_p":0.9,"stop":["#"],"frequency_penalty":0,"stream":true,"tools":[{"type":"function"` +
				`,"function":{"name":"npc_follow","parameters":{"type":"object"}}}]}`,
			headers: []string{"HTTP-Referer", "https://art-from-the-machine.github.io/Mantella/", "X-Title",
				"mantella", "Authorization", "Bearer abc123"}, stream: true},
		"a shell": {body: said("Who owns the ferry?",
			`,"temperature":null,"tools":null,"stream_options":null,"response_format":null`)},
	} {
		words := ""
		if c.stream {
			for _, e := range s.stream("POST", completions, c.body, c.headers...) {
				words += deltaOf(t, e.data)
			}
		} else {
			var done completion
			s.do("POST", completions, c.body, c.headers...).json(t, &done)
			words = done.Choices[0].Message.Content
		}
		if words != "Teague owns the ferry." {
			t.Errorf("%s: %q", name, words)
		}
	}
}

// deltaOf reads a chunk as SillyTavern and Mantella do.
func deltaOf(t *testing.T, data string) string {
	t.Helper()
	if data == "[DONE]" {
		return ""
	}
	var c struct {
		Choices []struct{ Delta struct{ Content string } }
	}
	must(t, json.Unmarshal([]byte(data), &c))
	if len(c.Choices) == 0 {
		return ""
	}
	return c.Choices[0].Delta.Content
}

// Titles and tags are answered without a turn: nobody hears of them.
func TestErrandsOfClientsTouchNoNPC(t *testing.T) {
	s := open(t)
	for name, c := range map[string]struct{ message, want string }{
		"Open WebUI's title": {"### Task:\nGenerate a concise, 3-5 word title with an emoji summarizing the chat " +
			"history.\n### Output:\nJSON format: { \"title\": \"your concise title here\" }\n### Chat " +
			"History:\n<chat_history>\nUSER: Who owns the ferry?\n</chat_history>",
			`{"title":"Talk with Mira"}`},
		"Open WebUI's tags": {"### Task:\nGenerate 1-3 broad tags categorizing the main themes of the chat " +
			"history.\n### Output:\nJSON format: { \"tags\": [\"tag1\", \"tag2\"] }", `{"tags":[]}`},
		"Open WebUI's follow-ups": {"### Task:\nSuggest 3-5 relevant follow-up questions.\n### Output:\nJSON " +
			"format: { \"follow_ups\": [\"Question 1?\"] }", `{"follow_ups":[]}`},
		"LibreChat's title": {"Provide a concise, 5-word-or-less title for the conversation, using title case " +
			"conventions. Only return the title itself.\n\nConversation:\nUser: Who owns the ferry?", "Talk with Mira"},
		"SillyTavern's summary": {"[Pause your roleplay. Summarize the most important facts and events in the " +
			"story so far.]", ""},
	} {
		for _, stream := range []bool{false, true} {
			got := ""
			if stream {
				for _, e := range s.stream("POST", completions, said(c.message, `,"user":"p1","stream":true`)) {
					got += deltaOf(t, e.data)
				}
			} else {
				var done completion
				s.do("POST", completions, said(c.message, `,"user":"p1"`)).json(t, &done)
				got = done.Choices[0].Message.Content
			}
			if got != c.want {
				t.Errorf("%s, streamed %v: %q", name, stream, got)
			}
		}
	}
	talk, err := s.client.Conversation(
		t.Context(),
		schema.ConversationID{World: "village", NPC: "mira", Player: "p1"},
	)
	if err != nil || talk.Turns != 0 {
		t.Errorf("%+v %v", talk, err)
	}
	for _, spoken := range []string{"Who has the title to the ferry?", "Give me a summary of the fire.",
		"Tell me what the ferry costs, and write it down.", "Summarize the story of the mill fire for me.",
		"### Task: who are you?", "Did the Reeve give you a title after your conversation?",
		"Give me a topic of conversation, smith.", "Summarize our conversation."} {
		var done completion
		s.do("POST", completions, said(spoken, `,"user":"p1"`)).json(t, &done)
		if got := done.Choices[0].Message.Content; got == "" || strings.HasPrefix(got, "Talk with") {
			t.Errorf("%q is taken for an errand: %q", spoken, got)
		}
	}
}
