package moderation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

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
