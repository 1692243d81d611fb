package llmtest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Faults are the ways in which a server can fail whatever it says.
var Faults = []string{"malformed", "prose", "empty", "endless", "cut", "429", "500", "hang", "html", "no-schema",
	"no-json", "no-stream"}

// Spoilers are the faults that pass: a second try may go well.
var Spoilers = []string{"malformed", "prose", "empty", "endless", "cut", "429", "500", "hang"}

func faultsOf(names string) ([]string, error) {
	var out []string
	for f := range strings.SplitSeq(names, ",") {
		if f = strings.TrimSpace(f); !isFault(f) {
			return nil, fmt.Errorf("fault %q: there is none of this name; there are %s", f, strings.Join(Faults, ", "))
		}
		out = append(out, f)
	}
	return out, nil
}

func isFault(name string) bool { return slices.Contains(Faults, name) }

// respond answers a call, well or spoiled by a fault.
func (c *call) respond(fault string) {
	c.server.book.as(c.persona.name)
	if fault != "" && fault != c.persona.name {
		c.server.book.as(fault)
	}
	switch fault {
	case "429":
		c.w.Header().Set("Retry-After", fmt.Sprint(max(1, int(c.server.options.RetryIn/time.Second))))
		refuse(c.w, http.StatusTooManyRequests, "rate_limit_exceeded", "Rate limit reached.")
		return
	case "500":
		refuse(c.w, http.StatusInternalServerError, "server_error", "The server had an error while processing your request.")
		return
	case "hang":
		c.hang()
		return
	case "html":
		c.w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(c.w, "<!DOCTYPE html><html><head><title>Welcome</title></head><body><h1>It works!</h1></body></html>\n")
		return
	case "no-schema", "no-json":
		kind := c.request.ResponseFormat.Type
		if kind == "json_schema" || kind == "json_object" && fault == "no-json" {
			refuse(c.w, http.StatusBadRequest, "invalid_request_error",
				fmt.Sprintf("response_format of type %q is not supported", kind))
			return
		}
	case "no-stream":
		c.request.Stream = false
	}
	a := c.answer()
	if fault == "prose" {
		a = prose(c.scene)
	}
	if fault != "empty" {
		c.record(a.spoken)
	}
	switch fault {
	case "malformed":
		c.send(malform(a.json, c.scene.dice.IntN(6)))
	case "empty":
		c.send("")
	case "endless":
		c.endless(a.json)
	case "cut":
		c.cut(a.json)
	default:
		c.send(a.json)
	}
}

// hang says nothing until the caller or the server goes away.
func (c *call) hang() {
	select {
	case <-c.r.Context().Done():
	case <-c.server.ctx.Done():
	}
}

// malform breaks JSON in one of the ways models do.
func malform(s string, way int) string {
	switch way {
	case 0: // never closed
		return strings.TrimRight(s, "}]")
	case 1: // a comma too many
		return strings.Replace(strings.Replace(s, "]}", ",]}", 1), "}]", "},]", 1)
	case 2: // fenced, with words around it
		return "Here is the JSON you asked for:\n```json\n" + s + "\n```\nI hope this helps!"
	case 3: // the wrong quotes
		return strings.ReplaceAll(s, `"`, `'`)
	case 4: // keys without quotes
		for _, key := range []string{"sentences", "text", "citations", "claim", "evidence_id", "thoughts", "plan", "share"} {
			s = strings.ReplaceAll(s, `"`+key+`":`, key+":")
		}
		return s
	default: // torn in the middle and begun again
		return s[:len(s)/2] + s
	}
}

// prose answers in prose; what it says is made up.
func prose(s *scene) answer {
	var said []draft
	for range 2 {
		said = append(said, inventedDetail(s))
	}
	return answer{json: "Well, traveller, let me tell you what I know. " + said[0].text + " " + said[1].text +
		" Is there anything else?", spoken: said}
}

// cut ends the connection in the middle of the answer.
func (c *call) cut(content string) {
	tokens := pieces(content)
	tokens = tokens[:len(tokens)/2]
	if c.request.Stream {
		if c.stream(tokens) != nil {
			return
		}
	} else if c.wait(c.pace.Due(len(tokens)-1)) == nil {
		c.w.Header().Set("Content-Type", "application/json")
		c.w.Header().Set("Content-Length", fmt.Sprint(len(content)+200))
		fmt.Fprint(c.w, `{"id":"chatcmpl-cut","choices":[{"message":{"role":"assistant","content":"`)
		_ = http.NewResponseController(c.w).Flush()
	}
	panic(http.ErrAbortHandler) // the way to break a connection from a handler
}

// endlessRate keeps an unpaced server from filling the machine.
const endlessRate = 5000

// endless says one thing after another until the caller has enough.
func (c *call) endless(begun string) {
	if c.pace.Rate <= 0 {
		c.pace.Rate = endlessRate
	}
	spoken := strings.Contains(begun, `"sentences":[`)
	tokens := pieces(strings.TrimRight(begun, "}]") + `]}`)
	if spoken {
		tokens = pieces(begun[:strings.Index(begun, `"sentences":[`)+len(`"sentences":[`)])
	}
	if c.request.Stream {
		c.head()
	} else {
		c.w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(c.w, `{"id":"chatcmpl-endless","choices":[{"message":{"role":"assistant","content":"`)
	}
	for sent := 0; ; {
		for at := 0; at < len(tokens); {
			if c.wait(c.pace.Due(sent)) != nil {
				return
			}
			end := min(at+burst, len(tokens))
			if c.sendPart(tokens[at:end]) != nil {
				return
			}
			sent, at = sent+end-at, end
		}
		tokens = c.more(spoken)
	}
}

func (c *call) sendPart(tokens []string) error {
	c.server.book.sent(len(tokens))
	if c.request.Stream {
		return c.event(chunk(c, tokens, nil, nil))
	}
	if _, err := fmt.Fprint(c.w, strings.ReplaceAll(strings.ReplaceAll(joined(tokens), `\`, `\\`), `"`,
		`\"`)); err != nil {
		return err
	}
	return http.NewResponseController(c.w).Flush()
}

// more is what an endless answer says next.
func (c *call) more(spoken bool) []string {
	if !spoken {
		return pieces(" and so on")
	}
	d := inventedDetail(c.scene)
	c.record([]draft{d})
	return pieces(strings.Trim(compact(wire([]draft{d})), "[]") + ",")
}

// answer is what the server says: a judgement, the claims of sentences, what it recites, or what its persona says.
func (c *call) answer() answer {
	speech := c.scene.Name == "speech" || c.scene.Name == "lean"
	switch {
	case c.scene.Name == "judge":
		return plain(c.server.judge(c.scene, c.persona))
	case c.scene.Name == "claims":
		return plain(c.server.split(c.scene, c.persona))
	case speech && c.persona.name == reciter:
		said := c.server.recite(c.scene)
		if c.scene.Name == "lean" {
			return answer{spoken: said,
				json: compact(map[string]any{"plan": "", "sentences": wire(said), "actions": []string{}})}
		}
		return answer{spoken: said, json: compact(map[string]any{"sentences": wire(said)})}
	}
	return c.persona.answered(c.scene)
}

// Pace is the stated speed of the server: the first token First after the
// request came in, each further one 1/Rate later. The zero pace is as fast as
// can be.
type Pace struct {
	First time.Duration
	Rate  float64 // tokens a second; 0: all at once
}

// Due is when the token of this index is sent, from the arrival of the request.
func (p Pace) Due(index int) time.Duration {
	if p.Rate <= 0 || index <= 0 {
		return p.First
	}
	return p.First + time.Duration(float64(index)/p.Rate*float64(time.Second))
}

// Ready is how many of n tokens are due after this time. A sender that comes late
// sends all of them at once, and so is on the schedule again.
func (p Pace) Ready(elapsed time.Duration, n int) int {
	if elapsed < p.First {
		return 0
	}
	if p.Rate <= 0 {
		return n
	}
	k := int((elapsed-p.First).Seconds()*p.Rate) + 1
	// The division may round the other way than Due does, by one token.
	for k < n && p.Due(k) <= elapsed {
		k++
	}
	for k > 1 && p.Due(k-1) > elapsed {
		k--
	}
	return min(k, n)
}

// tokenSize is how many characters count as one token.
const tokenSize = 4

// Tokens is how many tokens a text counts as.
func Tokens(s string) int { return (utf8.RuneCountInString(s) + tokenSize - 1) / tokenSize }

// pieces cuts a text into its tokens.
func pieces(s string) []string {
	var out []string
	start, count := 0, 0
	for i := range s {
		if count == tokenSize {
			out, start, count = append(out, s[start:i]), i, 0
		}
		count++
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
