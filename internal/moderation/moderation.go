// Package moderation asks a world's moderation hook whether a player's message
// may be taken and whether a sentence may be said. It is the client of one HTTP
// call and what follows from its verdict; it holds no opinion and no word list of
// its own, and it neither reviews nor releases a sentence. Whatever is not a clear
// verdict in time is a failure, and a failure allows nothing.
package moderation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/forsooth-npc/forsooth/internal/limits"
)

// Kind is what a text is.
type Kind string

// The kinds of texts that are moderated.
const (
	KindMessage  Kind = "message"  // what the player said
	KindSentence Kind = "sentence" // what the NPC is about to say, as the player would read it
)

// Item is a text with where it stands, as the hook gets it.
type Item struct {
	Kind   Kind   `json:"kind"`
	World  string `json:"world"`
	NPC    string `json:"npc"`
	Player string `json:"player"`
	TurnID string `json:"turn_id"`
	Seq    int    `json:"seq"` // of the sentence, from 1; 0 for a message
	Text   string `json:"text"`
}

// ErrFailed is wrapped by every error of Check: the hook gave no verdict, for
// whatever reason.
var ErrFailed = errors.New("no verdict of the moderation hook")

// Options of a Moderator; the zero value is the default.
type Options struct {
	Transport http.RoundTripper // nil: one of its own
	Hosts     limits.Hosts      // that may be asked, over a transport of its own
	Key       string            // sent as a bearer token; never part of an error
}

// Moderator calls hooks over pooled connections. It is safe for concurrent use.
type Moderator struct {
	http *http.Client
	key  string
}

// idlePerHost lets a mesh of busy workers keep its connections to one hook.
const idlePerHost = 64

// New makes a Moderator; Close ends its connections.
func New(o Options) *Moderator {
	transport := o.Transport
	if transport == nil {
		transport = o.Hosts.Over(&http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			ForceAttemptHTTP2:      true,
			MaxIdleConns:           4 * idlePerHost,
			MaxIdleConnsPerHost:    idlePerHost,
			IdleConnTimeout:        90 * time.Second,
			TLSHandshakeTimeout:    MaxTimeout,
			MaxResponseHeaderBytes: maxAnswer,
		})
	}
	return &Moderator{key: o.Key, http: &http.Client{
		Transport: transport,
		// A redirect would send what a player said to an address that nobody chose.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close ends idle connections.
func (m *Moderator) Close() { m.http.CloseIdleConnections() }

// Check asks the hook about a text. Without a hook everything is allowed. Any
// error wraps ErrFailed, is one line, and means that the text is not allowed.
func (m *Moderator) Check(ctx context.Context, s Settings, item Item) (Verdict, error) {
	if !s.On() {
		return Verdict{Action: Allow}, nil
	}
	timeout := s.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	inner, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	v, err := m.ask(inner, s.URL, item)
	switch {
	case err == nil:
		return v, nil
	case ctx.Err() != nil:
		return Verdict{}, fmt.Errorf("%w: %w", ErrFailed, ctx.Err())
	case inner.Err() != nil:
		return Verdict{}, fmt.Errorf("%w: %s took longer than %d ms; raise moderation.timeout_ms or mend the hook", ErrFailed,
			host(s.URL), timeout.Milliseconds())
	}
	return Verdict{}, fmt.Errorf("%w: %s %w", ErrFailed, host(s.URL), err)
}

// ask is one call; its errors read on from the hook's host.
func (m *Moderator) ask(ctx context.Context, address string, item Item) (Verdict, error) {
	body, err := json.Marshal(item)
	if err != nil {
		return Verdict{}, fmt.Errorf("cannot be sent this text: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Verdict{}, errors.New("has no usable address; mend moderation.url")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if m.key != "" {
		req.Header.Set("Authorization", "Bearer "+m.key)
	}
	res, err := m.http.Do(req)
	if err != nil {
		return Verdict{}, fmt.Errorf("cannot be reached: %w", withoutURL(err))
	}
	defer res.Body.Close() //nolint:errcheck // it was only read
	return readVerdict(res)
}

// withoutURL drops the address, which may hold a token in its query.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the hook"
	}
	return u.Host
}

// Action is what is to become of a text.
type Action string

// The actions a hook may answer with.
const (
	Allow   Action = "allow"
	Replace Action = "replace"
	Block   Action = "block"
)

// Verdict is a hook's answer.
type Verdict struct {
	Action Action
	Text   string // what takes the text's place; set with Replace only
	Reason string // the hook's own word, for the record
}

const (
	maxAnswer = 64 << 10 // bytes of an answer
	maxReason = 200      // characters kept of a reason
)

// readVerdict takes a clear verdict and nothing else. Its errors read on from the
// name of the hook.
func readVerdict(res *http.Response) (Verdict, error) {
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		return Verdict{}, fmt.Errorf("answers %d, a redirect, which is not followed; write the final address into "+
			"moderation.url", res.StatusCode)
	}
	if res.StatusCode != http.StatusOK {
		return Verdict{}, fmt.Errorf("answers %d; a verdict comes with 200", res.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return Verdict{}, fmt.Errorf("breaks off its answer: %w", err)
	case len(body) > maxAnswer:
		return Verdict{}, fmt.Errorf("answers with more than %d KiB", maxAnswer>>10)
	case looksLikeHTML(res.Header.Get("Content-Type"), body):
		return Verdict{}, errors.New("answers with a web page; moderation.url must be the hook itself")
	}
	return decodeVerdict(body)
}

func looksLikeHTML(contentType string, body []byte) bool {
	return strings.HasPrefix(strings.ToLower(contentType), "text/html") ||
		strings.HasPrefix(strings.TrimSpace(string(body)), "<")
}

// decodeVerdict reads the JSON of a verdict. Keys it does not know are let be.
func decodeVerdict(body []byte) (Verdict, error) {
	var answer struct {
		Verdict Action `json:"verdict"`
		Text    string `json:"text"`
		Reason  string `json:"reason"`
	}
	if !utf8.Valid(body) {
		return Verdict{}, errors.New("answers with text that is not UTF-8")
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return Verdict{}, errors.New(`answers with what is not the JSON of a verdict; {"verdict":"allow"} is one`)
	}
	v := Verdict{Action: answer.Verdict, Reason: short(answer.Reason)}
	switch v.Action {
	case Allow, Block:
		return v, nil
	case Replace:
		v.Text = strings.TrimSpace(answer.Text)
		if v.Text == "" {
			return Verdict{}, errors.New("says replace and gives no text")
		}
		return v, nil
	case "":
		return Verdict{}, errors.New("answers without a verdict; allow, replace and block are verdicts")
	}
	return Verdict{}, fmt.Errorf("answers with the verdict %q; there are allow, replace and block",
		short(string(v.Action)))
}

// short is a text on one line, cut for a record.
func short(s string) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) > maxReason {
		return string(r[:maxReason]) + "…"
	}
	return string(r)
}
