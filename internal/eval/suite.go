// Package eval holds evaluation suites: their format, when a case passes, the
// metrics over a run, and the report. It does not know how a turn is answered:
// whoever runs a suite hands in a function that does.
package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/forsooth-npc/forsooth/pkg/schema"
)

// Suite is a file of cases over one world.
type Suite struct {
	Name       string               `yaml:"suite"`
	World      string               `yaml:"world"` // relative to the suite's file
	Thresholds map[string]Threshold `yaml:"thresholds"`
	Cases      []Case               `yaml:"cases"`

	Path     string    `yaml:"-"`
	Modified time.Time `yaml:"-"`
}

// Threshold bounds `passed`, a kind's share of passed cases, or a metric.
type Threshold struct {
	Min *float64 `yaml:"min"`
	Max *float64 `yaml:"max"`
}

// Case is one turn and what is expected of it. What is left out is not looked at.
type Case struct {
	Name            string         `yaml:"name"`
	Kind            string         `yaml:"kind"`
	NPC             string         `yaml:"npc"`
	Player          string         `yaml:"player"`
	PlayerMessage   string         `yaml:"player_message"`
	History         []Exchange     `yaml:"history"`
	State           map[string]any `yaml:"state"`
	Flags           []string       `yaml:"flags"`
	Trust           *int           `yaml:"trust"`
	GameTime        *time.Time     `yaml:"game_time"`
	Locale          string         `yaml:"locale"`
	ExpectTopic     string         `yaml:"expect_topic"`
	ExpectCitations *bool          `yaml:"expect_citations"`
	ExpectUncertain *bool          `yaml:"expect_uncertain"`
	ExpectEvidence  []string       `yaml:"expect_evidence"` // globs; any one suffices
	ForbidEvidence  []string       `yaml:"forbid_evidence"` // globs: neither cited nor in a prompt
	ExpectActions   []string       `yaml:"expect_actions"`
	RejectPatterns  []string       `yaml:"reject_patterns"` // RE2, case-insensitive

	reject         []*regexp.Regexp
	expect, forbid []*regexp.Regexp
}

// Exchange is what was said before a case.
type Exchange struct {
	Player string `yaml:"player"`
	NPC    string `yaml:"npc"`
}

// Load reads a suite. Errors name the file, and the case or the line.
func Load(path string) (*Suite, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("suite %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("suite %s: %w", path, err)
	}
	s, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.Path, s.Modified = path, info.ModTime()
	return s, nil
}

// Parse reads a suite from its text.
func Parse(data []byte) (*Suite, error) {
	var s Suite
	if err := yaml.UnmarshalWithOptions(data, &s, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s", strings.Join(strings.Fields(yaml.FormatError(err, false, false)), " "))
	}
	if s.World == "" {
		return nil, fmt.Errorf("world is missing; write the world's folder, relative to this file")
	}
	if len(s.Cases) == 0 {
		return nil, fmt.Errorf("there are no cases; write some under cases:")
	}
	names := map[string]bool{}
	for i := range s.Cases {
		c := &s.Cases[i]
		if err := c.prepare(); err != nil {
			return nil, fmt.Errorf("case %d (%s): %w", i+1, c.Name, err)
		}
		if names[c.Name] {
			return nil, fmt.Errorf("case %d: the name %q stands twice; give each case its own", i+1, c.Name)
		}
		names[c.Name] = true
	}
	return &s, s.checkThresholds()
}

// prepare fills what is implied and compiles the patterns.
func (c *Case) prepare() error {
	switch {
	case c.Name == "":
		return fmt.Errorf("name is missing")
	case strings.TrimSpace(c.PlayerMessage) == "":
		return fmt.Errorf("player_message is missing")
	}
	if c.Kind == "" {
		c.Kind = "known"
		if c.ExpectUncertain != nil && *c.ExpectUncertain {
			c.Kind = "unknown"
		}
	}
	for _, p := range c.RejectPatterns {
		re, err := regexp.Compile("(?i)" + p)
		if err != nil {
			return fmt.Errorf("reject_patterns: %q is no RE2 pattern: %w", p, err)
		}
		c.reject = append(c.reject, re)
	}
	c.expect, c.forbid = globs(c.ExpectEvidence), globs(c.ForbidEvidence)
	return nil
}

// globs compiles path patterns: ** crosses folders, * and ? do not.
func globs(patterns []string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, p := range patterns {
		p, _, _ = strings.Cut(p, "#")
		re := regexp.QuoteMeta(p)
		re = strings.NewReplacer(`\*\*`, ".*", `\*`, "[^/]*", `\?`, "[^/]").Replace(re)
		out = append(out, regexp.MustCompile("^"+re+"$"))
	}
	return out
}

// kinds are the kinds of the suite's cases.
func (s *Suite) kinds() []string {
	var out []string
	for _, c := range s.Cases {
		if !slices.Contains(out, c.Kind) {
			out = append(out, c.Kind)
		}
	}
	slices.Sort(out)
	return out
}

// checkThresholds refuses a threshold of nothing.
func (s *Suite) checkThresholds() error {
	for name := range s.Thresholds {
		if name != "passed" && !slices.Contains(s.kinds(), name) && !slices.Contains(MetricNames, name) {
			return fmt.Errorf("thresholds: %q is neither passed, a kind of this suite (%s) nor a metric (%s)",
				name, strings.Join(s.kinds(), ", "), strings.Join(MetricNames, ", "))
		}
	}
	return nil
}

// WorldDir is the folder of the suite's world.
func (s *Suite) WorldDir() string { return filepath.Join(filepath.Dir(s.Path), s.World) }

// Conversation is the document of a case's history: player lines as said by the
// player, NPC lines as released.
func (c *Case) Conversation(id schema.ConversationID, at time.Time) *schema.Conversation {
	if len(c.History) == 0 {
		return nil
	}
	doc := &schema.Conversation{World: id.World, NPC: id.NPC, Player: id.Player}
	for i, h := range c.History {
		turn := fmt.Sprintf("history-%d", i+1)
		if h.Player != "" {
			doc.Memory = append(doc.Memory, schema.Line{Speaker: "player", Text: h.Player, TurnID: turn, At: at, Source: schema.OriginUser})
		}
		if h.NPC != "" {
			doc.Memory = append(doc.Memory, schema.Line{Speaker: "npc", Text: h.NPC, TurnID: turn, At: at, Source: schema.OriginSystem, Verbatim: true})
		}
	}
	return doc
}
