// Package eval holds evaluation suites: their format, when a case passes, the
// metrics over a run, and the report. It does not know how a turn is answered:
// whoever runs a suite hands in what was seen of each turn.
package eval

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/forsooth-npc/forsooth/internal/world"
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

// Threshold bounds `passed`, a kind, or a metric. A bound of passed or of a kind
// is a share up to 1, and a number of cases above.
type Threshold struct {
	Min *float64 `yaml:"min"`
	Max *float64 `yaml:"max"`
}

// Case is one turn and what is expected of it, or a story of several steps and what
// is remembered at its end. What is left out is not looked at.
type Case struct {
	Name            string         `yaml:"name"`
	Kind            string         `yaml:"kind"`
	NPC             string         `yaml:"npc"`    // the world's default_npc where it is left out
	Player          string         `yaml:"player"` // the player's name; in a story the id
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
	ExpectDeed      *DeedWant      `yaml:"expect_deed"`
	RejectPatterns  []string       `yaml:"reject_patterns"` // RE2, case-insensitive

	PlayerName string       `yaml:"player_name"` // in a story
	Steps      []Step       `yaml:"steps"`
	Memories   []Remembered `yaml:"memories"` // every one must be there at the end
	Absent     []Remembered `yaml:"absent"`   // none of these may be there
	Count      *int         `yaml:"count"`    // of the NPC's active memories with the player

	line           int
	reject         []*regexp.Regexp
	expect, forbid []*regexp.Regexp
}

// Exchange is what was said before a case.
type Exchange struct {
	Player string `yaml:"player"`
	NPC    string `yaml:"npc"`
}

// maxSuiteBytes bounds a suite: what is longer is no suite that a person wrote.
const maxSuiteBytes = 16 << 20

// Load reads a suite. Errors name the file and the line.
func Load(path string) (*Suite, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("suite %s: there is no such file", path)
	}
	if info.IsDir() || info.Size() > maxSuiteBytes {
		return nil, fmt.Errorf("suite %s: is a folder or over %d bytes; name a suite's .yaml file", path, maxSuiteBytes)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("suite %s: cannot be read", path)
	}
	s, err := Parse(path, data)
	if err != nil {
		return nil, err
	}
	s.Modified = info.ModTime()
	return s, nil
}

// Parse reads a suite from its text; name stands for it in errors.
func Parse(name string, data []byte) (*Suite, error) {
	s, lines, err := decode(name, data)
	if err != nil {
		return nil, err
	}
	s.Path = name
	wrong := func(line int, format string, args ...any) (*Suite, error) {
		return nil, fmt.Errorf("%s:%d: %s", name, line, fmt.Sprintf(format, args...))
	}
	if s.Name == "" {
		s.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	if s.World == "" {
		return wrong(1, "world is missing; write the world's folder, relative to this file")
	}
	if len(s.Cases) == 0 {
		return wrong(1, "there are no cases; write some under cases:")
	}
	first := map[string]int{}
	for i := range s.Cases {
		c := &s.Cases[i]
		if i < len(lines.cases) {
			c.line = lines.cases[i]
		}
		if err := c.prepare(); err != nil {
			return wrong(c.line, "case %d: %v", i+1, err)
		}
		if earlier, twice := first[c.Name]; twice {
			return wrong(c.line, "the name %q stands at line %d already; give each case its own", c.Name, earlier)
		}
		first[c.Name] = c.line
	}
	if err := s.checkThresholds(); err != nil {
		return wrong(max(1, lines.thresholds), "%v", err)
	}
	return s, nil
}

// prepare fills what is implied and compiles the patterns.
func (c *Case) prepare() error {
	switch {
	case c.Name == "":
		return fmt.Errorf("name is missing")
	case c.Story():
		return c.prepareStory()
	case strings.TrimSpace(c.PlayerMessage) == "":
		return fmt.Errorf("player_message is missing in %q", c.Name)
	case c.Count != nil || len(c.Memories)+len(c.Absent) > 0:
		return fmt.Errorf("%q expects memories of a single turn; write it as steps", c.Name)
	}
	if c.Kind == "" {
		c.Kind = "known"
		if c.ExpectUncertain != nil && *c.ExpectUncertain {
			c.Kind = "unknown"
		}
	}
	if c.ExpectDeed != nil {
		if err := c.ExpectDeed.check(); err != nil {
			return fmt.Errorf("%q: %w", c.Name, err)
		}
	}
	for _, p := range c.RejectPatterns {
		re, err := regexp.Compile("(?i)" + p)
		if err != nil {
			return fmt.Errorf("reject_patterns of %q: %q is no RE2 pattern: %w", c.Name, p, err)
		}
		c.reject = append(c.reject, re)
	}
	c.expect, c.forbid = globs(c.ExpectEvidence), globs(c.ForbidEvidence)
	req := schema.Request{TurnID: "case", World: "world", NPC: "npc", Player: "player", Message: c.PlayerMessage,
		Trust: c.Trust}
	if err := req.Validate(); err != nil {
		return fmt.Errorf("%q: %w", c.Name, err)
	}
	return nil
}

// globs compiles path patterns: ** crosses folders, * and ? do not.
func globs(patterns []string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, p := range patterns {
		p, _, _ = strings.Cut(p, "#")
		re := regexp.QuoteMeta(p)
		re = strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*\*`, ".*", `\*`, "[^/]*", `\?`, "[^/]").Replace(re)
		out = append(out, regexp.MustCompile("^"+re+"$"))
	}
	return out
}

// Bind fills in the world's default NPC and refuses an NPC that the world does
// not have.
func (s *Suite) Bind(w *world.World) error {
	for i := range s.Cases {
		c := &s.Cases[i]
		if c.NPC == "" {
			c.NPC = w.DefaultNPC
		}
		if w.NPCs[c.NPC] == nil {
			return fmt.Errorf("%s:%d: case %q: %s has no NPC %q; forsooth doctor --world %s lists them", s.Path, c.line, c.Name,
				w.Name, c.NPC, s.WorldDir())
		}
		if err := c.bindStory(w); err != nil {
			return fmt.Errorf("%s:%d: %w", s.Path, c.line, err)
		}
	}
	return nil
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

// checkThresholds refuses a threshold of nothing, and one without a bound.
func (s *Suite) checkThresholds() error {
	kinds := s.kinds()
	for name, t := range s.Thresholds {
		if t.Min == nil && t.Max == nil {
			return fmt.Errorf("threshold %s has neither min nor max", name)
		}
		if name != "passed" && !slices.Contains(kinds, name) && !slices.Contains(metricNames(kinds), name) {
			return fmt.Errorf("threshold %q is neither passed, a kind of this suite (%s) nor a metric (%s)",
				name, strings.Join(kinds, ", "), strings.Join(metricNames(kinds), ", "))
		}
	}
	return nil
}

// WorldDir is the folder of the suite's world.
func (s *Suite) WorldDir() string {
	if filepath.IsAbs(s.World) {
		return filepath.Clean(s.World)
	}
	return filepath.Join(filepath.Dir(s.Path), s.World)
}

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
			doc.Memory = append(doc.Memory,
				schema.Line{Speaker: "player", Text: h.Player, TurnID: turn, At: at, Source: schema.OriginUser})
		}
		if h.NPC != "" {
			doc.Memory = append(doc.Memory,
				schema.Line{Speaker: "npc", Text: h.NPC, TurnID: turn, At: at, Source: schema.OriginSystem, Verbatim: true})
		}
	}
	return doc
}

// lines are where things stand in a suite's file.
type lines struct {
	cases      []int
	thresholds int
}

// decode reads the YAML strictly: an unknown key is an error with its line.
func decode(name string, data []byte) (s *Suite, where lines, err error) {
	// The parser panics on some malformed input.
	defer func() {
		if recover() != nil {
			s, err = nil, fmt.Errorf("%s: is not YAML that can be read", name)
		}
	}()
	s = &Suite{}
	if err := yaml.UnmarshalWithOptions(data, s, yaml.Strict()); err != nil {
		return nil, where, located(name, err)
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, where, located(name, err)
	}
	if len(file.Docs) > 0 {
		where = linesOf(file.Docs[0].Body)
	}
	return s, where, nil
}

// located words an error of the YAML library on one line with its place.
func located(name string, err error) error {
	var ye yaml.Error
	if errors.As(err, &ye) && ye.GetToken() != nil && ye.GetToken().Position != nil {
		return fmt.Errorf("%s:%d: %s", name, ye.GetToken().Position.Line, oneLine(ye.GetMessage()))
	}
	return fmt.Errorf("%s: %s", name, oneLine(err.Error()))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func linesOf(body ast.Node) lines {
	var out lines
	top, ok := body.(*ast.MappingNode)
	if !ok {
		return out
	}
	for _, v := range top.Values {
		switch v.Key.GetToken().Value {
		case "thresholds":
			out.thresholds = lineOf(v.Key)
		case "cases":
			if seq, ok := v.Value.(*ast.SequenceNode); ok {
				for _, c := range seq.Values {
					out.cases = append(out.cases, lineOf(c))
				}
			}
		}
	}
	return out
}

func lineOf(n ast.Node) int {
	if m, ok := n.(*ast.MappingNode); ok && len(m.Values) > 0 {
		n = m.Values[0].Key
	}
	if n != nil && n.GetToken() != nil && n.GetToken().Position != nil {
		return n.GetToken().Position.Line
	}
	return 1
}
