package moderation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"
)

// The bounds of a call to the hook.
const (
	DefaultTimeout = 300 * time.Millisecond
	MinTimeout     = 10 * time.Millisecond
	MaxTimeout     = 5 * time.Second
)

// OnFailureAuthored answers with an authored line when the hook gives no verdict.
// There is no other way: none may release what was not moderated.
const OnFailureAuthored = "authored"

// Settings are `moderation` of world.yaml. The zero value is off.
type Settings struct {
	URL       string
	Timeout   time.Duration
	OnFailure string
}

// On says whether the world is moderated.
func (s Settings) On() bool { return s.URL != "" }

// Parse reads the settings as world.yaml gives them: nothing or null is off. An
// error is one line that says what is wrong and how to mend it.
func Parse(raw json.RawMessage) (Settings, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return Settings{}, nil
	}
	var given struct {
		URL       *string `json:"url"`
		TimeoutMS *int    `json:"timeout_ms"`
		OnFailure *string `json:"on_failure"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&given); err != nil {
		return Settings{}, shapeError(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Settings{}, errors.New("moderation is more than one value; write one mapping with `url`")
	}
	s := Settings{Timeout: DefaultTimeout, OnFailure: OnFailureAuthored}
	if given.URL == nil {
		return Settings{}, errors.New("moderation has no `url`; write the address of the hook, or take `moderation` out")
	}
	if err := checkURL(*given.URL); err != nil {
		return Settings{}, err
	}
	s.URL = *given.URL
	if ms := given.TimeoutMS; ms != nil {
		if *ms < int(MinTimeout.Milliseconds()) || *ms > int(MaxTimeout.Milliseconds()) {
			return Settings{}, fmt.Errorf("moderation.timeout_ms is %d; it must lie between %d and %d, or be left out for %d",
				*ms, MinTimeout.Milliseconds(), MaxTimeout.Milliseconds(), DefaultTimeout.Milliseconds())
		}
		s.Timeout = time.Duration(*ms) * time.Millisecond
	}
	if given.OnFailure != nil && *given.OnFailure != OnFailureAuthored {
		return Settings{}, fmt.Errorf("moderation.on_failure is %q; there is only %s: what was not moderated is never "+
			"released",
			*given.OnFailure, OnFailureAuthored)
	}
	return s, nil
}

// shapeError words what the decoder found in the terms of world.yaml.
func shapeError(err error) error {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Errorf("moderation is a %s; write a mapping with `url`, `timeout_ms` and `on_failure`", kind.Value)
	case errors.As(err, &kind) && kind.Field == "timeout_ms":
		return fmt.Errorf("moderation.timeout_ms is a %s; write whole milliseconds, such as %d", kind.Value,
			DefaultTimeout.Milliseconds())
	case errors.As(err, &kind):
		return fmt.Errorf("moderation.%s is a %s; write text", kind.Field, kind.Value)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Errorf("moderation holds %s, which is unknown; there are url, timeout_ms and on_failure", name)
	}
	return fmt.Errorf("moderation cannot be read: %w", err)
}

// checkURL never repeats an address that holds a password.
func checkURL(s string) error {
	const mend = "write the full address of the hook, such as https://moderation.example/check"
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return fmt.Errorf("moderation.url is no address; %s", mend)
	case u.User != nil:
		return errors.New("moderation.url holds a user or a password; take it out: a world's files are public")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.Opaque != "":
		return fmt.Errorf("moderation.url is %q; %s", s, mend)
	case u.Fragment != "":
		return fmt.Errorf("moderation.url is %q; take out what follows #", s)
	}
	return nil
}
