package transport

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// inside are streams that no backend's author and no operator needs to know: sums,
// switches and the hashes of what was erased.
var inside = map[string]bool{streamCounters: true, StreamFlags: true, StreamErased: true}

// The AsyncAPI document says of each subject the stream that really holds it, and
// leaves no subject of a stream out.
func TestTheAsyncAPIDocumentHasTheStreams(t *testing.T) {
	data, err := os.ReadFile("../../../docs/asyncapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Channels map[string]struct {
			Address string
			Stream  string `yaml:"x-stream"`
		}
	}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	part := regexp.MustCompile(`\{\w+\}`)
	covered := map[string]bool{}
	for name, c := range doc.Channels {
		subject := part.ReplaceAllString(c.Address, "x")
		held := ""
		for _, s := range Streams(Settings{}.WithDefaults()) {
			for _, pattern := range s.Subjects {
				if c.Address != "" && takes(pattern, subject) {
					held = s.Name
					covered[pattern] = true
				}
			}
		}
		if held != c.Stream {
			t.Errorf("channel %s (%s): the document says stream %q, it is %q", name, c.Address, c.Stream, held)
		}
	}
	for _, s := range Streams(Settings{}.WithDefaults()) {
		for _, pattern := range s.Subjects {
			if !covered[pattern] && !inside[s.Name] {
				t.Errorf("no channel for %s of %s", pattern, s.Name)
			}
		}
	}
	if !strings.HasPrefix(doc.Channels["turn"].Address, "forsooth.v1.turn.") {
		t.Errorf("the document has no channel for turns: %+v", doc.Channels["turn"])
	}
}

// takes says whether a pattern with wildcards takes a subject.
func takes(pattern, subject string) bool {
	want, have := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, w := range want {
		switch {
		case w == ">":
			return len(have) > i
		case i >= len(have) || w != "*" && w != have[i]:
			return false
		}
	}
	return len(want) == len(have)
}
