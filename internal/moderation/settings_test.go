package moderation_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/forsooth-npc/forsooth/internal/moderation"
)

func TestParse(t *testing.T) {
	const url = "https://moderation.example/check"
	for _, c := range []struct {
		raw  string
		want moderation.Settings
	}{
		{"", moderation.Settings{}},
		{"null", moderation.Settings{}},
		{`{"url":"` + url + `"}`, moderation.Settings{URL: url, Timeout: 300 * time.Millisecond, OnFailure: "authored"}},
		{`{"url":"http://127.0.0.1:9/x?a=b","timeout_ms":10,"on_failure":"authored"}`,
			moderation.Settings{URL: "http://127.0.0.1:9/x?a=b", Timeout: 10 * time.Millisecond, OnFailure: "authored"}},
		{`{"url":"` + url + `","timeout_ms":5000}`,
			moderation.Settings{URL: url, Timeout: 5 * time.Second, OnFailure: "authored"}},
	} {
		got, err := moderation.Parse(json.RawMessage(c.raw))
		if err != nil || got != c.want || got.On() != (c.want.URL != "") {
			t.Errorf("%s = %+v, %v; want %+v", c.raw, got, err, c.want)
		}
	}
}

func TestParseSaysWhatIsWrongInOneLine(t *testing.T) {
	for raw, want := range map[string]string{
		`{}`:                                   "has no `url`",
		`{"timeout_ms":100}`:                   "has no `url`",
		`{"url":""}`:                           "write the full address",
		`{"url":"moderation.example"}`:         "write the full address",
		`{"url":"ftp://a/b"}`:                  "write the full address",
		`{"url":"http://"}`:                    "write the full address",
		`{"url":"http:opaque"}`:                "write the full address",
		`{"url":"http://a b/%zz"}`:             "is no address",
		`{"url":"http://me:hunter2@a/"}`:       "a user or a password",
		`{"url":"http://a/#here"}`:             "what follows #",
		`{"url":7}`:                            "moderation.url is a number",
		`{"url":"http://a","timeout_ms":9}`:    "is 9; it must lie between 10 and 5000",
		`{"url":"http://a","timeout_ms":0}`:    "is 0; it must lie between 10 and 5000",
		`{"url":"http://a","timeout_ms":5001}`: "is 5001; it must lie between 10 and 5000",
		`{"url":"http://a","timeout_ms":"1s"}`: "moderation.timeout_ms is a string",
		`{"url":"http://a","timeout_ms":30.5}`: "moderation.timeout_ms is a number 30.5",
		`{"url":"http://a","on_failure":"go"}`: `is "go"; there is only authored`,
		`{"url":"http://a","on_failure":""}`:   `is ""; there is only authored`,
		`{"url":"http://a","retries":3}`:       `holds "retries", which is unknown`,
		`"http://a"`:                           "write a mapping",
		`["http://a"]`:                         "write a mapping",
		`{"url":"http://a"} {}`:                "more than one value",
		`{"url":`:                              "cannot be read",
	} {
		s, err := moderation.Parse(json.RawMessage(raw))
		if err == nil || s.On() {
			t.Errorf("%s is taken", raw)
			continue
		}
		if msg := err.Error(); !strings.Contains(msg, want) || strings.Contains(msg, "\n") ||
			!strings.HasPrefix(msg, "moderation") || strings.Contains(msg, "hunter2") {
			t.Errorf("%s: %q, want %q in one line", raw, msg, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"url":"http://a","timeout_ms":300,"on_failure":"authored"}`))
	f.Add([]byte(`{"url":"http://me:pw@a"}`))
	f.Add([]byte(`{"url":"http://a"}{"url":"http://b"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := moderation.Parse(raw)
		if err != nil && s.On() {
			t.Errorf("%q: refused and on", raw)
		}
		if err == nil && s.On() && (s.Timeout < moderation.MinTimeout || s.Timeout > moderation.MaxTimeout ||
			s.OnFailure != moderation.OnFailureAuthored) {
			t.Errorf("%q gives %+v", raw, s)
		}
	})
}
